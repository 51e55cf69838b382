/* SPDX-License-Identifier: MIT */
#ifndef RULES_GPU_PEERS_H
#define RULES_GPU_PEERS_H

#include "rules/query/judged.h"

/* Several GPUs and the ways between them. */

#endif
