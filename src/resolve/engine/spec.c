/* SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <string.h>

#include "resolve/engine/resolution.h"
#include "base/text.h"

#define SPEC_NEXT                                                                                  \
    "a SPEC is PRODUCT, PRODUCT@VERSION or PRODUCT@auto: cuda, cuda@12.8, cudnn@9, pytorch@2.5"

static bool name_is_sound(const char *name)
{
    for (const char *c = name; *c; c++)
        if (!isalnum((unsigned char)*c) && strchr("-_.", *c) == NULL)
            return false;
    return isalpha((unsigned char)name[0]);
}

/* Printable, and no space: "2.x", "25.03-py3". */
static bool release_is_sound(const char *release)
{
    for (const char *c = release; *c; c++)
        if (!isgraph((unsigned char)*c) || *c == '@')
            return false;
    return release[0] != '\0';
}

static bool spec_problem(struct error *error, const char *text, const char *why)
{
    error_set(error, ERROR_USAGE, "\"%s\" is not a SPEC", text);
    error_why(error, "%s", why);
    return error_next(error, "%s", SPEC_NEXT);
}

const struct resolve_spec *resolve_spec_of(const struct resolve_specs *specs, const char *product)
{
    for (size_t i = 0; i < specs->count; i++)
        if (string_equal(specs->items[i].product, product))
            return &specs->items[i];
    return NULL;
}

bool resolve_specs_add(struct resolve_specs *specs, const char *text, struct error *error)
{
    const char *at = strchr(text, '@');
    AUTO_FREE char *product =
        string_lower(mem_string_n(text, at ? (size_t)(at - text) : strlen(text)));
    if (!name_is_sound(product))
        return spec_problem(error, text, "a product's name has letters, digits, '-', '_' and '.'");
    if (at && !release_is_sound(at + 1))
        return spec_problem(error, text, "the text after '@' is not a version");
    if (resolve_spec_of(specs, product)) {
        error_set(error, ERROR_USAGE, "%s is requested twice", product);
        return error_next(error, "give each product once");
    }
    struct resolve_spec *spec = vec_push(specs->items, specs->count, specs->capacity);
    spec->text = mem_string(text);
    spec->product = mem_steal(&product);
    if (at == NULL)
        return true;
    spec->is_auto = string_equal(at + 1, "auto");
    if (!spec->is_auto && !version_parse(at + 1, &spec->version))
        spec->release = mem_string(at + 1);
    return true;
}

void resolve_specs_free(struct resolve_specs *specs)
{
    for (size_t i = 0; i < specs->count; i++) {
        free(specs->items[i].text);
        free(specs->items[i].product);
        free(specs->items[i].release);
    }
    free(specs->items);
    *specs = (struct resolve_specs){.count = 0};
}
