/* SPDX-License-Identifier: MIT */
#include "manifest/reader/range.h"
#include "manifest/reader/subject.h"
#include "manifest/store/store.h"
#include "manifest/versions/c_library.h"
#include "manifest/versions/capability.h"
#include "manifest/versions/cuda.h"
#include "manifest/versions/driver.h"
#include "manifest/versions/listed.h"
#include "manifest/versions/nvcc.h"

/* manifests/cuda.json: toolkit releases, what minor-version compatibility asks of a driver, and
 * what nvcc takes and makes. */
enum { TABLE_MAJORS, TABLE_RELEASES, TABLE_COMPILERS, TABLE_C_LIBRARIES, TABLE_NVCC };

static const char *const stages[] = {"preview", "rc", "ga", "update", NULL};

static const struct manifest_key major_keys[] = {
    KEY(manifest_cuda_major, major, KEY_UNSIGNED, .required = true),
    KEY(manifest_cuda_major, driver_min, KEY_VERSION),
    KEY(manifest_cuda_major, table_range, KEY_RANGE),
    KEYS_OF_EVERY_ROW(manifest_cuda_major),
    {.name = NULL},
};

static const struct manifest_key release_keys[] = {
    KEY(manifest_cuda, version, KEY_VERSION, .required = true),
    KEY(manifest_cuda, release, KEY_STRING, .required = true),
    KEY(manifest_cuda, stage, KEY_CHOICE, .required = true, .choices = stages),
    KEY(manifest_cuda, date, KEY_DATE),
    KEY(manifest_cuda, driver_min, KEY_VERSION),
    KEY(manifest_cuda, driver_bundled, KEY_VERSION),
    KEY(manifest_cuda, ships_driver, KEY_CHOICE, .choices = manifest_yes_no),
    KEYS_OF_EVERY_ROW(manifest_cuda),
    {.name = NULL},
};

static const struct manifest_key compiler_keys[] = {
    KEY(manifest_compilers, cuda, KEY_VERSION, .required = true),
    KEY(manifest_compilers, gcc_min, KEY_VERSION),
    KEY(manifest_compilers, gcc_max, KEY_VERSION),
    KEY(manifest_compilers, clang_min, KEY_VERSION),
    KEY(manifest_compilers, clang_max, KEY_VERSION),
    KEYS_OF_EVERY_ROW(manifest_compilers),
    {.name = NULL},
};

static const struct manifest_key nvcc_keys[] = {
    KEY(manifest_nvcc, first, KEY_VERSION, .required = true),
    KEY(manifest_nvcc, last, KEY_VERSION, .required = true),
    KEY(manifest_nvcc, capabilities, KEY_STRINGS, .required = true),
    KEY(manifest_nvcc, omits, KEY_STRINGS),
    KEYS_OF_EVERY_ROW(manifest_nvcc),
    {.name = NULL},
};

static char *major_id(const void *row)
{
    const struct manifest_cuda_major *major = row;
    return mem_printf("cuda/%u", major->major);
}

static char *release_id(const void *row)
{
    const struct manifest_cuda *release = row;
    char version[VERSION_TEXT_SIZE];
    return mem_printf("cuda/%s", version_text(&release->version, 0, version));
}

static char *compilers_id(const void *row)
{
    const struct manifest_compilers *compilers = row;
    char version[VERSION_TEXT_SIZE];
    return mem_printf("compilers/%s", version_text(&compilers->cuda, 0, version));
}

static char *nvcc_id(const void *row)
{
    const struct manifest_nvcc *nvcc = row;
    char version[VERSION_TEXT_SIZE];
    return mem_printf("nvcc/%s", version_text(&nvcc->first, 0, version));
}

