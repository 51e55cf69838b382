/* SPDX-License-Identifier: MIT */
#ifndef REPORT_SHARE_MARKDOWN_WRITE_H
#define REPORT_SHARE_MARKDOWN_WRITE_H

#include "report/engine/report.h"

struct finding;

/* How Markdown is written, for every page that gpuenv prints in it. Text of the machine never
 * becomes a mark, a tag, a link or a mention. */

/* string made safe, in a line or a cell of a table. NULL: nothing. */
void markdown_plain(const char *string, struct text *output);

/* A block of code behind a fence that is longer than any run of ` in code. language: "sh". */
void markdown_code(const char *language, const char *code, struct text *output);

/* Of a finding: "**fail DRV-004** message", a line; why it is so; its fixes. */
void markdown_finding_head(const struct finding *finding, struct text *output);
void markdown_why(const struct finding *finding, struct text *output);
void markdown_fixes(const struct finding *finding, struct text *output);

/* The machine as a table. */
void markdown_machine(const struct report_input *input, struct text *output);

#endif
