/* SPDX-License-Identifier: MIT */
#ifndef REPORT_SHARE_HTML_H
#define REPORT_SHARE_HTML_H

#include "report/engine/report.h"

/* `gpuenv report --html`: one file that needs no other, for light and dark, a phone, and paper. The
 * record is inside, for `gpuenv doctor --from`. */
void report_html(const struct report_input *input, struct text *output);

#endif
