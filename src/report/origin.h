/* SPDX-License-Identifier: MIT */
#ifndef REPORT_ORIGIN_H
#define REPORT_ORIGIN_H

#include "report/report.h"

/* version, date, origin (built-in, updated, file) and, unless it is built in, file. */
json_t *report_manifest_json(const struct report_input *input);

#endif
