/* SPDX-License-Identifier: MIT */
#include "manifest/subject.h"

/* manifests/cuda.json: toolkit releases, and what minor-version compatibility asks of a driver. */
enum { TABLE_MAJORS, TABLE_RELEASES };

static const char *const stages[] = {"preview", "rc", "ga", "update", NULL};
static const char *const yes_no[] = {"yes", "no", NULL};

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
    KEY(manifest_cuda, ships_driver, KEY_CHOICE, .choices = yes_no),
    KEYS_OF_EVERY_ROW(manifest_cuda),
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

static bool major_check(const struct manifest_place *place, const void *row, const void *previous)
{
    const struct manifest_cuda_major *major = row;
    const struct manifest_cuda_major *before = previous;
    if (before != NULL && major->major < before->major)
        return place_problem(place, "major", major->id, "a row above %s", before->id);
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
        return place_problem_version(place, "version", &release->version, "a row above %s",
                                     before->id);
    char minor[VERSION_TEXT_SIZE];
    if (!string_starts(release->release, version_text(&release->version, 2, minor)))
        return place_problem(place, "release", release->release, "a name that begins with %s",
                             minor);
    if (release->driver_bundled.count > 0 && string_equal(release->ships_driver, "no"))
        return place_problem_version(place, "driver_bundled", &release->driver_bundled,
                                     "none, since ships_driver is \"no\"");
    return true;
}

const struct manifest_subject manifest_cuda_subject = {
    .name = "cuda",
    .tables =
        {
            [TABLE_MAJORS] = {.name = "majors",
                              .about = "CUDA majors: minor-version compatibility",
                              .keys = major_keys,
                              .row_size = sizeof(struct manifest_cuda_major),
                              .id_offset = offsetof(struct manifest_cuda_major, id),
                              .id = major_id,
                              .check = major_check},
            [TABLE_RELEASES] = {.name = "rows",
                                .about = "CUDA toolkit releases",
                                .keys = release_keys,
                                .row_size = sizeof(struct manifest_cuda),
                                .id_offset = offsetof(struct manifest_cuda, id),
                                .id = release_id,
                                .check = release_check},
        },
};

bool manifest_range_has(const struct manifest_range *range, const struct version *version)
{
    if (range->from.count > 0 && version_compare(version, &range->from) < 0)
        return false;
    return range->below.count == 0 || version_compare(version, &range->below) < 0;
}

static bool is_final(const struct manifest_cuda *release)
{
    return !string_equal(release->stage, "preview") && !string_equal(release->stage, "rc");
}

const struct manifest_cuda *manifest_cuda_find(struct manifest *manifest,
                                               const struct version *version)
{
    size_t count;
    const struct manifest_cuda *rows =
        manifest_rows(manifest, &manifest_cuda_subject, TABLE_RELEASES, &count);
    for (size_t i = 0; i < count && version->count > 0; i++) {
        if (!version_within(&rows[i].version, version))
            continue;
        if (version->count == rows[i].version.count || is_final(&rows[i]))
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
