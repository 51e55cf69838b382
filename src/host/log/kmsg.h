/* SPDX-License-Identifier: MIT */
#ifndef HOST_LOG_KMSG_H
#define HOST_LOG_KMSG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "host/root/file.h"

/* The kernel's own log, /dev/kmsg (Documentation/ABI/testing/dev-kmsg of the kernel). */

/* One record of the kernel itself; those that programs wrote are left out. */
struct kmsg_record {
    uint64_t time_us; /* since boot */
    unsigned level;   /* 0 to 7: 3 is an error, 4 a warning */
    const char *text; /* what was logged, NUL-terminated, \xHH undone: may be several lines */
};

/* Calls each() for the records that the kernel still holds, oldest first, until it returns false;
 * never waits for more. At most KMSG_MAX records. *ret_complete: the first record of this boot was
 * among them. HOST_DENIED where kernel.dmesg_restrict keeps this user out. On a tree, or where
 * somebody put a regular file there, that file's lines are the records; device nodes of a tree are
 * not opened. */
#define KMSG_MAX 100000
enum host_status kmsg_each(const struct host *host,
                           bool (*each)(const struct kmsg_record *record, void *data), void *data,
                           bool *ret_complete, struct error *error);

/* For the tests: one record as the kernel writes it, "6,339,5140900,-;text\n KEY=value\n". False
 * for one that is not of that form or not the kernel's own. text is cut apart. */
bool kmsg_parse(char *text, struct kmsg_record *ret_record, uint64_t *ret_sequence);

#endif
