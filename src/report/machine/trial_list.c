/* SPDX-License-Identifier: MIT */
#include "report/machine/trial_list.h"

#include <string.h>

#include "base/text.h"

struct came_of {
    int64_t count; /* that were to be tried */
    int64_t right;
};

struct trials {
    struct came_of gpus, copies;
    int64_t milliseconds; /* of the GPU that took longest; 0: none has told */
    int64_t bytes;        /* that a context took, the most; 0: not known */
};

static bool count_right(const struct facts *facts, const char *kind, struct came_of *ret)
{
    const char *group;
    *ret = (struct came_of){0};
    if (!facts_integer(facts, kind, "count", &ret->count))
        return false;
    for (size_t i = 0; (group = facts_next(facts, kind, &i)) != NULL;)
        ret->right += string_equal(facts_string(facts, group, "outcome"), "right");
    return true;
}

/* What NVML had free before, less what was free meanwhile; 0: not known. Other programs come and go
 * in between, so it is what was seen and no more. */
static int64_t taken(const struct facts *facts, const char *trial)
{
    int64_t before = 0;
    int64_t meanwhile = 0;
    AUTO_FREE char *cuda = facts_group_name("cuda", strchr(trial, '/') + 1);
    const char *bus_id = facts_string(facts, cuda, "bus_id");
    const char *nvml = bus_id ? facts_find(facts, "nvml", "bus_id", bus_id) : NULL;
    if (nvml == NULL || facts_true(facts, nvml, "mig") ||
        !facts_integer(facts, nvml, "memory_free_bytes", &before) ||
        !facts_integer(facts, trial, "memory_free_bytes", &meanwhile) || meanwhile > before)
        return 0;
    return before - meanwhile;
}

static bool trials_of(const struct facts *facts, struct trials *ret_trials)
{
    struct trials trials = {.milliseconds = 0};
    const char *group;
    if (!count_right(facts, "trial", &trials.gpus))
        return false;
    count_right(facts, "peer_copy", &trials.copies);
    for (size_t i = 0; (group = facts_next(facts, "trial", &i)) != NULL;) {
        int64_t time = 0;
        int64_t bytes = taken(facts, group);
        facts_integer(facts, group, "milliseconds", &time);
        trials.milliseconds = time > trials.milliseconds ? time : trials.milliseconds;
        trials.bytes = bytes > trials.bytes ? bytes : trials.bytes;
    }
    *ret_trials = trials;
    return true;
}

void trial_list_append(const struct facts *facts, struct text *sentence)
{
    struct trials trials;
    if (!trials_of(facts, &trials))
        return;
    text_printf(sentence, "correct results on %lld of %lld GPUs", (long long)trials.gpus.right,
                (long long)trials.gpus.count);
    if (trials.copies.count > 0)
        text_printf(sentence, ", %lld of %lld copies between GPUs correct",
                    (long long)trials.copies.right, (long long)trials.copies.count);
    if (trials.milliseconds > 0)
        text_printf(sentence, "; it took %.2f s", (double)trials.milliseconds / 1000);
    if (trials.bytes > 0)
        text_printf(sentence, " and %lld MiB of GPU memory", (long long)(trials.bytes >> 20));
}

static json_t *known(int64_t number)
{
    return number > 0 ? json_integer(number) : json_null();
}

json_t *trial_list_json(const struct facts *facts)
{
    struct trials trials;
    if (!trials_of(facts, &trials))
        return json_null();
    json_t *object = json_object();
    json_object_set_new(object, "gpus", json_integer(trials.gpus.count));
    json_object_set_new(object, "gpus_right", json_integer(trials.gpus.right));
    json_object_set_new(object, "copies", json_integer(trials.copies.count));
    json_object_set_new(object, "copies_right", json_integer(trials.copies.right));
    json_object_set_new(object, "milliseconds", known(trials.milliseconds));
    json_object_set_new(object, "memory_bytes", known(trials.bytes));
    return object;
}
