/* SPDX-License-Identifier: MIT */
#ifndef MANIFEST_FRAMEWORK_FRAMEWORK_TABLE_H
#define MANIFEST_FRAMEWORK_FRAMEWORK_TABLE_H

#include <stdbool.h>

#include "manifest/framework/framework.h"
#include "manifest/reader/subject.h"

struct strlist;

/* What the files of the subject framework share. */
enum {
    FRAMEWORK_FRAMEWORKS,
    FRAMEWORK_BUILDS,
    FRAMEWORK_PINS,
    FRAMEWORK_RIDERS,
    FRAMEWORK_INDEXES,
    FRAMEWORK_CAPABILITIES,
    FRAMEWORK_GLIBCS,
    FRAMEWORK_WHEELS,
};

extern const struct manifest_key framework_build_keys[];
char *framework_build_id(const void *row);
bool framework_build_check(const struct manifest_place *place, const void *row,
                           const void *previous);

/* Whether a row may follow one of framework and release: frameworks in ascending order, and in one
 * of them releases too, those without a number ("master") anywhere. */
bool framework_order_check(const struct manifest_place *place, const char *framework,
                           const char *release, const char *framework_before,
                           const char *release_before, const char *id_before);
/* Versions as the lists of CUDA have them: "12.0", "12.x", "11.2+" (it and later ones). */
bool framework_cudas_check(const struct manifest_place *place, const char *key,
                           const struct strlist *cudas);

/* Whether what a row says of other rows is so: framework_agree.c. */
manifest_agreement framework_agrees;
manifest_agreement framework_build_agrees;
manifest_agreement framework_pin_agrees;
manifest_agreement framework_rider_agrees;
manifest_agreement framework_index_agrees;
manifest_agreement framework_capability_agrees;
manifest_agreement framework_glibc_agrees;
manifest_agreement framework_wheel_agrees;

#endif
