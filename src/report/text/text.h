/* SPDX-License-Identifier: MIT */
#ifndef REPORT_TEXT_TEXT_H
#define REPORT_TEXT_TEXT_H

#include "report/engine/report.h"

struct text;

/* `gpuenv doctor`, for people. */
void report_text(const struct report_input *input, struct text *output);

#endif
