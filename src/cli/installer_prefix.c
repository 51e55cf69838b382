/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "cli/installer.h"
#include "cli/specs.h"
#include "host/local.h"

/* Where installations go. */

static char *data_home(const struct session *session)
{
    const char *data = host_environment(session->live, "XDG_DATA_HOME");
    const char *home = host_environment(session->live, "HOME");
    if (data && data[0] == '/')
        return mem_string(data);
    return home && home[0] == '/' ? mem_printf("%s/.local/share", home) : NULL;
}

/* "cuda-12.8" below the place that is this user's. */
static char *default_prefix(const struct session *session, const char *product,
                            const struct version *version, struct error *error)
{
    char text[VERSION_TEXT_SIZE];
    version_text(version, 2, text);
    if (host_user_id(session->live) == 0)
        return mem_printf("/usr/local/%s-%s", product, text);
    AUTO_FREE char *home = data_home(session);
    if (home)
        return mem_printf("%s/gpuenv/%s-%s", home, product, text);
    usage_error(error, session->program, NULL, NULL,
                "neither XDG_DATA_HOME nor HOME says where to install to: give --prefix DIR");
    return NULL;
}

char *installer_usual_prefix(const struct session *session, const struct resolution *resolution,
                             struct error *error)
{
    const struct resolve_choice *first = &resolution->chosen[0];
    struct version version;
    for (size_t i = 0; i < resolution->chosen_count; i++)
        if (string_equal(resolution->chosen[i].product, "cuda"))
            first = &resolution->chosen[i];
    if (version_parse(first->version, &version))
        return default_prefix(session, first->product, &version, error);
    error_set(error, ERROR_INTERNAL, "version %s is not made of numbers", first->version);
    return NULL;
}

char *installer_prefix(const struct session *session, const struct arguments *arguments,
                       const struct resolution *resolution, struct error *error)
{
    const char *given = arguments_get(arguments, "prefix");
    return given ? local_absolute(given) : installer_usual_prefix(session, resolution, error);
}

/* The prefix of what one SPEC names. */
static char *prefix_of_spec(const struct session *session, const struct arguments *arguments,
                            struct resolve_specs *specs, struct error *error)
{
    if (arguments->words.count != 1) {
        usage_error(error, session->program, NULL, NULL,
                    "takes one SPEC such as cuda@12.8, or --prefix DIR");
        return NULL;
    }
    if (!specs_take(session, &arguments->words, specs, error))
        return NULL;
    const struct resolve_spec *spec = &specs->items[0];
    if (spec->version.count >= 2)
        return default_prefix(session, spec->product, &spec->version, error);
    usage_error(error, session->program, NULL, NULL,
                "\"%s\" does not say which prefix: give two numbers, as in %s, or --prefix DIR",
                spec->text, string_equal(spec->product, "cudnn") ? "cudnn@9.8" : "cuda@12.8");
    return NULL;
}

bool installer_run_on(const struct session *session, const struct arguments *arguments,
                      const char *action, struct error *error)
{
    const char *given = arguments_get(arguments, "prefix");
    AUTO_SPECS struct resolve_specs specs = {0};
    AUTO_FREE char *prefix = given && arguments->words.count == 0 ? local_absolute(given) : NULL;
    if (given && prefix == NULL)
        return usage_error(error, session->program, NULL, NULL,
                           "takes a SPEC or --prefix DIR, not both");
    if (prefix == NULL)
        prefix = prefix_of_spec(session, arguments, &specs, error);
    struct installer_request request = {.action = action, .prefix = prefix, .specs = &specs};
    return prefix && installer_run(session, arguments, &request, error);
}

/* cuda is what a prefix is called by: half a version does not say which. */
static bool is_of_linked(const struct resolve_specs *specs)
{
    for (size_t i = 0; i < specs->count; i++)
        if (string_equal(specs->items[i].product, "cuda") || specs->items[i].version.count >= 2)
            return false;
    return true;
}

bool installer_uninstall(const struct session *session, const struct arguments *arguments,
                         struct error *error)
{
    const char *given = arguments_get(arguments, "prefix");
    AUTO_SPECS struct resolve_specs specs = {0};
    if (arguments->words.count == 0)
        return installer_run_on(session, arguments, "uninstall", error);
    if (!specs_take(session, &arguments->words, &specs, error))
        return false;
    AUTO_FREE char *prefix = given                  ? local_absolute(given)
                             : is_of_linked(&specs) ? installer_linked_prefix(session)
                                                    : NULL;
    if (prefix == NULL)
        return installer_run_on(session, arguments, "uninstall", error);
    const struct installer_request request = {
        .action = "uninstall", .prefix = prefix, .specs = &specs, .only = true};
    return installer_run(session, arguments, &request, error);
}
