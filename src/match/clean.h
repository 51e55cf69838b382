/* SPDX-License-Identifier: MIT */
#ifndef MATCH_CLEAN_H
#define MATCH_CLEAN_H

#include <stdbool.h>
#include <stddef.h>

struct text;

/* A line without what a logger, a terminal or a container engine put around it. */

/* How many bytes at the start of the line are the logger's: "[ 1157.036170] ", "May 27 16:50:10
 * host kernel: ", "2024-05-27T16:50:10.5Z stderr F ", "NVRM: " of the driver's wrapped lines. */
size_t clean_prefix(const char *line, size_t size);

/* Appends bytes of a line: without colours and NULs; what stands for the end of a line ("#012",
 * "\n" in two letters) is one, '\v', which is not counted. */
void clean_append(struct text *text, const char *bytes, size_t size);

/* Whether clean_append() would change any byte. */
bool clean_changes(const char *bytes, size_t size);

#endif
