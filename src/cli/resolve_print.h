/* SPDX-License-Identifier: MIT */
#ifndef CLI_RESOLVE_PRINT_H
#define CLI_RESOLVE_PRINT_H

#include "report/report.h"
#include "resolve/resolve.h"

/* `gpuenv resolve` for a person at 80 columns. */
void resolve_append_text(const struct report_input *input, const struct resolution *resolution,
                         struct text *output);
/* The same for programs (docs/resolve.md). */
void resolve_append_json(const struct report_input *input, const struct resolve_machine *machine,
                         const struct resolution *resolution, struct text *output);

/* True when the candidate is among those to tell of: newer than what was chosen, or nothing of its
 * product was. */
bool resolve_is_rejected(const struct resolution *resolution,
                         const struct resolve_candidate *candidate);

#endif
