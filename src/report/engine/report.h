/* SPDX-License-Identifier: MIT */
#ifndef REPORT_ENGINE_REPORT_H
#define REPORT_ENGINE_REPORT_H

#include <stdbool.h>

#include "base/json.h"
#include "base/text.h"
#include "facts/facts.h"

struct judgement;
struct redaction;
struct strlist;

/* A command that doctor --fix --yes ran, or left. */
struct report_ran {
    const char *code; /* of its finding */
    char *command;    /* as it was shown: "modprobe nvidia_uvm" */
    enum { RAN_DONE, RAN_FAILED, RAN_NOT } status;
    char *detail; /* "exit code 1", "what comes before it failed"; NULL: done */
    char *said;   /* what it wrote, "" for nothing */
};

/* Which manifest it was judged by. */
enum report_origin {
    ORIGIN_BUILT_IN,
    ORIGIN_UPDATED, /* by `gpuenv manifest update` */
    ORIGIN_FILE,    /* --manifest FILE */
};

/* What every format is given. It reads and never decides. */
struct report_input {
    const char *tool_version;     /* "0.1.0" */
    const char *manifest_version; /* "1" */
    const char *manifest_date;    /* "2026-11-20" */
    enum report_origin manifest_origin;
    const char *manifest_path; /* where that is; NULL: built in */
    const char *root;          /* --root DIR; "/" for the live machine */
    const char *record;        /* --facts FILE; NULL when none was given */
    const struct facts *facts;
    const struct judgement *judgement; /* NULL for `gpuenv facts` */
    const struct redaction *redaction; /* of `gpuenv report`: what was hidden; NULL: nothing */
    const struct strlist *sent; /* --from: what was read of each file; NULL: it was not given */
    const struct strlist
        *possible;    /* causes that what was sent names and does not decide; or NULL */
    const char *ask;  /* the command on that machine that would tell most; or NULL */
    bool colour;      /* colour and UTF-8 marks */
    bool verbose;     /* passing and skipped checks, evidence */
    bool quiet;       /* findings that fail or warn, and the last line, only */
    unsigned columns; /* width to wrap at: 80 */

    const struct report_ran *ran; /* what --fix --yes did before this judgement; NULL: nothing */
    size_t ran_count;
    struct judgement *const *before; /* those it was done for */
    size_t before_count;

    /* What the manifest says of these facts, looked up by the command. */
    const char *driver_cuda;         /* CUDA driver API version of the driver: "13.0"; or NULL */
    const struct strlist *gpu_names; /* one for each group pci/… in order, "" when not known */
};

/* The envelope every command's JSON begins with: schema_version, tool, manifest. */
json_t *report_envelope(const struct report_input *input);

/* "manifest 1 of 2026-11-20 (built in)": which manifest it was, for a person; a new string. */
char *report_manifest_text(const struct report_input *input);
/* "built in", "updated", "--manifest"; and as JSON has it: "built-in", "updated", "file". */
const char *report_origin_text(enum report_origin origin);
const char *report_origin_word(enum report_origin origin);

/* The judgement in a word: "broken", "unknown", "degraded" or "ok" (docs/reference/formats.md). */
const char *report_verdict(const struct judgement *judgement);

/* "broken: 1 problem, 2 warnings", the line that a page begins with. */
void report_verdict_line(const struct report_input *input, struct text *output);

#endif
