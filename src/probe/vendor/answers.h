/* SPDX-License-Identifier: MIT */
#ifndef PROBE_VENDOR_ANSWERS_H
#define PROBE_VENDOR_ANSWERS_H

#include "facts/facts.h"
#include "host/child/asking.h"
#include "probe/engine/probe.h"

struct strlist;
struct text;

/* Facts that a vendor library's child sends home. Each goes over the channel by itself, as one line
 * of JSON, when it is known, and is checked against the dictionary on arrival: a group that is not
 * the question's own, an unknown name or a wrong type is thrown away and said. */

/* In the child. source is the function that answered: "cuDeviceGetName". */
void answer_string(struct channel *channel, const char *group, const char *name, const char *value,
                   const char *source);
void answer_integer(struct channel *channel, const char *group, const char *name, int64_t value,
                    const char *source);
void answer_boolean(struct channel *channel, const char *group, const char *name, bool value,
                    const char *source);
void answer_list(struct channel *channel, const char *group, const char *name,
                 const struct strlist *value, const char *source);
void answer_absent(struct channel *channel, const char *group, const char *name,
                   const char *source);
void answer_unknown(struct channel *channel, const char *group, const char *name,
                    const char *reason, const char *source);

/* A question to one vendor library: one file each, one row in vendor_table.c. */
struct vendor_question {
    const char *library; /* asked for by this name: "libcuda.so.1"; NULL: by family */
    const char *family;  /* of library/… facts: "cudnn"; the copies the loader picks are asked */
    const char *name;    /* by family: the file name up to ".so" of the one that is asked */
    const char *const *kinds; /* kinds of groups it may answer in beside its own answer/NAME */
    const char *const *facts; /* of its own group: those it answers beside "path" */
    bool deep;                /* only with --deep */
    /* Runs in the child. soname is what to open; group is its own "answer/NAME". */
    void (*ask)(struct channel *channel, const char *soname, const char *group);
};
extern const struct vendor_question vendor_questions[]; /* ends with family NULL */

/* In the parent. Sets the facts of a reply's lines that the question may answer, and returns how
 * many lines were thrown away. A line is at most ANSWER_LINE_MAX bytes long; a kind has at most
 * ANSWER_INSTANCES groups. group is the question's own "answer/NAME". */
#define ANSWER_LINE_MAX  65536
#define ANSWER_INSTANCES 256
size_t answers_take(const struct text *answers, const struct vendor_question *question,
                    const char *group, struct facts *facts);

#endif
