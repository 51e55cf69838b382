/* SPDX-License-Identifier: MIT */
#ifndef CLI_RESOLVE_RESOLVE_PRINT_H
#define CLI_RESOLVE_RESOLVE_PRINT_H

#include "report/engine/report.h"

struct resolution;
struct resolve_machine;
struct text;

/* `gpuenv resolve` for a person at 80 columns. */
void resolve_append_text(const struct report_input *input, const struct resolution *resolution,
                         struct text *output);
/* The same for programs (docs/reference/resolve.md). */
void resolve_append_json(const struct report_input *input, const struct resolve_machine *machine,
                         const struct resolution *resolution, struct text *output);

#endif
