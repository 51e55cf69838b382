/* SPDX-License-Identifier: MIT */
#ifndef PROBE_KERNEL_KERNEL_TALLY_H
#define PROBE_KERNEL_KERNEL_TALLY_H

#include "facts/facts.h"
#include "probe/kernel/kernel_event.h"

/* What was seen in logs, by event, GPU and boot. */

#define KERNEL_TALLY_MAX 256 /* kinds of things seen; no log has a tenth of it */

enum kernel_boot { BOOT_CURRENT, BOOT_EARLIER, BOOT_UNKNOWN };

/* When a line was logged; seconds below 0: not said. */
struct kernel_time {
    int64_t seconds;  /* since its boot */
    const char *wall; /* as the log has it, or NULL */
};

struct kernel_seen {
    struct kernel_event event;
    enum kernel_boot boot;
    int64_t count;
    int64_t first_seconds, last_seconds;
    char *first, *last; /* wall time, or NULL */
    char *message;      /* the last line */
    char *source;
};

struct kernel_tally {
    const char *source; /* what is being read */
    struct kernel_seen *seen;
    size_t count, capacity;
    bool full;
};

void kernel_tally_add(struct kernel_tally *tally, const struct kernel_event *event,
                      enum kernel_boot boot, struct kernel_time time, const char *line);

/* A boot ended: what was counted as of the current one is of an earlier one from now on. */
void kernel_tally_age(struct kernel_tally *tally);

/* Puts what one log had to what others had. The same lines stand in several logs: of each thing
 * the higher count is taken. */
void kernel_tally_merge(struct kernel_tally *target, const struct kernel_tally *tally);

/* Sets the instances of kernel_log. */
void kernel_tally_note(const struct kernel_tally *tally, struct facts *facts);
void kernel_tally_free(struct kernel_tally *tally);

#endif
