/* SPDX-License-Identifier: MIT */
#ifndef REPORT_SHARE_HTML_PRIVATE_H
#define REPORT_SHARE_HTML_PRIVATE_H

/* Private to report/share/html*.c. */

#include "report/engine/report.h"

/* The style of the page, for its <style>. */
extern const char html_style[];

/* Any string of the machine as text between tags or in an attribute. */
void html_append(const char *string, struct text *output);

/* A drawing of the PCI bus with its bridges and GPUs, and of what links the GPUs; nothing where no
 * GPU is known. */
void html_drawing(const struct facts *facts, struct text *output);

/* Tables of the GPUs with their memory, of toolkits and of libraries. */
void html_tables(const struct report_input *input, struct text *output);

#endif
