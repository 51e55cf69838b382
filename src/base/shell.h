/* SPDX-License-Identifier: MIT */
#ifndef BASE_SHELL_H
#define BASE_SHELL_H

/* The word as a shell takes it, quoted when it needs to be, on one line. free() it. */
char *shell_quote(const char *word);

#endif
