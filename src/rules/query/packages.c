/* SPDX-License-Identifier: MIT */
#include "rules/query/packages.h"

#include <string.h>

#include "base/text.h"

const char *packages_release(const struct facts *facts, const char *group,
                             struct version *ret_version)
{
    const char *text = group ? facts_string(facts, group, "version") : NULL;
    const char *epoch = text ? strchr(text, ':') : NULL;
    text = epoch ? epoch + 1 : text;
    return text && version_parse_prefix(text, ret_version) ? text : NULL;
}

const char *packages_owner(const struct facts *facts, const char *path)
{
    const char *group = path ? facts_find(facts, "file_owner", "path", path) : NULL;
    return group ? facts_string(facts, group, "package") : NULL;
}

const char *packages_beginning(const struct facts *facts, const char *const *beginnings)
{
    const char *group;
    for (size_t i = 0; (group = facts_next(facts, "package", &i)) != NULL;) {
        const char *name = facts_string(facts, group, "name");
        for (size_t k = 0; name && beginnings[k]; k++)
            if (string_starts(name, beginnings[k]))
                return group;
    }
    return NULL;
}

/* Packages of modules are for one kernel each, and several of them may be there. */
static bool is_for_one_kernel(const char *name)
{
    return strstr(name, "kmod") || strstr(name, "-kmp") || strstr(name, "kernel");
}

/* Another version of the package is there too, for the same architecture. */
static bool is_twice(const struct facts *facts, const char *group, const char *name)
{
    const char *other;
    const char *version = facts_string(facts, group, "version");
    const char *architecture = facts_string(facts, group, "architecture");
    for (size_t i = 0; (other = facts_next(facts, "package", &i)) != NULL;)
        if (string_equal(facts_string(facts, other, "name"), name) &&
            string_equal(facts_string(facts, other, "architecture"), architecture) &&
            !string_equal(facts_string(facts, other, "version"), version))
            return true;
    return false;
}

const char *packages_half_done(const struct facts *facts)
{
    static const char *const states[] = {"half-installed", "unpacked", "half-configured",
                                         "triggers-"};
    bool rpm = string_equal(facts_string(facts, "package", "database"), "rpm");
    const char *group;
    for (size_t i = 0; (group = facts_next(facts, "package", &i)) != NULL;) {
        const char *status = facts_string(facts, group, "status");
        const char *name = facts_string(facts, group, "name");
        if (name == NULL || strstr(name, "nvidia") == NULL)
            continue;
        for (size_t k = 0; status && k < sizeof(states) / sizeof(states[0]); k++)
            if (strstr(status, states[k]))
                return group;
        if (rpm && !is_for_one_kernel(name) && is_twice(facts, group, name))
            return group;
    }
    return NULL;
}

const char *packages_held(const struct facts *facts)
{
    static const char *const others[] = {"container", "docker",   "toolkit", "fabric", "cudnn",
                                         "nsight",    "profiler", "-gds",    "imex",   "assistant"};
    const char *group;
    for (size_t i = 0; (group = facts_next(facts, "package", &i)) != NULL;) {
        const char *name = facts_string(facts, group, "name");
        bool driver = name && strstr(name, "nvidia");
        for (size_t k = 0; driver && k < sizeof(others) / sizeof(others[0]); k++)
            driver = strstr(name, others[k]) == NULL;
        if (driver && facts_string(facts, group, "hold"))
            return group;
    }
    return NULL;
}
