/* SPDX-License-Identifier: MIT */
#include "manifest/reader/subject.h"
#include "manifest/toolkit/cudnn_major.h"
#include "manifest/toolkit/cudnn_table.h"

/* manifests/cudnn.json: releases, what each one pairs with, the libraries of each major, and the
 * wheels that bring them. */

static const char *const stages[] = {"preview", NULL};
static const char *const roles[] = {"whole", "loader", "part", NULL};

static const struct manifest_key major_keys[] = {
    KEY(manifest_cudnn_major, major, KEY_UNSIGNED, .required = true),
    KEY(manifest_cudnn_major, required, KEY_STRINGS, .required = true),
    KEY(manifest_cudnn_major, optional, KEY_STRINGS),
    KEYS_OF_EVERY_ROW(manifest_cudnn_major),
    {.name = NULL},
};

static const struct manifest_key release_keys[] = {
    KEY(manifest_cudnn, version, KEY_VERSION, .required = true),
    KEY(manifest_cudnn, build, KEY_VERSION),
    KEY(manifest_cudnn, stage, KEY_CHOICE, .choices = stages),
    KEY(manifest_cudnn, date, KEY_DATE),
    KEYS_OF_EVERY_ROW(manifest_cudnn),
    {.name = NULL},
};

static const struct manifest_key pair_keys[] = {
    KEY(manifest_cudnn_pair, cudnn, KEY_VERSION, .required = true),
    KEY(manifest_cudnn_pair, cuda, KEY_VERSION, .required = true),
    KEY(manifest_cudnn_pair, capability, KEY_VERSION),
    KEY(manifest_cudnn_pair, listed, KEY_STRINGS),
    KEY(manifest_cudnn_pair, driver_min, KEY_VERSION),
    KEY(manifest_cudnn_pair, capability_min, KEY_VERSION),
    KEYS_OF_EVERY_ROW(manifest_cudnn_pair),
    {.name = NULL},
};

static const struct manifest_key library_keys[] = {
    KEY(cudnn_library, soname, KEY_STRING, .required = true),
    KEY(cudnn_library, major, KEY_UNSIGNED, .required = true),
    KEY(cudnn_library, role, KEY_CHOICE, .required = true, .choices = roles),
    KEYS_OF_EVERY_ROW(cudnn_library),
    {.name = NULL},
};

static const struct manifest_key wheel_keys[] = {
    KEY(manifest_cudnn_wheel, cuda, KEY_UNSIGNED, .required = true),
    KEY(manifest_cudnn_wheel, package, KEY_STRING, .required = true),
    KEYS_OF_EVERY_ROW(manifest_cudnn_wheel),
    {.name = NULL},
};

static char *major_id(const void *row)
{
    const struct manifest_cudnn_major *major = row;
    return mem_printf("cudnn/%u", major->major);
}

static char *release_id(const void *row)
{
    const struct manifest_cudnn *release = row;
    char version[VERSION_TEXT_SIZE];
    return mem_printf("cudnn/%s", version_text(&release->version, 0, version));
}

static char *pair_id(const void *row)
{
    const struct manifest_cudnn_pair *pair = row;
    char cudnn[VERSION_TEXT_SIZE];
    char cuda[VERSION_TEXT_SIZE];
    char capability[VERSION_TEXT_SIZE];
    bool any = pair->capability.count == 0;
    return mem_printf("cudnn/%s+cuda%s%s%s", version_text(&pair->cudnn, 0, cudnn),
                      version_text(&pair->cuda, 0, cuda), any ? "" : ":",
                      any ? "" : version_text(&pair->capability, 0, capability));
}

static char *library_id(const void *row)
{
    const struct cudnn_library *library = row;
    return mem_printf("cudnn/%s", library->soname);
}

static char *wheel_id(const void *row)
{
    const struct manifest_cudnn_wheel *wheel = row;
    return mem_printf("cudnn/%s", wheel->package);
}

/* Every soname is libcudnn*.so.MAJOR. */
static bool soname_check(const struct manifest_place *place, const char *key, const char *soname,
                         unsigned major)
{
    AUTO_FREE char *suffix = mem_printf(".so.%u", major);
    if (string_starts(soname, "libcudnn") && string_ends(soname, suffix))
        return true;
    return place_problem(place, key, soname, "sonames such as libcudnn%s", suffix);
}

static bool sonames_check(const struct manifest_place *place, const char *key,
                          const struct strlist *sonames, unsigned major)
{
    for (size_t i = 0; i < sonames->count; i++)
        if (!soname_check(place, key, sonames->items[i], major))
            return false;
    return true;
}

static bool major_check(const struct manifest_place *place, const void *row, const void *previous)
{
    const struct manifest_cudnn_major *major = row;
    const struct manifest_cudnn_major *before = previous;
    if (before != NULL && major->major < before->major)
        return place_problem(place, "major", major->id, "a row that sorts after %s", before->id);
    for (size_t i = 0; i < major->optional.count; i++)
        if (strlist_has(&major->required, major->optional.items[i]))
            return place_problem(place, "optional", major->optional.items[i],
                                 "a soname that is not in required");
    return sonames_check(place, "required", &major->required, major->major) &&
           sonames_check(place, "optional", &major->optional, major->major);
}

