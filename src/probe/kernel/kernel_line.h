/* SPDX-License-Identifier: MIT */
#ifndef PROBE_KERNEL_KERNEL_LINE_H
#define PROBE_KERNEL_KERNEL_LINE_H

#include "facts/facts.h"
#include "probe/kernel/kernel_event.h"
#include "probe/kernel/kernel_tally.h"

/* What this boot's log says about NVIDIA's devices, line by line, whether or not a rule knows it:
 * every line of the driver; lines of its services, and of the kernel about a watched address or
 * about nvidia, that tell of a failure. Lines that differ in numbers only are counted as one. */

#define KERNEL_LINES_MAX      256 /* different lines; of more it is known how many */
#define KERNEL_LINE_WORDS_MAX 48

struct kernel_line {
    const char *by;    /* "driver", "kernel", "service": a constant */
    const char *event; /* of kernel_event.c, or NULL: a constant */
    int64_t number;    /* of an Xid or SXid; else -1 */
    char bus_id[KERNEL_BUS_ID_SIZE];
    bool trouble; /* the line has a word for a failure, or was logged as an error */
    int64_t count;
    int64_t first_seconds, last_seconds; /* since boot; below 0: not said */
    char *first, *last;                  /* wall time, or NULL */
    char *message;                       /* the first such line */
    char *shape;                         /* without its numbers */
    char *source;
};

/* Start with {0}. */
struct kernel_lines {
    const char *source; /* what is being read */
    struct kernel_line *lines;
    size_t count, capacity;
    int64_t left_out;
    bool ready;
    struct kernel_pairs words[KERNEL_LINE_WORDS_MAX];
};

/* Counts the line, if it is such a one. reader has read it just now; event: what it made of it, or
 * NULL. level: the kernel's own, 3 for an error; below 0: not known. */
void kernel_lines_add(struct kernel_lines *lines, const struct kernel_reader *reader,
                      const struct kernel_event *event, int level, struct kernel_time time,
                      const char *text);
/* The same for a line that the service of that name wrote. */
void kernel_lines_add_service(struct kernel_lines *lines, const char *service,
                              struct kernel_time time, const char *text);

/* Puts what one log had to what others had. The same lines stand in several logs: of each the
 * higher count is taken. */
void kernel_lines_merge(struct kernel_lines *target, const struct kernel_lines *lines);

/* Sets the instances of log_line, and how many there are beyond them. */
void kernel_lines_note(const struct kernel_lines *lines, struct facts *facts);
/* Forgets all lines, not the source: they were an earlier boot's. */
void kernel_lines_clear(struct kernel_lines *lines);
void kernel_lines_free(struct kernel_lines *lines);

#endif
