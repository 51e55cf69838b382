/* SPDX-License-Identifier: MIT */
#ifndef PROBE_KERNEL_KERNEL_STREAM_H
#define PROBE_KERNEL_KERNEL_STREAM_H

#include "probe/kernel/kernel_line.h"
#include "probe/kernel/kernel_tally.h"

struct strlist;

/* One log, read from its oldest line to its newest: /dev/kmsg, the journal, a text file with its
 * rotated one. Start with stream_begin(). */
struct kernel_stream {
    struct kernel_tally tally;
    struct kernel_lines said; /* of the current boot alone */
    struct kernel_reader reader;
    int level;            /* of the message that is taken, where the log has it; else -1 */
    int64_t last_seconds; /* of the line before; -1: none */
    bool services_only;   /* the kernel's lines are known from another log */
    bool begins;          /* the current boot's first line was in it */
    size_t lines;
};

void stream_begin(struct kernel_stream *stream, const struct strlist *watched);
/* Names what is read next. */
void stream_source(struct kernel_stream *stream, const char *source);
void stream_free(struct kernel_stream *stream);

/* A boot begins here: what came before is of an earlier one. */
void stream_new_boot(struct kernel_stream *stream);

/* One message of the kernel, which may have several lines. The kernel's first line begins a boot of
 * its own, and so do seconds that fall back. text is cut apart. */
void stream_take(struct kernel_stream *stream, char *text, struct kernel_time time);

/* Text files, each line as syslog or dmesg writes it: "Nov 21 13:37:01 host kernel: [  12.3] …",
 * "2026-11-21T13:37:01+00:00 host kernel: …", "[   12.345678] …". Only lines tagged "kernel:", or
 * by a service of NVIDIA's, are taken, unless all are the kernel's. first_whole: the first line may
 * be a part of one. */
void stream_take_file(struct kernel_stream *stream, char *text, bool all_kernel, bool first_whole);

#endif
