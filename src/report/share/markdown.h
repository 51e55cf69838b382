/* SPDX-License-Identifier: MIT */
#ifndef REPORT_SHARE_MARKDOWN_H
#define REPORT_SHARE_MARKDOWN_H

#include "report/engine/report.h"

/* What an issue of GitHub or a post in a forum can hold. */
#define MARKDOWN_MOST 60000u

/* `gpuenv report`: a page for an issue or a forum, at most MARKDOWN_MOST bytes long as far as
 * leaving out facts can do it. */
void report_markdown(const struct report_input *input, struct text *output);

/* The page of `gpuenv doctor --format markdown`, for a pull request or a job summary. */
void report_markdown_page(const struct report_input *input, struct text *output);

#endif