static bool major_check(const struct manifest_place *place, const void *row, const void *previous)
{
    const struct manifest_cuda_major *major = row;
    const struct manifest_cuda_major *before = previous;
    if (before != NULL && major->major < before->major)
        return place_problem(place, "major", major->id, "a row that sorts after %s", before->id);
    bool has_range = major->table_range.from.count > 0 || major->table_range.below.count > 0;
    bool has_driver = major->driver_min.count > 0;
    if (has_driver != has_range ||
        (has_driver && !manifest_range_has(&major->table_range, &major->driver_min)))
        return place_problem_version(place, "driver_min", &major->driver_min,
                                     "a driver within table_range");
    return true;
}

static bool release_check(const struct manifest_place *place, const void *row, const void *previous)
{
    const struct manifest_cuda *release = row;
    const struct manifest_cuda *before = previous;
    if (release->version.count != 3)
        return place_problem_version(place, "version", &release->version, "three numbers");
    if (before != NULL && version_compare(&release->version, &before->version) <= 0)
        return place_problem_version(place, "version", &release->version,
                                     "a row that sorts after %s", before->id);
    char minor[VERSION_TEXT_SIZE];
    if (!string_starts(release->release, version_text(&release->version, 2, minor)))
        return place_problem(place, "release", release->release, "a name that begins with %s",
                             minor);
    if (release->driver_bundled.count > 0 && string_equal(release->ships_driver, "no"))
        return place_problem_version(place, "driver_bundled", &release->driver_bundled,
                                     "none, since ships_driver is \"no\"");
    return true;
}

static bool span_check(const struct manifest_place *place, const char *key,
                       const struct version *least, const struct version *most)
{
    if (least->count == 0 || most->count == 0 || version_compare(least, most) <= 0)
        return true;
    return place_problem_version(place, key, most, "at least the lower bound");
}

static bool compilers_check(const struct manifest_place *place, const void *row,
                            const void *previous)
{
    const struct manifest_compilers *compilers = row;
    const struct manifest_compilers *before = previous;
    if (compilers->cuda.count != 2 && compilers->cuda.count != 3)
        return place_problem_version(place, "cuda", &compilers->cuda, "two or three numbers");
    if (before != NULL && version_compare(&compilers->cuda, &before->cuda) <= 0)
        return place_problem_version(place, "cuda", &compilers->cuda, "a row that sorts after %s",
                                     before->id);
    return span_check(place, "gcc_max", &compilers->gcc_min, &compilers->gcc_max) &&
           span_check(place, "clang_max", &compilers->clang_min, &compilers->clang_max);
}

static bool nvcc_check(const struct manifest_place *place, const void *row, const void *previous)
{
    const struct manifest_nvcc *nvcc = row;
    const struct manifest_nvcc *before = previous;
    if (nvcc->first.count != 2)
        return place_problem_version(place, "first", &nvcc->first, "two numbers");
    if (nvcc->last.count != 2)
        return place_problem_version(place, "last", &nvcc->last, "two numbers");
    if (before != NULL && version_compare(&nvcc->first, &before->last) <= 0)
        return place_problem_version(place, "first", &nvcc->first, "a toolkit after %s",
                                     before->id);
    for (size_t i = 0; i < nvcc->omits.count; i++)
        if (strlist_has(&nvcc->capabilities, nvcc->omits.items[i]))
            return place_problem(place, "omits", nvcc->omits.items[i],
                                 "only values that are not in capabilities");
    return span_check(place, "last", &nvcc->first, &nvcc->last);
}

static manifest_agreement major_agrees;
static manifest_agreement release_agrees;
static manifest_agreement compilers_agree;
static manifest_agreement nvcc_agrees;

