/* SPDX-License-Identifier: MIT */
#ifndef RULES_RESOURCES_H
#define RULES_RESOURCES_H

#include "rules/judged.h"

/* Makes what is missing a consequence of an installer that ran out of room for temporary files. */
bool resources_installer_failed(const struct rule_context *context, struct finding *finding);

/* resources_memory.c */
void judge_host_ram_exhausted(struct rule_context *context);
/* resources_limits.c */
void judge_shm_too_small(struct rule_context *context);
void judge_memlock_too_low(struct rule_context *context);
/* resources_disk.c */
void judge_tmp_too_small_for_installer(struct rule_context *context);
void judge_disk_full(struct rule_context *context);

#endif
