/* SPDX-License-Identifier: MIT */
#ifndef REPORT_GPU_LIST_H
#define REPORT_GPU_LIST_H

#include "base/json.h"
#include "report/report.h"

struct text;

/* The GPUs that NVML lists, else those that CUDA lists: one line for each, behind indent columns.
 * More than eight of a kind share a line, unless the report is verbose. */
void gpu_list_append(const struct report_input *input, unsigned indent, struct text *output);

/* The same for programs: host.gpus[] of docs/formats.md. */
json_t *gpu_list_json(const struct facts *facts);

#endif
