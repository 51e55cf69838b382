/* SPDX-License-Identifier: MIT */
#ifndef RULES_GUEST_H
#define RULES_GUEST_H

#include "rules/judged.h"

/* True in a virtual machine. */
bool guest_is(const struct facts *facts);

/* guest.c */
void judge_vm_guest_refused_by_driver(struct rule_context *context);

#endif
