/* SPDX-License-Identifier: MIT */
#include "manifest/cudnn.h"

#include "manifest/agree.h"
#include "manifest/standing.h"

/* manifests/cudnn.json: releases, what each one pairs with, and the libraries of each major. */
enum { TABLE_MAJORS, TABLE_RELEASES, TABLE_PAIRS, TABLE_LIBRARIES };

/* A library by itself. */
struct cudnn_library {
    const char *id;
    const char *soname;
    unsigned major;
    const char *role; /* whole: all there is; loader: loads the parts; part */
    const char *source;
    const char *confidence;
    const char *notes;
};

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
    return mem_printf("cudnn/%s+cuda%s", version_text(&pair->cudnn, 0, cudnn),
                      version_text(&pair->cuda, 0, cuda));
}

static char *library_id(const void *row)
{
    const struct cudnn_library *library = row;
    return mem_printf("cudnn/%s", library->soname);
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
        return place_problem(place, "major", major->id, "a row above %s", before->id);
    for (size_t i = 0; i < major->optional.count; i++)
        if (strlist_has(&major->required, major->optional.items[i]))
            return place_problem(place, "optional", major->optional.items[i],
                                 "no soname that is required");
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
        return place_problem_version(place, "version", version, "a row above %s", before->id);
    if (release->build.count > 0 &&
        (release->build.count <= version->count || !version_within(&release->build, version)))
        return place_problem_version(place, "build", &release->build, "a build of %s", release->id);
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
            return place_problem(place, "listed", pair->listed.items[i],
                                 "minors of a CUDA major, and none where cuda is a minor");
    }
    if (before == NULL)
        return true;
    int order = version_compare(&pair->cudnn, &before->cudnn);
    if (order < 0 || (order == 0 && version_compare(&pair->cuda, &before->cuda) <= 0))
        return place_problem(place, "cudnn", pair->id, "a row above %s", before->id);
    return true;
}

static bool library_check(const struct manifest_place *place, const void *row, const void *previous)
{
    const struct cudnn_library *library = row;
    const struct cudnn_library *before = previous;
    if (before != NULL && library->major < before->major)
        return place_problem(place, "major", library->id, "a row above %s", before->id);
    return soname_check(place, "soname", library->soname, library->major);
}

static manifest_agreement major_agrees;
static manifest_agreement release_agrees;
static manifest_agreement pair_agrees;
static manifest_agreement library_agrees;

const struct manifest_subject manifest_cudnn_subject = {
    .name = "cudnn",
    .tables =
        {
            [TABLE_MAJORS] = {.name = "majors",
                              .about = "cuDNN majors and their libraries",
                              .keys = major_keys,
                              .row_size = sizeof(struct manifest_cudnn_major),
                              .id_offset = offsetof(struct manifest_cudnn_major, id),
                              .id = major_id,
                              .check = major_check,
                              .agrees = major_agrees},
            [TABLE_RELEASES] = {.name = "rows",
                                .about = "cuDNN releases",
                                .keys = release_keys,
                                .row_size = sizeof(struct manifest_cudnn),
                                .id_offset = offsetof(struct manifest_cudnn, id),
                                .id = release_id,
                                .check = release_check,
                                .agrees = release_agrees},
            [TABLE_PAIRS] = {.name = "pairs",
                             .about = "what each cuDNN release is built for",
                             .keys = pair_keys,
                             .row_size = sizeof(struct manifest_cudnn_pair),
                             .id_offset = offsetof(struct manifest_cudnn_pair, id),
                             .id = pair_id,
                             .check = pair_check,
                             .agrees = pair_agrees},
            [TABLE_LIBRARIES] = {.name = "libraries",
                                 .about = "cuDNN libraries, one by one",
                                 .keys = library_keys,
                                 .row_size = sizeof(struct cudnn_library),
                                 .id_offset = offsetof(struct cudnn_library, id),
                                 .id = library_id,
                                 .check = library_check,
                                 .agrees = library_agrees},
        },
};

const struct manifest_cudnn_major *manifest_cudnn_major_find(struct manifest *manifest,
                                                             unsigned major)
{
    size_t count;
    const struct manifest_cudnn_major *rows =
        manifest_rows(manifest, &manifest_cudnn_subject, TABLE_MAJORS, &count);
    for (size_t i = 0; i < count; i++)
        if (rows[i].major == major)
            return &rows[i];
    return NULL;
}

const struct manifest_cudnn *manifest_cudnn_all(struct manifest *manifest, size_t *ret_count)
{
    return manifest_rows(manifest, &manifest_cudnn_subject, TABLE_RELEASES, ret_count);
}

const struct manifest_cudnn *manifest_cudnn_find(struct manifest *manifest,
                                                 const struct version *version)
{
    size_t count;
    const struct manifest_cudnn *rows = manifest_cudnn_all(manifest, &count);
    for (size_t i = count; i > 0 && version->count > 0; i--) {
        const struct manifest_cudnn *release = &rows[i - 1];
        if (version_within(version, &release->version))
            return release;
        if (version_within(&release->version, version) && release->stage == NULL)
            return release;
    }
    return NULL;
}

const struct manifest_cudnn_pair *manifest_cudnn_pairs(struct manifest *manifest, size_t *ret_count)
{
    return manifest_rows(manifest, &manifest_cudnn_subject, TABLE_PAIRS, ret_count);
}

