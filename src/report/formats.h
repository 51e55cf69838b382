/* SPDX-License-Identifier: MIT */
#ifndef REPORT_FORMATS_H
#define REPORT_FORMATS_H

#include "base/error.h"
#include "report/engine/report.h"

struct judgement;

/* One output format of `doctor`. */
struct report_format {
    const char *name;
    const char *help;
    void (*doctor)(const struct report_input *input, struct text *output);
    /* The exit code by the conventions of who reads it; NULL: judgement->exit_code. */
    int (*exit_code)(const struct judgement *judgement);
    /* What it prints where gpuenv could not judge, and the exit code then; NULL: nothing, and that
     * of the error. */
    int (*failed)(const struct error *error, struct text *output);
};
extern const struct report_format report_formats[]; /* ends with name NULL */
const struct report_format *report_format_find(const char *name);

/* `gpuenv facts`. */
void report_facts_text(const struct report_input *input, struct text *output);
void report_facts_json(const struct report_input *input, struct text *output);

#endif
