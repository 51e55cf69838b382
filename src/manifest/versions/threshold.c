/* SPDX-License-Identifier: MIT */
#include "manifest/versions/threshold.h"

#include "manifest/reader/slug.h"
#include "manifest/reader/subject.h"
#include "manifest/store/store.h"

/* manifests/threshold.json */
static const struct manifest_key keys[] = {
    KEY(manifest_threshold, name, KEY_STRING, .required = true),
    KEY(manifest_threshold, bytes, KEY_SIZE),
    KEY(manifest_threshold, percent, KEY_UNSIGNED),
    KEY(manifest_threshold, version, KEY_VERSION),
    KEY(manifest_threshold, finding, KEY_STRING, .required = true),
    KEY(manifest_threshold, meaning, KEY_STRING, .required = true),
    KEYS_OF_EVERY_ROW(manifest_threshold),
    {.name = NULL},
};

static char *threshold_id(const void *row)
{
    const struct manifest_threshold *threshold = row;
    return mem_printf("threshold/%s", threshold->name);
}

static bool threshold_check(const struct manifest_place *place, const void *row,
                            const void *previous)
{
    const struct manifest_threshold *threshold = row;
    const struct manifest_threshold *before = previous;
    int values = (threshold->bytes > 0) + (threshold->percent > 0) + (threshold->version.count > 0);
    if (!name_check(place, threshold->name, before ? before->name : NULL))
        return false;
    if (values != 1)
        return place_problem(place, NULL, threshold->name, "one of bytes, percent and version");
    if (threshold->bytes > INT64_MAX)
        return place_problem(place, "bytes", threshold->name, "at most 2^63 - 1");
    if (threshold->percent > 100)
        return place_problem(place, "percent", threshold->name, "at most 100");
    return true;
}

const struct manifest_subject manifest_threshold_subject = {
    .name = "threshold",
    .tables = {{.name = "rows",
                .about = "thresholds from which findings are reported",
                .keys = keys,
                .row_size = sizeof(struct manifest_threshold),
                .id_offset = offsetof(struct manifest_threshold, id),
                .id = threshold_id,
                .check = threshold_check}},
};

const struct manifest_threshold *manifest_threshold_all(struct manifest *manifest,
                                                        size_t *ret_count)
{
    return manifest_rows(manifest, &manifest_threshold_subject, 0, ret_count);
}

const struct manifest_threshold *manifest_threshold_find(struct manifest *manifest,
                                                         const char *name)
{
    size_t count;
    const struct manifest_threshold *rows = manifest_threshold_all(manifest, &count);
    for (size_t i = 0; i < count; i++)
        if (string_equal(rows[i].name, name))
            return &rows[i];
    return NULL;
}
