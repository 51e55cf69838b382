/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/path.h"
#include "rules/query/judged.h"

static const char *answer_group(const struct facts *facts, const char *library)
{
    const char *group;
    for (size_t i = 0; (group = facts_next(facts, "answer", &i)) != NULL;) {
        const char *name = facts_string(facts, group, "library");
        if (string_equal(name ? name : strchr(group, '/') + 1, library))
            return group;
    }
    return NULL;
}

/* A record without answers, or of a machine where the library is not there, was not asked. */
struct judged_answer judged_answer(const struct facts *facts, const char *library)
{
    struct judged_answer answer = {.start = START_NOT_ASKED};
    answer.group = answer_group(facts, library);
    if (answer.group == NULL)
        return answer;
    const struct fact *init = facts_get(facts, answer.group, "init");
    if (facts_integer(facts, answer.group, "init", &answer.number)) {
        answer.start = answer.number == 0 ? START_WORKS : START_FAILED;
        answer.name = facts_string(facts, answer.group, "init_name");
    } else if (init && init->state == FACT_UNKNOWN) {
        answer.start = START_UNKNOWN;
        answer.reason = init->reason;
    } else if (init && init->state == FACT_SKIPPED) {
        answer.reason = init->reason;
    }
    return answer;
}

bool judged_answer_is(const struct judged_answer *answer, int64_t number)
{
    return answer->start == START_FAILED && answer->number == number;
}

/* The libcuda.so.1 that programs get. */
static const char *libcuda_of_programs(const struct facts *facts)
{
    const char *path = judged_loaded_path(facts, "libcuda.so.1");
    return path ? judged_library_at(facts, path) : NULL;
}

const char *judged_driver_copy(const struct facts *facts, const char *name, const char *version,
                               const char *path)
{
    const char *group;
    for (size_t i = 0; version && (group = facts_next(facts, "library", &i)) != NULL;)
        if (string_equal(facts_string(facts, group, "name"), name) &&
            judged_library_of_driver(facts, group) && judged_library_fits(facts, group) &&
            string_equal(judged_library_version(facts, group), version) &&
            !string_equal(facts_string(facts, group, "path"), path))
            return group;
    return NULL;
}

bool judged_driver_api(const struct facts *facts, struct version *ret_version,
                       const char **ret_group)
{
    const char *group = answer_group(facts, "libcuda.so.1");
    const char *text = group ? facts_string(facts, group, "version") : NULL;
    const char *path = group ? facts_string(facts, group, "path") : NULL;
    const char *library = path ? judged_library_at(facts, path) : NULL;
    if (library == NULL)
        library = libcuda_of_programs(facts);
    if (text == NULL || (library && !judged_library_of_driver(facts, library)) ||
        (path && path_has_component(path, "compat")))
        return false;
    if (!version_parse(text, ret_version) || ret_version->count < 2)
        return false;
    *ret_group = group;
    return true;
}
