/* SPDX-License-Identifier: MIT */
#ifndef REPORT_MACHINE_GPU_LIST_H
#define REPORT_MACHINE_GPU_LIST_H

#include "base/json.h"
#include "report/engine/report.h"

struct text;

/* The GPUs that NVML lists, else those that CUDA lists: one line for each, behind indent columns.
 */
void gpu_list_append(const struct report_input *input, unsigned indent, struct text *output);

/* A line for each kind of them: "8 x NVIDIA H100 …, 0.5 to 61.2 of 80.0 GiB used, 3 processes". */
void gpu_list_kinds(const struct facts *facts, struct strlist *kinds);

/* The same for programs: host.gpus[] of docs/reference/formats.md. */
json_t *gpu_list_json(const struct facts *facts);

#endif
