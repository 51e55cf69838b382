/* SPDX-License-Identifier: MIT */
#ifndef INSTALL_PRINT_PRINT_USE_H
#define INSTALL_PRINT_PRINT_USE_H

struct run;
struct text;

/* The line by which the user's shell ($SHELL) takes the variables of the prefix; nothing for an
 * image. */
void print_use(const struct run *run, struct text *output);

#endif
