/* SPDX-License-Identifier: MIT */
#include "rules/query/compat.h"

#include "manifest/gpu/gpu_compat.h"
#include "manifest/versions/compat.h"
#include "manifest/versions/driver.h"

static enum answer answer_of(enum manifest_compat compat)
{
    static const enum answer answers[] = {
        [COMPAT_UNKNOWN] = ANSWER_UNSURE,
        [COMPAT_YES] = ANSWER_YES,
        [COMPAT_NO] = ANSWER_NO,
    };
    return answers[compat];
}

/* One GPU that may not is enough: cuInit then fails for all (804). */
enum answer compat_for_gpus(struct manifest *manifest, const struct judged_gpus *gpus)
{
    enum answer answer = gpus->count ? ANSWER_YES : ANSWER_UNSURE;
    for (size_t i = 0; i < gpus->count; i++) {
        enum answer one = answer_of(manifest_gpu_compat(manifest, gpus->items[i].model));
        answer = one < answer ? one : answer;
    }
    return answer;
}

enum answer compat_for_driver(struct manifest *manifest, const struct version *cuda,
                              const struct version *driver, const char **ret_row)
{
    const char *row = NULL;
    enum manifest_compat compat = COMPAT_UNKNOWN;
    if (cuda->count >= 2) {
        struct version minor = *cuda;
        minor.count = 2;
        compat = manifest_compat_find(manifest, &minor, driver->part[0], &row);
    }
    if (ret_row)
        *ret_row = compat == COMPAT_UNKNOWN ? NULL : row;
    return answer_of(compat);
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
