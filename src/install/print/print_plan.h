/* SPDX-License-Identifier: MIT */
#ifndef INSTALL_PRINT_PRINT_PLAN_H
#define INSTALL_PRINT_PRINT_PLAN_H

#include "base/json.h"
#include "install/run/run.h"

struct text;
struct wrap;

/* What plan and install say. */

/* run->plan is what would be done, what was done, or what was there already. */
enum print_outcome { PRINT_PLANNED, PRINT_INSTALLED, PRINT_NOTHING_TO_DO };
void print_plan(const struct run *run, enum print_outcome outcome, struct text *output);
void print_plan_json(const struct run *run, enum print_outcome outcome, struct text *output);

/* "  label: words", wrapped; nothing for NULL. */
void print_reason(unsigned indent, const char *label, const char *words, struct text *output);

/* Begins a line "profile    full, for …". */
void print_line_begin(struct wrap *wrap, const char *label, struct text *output);

#endif
