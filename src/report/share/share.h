/* SPDX-License-Identifier: MIT */
#ifndef REPORT_SHARE_SHARE_H
#define REPORT_SHARE_SHARE_H

#include "base/strlist.h"
#include "report/engine/report.h"

struct finding;

/* What the pages of `gpuenv report` have in common. */

/* "broken: 1 problem, 2 warnings"; a new string. */
char *share_verdict(const struct report_input *input);

/* The machine in a few rows: adds a label and its words for each. */
void share_rows(const struct report_input *input, struct strlist *labels, struct strlist *words);

/* "Replaced by stand-ins: 2 user names, 1 host name.", or that nothing was; a new string. */
char *share_hidden(const struct report_input *input);

/* The checks that could not be decided: adds "DRV-013: why", one for each reason. */
void share_undecided(const struct report_input *input, struct strlist *lines);

/* The parts into which the facts are folded; each is a record of its own (facts/record_lines.h).
 * What does not fit into so many bytes is left out by whole kinds, those that tell least first, and
 * named in *left_out; the record then says of such a kind that it was left out. */
struct share_parts {
    struct strlist titles, texts;
    struct strlist left_out;
};
#define AUTO_PARTS AUTO(share_parts_free)
struct share_parts share_parts(const struct facts *facts, size_t most);
void share_parts_free(struct share_parts *made);

/* The record, for `gpuenv doctor --from` and --facts; the caller owns it. */
json_t *share_json(const struct report_input *input);

#endif
