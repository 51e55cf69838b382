/* SPDX-License-Identifier: MIT */
#include "manifest/subject.h"

/* manifests/compat.json: forward compatibility. */
static const char *const verdicts[] = {"yes", "no", "paired", NULL};

static const struct manifest_key keys[] = {
    KEY(compat_row, cuda, KEY_VERSION, .required = true),
    KEY(compat_row, branch, KEY_UNSIGNED, .required = true),
    KEY(compat_row, verdict, KEY_CHOICE, .required = true, .choices = verdicts),
    KEYS_OF_EVERY_ROW(compat_row),
    {.name = NULL},
};

static char *compat_id(const void *row)
{
    const struct compat_row *compat = row;
    char version[VERSION_TEXT_SIZE];
    return mem_printf("compat/%s/%u", version_text(&compat->cuda, 0, version), compat->branch);
}

static bool compat_check(const struct manifest_place *place, const void *row, const void *previous)
{
    const struct compat_row *compat = row;
    const struct compat_row *before = previous;
    if (compat->cuda.count != 2)
        return place_problem_version(place, "cuda", &compat->cuda, "two numbers");
    if (before == NULL)
        return true;
    int order = version_compare(&compat->cuda, &before->cuda);
    if (order < 0 || (order == 0 && compat->branch < before->branch))
        return place_problem(place, "cuda", compat->id, "a row above %s", before->id);
    return true;
}

const struct manifest_subject manifest_compat_subject = {
    .name = "compat",
    .tables = {{.name = "rows",
                .about = "cuda-compat packages on driver branches",
                .keys = keys,
                .row_size = sizeof(struct compat_row),
                .id_offset = offsetof(struct compat_row, id),
                .id = compat_id,
                .check = compat_check}},
};

enum manifest_compat manifest_compat_find(struct manifest *manifest, const struct version *cuda,
                                          unsigned branch, const char **ret_id)
{
    size_t count;
    const struct compat_row *rows = manifest_rows(manifest, &manifest_compat_subject, 0, &count);
    for (size_t i = 0; i < count; i++) {
        if (rows[i].branch != branch || !version_within(cuda, &rows[i].cuda))
            continue;
        if (ret_id != NULL)
            *ret_id = rows[i].id;
        return string_equal(rows[i].verdict, "yes") ? COMPAT_YES : COMPAT_NO;
    }
    return COMPAT_UNKNOWN;
}