const struct manifest_subject manifest_cuda_subject = {
    .name = "cuda",
    .tables =
        {
            [TABLE_MAJORS] = {.name = "majors",
                              .about = "CUDA major versions: minor-version compatibility",
                              .keys = major_keys,
                              .row_size = sizeof(struct manifest_cuda_major),
                              .id_offset = offsetof(struct manifest_cuda_major, id),
                              .id = major_id,
                              .check = major_check,
                              .agrees = major_agrees},
            [TABLE_RELEASES] = {.name = "rows",
                                .about = "CUDA toolkit releases",
                                .keys = release_keys,
                                .row_size = sizeof(struct manifest_cuda),
                                .id_offset = offsetof(struct manifest_cuda, id),
                                .id = release_id,
                                .check = release_check,
                                .agrees = release_agrees},
            [TABLE_COMPILERS] = {.name = "compilers",
                                 .about = "host compilers that nvcc accepts",
                                 .keys = compiler_keys,
                                 .row_size = sizeof(struct manifest_compilers),
                                 .id_offset = offsetof(struct manifest_compilers, id),
                                 .id = compilers_id,
                                 .check = compilers_check,
                                 .agrees = compilers_agree},
            [TABLE_C_LIBRARIES] = {.name = "c_libraries",
                                   .about = "C libraries that a toolkit does not work with",
                                   .keys = c_library_keys,
                                   .row_size = sizeof(struct manifest_c_library),
                                   .id_offset = offsetof(struct manifest_c_library, id),
                                   .id = c_library_id,
                                   .check = c_library_check},
            [TABLE_NVCC] = {.name = "architectures",
                            .about = "compute capabilities that nvcc compiles for",
                            .keys = nvcc_keys,
                            .row_size = sizeof(struct manifest_nvcc),
                            .id_offset = offsetof(struct manifest_nvcc, id),
                            .id = nvcc_id,
                            .check = nvcc_check,
                            .agrees = nvcc_agrees},
        },
};

const struct manifest_cuda *manifest_cuda_all(struct manifest *manifest, size_t *ret_count)
{
    return manifest_rows(manifest, &manifest_cuda_subject, TABLE_RELEASES, ret_count);
}

bool manifest_cuda_is_early(const struct manifest_cuda *release)
{
    return string_equal(release->stage, "preview") || string_equal(release->stage, "rc");
}

const struct manifest_cuda *manifest_cuda_find(struct manifest *manifest,
                                               const struct version *version)
{
    size_t count;
    const struct manifest_cuda *rows = manifest_cuda_all(manifest, &count);
    for (size_t i = 0; i < count && version->count > 0; i++) {
        if (!version_within(&rows[i].version, version))
            continue;
        if (version->count == rows[i].version.count || !manifest_cuda_is_early(&rows[i]))
            return &rows[i];
    }
    return NULL;
}

const struct manifest_cuda_major *manifest_cuda_major_find(struct manifest *manifest,
                                                           unsigned major)
{
    size_t count;
    const struct manifest_cuda_major *rows =
        manifest_rows(manifest, &manifest_cuda_subject, TABLE_MAJORS, &count);
    for (size_t i = 0; i < count; i++)
        if (rows[i].major == major)
            return &rows[i];
    return NULL;
}

const struct manifest_compilers *manifest_compilers_find(struct manifest *manifest,
                                                         const struct version *cuda)
{
    size_t count;
    const struct manifest_compilers *rows =
        manifest_rows(manifest, &manifest_cuda_subject, TABLE_COMPILERS, &count);
    const struct version minor = {.part = {cuda->part[0], cuda->part[1]}, .count = 2};
    for (size_t i = count; i > 0 && cuda->count >= 2; i--) {
        const struct manifest_compilers *row = &rows[i - 1];
        if (version_within(&row->cuda, &minor) &&
            (cuda->count == 2 || version_compare(&row->cuda, cuda) <= 0))
            return row;
    }
    return NULL;
}

const struct manifest_c_library *manifest_c_libraries(struct manifest *manifest, size_t *ret_count)
{
    return manifest_rows(manifest, &manifest_cuda_subject, TABLE_C_LIBRARIES, ret_count);
}

const struct manifest_nvcc *manifest_nvcc_find(struct manifest *manifest,
                                               const struct version *cuda)
{
    size_t count;
    const struct manifest_nvcc *rows =
        manifest_rows(manifest, &manifest_cuda_subject, TABLE_NVCC, &count);
    const struct version minor = {.part = {cuda->part[0], cuda->part[1]}, .count = 2};
    for (size_t i = 0; i < count && cuda->count >= 2; i++)
        if (version_compare(&minor, &rows[i].first) >= 0 &&
            version_compare(&minor, &rows[i].last) <= 0)
            return &rows[i];
    return NULL;
}