const struct manifest_cudnn_pair *manifest_cudnn_pair_find(struct manifest *manifest,
                                                           const struct version *cudnn,
                                                           const struct version *cuda)
{
    size_t count;
    const struct manifest_cudnn_pair *rows = manifest_cudnn_pairs(manifest, &count);
    const struct manifest_cudnn_pair *of_major = NULL;
    for (size_t i = 0; i < count && cuda->count > 0; i++) {
        if (!version_within(cudnn, &rows[i].cudnn))
            continue;
        if (rows[i].cuda.count == 2 && version_within(cuda, &rows[i].cuda))
            return &rows[i];
        if (rows[i].cuda.part[0] == cuda->part[0] && (rows[i].cuda.count == 1 || cuda->count == 1))
            of_major = &rows[i];
    }
    return of_major;
}

/* The nearest pair before this one with the same CUDA major and a lowest compute capability. */
static const struct manifest_cudnn_pair *floor_before(struct manifest *manifest,
                                                      const struct manifest_cudnn_pair *pair)
{
    size_t count;
    const struct manifest_cudnn_pair *rows = manifest_cudnn_pairs(manifest, &count);
    for (const struct manifest_cudnn_pair *row = pair; row > rows; row--)
        if (row[-1].cuda.part[0] == pair->cuda.part[0] && row[-1].capability_min.count > 0)
            return &row[-1];
    return NULL;
}

const struct manifest_cudnn_pair *manifest_cudnn_pair_floor(struct manifest *manifest,
                                                            const struct manifest_cudnn_pair *pair)
{
    return pair->capability_min.count > 0 ? pair : floor_before(manifest, pair);
}

static bool major_agrees(struct manifest *manifest, struct manifest_place *place, const void *row)
{
    const struct manifest_cudnn_major *major = row;
    AUTO_STRLIST struct strlist sonames = {0};
    strlist_copy(&sonames, &major->required);
    strlist_copy(&sonames, &major->optional);
    size_t count;
    const struct cudnn_library *rows =
        manifest_rows(manifest, &manifest_cudnn_subject, TABLE_LIBRARIES, &count);
    for (size_t i = 0; i < sonames.count; i++) {
        size_t j = 0;
        while (j < count && !string_equal(rows[j].soname, sonames.items[i]))
            j++;
        if (j == count)
            return place_problem(place, i < major->required.count ? "required" : "optional",
                                 sonames.items[i], "sonames that cudnn.libraries has");
    }
    return true;
}

static bool library_agrees(struct manifest *manifest, struct manifest_place *place, const void *row)
{
    const struct cudnn_library *library = row;
    const struct manifest_cudnn_major *major = manifest_cudnn_major_find(manifest, library->major);
    if (major == NULL || (!strlist_has(&major->required, library->soname) &&
                          !strlist_has(&major->optional, library->soname)))
        return place_problem(place, "soname", library->soname, "one that cudnn.majors has");
    bool is_first = string_equal(major->required.items[0], library->soname);
    if (is_first != string_equal(library->role, "part"))
        return true;
    return place_problem(place, "role", library->role,
                         "\"part\" for all but the one that programs link to");
}

static bool release_agrees(struct manifest *manifest, struct manifest_place *place, const void *row)
{
    const struct manifest_cudnn *release = row;
    size_t count;
    const struct manifest_cudnn_pair *pairs = manifest_cudnn_pairs(manifest, &count);
    for (size_t i = 0; i < count; i++)
        if (version_compare(&pairs[i].cudnn, &release->version) == 0)
            return true;
    return place_problem(place, "version", release->id, "a release with a row in cudnn.pairs");
}

/* A lowest compute capability that the CUDA still compiles for, and none below an earlier one. */
static bool pair_capability_agrees(struct manifest *manifest, struct manifest_place *place,
                                   const struct manifest_cudnn_pair *pair)
{
    const struct version *least = &pair->capability_min;
    const struct manifest_capability *capability = manifest_capability_find(manifest, least);
    if (capability == NULL)
        return capability_listed(manifest, place, "capability_min", least);
    struct version last = capability->last_cuda;
    last.count = last.count < pair->cuda.count ? last.count : pair->cuda.count;
    if (last.count > 0 && version_compare(&last, &pair->cuda) < 0)
        return place_problem_version(place, "capability_min", least,
                                     "one that CUDA %u compiles for, which %s says it does not",
                                     pair->cuda.part[0], capability->id);
    const struct manifest_cudnn_pair *floor = floor_before(manifest, pair);
    if (floor != NULL && version_compare(least, &floor->capability_min) < 0)
        return place_problem_version(place, "capability_min", least, "no less than %s has",
                                     floor->id);
    return true;
}

static bool pair_agrees(struct manifest *manifest, struct manifest_place *place, const void *row)
{
    const struct manifest_cudnn_pair *pair = row;
    const struct manifest_cudnn *release = manifest_cudnn_find(manifest, &pair->cudnn);
    if (release == NULL || version_compare(&release->version, &pair->cudnn) != 0)
        return place_problem_version(place, "cudnn", &pair->cudnn, "a release that cudnn.rows has");
    if (!cuda_listed(manifest, place, "cuda", &pair->cuda) ||
        !cudas_listed(manifest, place, "listed", &pair->listed) ||
        !driver_listed(manifest, place, "driver_min", &pair->driver_min))
        return false;
    struct version driver = pair->driver_min;
    if (driver.count == 1)
        driver.part[driver.count++] = UINT32_MAX; /* a branch: any release of it */
    if (driver.count > 0 &&
        driver_compare(manifest, &driver, &pair->cuda).standing == STANDING_TOO_OLD)
        return place_problem_version(place, "driver_min", &pair->driver_min,
                                     "a driver that runs this CUDA");
    return pair->capability_min.count == 0 || pair_capability_agrees(manifest, place, pair);
}
