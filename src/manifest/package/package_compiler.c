/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "manifest/package/package_table.h"

/* The table compilers of manifests/package.json. */

const struct manifest_key host_compiler_keys[] = {
    KEY(manifest_host_compilers, system, KEY_STRING, .required = true),
    KEY(manifest_host_compilers, same, KEY_STRINGS),
    KEY(manifest_host_compilers, release, KEY_VERSION, .required = true),
    KEY(manifest_host_compilers, gcc, KEY_STRINGS, .required = true),
    KEY(manifest_host_compilers, clang, KEY_STRINGS),
    KEY(manifest_host_compilers, package, KEY_STRING, .required = true),
    KEY(manifest_host_compilers, program, KEY_STRING, .required = true),
    KEYS_OF_EVERY_ROW(manifest_host_compilers),
    {.name = NULL},
};

char *host_compilers_id(const void *row)
{
    const struct manifest_host_compilers *compilers = row;
    char release[VERSION_TEXT_SIZE];
    return mem_printf("compilers/%s-%s", compilers->system,
                      version_text(&compilers->release, 0, release));
}

static bool versions_check(const struct manifest_place *place, const char *key,
                           const struct strlist *versions)
{
    struct version before = {.count = 0};
    for (size_t i = 0; i < versions->count; i++) {
        struct version version;
        if (!version_parse(versions->items[i], &version) ||
            (before.count > 0 && version_compare(&version, &before) <= 0))
            return place_problem(place, key, versions->items[i], "versions, oldest first");
        before = version;
    }
    return true;
}

/* They are shown to be copied into a shell. */
static bool word_check(const struct manifest_place *place, const char *key, const char *word)
{
    static const char bytes[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-._/";
    if (word[strspn(word, bytes)] == '\0' && strstr(word, "VERSION") != NULL)
        return true;
    return place_problem(place, key, word, "a name with VERSION in it");
}

bool host_compilers_check(const struct manifest_place *place, const void *row, const void *previous)
{
    const struct manifest_host_compilers *compilers = row;
    const struct manifest_host_compilers *before = previous;
    int order = before != NULL ? strcmp(compilers->system, before->system) : 1;
    if (order < 0 || (order == 0 && version_compare(&compilers->release, &before->release) <= 0))
        return place_problem(place, "system", compilers->id, "a row that sorts after %s",
                             before->id);
    return versions_check(place, "gcc", &compilers->gcc) &&
           versions_check(place, "clang", &compilers->clang) &&
           word_check(place, "package", compilers->package) &&
           word_check(place, "program", compilers->program);
}

const struct manifest_host_compilers *
manifest_host_compilers_find(struct manifest *manifest, const struct manifest_system *system)
{
    size_t count;
    const struct manifest_host_compilers *rows = package_compilers(manifest, &count);
    for (size_t i = 0; system->id != NULL && system->release.count > 0 && i < count; i++)
        if ((string_equal(rows[i].system, system->id) || strlist_has(&rows[i].same, system->id)) &&
            version_within(&system->release, &rows[i].release))
            return &rows[i];
    return NULL;
}

const char *manifest_compiler_within(const struct strlist *versions, const struct version *min,
                                     const struct version *max)
{
    for (size_t i = versions->count; i > 0; i--) {
        struct version version;
        if (version_parse(versions->items[i - 1], &version) &&
            (min->count == 0 || version_compare(&version, min) >= 0) &&
            (max->count == 0 || version_compare(&version, max) <= 0 ||
             version_within(&version, max)))
            return versions->items[i - 1];
    }
    return NULL;
}

const struct manifest_host_compilers *manifest_host_compilers_with(struct manifest *manifest,
                                                                   const char *system,
                                                                   const struct version *min,
                                                                   const struct version *max,
                                                                   const char **ret_gcc)
{
    size_t count;
    const struct manifest_host_compilers *rows = package_compilers(manifest, &count);
    for (size_t i = 0; i < count; i++)
        if (string_equal(rows[i].system, system) &&
            (*ret_gcc = manifest_compiler_within(&rows[i].gcc, min, max)) != NULL)
            return &rows[i];
    return NULL;
}

char *manifest_compiler_name(const char *pattern, const char *version)
{
    const char *at = strstr(pattern, "VERSION");
    return mem_printf("%.*s%s%s", (int)(at - pattern), pattern, version, at + strlen("VERSION"));
}
