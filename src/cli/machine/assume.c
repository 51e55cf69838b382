/* SPDX-License-Identifier: MIT */
#include "cli/machine/assume.h"

#include "cli/machine/gpu_word.h"
#include "manifest/gpu/gpu.h"
#include "manifest/versions/driver.h"
#include "rules/query/judged.h"

/* "570" is a branch: its newest release stands for it. */
static bool assume_branch(const struct session *session, const char *text,
                          const struct version *number, struct facts *facts, struct error *error)
{
    const struct manifest_branch *branch = manifest_branch_find(session->manifest, number);
    char buffer[VERSION_TEXT_SIZE];
    if (branch == NULL || branch->latest.count < 2)
        return usage_error(error, session->program, NULL, NULL,
                           "--assume-driver: the manifest lists no release in driver branch "
                           "\"%s\"; give a full version such as 570.86.15",
                           text);
    AUTO_FREE char *source =
        mem_printf("--assume-driver %s, the newest release that the manifest knows", text);
    facts_set_string(facts, "assumed", "driver_version", version_text(&branch->latest, 0, buffer),
                     source);
    return true;
}

static bool assume_driver(const struct session *session, const char *text, struct facts *facts,
                          struct error *error)
{
    struct version version;
    bool is_version = version_parse(text, &version);
    if (is_version && version.count == 1)
        return assume_branch(session, text, &version, facts, error);
    if (!is_version || !driver_version_parse(text, &version)) /* 12.8 is of CUDA */
        return usage_error(error, session->program, NULL, NULL,
                           "--assume-driver: \"%s\" is not a driver version such as 570.86.15",
                           text);
    facts_set_string(facts, "assumed", "driver_version", text, "--assume-driver");
    return true;
}

static void set_capability(struct facts *facts, const char *group, const struct version *capability)
{
    if (capability->count == 0) {
        facts_set_unknown(facts, group, "capability", "the manifest does not say", "--assume-gpu");
        return;
    }
    char buffer[VERSION_TEXT_SIZE];
    facts_set_string(facts, group, "capability", version_text(capability, 0, buffer),
                     "--assume-gpu");
}

static void set_model(struct facts *facts, const char *group, const struct manifest_gpu *gpu,
                      const char *device_id)
{
    if (device_id == NULL && gpu->device_ids.count > 0)
        device_id = gpu->device_ids.items[0];
    facts_set_string(facts, group, "name", gpu->name, "--assume-gpu");
    facts_set_string(facts, group, "device_id", device_id, "--assume-gpu");
    set_capability(facts, group, &gpu->capability);
}

static bool assume_gpu(const struct session *session, const char *text, const char *group,
                       struct facts *facts, struct error *error)
{
    AUTO_GPU_WORD struct gpu_word word = {0};
    if (!gpu_word_parse(session, "--assume-gpu: ", text, &word, error))
        return false;
    if (word.models.count > 0 && word.kind != GPU_WORD_CAPABILITY) {
        set_model(facts, group, word.models.items[0], word.device_id);
        return true;
    }
    facts_set_string(facts, group, "name", text, "--assume-gpu");
    if (word.device_id != NULL)
        facts_set_string(facts, group, "device_id", word.device_id, "--assume-gpu");
    else
        facts_set_absent(facts, group, "device_id", "--assume-gpu");
    set_capability(facts, group, &word.capability);
    return true;
}

struct facts *assume_facts(const struct session *session, const struct arguments *arguments,
                           struct error *error)
{
    const char *driver = arguments_get(arguments, "assume-driver");
    const struct strlist *gpus = arguments_all(arguments, "assume-gpu");
    AUTO_FACTS struct facts *facts = facts_new();
    if (driver && !assume_driver(session, driver, facts, error))
        return NULL;
    for (size_t i = 0; gpus && i < gpus->count; i++) {
        AUTO_FREE char *group = mem_printf("assumed/%zu", i);
        if (!assume_gpu(session, gpus->items[i], group, facts, error))
            return NULL;
    }
    return mem_steal(&facts);
}

static bool any_group(const char *group)
{
    (void)group;
    return true;
}

static bool no_assumed_gpu(const char *group)
{
    return !string_starts(group, "assumed/");
}

struct facts *assume_apply(struct facts *facts, const struct facts *assumed)
{
    size_t cursor = 0;
    if (facts_next(assumed, "assumed", &cursor)) {
        struct facts *kept = facts_new();
        facts_copy(kept, facts, no_assumed_gpu);
        facts_free(facts);
        facts = kept;
    }
    facts_copy(facts, assumed, any_group);
    return facts;
}
