/* SPDX-License-Identifier: MIT */
#ifndef BASE_SHELL_H
#define BASE_SHELL_H

/* The word as a POSIX shell takes it, quoted when it needs to be, on one line and with nothing a
 * terminal would obey. Only a word that ends with a newline takes bash, ksh or zsh: in any other
 * shell it names nothing. free() it. */
char *shell_quote(const char *word);

/* The line without the word sudo where a command begins with it; what is quoted stays as it is.
 * free() it. */
char *shell_without_sudo(const char *line);

#endif
