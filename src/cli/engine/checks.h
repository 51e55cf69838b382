/* SPDX-License-Identifier: MIT */
#ifndef CLI_ENGINE_CHECKS_H
#define CLI_ENGINE_CHECKS_H

#include "cli/engine/session.h"

struct error;
struct strlist;
struct text;

/* Fails with a usage error that names the nearest code or cause when names holds one that no rule
 * has. origin is what it was given as: "--only". */
bool checks_known(const struct session *session, const struct strlist *names, const char *origin,
                  struct error *error);

/* All codes and causes. */
void checks_names(struct strlist *names);

/* The rules there are, by block, or as JSON. */
void checks_append_list(unsigned columns, struct text *output);
void checks_append_json(const struct report_input *input, struct text *output);

#endif
