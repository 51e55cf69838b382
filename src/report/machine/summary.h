/* SPDX-License-Identifier: MIT */
#ifndef REPORT_MACHINE_SUMMARY_H
#define REPORT_MACHINE_SUMMARY_H

#include "report/engine/report.h"
#include "rules/engine/rule.h"

struct strlist;
struct text;

/* What a block of the report is about, from the facts alone: adds one clause to sentence, and where
 * its facts were read to sources. It judges nothing. */
void summary_append(const struct report_input *input, enum block block, struct text *sentence,
                    struct strlist *sources);

/* True when what the block is about is not there: nothing to call fine. */
bool summary_is_of_nothing(const struct report_input *input, enum block block);

/* The header's description of the machine: "Debian 12, Linux 6.1.0, x86_64, KVM guest". */
void summary_append_machine(const struct report_input *input, struct text *sentence);

#endif
