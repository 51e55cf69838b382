/* SPDX-License-Identifier: MIT */
#ifndef MANIFEST_ERROR_LOG_H
#define MANIFEST_ERROR_LOG_H

#include <stdbool.h>
#include <stddef.h>

#include "base/strlist.h"

struct manifest;

/* manifests/log.json: what lines of the log of NVIDIA's driver, its services and the kernel mean. A
 * line belongs to the row whose parts it has; of several, to the one whose parts are longest. */
struct manifest_log {
    const char *id;   /* "log/secure-boot-wait" */
    const char *name; /* secure-boot-wait */
    const char *kind; /* harmless: healthy machines have it; detail: belongs to another line (of);
                       * fault: says that something went wrong; other: any line without a row */
    const char *by;   /* driver, kernel, service; NULL: any of them */
    struct strlist parts;    /* all stand in the line */
    struct strlist of;       /* detail: events (kernel_log) that it is a further line of */
    struct strlist findings; /* fault: causes (slugs) of the findings that explain it */
    const char *severity;    /* fault, other: warn or info */
    const char *meaning;     /* a clause */
    const char *remaining;   /* what it may come from, with "; " between */
    const char *command;     /* the one that decides best between them */
    const char *root;        /* yes: the command needs root */
    const char *source;
    const char *confidence;
    const char *notes;
};
/* All rows. */
const struct manifest_log *manifest_logs(struct manifest *manifest, size_t *ret_count);

/* False: the manifest knows no lines at all, as those before the subject log. */
bool manifest_log_is_known(struct manifest *manifest);

/* The row of a line; where none has its parts, the row for other lines of who wrote it: trouble
 * says whether the line tells of a failure. NULL: the manifest has no such row. */
const struct manifest_log *manifest_log_of(struct manifest *manifest, const char *by, bool trouble,
                                           const char *line);

/* Whether it is a row of that kind: "harmless". */
bool manifest_log_is(const struct manifest_log *row, const char *kind);

#endif
