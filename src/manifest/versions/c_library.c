/* SPDX-License-Identifier: MIT */
#include "manifest/versions/c_library.h"

const struct manifest_key c_library_keys[] = {
    KEY(manifest_c_library, glibc, KEY_RANGE, .required = true),
    KEY(manifest_c_library, cuda, KEY_RANGE, .required = true),
    KEY(manifest_c_library, text, KEY_STRING, .required = true),
    KEY(manifest_c_library, functions, KEY_STRINGS),
    KEYS_OF_EVERY_ROW(manifest_c_library),
    {.name = NULL},
};

/* The one bound of glibc: from where on it does not work, or from where on it does. */
static const struct version *bound_of(const struct manifest_c_library *row)
{
    return row->glibc.from.count > 0 ? &row->glibc.from : &row->glibc.below;
}

char *c_library_id(const void *row)
{
    char version[VERSION_TEXT_SIZE];
    return mem_printf("c_library/%s", version_text(bound_of(row), 0, version));
}

bool c_library_check(const struct manifest_place *place, const void *row, const void *previous)
{
    const struct manifest_c_library *library = row;
    const struct manifest_c_library *before = previous;
    if (before == NULL || version_compare(bound_of(library), bound_of(before)) > 0)
        return true;
    return place_problem_version(place, "glibc", bound_of(library), "a row that sorts after %s",
                                 before->id);
}

bool manifest_c_library_hinders(const struct manifest_c_library *row, const struct version *cuda,
                                const struct version *glibc)
{
    return cuda->count > 0 && glibc->count > 0 && manifest_range_has(&row->cuda, cuda) &&
           manifest_range_has(&row->glibc, glibc);
}
