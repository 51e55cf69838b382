/* SPDX-License-Identifier: MIT */
#ifndef HOST_CHILD_ASKING_H
#define HOST_CHILD_ASKING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "host/root/host.h"

/* Asking vendor libraries, each in a child of its own that cannot hurt: all at once, with one
 * deadline. The child has a session of its own, a built-up environment (PATH, HOME, LANG fixed,
 * CUDA_, NVIDIA_ and LD_LIBRARY_PATH as the user has them), no stdin, no core file, bounded
 * memory for its output, no new privileges, no CAP_MKNOD and CAP_SYS_MODULE in any set; where the
 * kernel has seccomp(2) it can open no network socket, start no process and signal none but
 * itself; where it has Landlock it can make, change and remove no file outside /dev, the pipes
 * of MPS and what proc shows of its own threads. It dies with gpuenv. After SIGKILL it is not
 * waited for: one that stays in the kernel is named and left. */

struct channel; /* what a child answers through */

/* One question. ask runs in the child and may call whatever the library has. */
struct asking {
    const char *library; /* what it is about, for messages: "libcuda.so.1" */
    void (*ask)(struct channel *channel, const void *context);
    const void *context;
    const char
        *variable; /* "NAME=VALUE" that its environment has, whatever the user's says; or NULL */
};

/* In the child. A step names the call that is about to be made, so that a crash or a hang can be
 * laid at its door; an answer is one line without a newline. Both are sent at once, so that what
 * was answered before a crash is kept. */
void channel_step(struct channel *channel, const char *step);
void channel_answer(struct channel *channel, const char *line);

#define ASKING_ANSWERS_MAX (1u << 20) /* bytes of answers kept of one child */
#define ASKING_OUTPUT_MAX  65536      /* bytes kept of what the library prints */

struct reply {
    bool complete;       /* the child sent all its answers */
    char *reason;        /* NULL when complete: "no answer in 10 s in cuInit", "killed by signal 11
                            (Segmentation fault) in cuInit", "ended by exit code 0 in cuInit",
                            "out of memory in cuInit" */
    struct text answers; /* the lines, each with its newline. Untrusted: the library could write
                            them too */
    struct text output;  /* what was printed on stdout and stderr together, as found */
};

/* Asks all questions at once and fills ret_replies[count], whatever happens. Ends at deadline_ms
 * (CLOCK_MONOTONIC), at most 1 s later. On a tree nothing is asked: reason says so. */
void asking_all(const struct host *host, const struct asking *askings, size_t count,
                uint64_t deadline_ms, struct reply *ret_replies);
void reply_free(struct reply *reply);

#endif
