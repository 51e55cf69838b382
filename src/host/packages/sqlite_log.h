/* SPDX-License-Identifier: MIT */
#ifndef HOST_PACKAGES_SQLITE_LOG_H
#define HOST_PACKAGES_SQLITE_LOG_H

#include "base/byte_source.h"

/* SQLite's write-ahead log (sqlite.org/fileformat2.html#the_write_ahead_log): the pages that are
 * committed, and newer than those of the database file. Start with {0}. */
struct sqlite_log {
    const struct byte_source *source;
    struct sqlite_frame {
        uint32_t page;
        uint32_t index; /* of the frame in the log */
    } * frames;         /* by page; one for each */
    size_t count;
    uint32_t page_size;
    uint32_t pages; /* of the whole database after the last commit; 0: nothing is committed */
};
#define AUTO_SQLITE_LOG AUTO(sqlite_log_close)

/* A longer log is refused. */
#define SQLITE_LOG_MAX (1ull << 30)

/* Reads the log up to its last commit: what follows, or has another checksum, is not valid, as it
 * is not for SQLite. False for what cannot be read. source has to outlive ret_log. */
bool sqlite_log_open(const struct byte_source *source, struct sqlite_log *ret_log,
                     struct error *error);
void sqlite_log_close(struct sqlite_log *log);

/* Where a page begins in the log; false: it is not there. */
bool sqlite_log_find(const struct sqlite_log *log, uint32_t page, uint64_t *ret_offset);

#endif
