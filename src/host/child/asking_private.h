/* SPDX-License-Identifier: MIT */
#ifndef HOST_CHILD_ASKING_PRIVATE_H
#define HOST_CHILD_ASKING_PRIVATE_H

/* Private to host/asking*.c. What goes over the pipe is lines: ASKING_MARK, a kind, text. A newline
 * stands before each line too, so that what a library writes there spoils no line but its own. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "host/child/asking.h"

#define ASKING_MARK '\036' /* the record separator: what a library prints by mistake lacks it */

enum asking_kind {
    ASKING_ANSWER = '=',
    ASKING_STEP = '>',
    ASKING_REFUSED = '!', /* it could not be made safe, and nothing was loaded: why */
    ASKING_DONE = '.',
};

/* How a child ends that cannot write its answers any more: its pipe was closed. */
#define ASKING_EXIT_CUT 119

#define ASKING_LINE_MAX 65536 /* a longer one is not taken */
#define ASKING_STEP_MAX 200

/* asking_lines.c: what came over the pipe, taken apart as it comes. Start with {0}. */
struct asking_lines {
    struct text partial;
    bool dropping; /* the present line is too long */
    bool overflow; /* more was answered than is kept */
    bool done;
    char *step;    /* the last one; NULL before the first */
    char *refused; /* why nothing was loaded; NULL when it was */
};

#define AUTO_LINES AUTO(asking_lines_free)

void asking_lines_take(struct asking_lines *lines, const char *bytes, size_t size,
                       struct text *answers);
void asking_lines_free(struct asking_lines *lines);

/* asking_child.c: the child's part; context is a struct asking. Does not return. */
void asking_child(int answers, const void *context);

/* asking_strays.c: processes that a child started and that outlived it. They become children of
 * gpuenv's while it is a subreaper. */
struct strays {
    int subreaper;        /* as it was before */
    uint64_t deadline_ms; /* of strays_end() */
    uint64_t since;       /* start of the first child, in the kernel's ticks; 0 before it */
    pid_t *before; /* the children that gpuenv had already: whoever started it left it those */
    size_t before_count, before_capacity;
};

void strays_begin(struct strays *strays);
void strays_note_child(struct strays *strays, pid_t pid);

/* Kills them, and those that become orphans by it, until none is left or the deadline has come.
 * Frees what strays holds. */
void strays_end(struct strays *strays, uint64_t deadline_ms);

#endif
