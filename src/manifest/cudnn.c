/* SPDX-License-Identifier: MIT */
#include "manifest/subject.h"

/* manifests/cudnn.json: the libraries of each cuDNN major. */
static const struct manifest_key keys[] = {
    KEY(manifest_cudnn_major, major, KEY_UNSIGNED, .required = true),
    KEY(manifest_cudnn_major, required, KEY_STRINGS, .required = true),
    KEY(manifest_cudnn_major, optional, KEY_STRINGS),
    KEYS_OF_EVERY_ROW(manifest_cudnn_major),
    {.name = NULL},
};

static char *major_id(const void *row)
{
    const struct manifest_cudnn_major *major = row;
    return mem_printf("cudnn/%u", major->major);
}

/* Every soname is libcudnn*.so.MAJOR. */
static bool sonames_check(const struct manifest_place *place, const char *key,
                          const struct strlist *sonames, unsigned major)
{
    AUTO_FREE char *suffix = mem_printf(".so.%u", major);
    for (size_t i = 0; i < sonames->count; i++)
        if (!string_starts(sonames->items[i], "libcudnn") ||
            !string_ends(sonames->items[i], suffix))
            return place_problem(place, key, sonames->items[i], "sonames such as libcudnn%s",
                                 suffix);
    return true;
}

static bool major_check(const struct manifest_place *place, const void *row, const void *previous)
{
    const struct manifest_cudnn_major *major = row;
    const struct manifest_cudnn_major *before = previous;
    if (before != NULL && major->major < before->major)
        return place_problem(place, "major", major->id, "a row above %s", before->id);
    for (size_t i = 0; i < major->optional.count; i++)
        if (strlist_has(&major->required, major->optional.items[i]))
            return place_problem(place, "optional", major->optional.items[i],
                                 "no soname that is required");
    return sonames_check(place, "required", &major->required, major->major) &&
           sonames_check(place, "optional", &major->optional, major->major);
}

const struct manifest_subject manifest_cudnn_subject = {
    .name = "cudnn",
    .tables = {{.name = "majors",
                .about = "cuDNN majors and their libraries",
                .keys = keys,
                .row_size = sizeof(struct manifest_cudnn_major),
                .id_offset = offsetof(struct manifest_cudnn_major, id),
                .id = major_id,
                .check = major_check}},
};

const struct manifest_cudnn_major *manifest_cudnn_major_find(struct manifest *manifest,
                                                             unsigned major)
{
    size_t count;
    const struct manifest_cudnn_major *rows =
        manifest_rows(manifest, &manifest_cudnn_subject, 0, &count);
    for (size_t i = 0; i < count; i++)
        if (rows[i].major == major)
            return &rows[i];
    return NULL;
}
