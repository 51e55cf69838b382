/* SPDX-License-Identifier: MIT */
#include "cli/engine/specs.h"

#include <ctype.h>
#include <string.h>

#include "cli/engine/elsewhere.h"
#include "manifest/framework/framework.h"
#include "resolve/engine/resolution.h"
#include "resolve/resolve.h"
#include "base/text.h"

/* NAME of "NAME-12.8", "NAME==12.8", "NAME12.8" and the like, where it is one that is known; the
 * version's place. NULL: it is nothing of the kind. free() it. */
static char *name_before_version(const struct session *session, const char *word,
                                 const char **ret_version)
{
    const char *version = word;
    while (*version && (!isdigit((unsigned char)*version) || version == word))
        version++;
    size_t size = (size_t)(version - word);
    struct version parsed;
    if (*version == '\0' || !version_parse(version, &parsed))
        return NULL;
    while (size > 0 && strchr("-=:/_ vV", word[size - 1]))
        size--;
    char *name = mem_string_n(word, size);
    string_lower(name);
    if (resolve_knows(session->manifest, name)) {
        *ret_version = version;
        return name;
    }
    free(name);
    return NULL;
}

/* What was meant, as far as that can be told; NULL: it cannot. free() it. */
static char *meant(const struct session *session, const struct strlist *words, size_t index)
{
    const char *word = words->items[index];
    const char *version;
    struct version parsed;
    if (index > 0 && isdigit((unsigned char)word[0]) && version_parse(word, &parsed) &&
        resolve_knows(session->manifest, words->items[index - 1]))
        return mem_printf("%s@%s", words->items[index - 1], word);
    AUTO_FREE char *name = name_before_version(session, word, &version);
    if (name)
        return mem_printf("%s@%s", name, version);
    if (string_contains_nocase(word, "driver"))
        return mem_string("driver");
    if (string_contains_nocase(word, "toolkit"))
        return mem_string("cuda");
    return NULL;
}

/* Puts it in the place of the next step. */
static bool suggest(const struct session *session, const struct strlist *words, size_t index,
                    struct error *error)
{
    AUTO_FREE char *word = meant(session, words, index);
    if (word)
        error_next(error, "did you mean %s? try %s --help", word, session->program);
    return false;
}

bool specs_name_one(const struct session *session, const char *command,
                    const struct resolve_spec *spec, struct error *error)
{
    AUTO_STRLIST struct strlist names = {0};
    AUTO_STRLIST struct strlist commands = {0};
    const struct manifest_framework *one = NULL;
    const char *version = strchr(spec->text, '@');
    while ((one = manifest_framework_sharing(session->manifest, spec->product, one)) != NULL) {
        strlist_add(&names, one->framework);
        strlist_take(&commands, mem_printf("for %s: %s %s%s", one->title, command, one->framework,
                                           version ? version : ""));
    }
    if (names.count == 0 || resolve_knows(session->manifest, spec->product))
        return true;
    AUTO_FREE char *all = strlist_join(&names, " or ");
    AUTO_FREE char *next = strlist_join(&commands, "; ");
    error_set(error, ERROR_USAGE, "\"%s\" can be one of %zu frameworks: %s", spec->product,
              names.count, all);
    return error_next(error, "%s", next);
}

static bool check_name(const struct session *session, const struct resolve_spec *spec,
                       struct error *error)
{
    if (resolve_knows(session->manifest, spec->product))
        return true;
    if (!specs_name_one(session, session->program, spec, error))
        return false;
    const char *advice = elsewhere_advice(spec->product);
    if (advice) {
        error_set(error, ERROR_USAGE, "gpuenv does not install %s", spec->product);
        return error_next(error, "%s", advice);
    }
    AUTO_STRLIST struct strlist names = {0};
    resolve_names(session->manifest, &names);
    return usage_error(error, session->program, spec->product, &names,
                       "no product or framework \"%s\" in the manifest", spec->product);
}

bool specs_take(const struct session *session, const struct strlist *words,
                struct resolve_specs *specs, struct error *error)
{
    for (size_t i = 0; i < words->count; i++)
        if (!resolve_specs_add(specs, words->items[i], error) ||
            !check_name(session, &specs->items[i], error))
            return suggest(session, words, i, error);
    return resolve_specs_check(session->manifest, specs, NULL, error);
}

bool specs_take_framework(const struct session *session, const struct arguments *arguments,
                          struct resolve_specs *specs, struct error *error)
{
    const char *text = arguments_get(arguments, "for-framework");
    if (text == NULL)
        return true;
    const char *origin = arguments_origin(arguments, "for-framework");
    if (!resolve_specs_add(specs, text, error))
        return error_prefix(error, "%s", origin);
    const char *name = specs->items[0].product;
    AUTO_FREE char *command = mem_printf("%s --for-framework", session->program);
    if (manifest_framework_find(session->manifest, name))
        return true;
    if (!specs_name_one(session, command, &specs->items[0], error))
        return false;
    AUTO_STRLIST struct strlist names = {0};
    size_t count;
    const struct manifest_framework *rows = manifest_frameworks(session->manifest, &count);
    for (size_t i = 0; i < count; i++)
        strlist_add(&names, rows[i].framework);
    return usage_error(error, session->program, name, &names,
                       "%s: no framework \"%s\" in the manifest", origin, name);
}
