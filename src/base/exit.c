/* SPDX-License-Identifier: MIT */
#include "base/exit.h"

static const enum exit_code codes[] = {
    [ERROR_NONE] = EXIT_DONE,
    [ERROR_USAGE] = EXIT_USAGE,
    [ERROR_DATA] = EXIT_DATA,
    [ERROR_NO_INPUT] = EXIT_NO_INPUT,
    [ERROR_UNAVAILABLE] = EXIT_UNAVAILABLE,
    [ERROR_INTERNAL] = EXIT_INTERNAL,
    [ERROR_CANNOT_WRITE] = EXIT_CANNOT_WRITE,
    [ERROR_BUSY] = EXIT_BUSY,
    [ERROR_PERMISSION] = EXIT_PERMISSION,
    [ERROR_UNSATISFIABLE] = EXIT_UNSATISFIABLE,
    [ERROR_INTERRUPTED] = EXIT_INTERRUPTED,
};

enum exit_code exit_code_of(enum error_kind kind)
{
    return codes[kind];
}
