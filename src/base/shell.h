/* SPDX-License-Identifier: MIT */
#ifndef BASE_SHELL_H
#define BASE_SHELL_H

#include "base/strlist.h"

/* The word as a POSIX shell takes it, quoted when it needs to be, on one line and with nothing a
 * terminal would obey. Only a word that ends with a newline takes bash, ksh or zsh: in any other
 * shell it names nothing. free() it. */
char *shell_quote(const char *word);

/* The line without the word sudo where a command begins with it; what is quoted stays as it is.
 * free() it. */
char *shell_without_sudo(const char *line);

/* The next place in the line, at c or behind it, where one of those characters stands outside
 * quotes; the line's end if there is none. */
const char *shell_next_of(const char *c, const char *characters);

/* Adds each command of "a; b" to commands. A newline or "&&" does not separate them. */
void shell_split_list(const char *line, struct strlist *commands);

#endif
