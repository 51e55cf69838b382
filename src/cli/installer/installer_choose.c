/* SPDX-License-Identifier: MIT */
#include "cli/installer/installer_private.h"
#include "resolve/engine/resolution.h"
#include "resolve/resolve.h"

static bool choose_unpinned(const struct session *session, const struct resolve_machine *machine,
                            const struct resolve_specs *specs, const struct resolve_spec *framework,
                            struct resolution *ret_resolution, struct error *error)
{
    AUTO_SPECS struct resolve_specs known = {0};
    struct resolve_machine joined = *machine;
    const struct version *toolkit = installer_unlisted_cuda(session->manifest, specs);
    if (toolkit)
        joined.toolkit = *toolkit;
    joined.toolkit_is_prefix = joined.toolkit_is_prefix || toolkit;
    if (!installer_split(session->manifest, specs, &known, error))
        return false;
    if ((known.count > 0 || framework) &&
        !resolve(session->manifest, &joined, &known, framework, ret_resolution, error))
        return false;
    installer_take_unlisted(session->manifest, specs, ret_resolution);
    return true;
}

static bool choose(const struct session *session, const struct arguments *arguments,
                   const struct resolve_machine *machine, const struct resolve_specs *specs,
                   const struct resolve_spec *framework, struct resolution *ret_resolution,
                   struct error *error)
{
    if (arguments_have(arguments, "allow-unpinned"))
        return choose_unpinned(session, machine, specs, framework, ret_resolution, error);
    if (resolve(session->manifest, machine, specs, framework, ret_resolution, error))
        return true;
    installer_tell_unlisted(session->manifest, specs, error);
    return false;
}

bool installer_choose(const struct session *session, const struct arguments *arguments,
                      const struct resolve_machine *machine, const struct resolve_specs *specs,
                      const struct resolve_spec *framework, struct resolution *ret_resolution,
                      struct error *error)
{
    AUTO_SPECS struct resolve_specs rest = {0};
    if (!installer_leave_given(session, arguments, specs, &rest, error) ||
        ((rest.count > 0 || framework) &&
         !choose(session, arguments, machine, &rest, framework, ret_resolution, error)))
        return false;
    installer_take_given(session, arguments, specs, ret_resolution);
    return true;
}
