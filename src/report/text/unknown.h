/* SPDX-License-Identifier: MIT */
#ifndef REPORT_TEXT_UNKNOWN_H
#define REPORT_TEXT_UNKNOWN_H

#include <stdbool.h>
#include <stddef.h>

struct check;
struct judgement;
struct page;

/* The checks that could not be decided, by what kept them from it. */

/* Whether check, which is unknown, is the first with its reason, and stands for the others. */
bool unknown_is_first(const struct judgement *judgement, const struct check *check);
/* One line for all checks with this one's reason, and below it what the user can do. */
void unknown_append(const struct page *page, const struct check *check);

#endif
