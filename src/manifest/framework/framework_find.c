/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "manifest/framework/framework_table.h"
#include "manifest/reader/slug.h"
#include "manifest/store/store.h"

/* Answers from manifests/framework.json. */

static bool has_name(const struct manifest_framework *framework, const char *slug)
{
    return string_equal(framework->framework, slug) || strlist_has(&framework->names, slug);
}

const struct manifest_framework *manifest_framework_find(struct manifest *manifest,
                                                         const char *name)
{
    AUTO_FREE char *slug = manifest_slug(name);
    size_t count;
    const struct manifest_framework *rows = manifest_frameworks(manifest, &count);
    for (size_t i = 0; i < count; i++)
        if (has_name(&rows[i], slug))
            return &rows[i];
    return NULL;
}

const struct manifest_framework *manifest_framework_sharing(struct manifest *manifest,
                                                            const char *name,
                                                            const struct manifest_framework *before)
{
    AUTO_FREE char *slug = manifest_slug(name);
    size_t count;
    const struct manifest_framework *rows = manifest_frameworks(manifest, &count);
    for (size_t i = before ? (size_t)(before - rows) + 1 : 0; i < count; i++)
        if (strlist_has(&rows[i].shared_names, slug))
            return &rows[i];
    return NULL;
}

const struct manifest_build *manifest_builds_of(struct manifest *manifest, const char *framework,
                                                size_t *ret_count)
{
    AUTO_STRLIST struct strlist words = {0};
    size_t count;
    strlist_add(&words, framework);
    const struct manifest_build *rows = manifest_rows_saying(manifest, &manifest_framework_subject,
                                                             FRAMEWORK_BUILDS, &words, &count);
    size_t first = 0;
    while (first < count && !string_equal(rows[first].framework, framework))
        first++;
    size_t end = first;
    while (end < count && string_equal(rows[end].framework, framework))
        end++;
    *ret_count = end - first;
    return first < end ? &rows[first] : NULL;
}

/* The package for the CUDA: cupy-cuda112 is for 11.2 alone, cupy-cuda12x for every CUDA 12. */
static const char *package_for(const struct strlist *packages, const struct version *cuda)
{
    AUTO_FREE char *minor = mem_printf("cuda%u%u", cuda->part[0], cuda->part[1]);
    AUTO_FREE char *major = mem_printf("cuda%ux", cuda->part[0]);
    const char *found = NULL;
    for (size_t i = 0; i < packages->count && cuda->count > 1; i++) {
        if (string_ends(packages->items[i], minor))
            return packages->items[i];
        if (string_ends(packages->items[i], major))
            found = packages->items[i];
    }
    return found;
}

/* What stands for the word at the start of text; *ret_size is the word's. NULL: not a word, or the
 * build has nothing for it (*ret_size is then not 0). */
static const char *word_value(const char *text, const struct manifest_build *build,
                              const struct version *cuda, size_t *ret_size)
{
    static const char *const words[] = {"VERSION", "INDEX", "PACKAGE"};
    const char *package = build->package;
    if (package == NULL)
        package = package_for(&build->packages, cuda);
    const char *const values[] = {build->release, build->index, package};
    for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
        if (!string_starts(text, words[i]))
            continue;
        *ret_size = strlen(words[i]);
        return values[i];
    }
    *ret_size = 0;
    return NULL;
}

static char *pattern_fill(const char *pattern, const struct manifest_build *build,
                          const struct version *cuda)
{
    AUTO_TEXT struct text command = {0};
    const char *end = pattern + strlen(pattern);
    const char *from_index = strstr(pattern, " --index-url");
    if (from_index == NULL)
        from_index = strstr(pattern, " -f ");
    if (build->index == NULL && from_index != NULL)
        end = from_index;
    while (pattern < end) {
        size_t size;
        const char *value = word_value(pattern, build, cuda, &size);
        if (size > 0 && value == NULL)
            return NULL;
        if (value != NULL)
            text_append(&command, value);
        if (value != NULL && value == build->release && build->suffix != NULL)
            text_printf(&command, ".%s", build->suffix);
        if (size == 0)
            text_append_char(&command, *pattern);
        pattern += size > 0 ? size : 1;
    }
    for (size_t i = 0; i < build->with.count; i++)
        text_printf(&command, " \"%s\"", build->with.items[i]);
    return text_steal(&command);
}

/* A release that pip takes as it stands: "2.5.1", "3.0.0b2", "2.15.0.post1". */
static bool is_one_release(const char *release)
{
    struct version version;
    if (release == NULL || !version_parse_prefix(release, &version))
        return false;
    return strspn(release, "0123456789.abcoprst") == strlen(release) && !string_ends(release, ".");
}

/* "conda install -c conda-forge "tensorflow=2.19.1=cuda128*"": of a package that is the framework
 * itself, and whose build string begins with its CUDA. */
static char *conda_command(const struct manifest_build *build)
{
    static const char begins[] = "cuda<NNN>";
    if (build->stage != NULL || build->channel == NULL || build->cuda.count < 2 ||
        !string_equal(build->package, build->framework) || !is_one_release(build->release) ||
        build->patterns.count == 0 || !string_starts(build->patterns.items[0], begins))
        return NULL;
    return mem_printf("conda install -c %s \"%s=%s=cuda%u%u*\"", build->channel, build->package,
                      build->release, build->cuda.part[0], build->cuda.part[1]);
}

bool manifest_build_is_of_pip(const struct manifest_build *build)
{
    return string_equal(build->kind, "wheel") || string_equal(build->kind, "source");
}

char *manifest_build_command(struct manifest *manifest, const struct manifest_build *build,
                             const struct version *cuda)
{
    const struct manifest_framework *framework =
        manifest_framework_find(manifest, build->framework);
    if (string_equal(build->kind, "conda"))
        return conda_command(build);
    const char *pattern = framework == NULL                     ? NULL
                          : string_equal(build->kind, "wheel")  ? framework->pip
                          : string_equal(build->kind, "source") ? framework->pip_source
                                                                : NULL;
    if (pattern == NULL || build->stage != NULL || !is_one_release(build->release))
        return NULL;
    if (build->index == NULL && string_equal(build->is_default, "no"))
        return NULL;
    if (build->os != NULL && !string_equal(build->os, "linux"))
        return NULL;
    return pattern_fill(pattern, build, cuda != NULL ? cuda : &build->cuda);
}

const char *manifest_build_python(const struct manifest_build *build, const char *architecture)
{
    bool aarch64 = string_equal(architecture, "aarch64");
    return aarch64 && build->python_aarch64 ? build->python_aarch64 : build->python;
}
