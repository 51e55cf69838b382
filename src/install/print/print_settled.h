/* SPDX-License-Identifier: MIT */
#ifndef INSTALL_PRINT_PRINT_SETTLED_H
#define INSTALL_PRINT_PRINT_SETTLED_H

#include "base/json.h"
#include "install/run/run.h"

struct text;

/* What was, or with plan would be, done. */
void print_settled(const struct run *run, bool planned, struct text *output);
void print_settled_json(const struct run *run, json_t *json);
bool settled_has_changed(const struct run *run);

#endif
