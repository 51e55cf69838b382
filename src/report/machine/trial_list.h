/* SPDX-License-Identifier: MIT */
#ifndef REPORT_MACHINE_TRIAL_LIST_H
#define REPORT_MACHINE_TRIAL_LIST_H

#include "base/json.h"
#include "facts/facts.h"

struct text;

/* What came of --try, and what it cost: "results right on 2 of 2 GPUs, 2 of 2 copies right; 0.4 s,
 * 512 MiB of GPU memory"; nothing where it was not asked for. */
void trial_list_append(const struct facts *facts, struct text *sentence);

/* The same for programs: host.trial of docs/reference/formats.md; null where it was not asked for.
 */
json_t *trial_list_json(const struct facts *facts);

#endif
