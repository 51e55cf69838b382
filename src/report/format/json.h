/* SPDX-License-Identifier: MIT */
#ifndef REPORT_FORMAT_JSON_H
#define REPORT_FORMAT_JSON_H

#include "report/engine/report.h"

struct text;

/* `gpuenv doctor --format json`, for programs (docs/reference/formats.md). */
void report_json(const struct report_input *input, struct text *output);

#endif
