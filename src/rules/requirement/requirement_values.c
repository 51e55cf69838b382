/* SPDX-License-Identifier: MIT */
#include "rules/requirement/requirement_values.h"

#include "manifest/versions/driver.h"

void measured_values_clear(struct measured_values *values)
{
    for (size_t i = 0; i < values->count; i++)
        free(values->items[i].text);
    free(values->items);
    free(values->unknown);
}

void measured_values_add(struct measured_values *values, const struct version *version,
                         const char *text, const char *group, const char *name)
{
    *vec_push(values->items, values->count, values->capacity) = (struct measured_value){
        .version = *version, .text = mem_string(text), .group = group, .name = name};
}

bool measured_values_lack(struct measured_values *values, const struct facts *facts,
                          const char *group, const char *name)
{
    const struct fact *fact = facts_get(facts, group, name);
    if (fact && fact->state != FACT_UNKNOWN && fact->state != FACT_SKIPPED)
        return false;
    if (values->unknown == NULL)
        values->unknown = fact ? mem_printf("%s.%s: %s", group, name, fact->reason)
                               : mem_printf("%s.%s is not in the record", group, name);
    return true;
}

static void add_text(struct measured_values *values, const char *text, const char *group,
                     const char *name)
{
    struct version version;
    if (version_parse_prefix(text, &version))
        measured_values_add(values, &version, text, group, name);
    else if (values->unknown == NULL)
        values->unknown = mem_printf("\"%s\" is not a version", text);
}

static void add_driver(struct measured_values *values, const struct facts *facts)
{
    struct judged_driver driver = judged_driver(facts);
    values->none = "there is no driver";
    if (driver.text)
        add_text(values, driver.text, driver.group, driver.name);
    else if (driver.group)
        values->unknown =
            mem_string("neither a file nor a library call shows the driver's version");
    else if (facts_true(facts, "module", "nvidia"))
        values->unknown = mem_string("a driver is loaded, but its version is not known");
    else
        measured_values_lack(values, facts, "module", "nvidia");
}

/* What libcuda said when called; for an assumed driver, or where it was not, what the manifest says
 * of the driver's branch. */
static void add_cuda(struct measured_values *values, const struct facts *facts,
                     struct manifest *manifest)
{
    struct version version;
    const char *group;
    char buffer[VERSION_TEXT_SIZE];
    struct judged_driver driver = judged_driver(facts);
    if (!driver.assumed && judged_driver_api(facts, &version, &group)) {
        measured_values_add(values, &version, version_text(&version, 0, buffer), group, "version");
        return;
    }
    add_driver(values, facts);
    if (values->count == 0)
        return;
    const struct manifest_branch *branch =
        manifest_branch_find(manifest, &values->items[0].version);
    if (branch && branch->cuda.count) {
        values->items[0].version = branch->cuda;
        free(values->items[0].text);
        values->items[0].text = mem_string(version_text(&branch->cuda, 0, buffer));
        return;
    }
    values->unknown =
        mem_printf("the manifest does not say which CUDA version driver %s supports", driver.text);
}

static void add_toolkit(struct measured_values *values, const struct facts *facts)
{
    AUTO_TOOLKITS struct judged_toolkits toolkits = judged_toolkits(facts);
    values->none = "there is no CUDA toolkit";
    if (toolkits.count == 0)
        measured_values_lack(values, facts, "toolkit", "count");
    else if (toolkits.items[0].text)
        add_text(values, toolkits.items[0].text, toolkits.items[0].group, "version");
    else
        values->unknown = mem_printf("the version of %s is not known", toolkits.items[0].path);
}

/* Every release that the loader gives for a name of that library: "libcudnn.so.". */
static void add_loaded(struct measured_values *values, const struct facts *facts,
                       const char *prefix)
{
    const char *loader;
    for (size_t i = 0; (loader = facts_next(facts, "loader", &i)) != NULL;) {
        const char *soname = facts_string(facts, loader, "name");
        const char *path =
            soname && string_starts(soname, prefix) ? judged_loaded_path(facts, soname) : NULL;
        if (path == NULL)
            continue;
        const char *answer = judged_answer(facts, soname).group;
        const char *said = answer ? facts_string(facts, answer, "version") : NULL;
        const char *group = judged_library_at(facts, path);
        const char *read = group ? judged_library_version(facts, group) : NULL;
        if (said)
            add_text(values, said, answer, "version");
        else if (read)
            add_text(values, read, group,
                     facts_string(facts, group, "version") ? "version" : "path");
        else if (values->unknown == NULL)
            values->unknown = mem_printf("the version of %s is not known", path);
    }
}

static void add_library(struct measured_values *values, const struct facts *facts,
                        const char *prefix, const char *none)
{
    values->none = none;
    add_loaded(values, facts, prefix);
    if (values->count == 0)
        measured_values_lack(values, facts, "library", "count");
}

struct measured_values measured_values_of(const struct facts *facts, struct manifest *manifest,
                                          enum requirement_word word)
{
    struct measured_values values = {.none = "there is none"};
    switch (word) {
    case REQUIRE_DRIVER:
        add_driver(&values, facts);
        break;
    case REQUIRE_CUDA:
        add_cuda(&values, facts, manifest);
        break;
    case REQUIRE_TOOLKIT:
        add_toolkit(&values, facts);
        break;
    case REQUIRE_CUDNN:
        add_library(&values, facts, "libcudnn.so.", "the loader finds no cuDNN");
        break;
    case REQUIRE_NCCL:
        add_library(&values, facts, "libnccl.so.", "the loader finds no NCCL");
        break;
    case REQUIRE_GPUS:
    case REQUIRE_CC:
    case REQUIRE_MEMORY:
        measured_values_add_gpus(&values, facts, manifest, word);
        break;
    }
    return values;
}