static bool release_check(const struct manifest_place *place, const void *row, const void *previous)
{
    const struct manifest_cudnn *release = row;
    const struct manifest_cudnn *before = previous;
    const struct version *version = &release->version;
    if (version->count != 2 && version->count != 3)
        return place_problem_version(place, "version", version, "two or three numbers");
    if (before != NULL && version_compare(version, &before->version) <= 0)
        return place_problem_version(place, "version", version, "a row that sorts after %s",
                                     before->id);
    if (release->build.count > 0 &&
        (release->build.count <= version->count || !version_within(&release->build, version)))
        return place_problem_version(place, "build", &release->build, "a build of %s", release->id);
    return true;
}

static int pair_compare(const struct manifest_cudnn_pair *a, const struct manifest_cudnn_pair *b)
{
    int order = version_compare(&a->cudnn, &b->cudnn);
    if (order == 0)
        order = version_compare(&a->cuda, &b->cuda);
    return order ? order : version_compare(&a->capability, &b->capability);
}

/* Of a pair for one compute capability. */
static bool pair_capability_check(const struct manifest_place *place,
                                  const struct manifest_cudnn_pair *pair)
{
    if (pair->capability.count != 2)
        return place_problem_version(place, "capability", &pair->capability, "two numbers");
    if (pair->cuda.count != 2)
        return place_problem_version(
            place, "cuda", &pair->cuda,
            "a minor version: the first that supports compute capability %u.%u",
            pair->capability.part[0], pair->capability.part[1]);
    if (pair->capability_min.count > 0)
        return place_problem_version(place, "capability_min", &pair->capability_min,
                                     "nothing together with capability");
    return true;
}

static bool pair_check(const struct manifest_place *place, const void *row, const void *previous)
{
    const struct manifest_cudnn_pair *pair = row;
    const struct manifest_cudnn_pair *before = previous;
    if (pair->cuda.count > 2)
        return place_problem_version(place, "cuda", &pair->cuda, "one or two numbers");
    for (size_t i = 0; i < pair->listed.count; i++) {
        struct version minor;
        if (pair->cuda.count != 1 || !version_parse(pair->listed.items[i], &minor) ||
            minor.count != 2 || !version_within(&minor, &pair->cuda))
            return place_problem(
                place, "listed", pair->listed.items[i],
                "minor versions of a CUDA major version; none if cuda is a minor version");
    }
    if (pair->capability.count > 0 && !pair_capability_check(place, pair))
        return false;
    if (before != NULL && pair_compare(pair, before) <= 0)
        return place_problem(place, "cudnn", pair->id, "a row that sorts after %s", before->id);
    return true;
}

static bool library_check(const struct manifest_place *place, const void *row, const void *previous)
{
    const struct cudnn_library *library = row;
    const struct cudnn_library *before = previous;
    if (before != NULL && library->major < before->major)
        return place_problem(place, "major", library->id, "a row that sorts after %s", before->id);
    return soname_check(place, "soname", library->soname, library->major);
}

static bool wheel_check(const struct manifest_place *place, const void *row, const void *previous)
{
    const struct manifest_cudnn_wheel *wheel = row;
    const struct manifest_cudnn_wheel *before = previous;
    AUTO_FREE char *suffix = mem_printf("-cu%u", wheel->cuda);
    if (!string_ends(wheel->package, suffix))
        return place_problem(place, "package", wheel->package, "a name that ends with %s", suffix);
    if (before != NULL && wheel->cuda <= before->cuda)
        return place_problem(place, "cuda", wheel->id, "a row that sorts after %s", before->id);
    return true;
}

const struct manifest_subject manifest_cudnn_subject = {
    .name = "cudnn",
    .tables =
        {
            [CUDNN_MAJORS] = {.name = "majors",
                              .about = "cuDNN major versions and their libraries",
                              .keys = major_keys,
                              .row_size = sizeof(struct manifest_cudnn_major),
                              .id_offset = offsetof(struct manifest_cudnn_major, id),
                              .id = major_id,
                              .check = major_check,
                              .agrees = cudnn_major_agrees},
            [CUDNN_RELEASES] = {.name = "rows",
                                .about = "cuDNN releases",
                                .keys = release_keys,
                                .row_size = sizeof(struct manifest_cudnn),
                                .id_offset = offsetof(struct manifest_cudnn, id),
                                .id = release_id,
                                .check = release_check,
                                .agrees = cudnn_release_agrees},
            [CUDNN_PAIRS] = {.name = "pairs",
                             .about = "what each cuDNN release is built for",
                             .keys = pair_keys,
                             .row_size = sizeof(struct manifest_cudnn_pair),
                             .id_offset = offsetof(struct manifest_cudnn_pair, id),
                             .id = pair_id,
                             .check = pair_check,
                             .agrees = cudnn_pair_agrees},
            [CUDNN_LIBRARIES] = {.name = "libraries",
                                 .about = "cuDNN libraries, one by one",
                                 .keys = library_keys,
                                 .row_size = sizeof(struct cudnn_library),
                                 .id_offset = offsetof(struct cudnn_library, id),
                                 .id = library_id,
                                 .check = library_check,
                                 .agrees = cudnn_library_agrees},
            [CUDNN_WHEELS] = {.name = "wheels",
                              .about = "wheels that include cuDNN",
                              .keys = wheel_keys,
                              .row_size = sizeof(struct manifest_cudnn_wheel),
                              .id_offset = offsetof(struct manifest_cudnn_wheel, id),
                              .id = wheel_id,
                              .check = wheel_check,
                              .agrees = cudnn_wheel_agrees},
        },
};
