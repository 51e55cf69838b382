/* SPDX-License-Identifier: MIT */
#ifndef REPORT_MARKDOWN_H
#define REPORT_MARKDOWN_H

#include "report/report.h"

/* What an issue of GitHub or a post in a forum can hold. */
#define MARKDOWN_MOST 60000u

/* `gpuenv report`: a page for an issue or a forum, at most MARKDOWN_MOST bytes long as far as
 * leaving out facts can do it. */
void report_markdown(const struct report_input *input, struct text *output);

#endif
