/* SPDX-License-Identifier: MIT */
#ifndef INSTALL_PRINT_PRINT_SINGLE_H
#define INSTALL_PRINT_PRINT_SINGLE_H

#include <stdbool.h>

struct run;
struct text;

/* What is said of releases that are one archive with a layout. */

/* "from       https://…": the mirrors and Python indexes that are asked, a line each. */
void print_sources(const struct run *run, struct text *output);
/* What NVIDIA's installer would do and gpuenv does not. */
void print_single_notes(const struct run *run, struct text *output);
/* Which archives are to be got by hand, each with address and digest, and the line to type. Nothing
 * where there are none: false. */
bool print_singles_to_get(const struct run *run, struct text *output);
/* That no real file was tried, and how to report what differs. */
void print_single_untried(const struct run *run, struct text *output);

#endif
