/* SPDX-License-Identifier: MIT */
#include "cli/installer.h"

/* NVIDIA's names of platforms. What uname calls aarch64 is an Arm server unless it is said to be a
 * Jetson. */
static const struct {
    const char *platform, *architecture;
    bool is_default;
} rows[] = {
    {"linux-x86_64", "x86_64", true},
    {"linux-sbsa", "aarch64", true},
    {"linux-aarch64", "aarch64", false},
    {"linux-ppc64le", "ppc64le", false},
};
#define ROWS (sizeof(rows) / sizeof(rows[0]))

const char *installer_architecture(const char *platform)
{
    for (size_t i = 0; i < ROWS; i++)
        if (string_equal(rows[i].platform, platform))
            return rows[i].architecture;
    return NULL;
}

static bool take_given(const struct session *session, const struct arguments *arguments,
                       const char *given, const char **ret_platform, struct error *error)
{
    AUTO_STRLIST struct strlist names = {0};
    for (size_t i = 0; i < ROWS; i++) {
        strlist_add(&names, rows[i].platform);
        if (string_equal(rows[i].platform, given))
            *ret_platform = rows[i].platform;
    }
    if (*ret_platform)
        return true;
    AUTO_FREE char *list = strlist_join(&names, ", ");
    return usage_error(error, session->program, given, &names,
                       "%s: no platform \"%s\", there are: %s",
                       arguments_origin(arguments, "platform"), given, list);
}

bool installer_platform(const struct session *session, const struct arguments *arguments,
                        const char **ret_platform, struct error *error)
{
    const char *given = arguments_get(arguments, "platform");
    struct host_kernel kernel;
    *ret_platform = NULL;
    if (given)
        return take_given(session, arguments, given, ret_platform, error);
    for (size_t i = 0; host_kernel(session->live, &kernel) && i < ROWS; i++)
        if (rows[i].is_default && string_equal(rows[i].architecture, kernel.machine)) {
            *ret_platform = rows[i].platform;
            return true;
        }
    error_set(error, ERROR_UNSATISFIABLE, "NVIDIA has nothing for this machine's architecture");
    return error_next(error, "name another one: --platform linux-x86_64");
}
