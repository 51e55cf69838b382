/* SPDX-License-Identifier: MIT */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "host/log/journal.h"

static void each(const struct journal_entry *entry, void *data)
{
    size_t *seen = data;
    *seen += 1;
    if (strlen(entry->boot) != JOURNAL_BOOT_SIZE - 1 || entry->message == NULL)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t seen = 0;
    struct journal_summary summary;
    struct host *host = host_new("/", NULL);
    int fd = memfd_create("journal", MFD_CLOEXEC);
    if (host == NULL || fd < 0 || write(fd, data, size) != (ssize_t)size)
        abort();
    const char *problem = journal_walk(host, fd, each, &seen, &summary);
    if (summary.read != seen || seen > JOURNAL_ENTRIES_MAX || (problem && seen > 0))
        abort();
    close(fd);
    host_free(host);
    return 0;
}
