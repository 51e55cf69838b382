/* SPDX-License-Identifier: MIT */
#ifndef PROBE_REPOSITORY_RUN_LOG_H
#define PROBE_REPOSITORY_RUN_LOG_H

#include <stdint.h>

#include "base/strlist.h"

/* What the lines so far have said. */
struct run_state {
    bool fails;
    bool goes_on; /* the next line may go on with the last one */
};

/* The logs of package managers: what each of them writes of a run that failed. */
struct run_log {
    const char *name; /* "dnf" */
    const char *path;
    const char *begins; /* the words with which a run begins */
    /* The text of a line that says why the run fails; NULL: it is another line. */
    const char *(*text_of)(char *line, struct run_state *state);
    /* What changes when something else has been done since; NULL: nothing tells. */
    const char *outdated_by;
    int64_t later; /* seconds by which it is the newer file then */
};

extern const struct run_log run_logs[];
extern const size_t run_log_count;

/* Where the last run begins in the text; NULL: it does not begin there. */
char *run_log_last(const struct run_log *log, char *text);

/* Adds what the run says, at most that many lines; nothing if it did not fail. Cuts the text up. */
void run_log_read(const struct run_log *log, char *run, size_t limit, struct strlist *errors);

#endif
