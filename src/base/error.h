/* SPDX-License-Identifier: MIT */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include <stdbool.h>

#include "base/memory.h"
#include "base/text.h"

/* What went wrong, by what a script can do about it. Each kind is one exit code (base/exit.h). */
enum error_kind {
    ERROR_NONE,
    ERROR_USAGE,         /* wrong usage, unknown name */
    ERROR_DATA,          /* data wrong: manifest, record, digest, archive */
    ERROR_NO_INPUT,      /* an input file is missing or unreadable */
    ERROR_UNAVAILABLE,   /* network or mirror unavailable */
    ERROR_INTERNAL,      /* a fault of gpuenv */
    ERROR_CANNOT_WRITE,  /* disk full, read-only */
    ERROR_BUSY,          /* another gpuenv holds the lock */
    ERROR_PERMISSION,    /* permission denied, licence not accepted */
    ERROR_UNSATISFIABLE, /* no version satisfies the request */
    ERROR_INTERRUPTED,   /* by a signal */
};

/* What happened, where (a path, URL, key), why (the words of the library or system that refused),
 * and what the user can do next, which may end in a command to copy. Any but what may be NULL.
 * Start with {0}. */
struct error {
    enum error_kind kind;
    char *what;
    char *where;
    char *why;
    char *next;
    char *command;
};

#define AUTO_ERROR AUTO(error_clear)

/* Fills error (which may be NULL: nothing is kept) and returns false, so that a function can
 * `return error_set(…)`. An error that is already filled is replaced. */
bool error_set(struct error *error, enum error_kind kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same for a failed system call: why is strerror(number), where is the path. ENOMEM says
 * nothing of the path: it is ERROR_INTERNAL, whatever the kind is otherwise. With EFBIG why also
 * names the limit that it stands for (ulimit -f). */
bool error_set_errno(struct error *error, enum error_kind kind, int number, const char *where,
                     const char *format, ...) __attribute__((format(printf, 5, 6)));

/* Each adds its part to a filled error and returns false. */
bool error_where(struct error *error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
bool error_why(struct error *error, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool error_next(struct error *error, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Behind the words of error_next(), which replaces both. */
bool error_command(struct error *error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Puts "prefix: " before what happened: each layer names its own step. Returns false. */
bool error_prefix(struct error *error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

bool error_is_set(const struct error *error);
void error_clear(struct error *error);
/* What from says goes to to (which may be NULL: nothing is kept); from is empty then. False. */
bool error_move(struct error *from, struct error *to);

/* Appends "what: where: why" on one line, made safe for a terminal, and when there is a next step
 * a second line with it and its command. No newline at the end. */
void error_format(const struct error *error, struct text *text);

/* The same behind "label: ", with a newline at the end. columns: lines are broken between words for
 * a terminal that is so wide, and the command has a line of its own, however long; 0: they are not.
 */
void error_print(const struct error *error, const char *label, unsigned columns, struct text *text);

#endif
