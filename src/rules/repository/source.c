/* SPDX-License-Identifier: MIT */
#include "rules/repository/source.h"

#include <string.h>

#include "base/text.h"
#include "manifest/package/package.h"
#include "rules/query/judged.h"
#include "rules/remedy/remedy.h"
#include "rules/remedy/repository.h"

bool source_require(struct rule_context *context, const char *kind)
{
    if (facts_peek(context->facts, kind, "count") != NULL)
        return rule_require_fact(context, kind, "count");
    rule_skip(context, "the record does not say where packages come from");
    return false;
}

static bool lacks_driver(const struct facts *facts)
{
    bool loaded = true;
    size_t cursor = 0;
    return judged_place(facts) == PLACE_MACHINE && facts_next(facts, "pci", &cursor) &&
           facts_boolean(facts, "module", "nvidia", &loaded) && !loaded;
}

/* An engine, and nothing of NVIDIA's that gives its containers a GPU. */
static bool lacks_toolkit(const struct facts *facts)
{
    int64_t engines = 0;
    const struct strlist *programs = facts_list(facts, "container_toolkit", "programs");
    return facts_integer(facts, "container_engine", "count", &engines) && engines > 0 &&
           (programs == NULL || programs->count == 0);
}

enum severity source_severity(const struct rule_context *context)
{
    const struct facts *facts = context->facts;
    if (context->purpose == PURPOSE_BUILD)
        return SEVERITY_FAIL;
    if (context->purpose == PURPOSE_CONTAINER && lacks_toolkit(facts))
        return SEVERITY_FAIL;
    return lacks_driver(facts) ? SEVERITY_FAIL : SEVERITY_WARN;
}

const char *source_next(const struct rule_context *context, size_t *cursor)
{
    const char *group;
    while ((group = facts_next(context->facts, "apt_source", cursor)) != NULL) {
        const char *uri = facts_string(context->facts, group, "uri");
        if (context->purpose == PURPOSE_BUILD || (uri && string_contains_nocase(uri, "nvidia")))
            break;
    }
    return group;
}

bool source_is_cuda(const char *uri, char **ret_directory, char **ret_architecture)
{
    static const char place[] = "/compute/cuda/repos/";
    const char *at = uri ? strstr(uri, place) : NULL;
    if (at == NULL)
        return false;
    at += strlen(place);
    size_t length = strcspn(at, "/");
    const char *rest = at[length] ? at + length + 1 : at + length;
    *ret_directory = mem_string_n(at, length);
    *ret_architecture = mem_string_n(rest, strcspn(rest, "/"));
    return true;
}

char *source_place(const struct facts *facts, const char *group)
{
    int64_t line = 0;
    const char *file = facts_string(facts, group, "file");
    if (file == NULL)
        return mem_string(strchr(group, '/') + 1);
    if (!facts_integer(facts, group, "line", &line))
        return mem_string(file);
    return mem_printf("%s:%lld", file, (long long)line);
}

/* Without the slash at the end, which apt does not mind. free() it. */
static char *bare_uri(const char *uri)
{
    size_t length = strlen(uri ? uri : "");
    while (length > 0 && uri[length - 1] == '/')
        length--;
    return mem_string_n(uri ? uri : "", length);
}

static bool shares_suite(const struct facts *facts, const char *a, const char *b)
{
    const struct strlist *left = facts_list(facts, a, "suites");
    const struct strlist *right = facts_list(facts, b, "suites");
    for (size_t i = 0; left && right && i < left->count; i++)
        if (strlist_has(right, left->items[i]))
            return true;
    return false;
}

bool source_is_same(const struct facts *facts, const char *a, const char *b)
{
    AUTO_FREE char *left = bare_uri(facts_string(facts, a, "uri"));
    AUTO_FREE char *right = bare_uri(facts_string(facts, b, "uri"));
    return strcmp(left, right) == 0 && shares_suite(facts, a, b);
}

bool source_names_keyring(const struct facts *facts, const char *group)
{
    const struct strlist *names = facts_list(facts, group, "signed_by");
    return names && names->count > 0;
}

bool source_is_joined(const struct facts *facts, const char *group)
{
    const char *other;
    if (source_names_keyring(facts, group) || !facts_true(facts, "apt_verifier", "joins_signed_by"))
        return false;
    for (size_t i = 0; (other = facts_next(facts, "apt_source", &i)) != NULL;)
        if (source_is_same(facts, group, other) && source_names_keyring(facts, other))
            return true;
    return false;
}

bool source_fix_cuda(const struct rule_context *context, struct finding *finding, const char *note)
{
    AUTO_FREE char *line = repository_setup(context->facts, context->manifest);
    if (line == NULL)
        return false;
    finding_fix_command(finding, FIX_STEP | NEEDS_ROOT, note, "%s", line);
    return true;
}
