/* SPDX-License-Identifier: MIT */
#include "cli/engine/specs.h"
#include "cli/installer/installer.h"
#include "resolve/engine/resolution.h"

const struct option option_previous = {.name = "previous",
                                       .help = "restore what the last change to the prefix "
                                               "replaced; a second --previous undoes the first"};

bool installer_use_previous(const struct session *session, const struct arguments *arguments,
                            struct error *error)
{
    const char *given = arguments_get(arguments, "prefix");
    bool previous = arguments_have(arguments, "previous");
    AUTO_SPECS struct resolve_specs specs = {0};
    if (previous == (arguments->words.count > 0))
        return usage_error(error, session->program, NULL, NULL,
                           previous ? "give a SPEC or --previous, not both"
                                    : "give a SPEC such as cudnn@9.8, or --previous");
    if (!specs_take(session, &arguments->words, &specs, error))
        return false;
    AUTO_FREE char *prefix = given ? installer_path(arguments, given)
                                   : installer_linked_prefix(session, arguments, error);
    if (prefix == NULL)
        return false;
    const struct installer_request request = {
        .action = "use", .prefix = prefix, .specs = &specs, .previous = previous};
    return installer_run(session, arguments, &request, error);
}
