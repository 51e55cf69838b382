/* SPDX-License-Identifier: MIT */
#ifndef CLI_INSTALLER_LIST_AVAILABLE_H
#define CLI_INSTALLER_LIST_AVAILABLE_H

#include "manifest/toolkit/pin.h"
#include "manifest/toolkit/single.h"
#include "report/engine/report.h"
#include "resolve/engine/resolution.h"

struct manifest;
struct strlist;
struct text;

/* What could be installed: `gpuenv list --available`. Nothing but the manifest and the machine is
 * asked. */

/* Whether a version can be installed here. */
enum availability {
    AVAILABLE_YES,
    AVAILABLE_UNPINNED,   /* with --allow-unpinned alone */
    AVAILABLE_UNKNOWN,    /* for which platforms it has archives is not known */
    AVAILABLE_SUPERSEDED, /* a later file of the same release is to be taken */
    AVAILABLE_ELSEWHERE,  /* not for this platform */
};
enum availability availability_of(const struct manifest_pin *pin, const char *platform);

/* A release that is one archive with a layout (manifest/toolkit/single.h). */
struct available_single {
    struct version version;
    struct manifest_single single;
};

struct available_product {
    const char *product;
    const struct manifest_pin *pins; /* of this product, oldest first */
    size_t pin_count;
    struct available_single *singles; /* releases without a list that is proved, oldest first */
    size_t single_count;
    struct resolution resolution; /* the newest for this machine; no choice: none fits */
};
struct available {
    const char *platform;
    char *machine; /* in words */
    struct available_product *products;
    size_t count, capacity;
};
#define AUTO_AVAILABLE AUTO(available_free)
void available_free(struct available *available);

/* The products of names, or all where there are none. */
void available_fill(struct manifest *manifest, const struct resolve_machine *machine,
                    const char *platform, const struct strlist *names,
                    struct available *ret_available);

/* The choice for this machine; NULL: none fits. */
const struct resolve_choice *available_choice(const struct available_product *product);
/* every: each version on a line; else one line for each product. */
void available_append_text(const struct report_input *input, const struct available *available,
                           bool every, struct text *output);
void available_append_json(const struct report_input *input, const struct available *available,
                           struct text *output);

#endif
