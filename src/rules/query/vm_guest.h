/* SPDX-License-Identifier: MIT */
#ifndef RULES_QUERY_VM_GUEST_H
#define RULES_QUERY_VM_GUEST_H

#include <stdbool.h>

#include "facts/facts.h"

/* True in a virtual machine. */
bool vm_guest_is(const struct facts *facts);

#endif
