/* SPDX-License-Identifier: MIT */
#include "rules/compat.h"

static enum answer gpu_eligible(const struct judged_gpu *gpu)
{
    static const struct {
        const char *gpu_class;
        enum answer answer;
    } classes[] = {
        {"data-centre", ANSWER_YES},
        {"jetson", ANSWER_YES},
        {"geforce", ANSWER_NO},
    };
    if (gpu->model == NULL || gpu->model->gpu_class == NULL)
        return ANSWER_UNSURE;
    for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++)
        if (string_equal(gpu->model->gpu_class, classes[i].gpu_class))
            return classes[i].answer;
    return ANSWER_UNSURE;
}

/* One GPU that may not is enough: cuInit then fails for all (804). */
enum answer compat_for_gpus(const struct judged_gpus *gpus)
{
    enum answer answer = gpus->count ? ANSWER_YES : ANSWER_UNSURE;
    for (size_t i = 0; i < gpus->count; i++) {
        enum answer one = gpu_eligible(&gpus->items[i]);
        answer = one < answer ? one : answer;
    }
    return answer;
}

enum answer compat_for_driver(struct manifest *manifest, const struct version *cuda,
                              const struct version *driver, const char **ret_row)
{
    static const enum answer answers[] = {
        [COMPAT_UNKNOWN] = ANSWER_UNSURE,
        [COMPAT_YES] = ANSWER_YES,
        [COMPAT_NO] = ANSWER_NO,
    };
    const char *row = NULL;
    enum manifest_compat compat = COMPAT_UNKNOWN;
    if (cuda->count >= 2) {
        struct version minor = *cuda;
        minor.count = 2;
        compat = manifest_compat_find(manifest, &minor, driver->part[0], &row);
    }
    if (ret_row)
        *ret_row = compat == COMPAT_UNKNOWN ? NULL : row;
    return answers[compat];
}

struct compat compat_active(const struct facts *facts, struct manifest *manifest)
{
    struct compat compat = {.path = NULL};
    const char *path = judged_loaded_path(facts, "libcuda.so.1");
    const char *group = path ? judged_library_at(facts, path) : NULL;
    if (group == NULL || !judged_library_has_origin(facts, group, "compat"))
        return compat;
    compat.path = path;
    compat.loader_group = judged_loader(facts, "libcuda.so.1");
    if (!driver_version_parse(judged_library_version(facts, group), &compat.version))
        return compat;
    const struct manifest_branch *branch = manifest_branch_find(manifest, &compat.version);
    if (branch)
        compat.cuda = branch->cuda;
    return compat;
}
