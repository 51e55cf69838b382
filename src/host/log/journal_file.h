/* SPDX-License-Identifier: MIT */
#ifndef HOST_LOG_JOURNAL_FILE_H
#define HOST_LOG_JOURNAL_FILE_H

/* Private to host/journal*.c: the objects of a journal file. Every function says false for what
 * lies outside the file, is of another type than asked for, or came after too many reads. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define JOURNAL_BLOCK  4096
#define JOURNAL_BLOCKS 256   /* kept in memory */
#define JOURNAL_READS  12000 /* blocks read in all: 48 MiB */

struct journal_block {
    uint64_t number; /* + 1; 0: nothing in it */
    size_t size;
    unsigned char bytes[JOURNAL_BLOCK];
};

struct journal_file {
    int fd;
    uint64_t size;
    uint64_t header_size;
    bool compact;
    uint64_t field_table, field_table_size;
    size_t reads_left;
    struct journal_block blocks[JOURNAL_BLOCKS];
};

struct journal_object {
    uint64_t offset, size;
    unsigned char type, flags;
};

struct journal_data {
    uint64_t next_of_field; /* the next value of the same field */
    uint64_t entry, entry_array, entries;
    uint64_t payload, payload_size;
    bool compressed;
};

struct journal_field {
    uint64_t next, first_data;
    uint64_t payload, payload_size;
};

/* NULL, or why it is not a journal file that can be read. */
const char *journal_file_open(struct journal_file *file, int fd);
bool journal_file_read(struct journal_file *file, uint64_t offset, void *to, uint64_t size);
bool journal_file_number(struct journal_file *file, uint64_t offset, uint64_t *ret_value);

bool journal_file_data(struct journal_file *file, uint64_t offset, struct journal_data *ret_data);
bool journal_file_field(struct journal_file *file, uint64_t offset,
                        struct journal_field *ret_field);
bool journal_file_array(struct journal_file *file, uint64_t offset, uint64_t *ret_items,
                        uint64_t *ret_next);
bool journal_file_array_item(struct journal_file *file, uint64_t offset, uint64_t index,
                             uint64_t *ret_value);
bool journal_file_entry(struct journal_file *file, uint64_t offset,
                        struct journal_object *ret_entry);
uint64_t journal_file_entry_items(const struct journal_file *file,
                                  const struct journal_object *entry);
bool journal_file_entry_item(struct journal_file *file, const struct journal_object *entry,
                             uint64_t index, uint64_t *ret_offset);

#endif
