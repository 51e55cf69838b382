/* SPDX-License-Identifier: MIT */
#ifndef INSTALL_PROGRESS_H
#define INSTALL_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

/* What a person or a script sees while it runs, on stderr: a bar with rate and time left on a
 * terminal, a line per file elsewhere, JSON lines on request. */
enum progress_kind { PROGRESS_NONE, PROGRESS_BAR, PROGRESS_PLAIN, PROGRESS_JSON };
struct progress;

/* word: auto, bar, plain, json, none. */
struct progress *progress_new(const char *word, bool quiet, struct error *error);
void progress_free(struct progress *progress); /* takes the bar away */
/* progress may be NULL in all of them. */
void progress_total(struct progress *progress, uint64_t bytes, unsigned files);
void progress_bytes(struct progress *progress, uint64_t bytes); /* more that came */
void progress_step(struct progress *progress, const char *step, const char *file, uint64_t bytes);
/* One line that stays: "retrying https://… in 2 s: 503". */
void progress_note(struct progress *progress, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
