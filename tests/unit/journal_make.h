/* SPDX-License-Identifier: MIT */
#ifndef TESTS_UNIT_JOURNAL_MAKE_H
#define TESTS_UNIT_JOURNAL_MAKE_H

/* Makes journal files as systemd's journal-def.h describes them, with no more in them than a reader
 * of the kernel's messages needs: a table of fields, data, entries, arrays of entries. */
#include <endian.h>
#include <stdbool.h>
#include <string.h>

#include "test.h"

#define JOURNAL_MAKE_MAX 65536

struct journal_make {
    unsigned char bytes[JOURNAL_MAKE_MAX];
    size_t size;
    bool compact;
    uint64_t transport; /* data "_TRANSPORT=kernel" */
    uint64_t field;     /* "_TRANSPORT" */
    uint64_t last_array;
    uint64_t entries;
};

static inline void journal_put(struct journal_make *make, size_t at, uint64_t value)
{
    value = htole64(value);
    memcpy(make->bytes + at, &value, sizeof(value));
}

static inline uint64_t journal_object(struct journal_make *make, unsigned char type, size_t size)
{
    size_t at = (make->size + 7) & ~(size_t)7;
    assert_true(at + size <= JOURNAL_MAKE_MAX);
    make->bytes[at] = type;
    journal_put(make, at + 8, size);
    make->size = at + size;
    return at;
}

static inline uint64_t journal_data_object(struct journal_make *make, const char *payload)
{
    size_t header = make->compact ? 72 : 64;
    uint64_t at = journal_object(make, 1, header + strlen(payload));
    memcpy(make->bytes + at + header, payload, strlen(payload));
    return at;
}

static inline void journal_begin(struct journal_make *make, bool compact)
{
    memset(make, 0, sizeof(*make));
    make->compact = compact;
    memcpy(make->bytes, "LPKSHHRH", 8);
    make->bytes[12] = (unsigned char)(4 | 8 | (compact ? 16 : 0)); /* keyed hash, zstd */
    journal_put(make, 88, 256);
    make->size = 256;
    uint64_t table = journal_object(make, 5, 16 + 4 * 16);
    journal_put(make, 120, table + 16);
    journal_put(make, 128, 4 * 16);
    uint64_t other = journal_object(make, 2, 40 + 8);
    memcpy(make->bytes + other + 40, "MESSAGE_", 8);
    uint64_t field = journal_object(make, 2, 40 + 10);
    memcpy(make->bytes + field + 40, "_TRANSPORT", 10);
    make->field = field;
    journal_put(make, table + 16 + 2 * 16, other); /* two fields in one bucket */
    journal_put(make, other + 24, field);
    uint64_t syslog = journal_data_object(make, "_TRANSPORT=syslog");
    make->transport = journal_data_object(make, "_TRANSPORT=kernel");
    journal_put(make, field + 32, syslog);
    journal_put(make, syslog + 32, make->transport);
}

/* Arrays of two entries, so that a chain is needed. */
static inline void journal_list(struct journal_make *make, uint64_t entry)
{
    size_t item = make->compact ? 4 : 8;
    make->entries++;
    journal_put(make, make->transport + 56, make->entries);
    if (make->entries == 1) {
        journal_put(make, make->transport + 40, entry);
        return;
    }
    uint64_t place = (make->entries - 2) % 2;
    if (place == 0) {
        uint64_t array = journal_object(make, 6, 24 + 2 * item);
        journal_put(make, make->last_array ? make->last_array + 16 : make->transport + 48, array);
        make->last_array = array;
    }
    uint64_t value = htole64(entry);
    memcpy(make->bytes + make->last_array + 24 + place * item, &value, item);
}

/* boot: the byte that the boot's id is made of. Times in seconds. */
static inline void journal_add(struct journal_make *make, const char *message, unsigned char boot,
                               uint64_t real, uint64_t since_boot)
{
    char payload[4096];
    size_t item = make->compact ? 4 : 16;
    snprintf(payload, sizeof(payload), "MESSAGE=%s", message);
    uint64_t data[] = {journal_data_object(make, "PRIORITY=3"), make->transport,
                       journal_data_object(make, payload)};
    uint64_t entry = journal_object(make, 3, 64 + 3 * item);
    journal_put(make, entry + 24, real * 1000000);
    journal_put(make, entry + 32, since_boot * 1000000);
    memset(make->bytes + entry + 40, boot, 16);
    for (size_t i = 0; i < 3; i++) {
        uint64_t value = htole64(data[i]);
        memcpy(make->bytes + entry + 64 + i * item, &value, make->compact ? 4 : 8);
    }
    journal_list(make, entry);
}

/* One entry of a service; no other is of a service. */
static inline void journal_add_service(struct journal_make *make, const char *identifier,
                                       const char *message, unsigned char boot, uint64_t real)
{
    char payload[4096];
    size_t item = make->compact ? 4 : 16;
    snprintf(payload, sizeof(payload), "SYSLOG_IDENTIFIER=%s", identifier);
    uint64_t name = journal_data_object(make, payload);
    uint64_t field = journal_object(make, 2, 40 + 17);
    memcpy(make->bytes + field + 40, "SYSLOG_IDENTIFIER", 17);
    uint64_t other = journal_data_object(make, "SYSLOG_IDENTIFIER=cron");
    journal_put(make, make->field + 24, field);
    journal_put(make, field + 32, other);
    journal_put(make, other + 32, name);
    snprintf(payload, sizeof(payload), "MESSAGE=%s", message);
    uint64_t data[] = {name, journal_data_object(make, payload)};
    uint64_t entry = journal_object(make, 3, 64 + 2 * item);
    journal_put(make, entry + 24, real * 1000000);
    memset(make->bytes + entry + 40, boot, 16);
    for (size_t i = 0; i < 2; i++) {
        uint64_t value = htole64(data[i]);
        memcpy(make->bytes + entry + 64 + i * item, &value, make->compact ? 4 : 8);
    }
    journal_put(make, name + 40, entry);
    journal_put(make, name + 56, 1);
}

#endif
