/* SPDX-License-Identifier: MIT */
#include "cli/assume.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

/* "570" is a branch: its newest release stands for it. */
static bool assume_branch(const struct session *session, const char *text,
                          const struct version *number, struct facts *facts, struct error *error)
{
    const struct manifest_branch *branch = manifest_branch_find(session->manifest, number);
    char buffer[VERSION_TEXT_SIZE];
    if (branch == NULL || branch->latest.count < 2)
        return usage_error(error, session->program, NULL, NULL,
                           "--assume-driver: the manifest knows no release of a driver branch "
                           "\"%s\"; give a whole version such as 570.86.15",
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
    if (!version_parse(text, &version))
        return usage_error(error, session->program, NULL, NULL,
                           "--assume-driver: \"%s\" is not a driver version such as 570.86.15",
                           text);
    if (version.count == 1)
        return assume_branch(session, text, &version, facts, error);
    facts_set_string(facts, "assumed", "driver_version", text, "--assume-driver");
    return true;
}

/* "10de:2330" or "2330", any case: the four digits. NULL when text is neither. */
static const char *device_digits(const char *text)
{
    const char *digits = strncasecmp(text, "10de:", 5) == 0 ? text + 5 : text;
    size_t length = strspn(digits, "0123456789abcdefABCDEF");
    return length == 4 && digits[4] == '\0' ? digits : NULL;
}

/* "9.0", "sm_90", "sm_120a": the last digit is the minor. */
static bool capability_parse(const char *text, struct version *ret_version)
{
    if (strncasecmp(text, "sm_", 3) != 0)
        return version_parse(text, ret_version) && ret_version->count == 2;
    size_t length = strspn(text + 3, "0123456789");
    const char *rest = text + 3 + length;
    if (length < 2 || length > 3 || (rest[0] && (!isalpha((unsigned char)rest[0]) || rest[1])))
        return false;
    AUTO_FREE char *dotted = mem_printf("%.*s.%c", (int)length - 1, text + 3, text[3 + length - 1]);
    return version_parse(dotted, ret_version);
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
                      const char *digits)
{
    AUTO_FREE char *device = mem_string(digits);
    if (device == NULL && gpu->device_ids.count > 0)
        device = mem_string(gpu->device_ids.items[0]);
    for (char *c = device; c && *c; c++)
        *c = (char)tolower((unsigned char)*c);
    facts_set_string(facts, group, "name", gpu->name, "--assume-gpu");
    facts_set_string(facts, group, "device_id", device, "--assume-gpu");
    set_capability(facts, group, &gpu->capability);
}

static bool unknown_gpu(const struct session *session, const char *text, const struct strlist *near,
                        struct error *error)
{
    usage_error(error, session->program, NULL, NULL, "--assume-gpu: no GPU \"%s\" in the manifest",
                text);
    if (near->count == 0)
        return error_next(error,
                          "give a model (H100), a PCI id (10de:2330) or a compute "
                          "capability (9.0); try %s --help",
                          session->program);
    AUTO_FREE char *names = strlist_join(near, ", ");
    return error_next(error, "near ones: %s; try %s --help", names, session->program);
}

static bool assume_gpu(const struct session *session, const char *text, const char *group,
                       struct facts *facts, struct error *error)
{
    struct version capability;
    const char *digits = device_digits(text);
    const struct manifest_gpu *gpu =
        digits ? manifest_gpu_by_device(session->manifest, digits) : NULL;
    if (gpu) {
        set_model(facts, group, gpu, digits);
        return true;
    }
    if (capability_parse(text, &capability)) {
        if (manifest_capability_find(session->manifest, &capability) == NULL)
            return usage_error(error, session->program, NULL, NULL,
                               "--assume-gpu: no compute capability %s in the manifest", text);
        facts_set_string(facts, group, "name", text, "--assume-gpu");
        facts_set_absent(facts, group, "device_id", "--assume-gpu");
        set_capability(facts, group, &capability);
        return true;
    }
    AUTO_STRLIST struct strlist near = {0};
    gpu = manifest_gpu_by_name(session->manifest, text, &near);
    if (gpu == NULL)
        return unknown_gpu(session, text, &near, error);
    set_model(facts, group, gpu, NULL);
    return true;
}

struct facts *assume_facts(const struct session *session, const struct arguments *arguments,
                           struct error *error)
{
    const char *driver = arguments_get(arguments, "assume-driver");
    const struct strlist *gpus = arguments_all(arguments, "assume-gpu");
    struct facts *facts = facts_new();
    bool ok = driver == NULL || assume_driver(session, driver, facts, error);
    for (size_t i = 0; ok && gpus && i < gpus->count; i++) {
        AUTO_FREE char *group = mem_printf("assumed/%zu", i);
        ok = assume_gpu(session, gpus->items[i], group, facts, error);
    }
    if (ok)
        return facts;
    facts_free(facts);
    return NULL;
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
