/* SPDX-License-Identifier: MIT */
#include "cli/doctor/formats.h"

#include "cli/doctor/fixes.h"
#include "cli/engine/output.h"
#include "rules/engine/finding.h"

static bool format_unknown(const struct session *session, const struct arguments *arguments,
                           struct error *error)
{
    AUTO_STRLIST struct strlist names = {0};
    const char *name = session_format(arguments);
    for (const struct report_format *format = report_formats; format->name; format++)
        strlist_add(&names, format->name);
    AUTO_FREE char *list = strlist_join(&names, ", ");
    return usage_error(error, session->program, name, &names,
                       "%s: unknown format \"%s\"; the formats are: %s",
                       arguments_origin(arguments, "format"), name, list);
}

/* The list of checks and the script of fixes are no judgement. */
static bool format_fits(const struct session *session, const struct arguments *arguments,
                        const struct report_format *format, struct error *error)
{
    bool script = arguments_have(arguments, "fix") && !arguments_have(arguments, "yes");
    bool list = arguments_have(arguments, "list-checks");
    if ((!script && !list) || string_equal(format->name, "text") ||
        string_equal(format->name, "json"))
        return true;
    return usage_error(error, session->program, NULL, NULL, "%s: %s has only the formats text%s",
                       arguments_origin(arguments, "format"), list ? "--list-checks" : "--fix",
                       list ? " and json" : "");
}

const struct report_format *format_choose(const struct session *session,
                                          const struct arguments *arguments, struct error *error)
{
    const struct report_format *format = report_format_find(session_format(arguments));
    if (format == NULL)
        format_unknown(session, arguments, error);
    return format && format_fits(session, arguments, format, error) ? format : NULL;
}

int format_exit_code(const struct report_format *format, const struct judgement *judgement)
{
    return format->exit_code ? format->exit_code(judgement) : (int)judgement->exit_code;
}

bool format_failed(const struct session *session, const struct arguments *arguments,
                   int *ret_exit_code, struct error *error)
{
    const struct report_format *format = report_format_find(session_format(arguments));
    AUTO_TEXT struct text text = {0};
    AUTO_ERROR struct error ignored = {0};
    if (format == NULL || format->failed == NULL || error->what == NULL)
        return false;
    *ret_exit_code = format->failed(error, &text);
    output_error(session->program, error);
    error_clear(error);
    output_stdout(&text, &ignored);
    return true;
}
