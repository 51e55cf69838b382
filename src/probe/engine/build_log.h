/* SPDX-License-Identifier: MIT */
#ifndef PROBE_ENGINE_BUILD_LOG_H
#define PROBE_ENGINE_BUILD_LOG_H

#include "base/strlist.h"
#include "host/root/file.h"

struct error;

/* What a compiler's log ended with. */
struct build_log {
    char *path;
    char *kernel;          /* release that it was built for; NULL where the log does not say */
    char *outcome;         /* "failed" or "ended"; NULL where the log breaks off */
    struct strlist errors; /* the last lines that say what went wrong, at most BUILD_ERRORS_MAX */
    int64_t modified;
};
#define BUILD_ERRORS_MAX 6

/* Reads the end of a log as DKMS, NVIDIA's installer or akmods write it. HOST_ABSENT and the like
 * when it cannot be read. */
enum host_status build_log_read(const struct host *host, const char *path,
                                struct build_log *ret_log, struct error *error);
void build_log_free(struct build_log *log);

#endif
