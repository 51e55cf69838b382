/* SPDX-License-Identifier: MIT */
#include "resolve/resolve.h"

const char *fit_name(enum fit fit)
{
    static const char *const names[] = {
        [FIT_EXACT] = "exact",
        [FIT_MINOR] = "minor_version",
        [FIT_COMPAT] = "forward_compatible",
        [FIT_UNKNOWN] = "unknown",
        [FIT_NO] = "no",
    };
    return names[fit];
}
