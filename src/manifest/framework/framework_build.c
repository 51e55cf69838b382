/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "manifest/framework/framework_table.h"
#include "manifest/reader/range.h"
#include "manifest/reader/subject.h"
#include "manifest/versions/listed.h"

/* The table of builds: its keys, and what a row must agree with in itself. */

static const char *const kinds[] = {"wheel", "conda", "image", "archive", "source", NULL};
static const char *const systems[] = {"linux", "windows", "macos", NULL};
static const char *const stages[] = {"planned", "unreleased", "recipe", NULL};
static const char *const tiers[] = {"stable", "experimental", "extra", "lts", NULL};
static const char *const ranks[] = {"primary", "also", "doc", NULL};
static const char *const uses[] = {"yes", "no", "not-native", NULL};
static const char *const carriers[] = {"cuda", "system", NULL};

const struct manifest_key framework_build_keys[] = {
    KEY(manifest_build, framework, KEY_STRING, .required = true),
    KEY(manifest_build, release, KEY_STRING),
    KEY(manifest_build, variant, KEY_STRING),
    KEY(manifest_build, kind, KEY_CHOICE, .choices = kinds),
    KEY(manifest_build, os, KEY_CHOICE, .choices = systems),
    KEY(manifest_build, os_also, KEY_CHOICE, .choices = systems),
    KEY(manifest_build, arch, KEY_STRINGS),
    KEY(manifest_build, stage, KEY_CHOICE, .choices = stages),
    KEY(manifest_build, tier, KEY_CHOICE, .choices = tiers),
    KEY(manifest_build, rank, KEY_CHOICE, .choices = ranks),
    KEY(manifest_build, date, KEY_DATE),
    KEY(manifest_build, seen, KEY_DATE),
    KEY(manifest_build, uses_cuda, KEY_CHOICE, .choices = uses),
    KEY(manifest_build, cuda, KEY_VERSION),
    KEY(manifest_build, cudas, KEY_STRINGS),
    KEY(manifest_build, cuda_range, KEY_RANGE),
    KEY(manifest_build, cudnn, KEY_VERSION),
    KEY(manifest_build, cudnns, KEY_STRINGS),
    KEY(manifest_build, cudnn_range, KEY_RANGE),
    KEY(manifest_build, carries, KEY_CHOICE, .choices = carriers),
    KEY(manifest_build, tensorrt, KEY_VERSION),
    KEY(manifest_build, onnxruntime, KEY_STRING),
    KEY(manifest_build, nccl_min, KEY_VERSION),
    KEY(manifest_build, requires, KEY_STRINGS),
    KEY(manifest_build, components, KEY_STRINGS),
    KEY(manifest_build, driver_min, KEY_VERSION),
    KEY(manifest_build, driver_alternates, KEY_STRINGS),
    KEY(manifest_build, driver_min_windows, KEY_VERSION),
    KEY(manifest_build, driver_listed, KEY_VERSION),
    KEY(manifest_build, driver_built, KEY_VERSION),
    KEY(manifest_build, sass, KEY_STRINGS),
    KEY(manifest_build, ptx, KEY_STRINGS),
    KEY(manifest_build, ptx_fails, KEY_STRINGS),
    KEY(manifest_build, sass_aarch64, KEY_STRINGS),
    KEY(manifest_build, plugin_sass, KEY_STRINGS),
    KEY(manifest_build, capability_min, KEY_VERSION),
    KEY(manifest_build, capability_max, KEY_VERSION),
    KEY(manifest_build, capabilities, KEY_STRINGS),
    KEY(manifest_build, python, KEY_STRING),
    KEY(manifest_build, python_aarch64, KEY_STRING),
    KEY(manifest_build, compiler, KEY_STRING),
    KEY(manifest_build, build_tool, KEY_STRING),
    KEY(manifest_build, is_default, KEY_CHOICE, .choices = manifest_yes_no),
    KEY(manifest_build, package, KEY_STRING),
    KEY(manifest_build, suffix, KEY_STRING),
    KEY(manifest_build, packages, KEY_STRINGS),
    KEY(manifest_build, with, KEY_STRINGS),
    KEY(manifest_build, index, KEY_STRING),
    KEY(manifest_build, channel, KEY_STRING),
    KEY(manifest_build, patterns, KEY_STRINGS),
    KEY(manifest_build, constrains, KEY_STRINGS),
    KEY(manifest_build, conda_cudnn, KEY_VERSION),
    KEY(manifest_build, conda_python, KEY_STRING),
    KEY(manifest_build, conda_sass, KEY_STRINGS),
    KEY(manifest_build, downloads, KEY_STRINGS),
    KEY(manifest_build, image, KEY_STRING),
    KEYS_OF_EVERY_ROW(manifest_build),
    {.name = NULL},
};

char *framework_build_id(const void *row)
{
    const struct manifest_build *build = row;
    AUTO_TEXT struct text id = {0};
    text_printf(&id, "framework/%s", build->framework);
    if (build->release != NULL)
        text_printf(&id, "-%s", build->release);
    if (build->variant != NULL)
        text_printf(&id, "+%s", build->variant);
    return text_steal(&id);
}

