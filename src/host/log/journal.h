/* SPDX-License-Identifier: MIT */
#ifndef HOST_LOG_JOURNAL_H
#define HOST_LOG_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "host/root/file.h"

/* Journal files of systemd-journald, as systemd's "Journal File Format" and journal-def.h describe
 * them: read directly, by their own list of the kernel's messages. */

#define JOURNAL_BOOT_SIZE 33

struct journal_entry {
    char boot[JOURNAL_BOOT_SIZE]; /* boot id: 32 hex digits */
    uint64_t real_us;             /* since 1970 */
    uint64_t since_boot_us;
    const char *message;    /* NUL-terminated; may be several lines */
    const char *identifier; /* of a service: "nvidia-persistenced"; NULL: the kernel */
};

struct journal_summary {
    size_t entries;    /* of the kernel, in the file */
    size_t read;       /* of those: at most JOURNAL_ENTRIES_MAX, the newest */
    size_t unreadable; /* damaged, or their message is compressed, which is not read here */
    bool cut;          /* older ones were left out */
};

/* Calls each() for the newest entries of the kernel in a file, oldest first. HOST_FAILED with the
 * reason when it is not a journal file, or damaged so that its list of fields cannot be read. The
 * work is bounded whatever the file says. */
#define JOURNAL_ENTRIES_MAX 4000
enum host_status journal_each_kernel(const struct host *host, const char *path,
                                     void (*each)(const struct journal_entry *entry, void *data),
                                     void *data, struct journal_summary *ret_summary,
                                     struct error *error);

/* The same for what NVIDIA's services wrote: those whose names begin with "nvidia-" or "nv-". The
 * entries of one service stand together. */
enum host_status journal_each_service(const struct host *host, const char *path,
                                      void (*each)(const struct journal_entry *entry, void *data),
                                      void *data, struct error *error);

/* The first of the two for an open file; NULL, or what is wrong with it. */
const char *journal_walk(const struct host *host, int fd,
                         void (*each)(const struct journal_entry *entry, void *data), void *data,
                         struct journal_summary *ret_summary);

#endif
