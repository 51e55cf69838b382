/* SPDX-License-Identifier: MIT */
#ifndef REPORT_FORMAT_FORMAT_H
#define REPORT_FORMAT_FORMAT_H

#include "base/error.h"
#include "report/engine/report.h"

struct judgement;

/* The formats of `gpuenv doctor` that monitoring, clusters and CI read, each in its own file
 * (docs/reference/output-formats.md). */

void report_nagios(const struct report_input *input, struct text *output);
void report_prometheus(const struct report_input *input, struct text *output);
void report_nfd(const struct report_input *input, struct text *output);
void report_npd(const struct report_input *input, struct text *output);
void report_junit(const struct report_input *input, struct text *output);
void report_github(const struct report_input *input, struct text *output);

/* The exit codes of a monitoring plugin, and what it prints where gpuenv could not judge. */
int nagios_exit_code(const struct judgement *judgement);
int nagios_failed(const struct error *error, struct text *output);
int npd_exit_code(const struct judgement *judgement);
int npd_failed(const struct error *error, struct text *output);

#endif
