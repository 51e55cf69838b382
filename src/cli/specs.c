/* SPDX-License-Identifier: MIT */
#include "cli/specs.h"

#include "manifest/framework.h"

static bool check_name(const struct session *session, const struct resolve_spec *spec,
                       struct error *error)
{
    if (resolve_knows(session->manifest, spec->product))
        return true;
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
            return false;
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
    if (manifest_framework_find(session->manifest, name))
        return true;
    AUTO_STRLIST struct strlist names = {0};
    size_t count;
    const struct manifest_framework *rows = manifest_frameworks(session->manifest, &count);
    for (size_t i = 0; i < count; i++)
        strlist_add(&names, rows[i].framework);
    return usage_error(error, session->program, name, &names,
                       "%s: no framework \"%s\" in the manifest", origin, name);
}
