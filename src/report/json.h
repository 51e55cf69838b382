/* SPDX-License-Identifier: MIT */
#ifndef REPORT_JSON_H
#define REPORT_JSON_H

#include "report/report.h"

struct text;

/* `gpuenv doctor --format json`, for programs (docs/reference/formats.md). */
void report_json(const struct report_input *input, struct text *output);

#endif
