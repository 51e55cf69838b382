/* SPDX-License-Identifier: MIT */
#ifndef INSTALL_OUTPUT_PROGRESS_H
#define INSTALL_OUTPUT_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

struct text;

/* What a person or a script sees while it runs, on stderr: a bar with rate and time left on a
 * terminal, a line per file elsewhere, JSON lines on request (docs/reference/downloads.md).
 * Whatever is written has no control characters of the outside in it. */
enum progress_kind { PROGRESS_NONE, PROGRESS_BAR, PROGRESS_PLAIN, PROGRESS_JSON };
struct progress;

/* word: auto, bar, plain, json, none; anything else is ERROR_USAGE. quiet: only notes. */
struct progress *progress_new(const char *word, bool quiet, struct error *error);
void progress_free(struct progress *progress); /* takes the bar away */
/* progress may be NULL in all of them. */
/* What comes from now on is part of so much. */
void progress_total(struct progress *progress, uint64_t bytes, unsigned files);
void progress_bytes(struct progress *progress, uint64_t bytes); /* more that came */
void progress_had(struct progress *progress, uint64_t bytes);   /* were there already: no rate */
void progress_lost(struct progress *progress, uint64_t bytes);  /* thrown away: they come again */
/* step stays the caller's, a constant: "fetched" counts a file and is a line of its own in plain;
 * "fetching" and "unpacking" are seen in the bar and as JSON; any other word is a line too. */
void progress_step(struct progress *progress, const char *step, const char *file, uint64_t bytes);
/* A line that stays: "retrying https://… in 2 s: 503". Not even quiet and none hide it. A newline
 * in it begins another line, all other control characters are made visible: what comes from outside
 * is made safe by the caller. */
void progress_note(struct progress *progress, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* What a bar shows. */
struct progress_view {
    const char *step, *file; /* the last ones */
    uint64_t done, total;    /* bytes */
    unsigned files_done, files;
    uint64_t rate; /* bytes in a second; 0: not known yet */
};
/* The bar for so many columns, without its end: never longer, at least 20. */
void progress_append_bar(const struct progress_view *view, unsigned columns, struct text *line);

#endif
