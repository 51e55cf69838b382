/* SPDX-License-Identifier: MIT */
#ifndef BASE_EXIT_H
#define BASE_EXIT_H

#include "base/error.h"

/* The exit codes users script against (docs/reference/exit-codes.md), of both programs. They never
 * change meaning. */
enum exit_code {
    EXIT_DONE = 0,
    EXIT_FOUND = 1,   /* doctor: at least one fail */
    EXIT_UNKNOWN = 3, /* doctor: no fail, but a needed fact is unknown */
    EXIT_USAGE = 64,
    EXIT_DATA = 65,
    EXIT_NO_INPUT = 66,
    EXIT_UNAVAILABLE = 69,
    EXIT_INTERNAL = 70,
    EXIT_CANNOT_WRITE = 73,
    EXIT_BUSY = 75,
    EXIT_PERMISSION = 77,
    EXIT_UNSATISFIABLE = 78,
    EXIT_INTERRUPTED = 130, /* as a shell reports SIGINT; others are 128 and their number */
};

enum exit_code exit_code_of(enum error_kind kind);

#endif