/* "8.6", "9.0a" (code for that GPU alone). */
static bool is_capability(const char *text)
{
    size_t size = strspn(text, "0123456789.");
    if (text[size] != '\0' && (strchr("af", text[size]) == NULL || text[size + 1] != '\0'))
        return false;
    AUTO_FREE char *number = mem_string_n(text, size);
    struct version version;
    return version_parse(number, &version) && version.count == 2;
}

static bool capabilities_check(const struct manifest_place *place, const char *key,
                               const struct strlist *capabilities)
{
    for (size_t i = 0; i < capabilities->count; i++)
        if (!is_capability(capabilities->items[i]))
            return place_problem(place, key, capabilities->items[i],
                                 "compute capabilities such as 8.6 or 9.0a");
    return true;
}

static bool code_check(const struct manifest_place *place, const struct manifest_build *build)
{
    const struct version *least = &build->capability_min;
    const struct version *most = &build->capability_max;
    if (least->count > 0 && least->count != 2)
        return place_problem_version(place, "capability_min", least, "two numbers");
    if (most->count > 0 && (most->count != 2 || version_compare(most, least) < 0))
        return place_problem_version(place, "capability_max", most,
                                     "two numbers, capability_min or greater");
    return capabilities_check(place, "sass", &build->sass) &&
           capabilities_check(place, "ptx", &build->ptx) &&
           capabilities_check(place, "ptx_fails", &build->ptx_fails) &&
           capabilities_check(place, "sass_aarch64", &build->sass_aarch64) &&
           capabilities_check(place, "plugin_sass", &build->plugin_sass) &&
           capabilities_check(place, "conda_sass", &build->conda_sass);
}

bool framework_cudas_check(const struct manifest_place *place, const char *key,
                           const struct strlist *cudas)
{
    for (size_t i = 0; i < cudas->count; i++) {
        const char *text = cudas->items[i];
        size_t size = strlen(text);
        if (string_ends(text, ".x"))
            size -= 2;
        else if (string_ends(text, "+"))
            size--;
        AUTO_FREE char *number = mem_string_n(text, size);
        struct version version;
        if (!version_parse(number, &version) || (text[size] == '.' && version.count != 1))
            return place_problem(place, key, text, "versions such as 12.0, 12.x or 11.2+");
    }
    return true;
}

/* A range that names more digits than the version did has it all the same. */
static bool in_range(const struct version *version, const struct manifest_range *range)
{
    return version->count == 0 || manifest_range_has(range, version) ||
           version_within(&range->from, version);
}

static bool versions_check(const struct manifest_place *place, const struct manifest_build *build)
{
    if (build->cuda.count == 1)
        return place_problem_version(place, "cuda", &build->cuda, "at least two numbers");
    if (!in_range(&build->cuda, &build->cuda_range))
        return place_problem_version(place, "cuda", &build->cuda, "a version within cuda_range");
    if (!in_range(&build->cudnn, &build->cudnn_range))
        return place_problem_version(place, "cudnn", &build->cudnn, "a version within cudnn_range");
    if (build->cuda.count > 0 && string_equal(build->uses_cuda, "no"))
        return place_problem_version(place, "cuda", &build->cuda,
                                     "none, since uses_cuda is \"no\"");
    return framework_cudas_check(place, "cudas", &build->cudas);
}

static bool release_number(const char *release, struct version *ret_number)
{
    return release != NULL &&
           version_parse_prefix(release + strcspn(release, "0123456789"), ret_number);
}

bool framework_order_check(const struct manifest_place *place, const char *framework,
                           const char *release, const char *framework_before,
                           const char *release_before, const char *id_before)
{
    int order = strcmp(framework, framework_before);
    if (order < 0)
        return place_problem(place, "framework", framework, "a row that sorts after %s", id_before);
    struct version number;
    struct version before;
    if (order > 0 || !release_number(release, &number) || !release_number(release_before, &before))
        return true;
    if (version_compare(&number, &before) < 0)
        return place_problem(place, "release", release, "a row that sorts after %s", id_before);
    return true;
}

/* What is part of the id is one word. */
static bool word_check(const struct manifest_place *place, const char *key, const char *word)
{
    if (word == NULL || strpbrk(word, " \t\n") == NULL)
        return true;
    return place_problem(place, key, word, "one word");
}

bool framework_build_check(const struct manifest_place *place, const void *row,
                           const void *previous)
{
    const struct manifest_build *build = row;
    const struct manifest_build *before = previous;
    bool is_conda = string_equal(build->kind, "conda");
    if (!word_check(place, "release", build->release) ||
        !word_check(place, "variant", build->variant))
        return false;
    if (before != NULL && !framework_order_check(place, build->framework, build->release,
                                                 before->framework, before->release, before->id))
        return false;
    if (build->os_also != NULL && (build->os == NULL || string_equal(build->os, build->os_also)))
        return place_problem(place, "os_also", build->os_also, "a different system than os");
    if (is_conda != (build->channel != NULL))
        return place_problem(place, "channel", build->channel != NULL ? build->channel : "nothing",
                             is_conda ? "the channel of a conda package"
                                      : "none, since kind is not \"conda\"");
    return versions_check(place, build) && code_check(place, build);
}
