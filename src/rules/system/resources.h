/* SPDX-License-Identifier: MIT */
#ifndef RULES_SYSTEM_RESOURCES_H
#define RULES_SYSTEM_RESOURCES_H

#include "rules/query/judged.h"

struct finding;
struct rule_context;

/* Makes what is missing a consequence of an installer that ran out of room for temporary files. */
bool resources_installer_failed(const struct rule_context *context, struct finding *finding);

#endif
