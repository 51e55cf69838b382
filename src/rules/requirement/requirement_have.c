/* SPDX-License-Identifier: MIT */
#include "rules/requirement/requirement_have.h"

#include "manifest/versions/driver.h"

void haves_clear(struct haves *haves)
{
    for (size_t i = 0; i < haves->count; i++)
        free(haves->items[i].text);
    free(haves->items);
    free(haves->unknown);
}

void haves_add(struct haves *haves, const struct version *version, const char *text,
               const char *group, const char *name)
{
    *vec_push(haves->items, haves->count, haves->capacity) =
        (struct have){.version = *version, .text = mem_string(text), .group = group, .name = name};
}

bool haves_lack(struct haves *haves, const struct facts *facts, const char *group, const char *name)
{
    const struct fact *fact = facts_get(facts, group, name);
    if (fact && fact->state != FACT_UNKNOWN && fact->state != FACT_SKIPPED)
        return false;
    if (haves->unknown == NULL)
        haves->unknown = fact ? mem_printf("%s.%s: %s", group, name, fact->reason)
                              : mem_printf("%s.%s is not in the record", group, name);
    return true;
}

static void add_text(struct haves *haves, const char *text, const char *group, const char *name)
{
    struct version version;
    if (version_parse_prefix(text, &version))
        haves_add(haves, &version, text, group, name);
    else if (haves->unknown == NULL)
        haves->unknown = mem_printf("\"%s\" is no version", text);
}

static void add_driver(struct haves *haves, const struct facts *facts)
{
    struct judged_driver driver = judged_driver(facts);
    haves->none = "no driver is there";
    if (driver.text)
        add_text(haves, driver.text, driver.group, driver.name);
    else if (driver.group)
        haves->unknown = mem_string("no file and no answer tells the driver's version");
    else if (facts_true(facts, "module", "nvidia"))
        haves->unknown = mem_string("a driver is loaded that does not tell its version");
    else
        haves_lack(haves, facts, "module", "nvidia");
}

/* What libcuda said when called; for an assumed driver, or where it was not, what the manifest says
 * of the driver's branch. */
static void add_cuda(struct haves *haves, const struct facts *facts, struct manifest *manifest)
{
    struct version version;
    const char *group;
    char buffer[VERSION_TEXT_SIZE];
    struct judged_driver driver = judged_driver(facts);
    if (!driver.assumed && judged_driver_api(facts, &version, &group)) {
        haves_add(haves, &version, version_text(&version, 0, buffer), group, "version");
        return;
    }
    add_driver(haves, facts);
    if (haves->count == 0)
        return;
    const struct manifest_branch *branch = manifest_branch_find(manifest, &haves->items[0].version);
    if (branch && branch->cuda.count) {
        haves->items[0].version = branch->cuda;
        free(haves->items[0].text);
        haves->items[0].text = mem_string(version_text(&branch->cuda, 0, buffer));
        return;
    }
    haves->unknown =
        mem_printf("the manifest does not know which CUDA driver %s supports", driver.text);
}

static void add_toolkit(struct haves *haves, const struct facts *facts)
{
    AUTO_TOOLKITS struct judged_toolkits toolkits = judged_toolkits(facts);
    haves->none = "no CUDA toolkit is there";
    if (toolkits.count == 0)
        haves_lack(haves, facts, "toolkit", "count");
    else if (toolkits.items[0].text)
        add_text(haves, toolkits.items[0].text, toolkits.items[0].group, "version");
    else
        haves->unknown = mem_printf("the version of %s is not known", toolkits.items[0].path);
}

/* Every release that the loader gives for a name of that library: "libcudnn.so.". */
static void add_loaded(struct haves *haves, const struct facts *facts, const char *prefix)
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
            add_text(haves, said, answer, "version");
        else if (read)
            add_text(haves, read, group,
                     facts_string(facts, group, "version") ? "version" : "path");
        else if (haves->unknown == NULL)
            haves->unknown = mem_printf("the version of %s is not known", path);
    }
}

static void add_library(struct haves *haves, const struct facts *facts, const char *prefix,
                        const char *none)
{
    haves->none = none;
    add_loaded(haves, facts, prefix);
    if (haves->count == 0)
        haves_lack(haves, facts, "library", "count");
}

struct haves haves_of(const struct facts *facts, struct manifest *manifest,
                      enum requirement_word word)
{
    struct haves haves = {.none = "there is none"};
    switch (word) {
    case REQUIRE_DRIVER:
        add_driver(&haves, facts);
        break;
    case REQUIRE_CUDA:
        add_cuda(&haves, facts, manifest);
        break;
    case REQUIRE_TOOLKIT:
        add_toolkit(&haves, facts);
        break;
    case REQUIRE_CUDNN:
        add_library(&haves, facts, "libcudnn.so.", "the loader finds no cuDNN");
        break;
    case REQUIRE_NCCL:
        add_library(&haves, facts, "libnccl.so.", "the loader finds no NCCL");
        break;
    case REQUIRE_GPUS:
    case REQUIRE_CC:
    case REQUIRE_MEMORY:
        haves_add_gpus(&haves, facts, manifest, word);
        break;
    }
    return haves;
}