static bool compilers_agree(struct manifest *manifest, struct manifest_place *place,
                            const void *row)
{
    const struct manifest_compilers *compilers = row;
    return cuda_listed(manifest, place, "cuda", &compilers->cuda);
}

/* What capability.rows says of one compute capability and all toolkits from first to last. */
enum span { SPAN_NONE, SPAN_SOME, SPAN_ALL };
static enum span capability_span(const struct manifest_capability *capability,
                                 const struct manifest_nvcc *nvcc)
{
    const struct version *first = &capability->first_cuda;
    const struct version *last = &capability->last_cuda;
    if (version_compare(first, &nvcc->last) > 0 ||
        (last->count > 0 && version_compare(last, &nvcc->first) < 0))
        return SPAN_NONE;
    bool whole = version_compare(first, &nvcc->first) <= 0 &&
                 (last->count == 0 || version_compare(last, &nvcc->last) >= 0);
    return whole ? SPAN_ALL : SPAN_SOME;
}

static bool capabilities_listed(struct manifest *manifest, const struct manifest_place *place,
                                const char *key, const struct strlist *capabilities)
{
    for (size_t i = 0; i < capabilities->count; i++) {
        struct version capability;
        if (!version_parse(capabilities->items[i], &capability) || capability.count != 2)
            return place_problem(place, key, capabilities->items[i],
                                 "compute capabilities such as 9.0");
        if (!capability_listed(manifest, place, key, &capability))
            return false;
    }
    return true;
}

/* Two sources on one thing: where each compute capability begins and ends, and what each toolkit
 * has. */
static bool nvcc_agrees(struct manifest *manifest, struct manifest_place *place, const void *row)
{
    const struct manifest_nvcc *nvcc = row;
    if (!cuda_listed(manifest, place, "last", &nvcc->last) ||
        !capabilities_listed(manifest, place, "capabilities", &nvcc->capabilities) ||
        !capabilities_listed(manifest, place, "omits", &nvcc->omits))
        return false;
    size_t count;
    const struct manifest_capability *rows = manifest_capability_all(manifest, &count);
    for (size_t i = 0; i < count; i++) {
        char name[VERSION_TEXT_SIZE];
        version_text(&rows[i].capability, 0, name);
        enum span span = capability_span(&rows[i], nvcc);
        bool has = strlist_has(&nvcc->capabilities, name);
        bool omits = strlist_has(&nvcc->omits, name);
        if (span != SPAN_NONE && !has && !omits)
            return place_problem(place, "capabilities", "none", "%s, as %s says", name, rows[i].id);
        if (span != SPAN_ALL && (has || omits))
            return place_problem(place, has ? "capabilities" : "omits", name,
                                 "none that contradicts %s", rows[i].id);
    }
    return true;
}

static bool major_agrees(struct manifest *manifest, struct manifest_place *place, const void *row)
{
    const struct manifest_cuda_major *major = row;
    return driver_listed(manifest, place, "driver_min", &major->driver_min);
}

/* A driver of a branch that does not reach the toolkit's own CUDA version cannot be its minimum. */
static bool release_agrees(struct manifest *manifest, struct manifest_place *place, const void *row)
{
    const struct manifest_cuda *cuda = row;
    if (!driver_listed(manifest, place, "driver_bundled", &cuda->driver_bundled))
        return false;
    if (cuda->driver_min.count == 0)
        return true;
    const struct manifest_branch *branch = manifest_branch_find(manifest, &cuda->driver_min);
    if (branch == NULL)
        return driver_listed(manifest, place, "driver_min", &cuda->driver_min);
    struct version minor = cuda->version;
    minor.count = 2;
    if (branch->cuda.count == 0 || version_compare(&branch->cuda, &minor) >= 0)
        return true;
    return place_problem_version(place, "driver_min", &cuda->driver_min,
                                 "a driver that supports this CUDA release; %s does not",
                                 branch->id);
}
