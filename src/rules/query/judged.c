/* SPDX-License-Identifier: MIT */
#include "rules/query/judged.h"

#include <string.h>

#include "base/path.h"
#include "rules/engine/context.h"

enum place judged_place(const struct facts *facts)
{
    int64_t generation;
    if (facts_integer(facts, "machine", "wsl", &generation))
        return PLACE_WSL;
    if (facts_string(facts, "machine", "jetson_release") ||
        facts_string(facts, "machine", "jetson_model"))
        return PLACE_JETSON;
    return facts_string(facts, "container", "engine") ? PLACE_CONTAINER : PLACE_MACHINE;
}

/* A log or a list that somebody sent names GPUs; how many there are it does not say. */
static bool some_gpu_is_named(const struct facts *facts)
{
    size_t cursor = 0;
    return judged_bus_is_skipped(facts) && facts_next(facts, "pci", &cursor);
}

bool rule_require_gpu_on_bus(struct rule_context *context)
{
    enum place place = judged_place(context->facts);
    if (place == PLACE_WSL) {
        rule_skip(context, "WSL uses the Windows driver and loads no module");
        return false;
    }
    if (place == PLACE_JETSON) {
        rule_skip(context, "a Jetson's driver is part of Jetson Linux");
        return false;
    }
    if (some_gpu_is_named(context->facts))
        return true;
    if (!rule_require_fact(context, "pci", "count"))
        return false;
    int64_t count = 0;
    if (facts_integer(context->facts, "pci", "count", &count) && count > 0)
        return true;
    rule_skip(context, "no NVIDIA GPU on the bus");
    return false;
}

const char *judged_module_file(const struct facts *facts)
{
    return facts_find(facts, "module_file", "kernel", facts_string(facts, "kernel", "release"));
}

const char *judged_loader(const struct facts *facts, const char *soname)
{
    const char *group;
    for (size_t i = 0; (group = facts_next(facts, "loader", &i)) != NULL;) {
        const char *name = facts_string(facts, group, "name");
        if (string_equal(name ? name : strchr(group, '/') + 1, soname))
            return group;
    }
    return NULL;
}

const char *judged_loaded_path(const struct facts *facts, const char *soname)
{
    const char *group = judged_loader(facts, soname);
    if (group == NULL)
        return NULL;
    const char *real_path = facts_string(facts, group, "real_path");
    return real_path ? real_path : facts_string(facts, group, "path");
}

const char *judged_library_at(const struct facts *facts, const char *path)
{
    const char *group;
    for (size_t i = 0; (group = facts_next(facts, "library", &i)) != NULL;) {
        const struct strlist *found_as = facts_list(facts, group, "found_as");
        if (string_equal(facts_string(facts, group, "path"), path) ||
            (found_as && strlist_has(found_as, path)))
            return group;
    }
    return NULL;
}

const char *judged_library_version(const struct facts *facts, const char *group)
{
    const char *version = facts_string(facts, group, "version");
    const char *path = facts_string(facts, group, "path");
    if (version || path == NULL)
        return version;
    const char *suffix = strstr(path_base(path), ".so.");
    return suffix ? suffix + strlen(".so.") : NULL;
}

bool judged_library_is_stub(const struct facts *facts, const char *group)
{
    const char *path = facts_string(facts, group, "path");
    return facts_true(facts, group, "stub") || (path && path_has_component(path, "stubs"));
}

bool judged_library_has_origin(const struct facts *facts, const char *group, const char *origin)
{
    return string_equal(facts_string(facts, group, "origin"), origin);
}

bool judged_library_of_driver(const struct facts *facts, const char *group)
{
    return !judged_library_is_stub(facts, group) &&
           !judged_library_has_origin(facts, group, "compat");
}

bool judged_has_driver_library(const struct facts *facts)
{
    const char *group;
    for (size_t i = 0; (group = facts_next(facts, "library", &i)) != NULL;)
        if (string_equal(facts_string(facts, group, "name"), "libcuda") &&
            judged_library_of_driver(facts, group))
            return true;
    return false;
}

const char *judged_architecture(const struct facts *facts)
{
    const char *system = facts_string(facts, "os", "architecture");
    return system ? system : facts_string(facts, "kernel", "machine");
}

bool judged_library_fits(const struct facts *facts, const char *group)
{
    const char *system = judged_architecture(facts);
    const char *library = facts_string(facts, group, "architecture");
    return system == NULL || library == NULL || string_equal(system, library);
}

bool driver_version_parse(const char *text, struct version *ret_version)
{
    struct version version;
    if (text == NULL || !version_parse(text, &version) || version.count < 2 || version.width[0] < 3)
        return false;
    *ret_version = version;
    return true;
}

static struct judged_driver driver_from(const char *group, const char *name, const char *text)
{
    struct judged_driver driver = {.text = text, .group = group, .name = name};
    driver_version_parse(text, &driver.version);
    return driver;
}

static struct judged_driver driver_of_library(const struct facts *facts)
{
    struct judged_driver none = {.text = NULL};
    const char *path = judged_loaded_path(facts, "libcuda.so.1");
    const char *group = path ? judged_library_at(facts, path) : NULL;
    if (group == NULL || !judged_library_of_driver(facts, group))
        return none;
    const char *text = facts_string(facts, group, "version");
    if (text)
        return driver_from(group, "version", text);
    struct judged_driver driver = driver_from(group, "path", judged_library_version(facts, group));
    if (driver.version.count == 0)
        driver.text = NULL; /* the 1 of libcuda.so.1 */
    return driver;
}

struct judged_driver judged_driver(const struct facts *facts)
{
    const char *text = facts_string(facts, "assumed", "driver_version");
    if (text) {
        struct judged_driver driver = driver_from("assumed", "driver_version", text);
        driver.assumed = true;
        return driver;
    }
    text = facts_string(facts, "module", "version");
    if (text)
        return driver_from("module", "version", text);
    return driver_of_library(facts);
}
