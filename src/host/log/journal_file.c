/* SPDX-License-Identifier: MIT */
#include "host/log/journal_file.h"

#include <endian.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* struct Header of systemd's journal-def.h. */
#define SIGNATURE         "LPKSHHRH"
#define HEADER_MIN        208
#define AT_INCOMPATIBLE   12
#define AT_HEADER_SIZE    88
#define AT_FIELD_TABLE    120
#define AT_FIELD_SIZE     128
#define FLAGS_KNOWN       0x1fu /* xz, lz4, keyed hash, zstd, compact */
#define FLAG_COMPACT      0x10u
#define OBJECT_DATA       1
#define OBJECT_FIELD      2
#define OBJECT_ENTRY      3
#define OBJECT_ARRAY      6
#define OBJECT_HEADER     16
#define OBJECT_COMPRESSED 0x07u
#define DATA_HEADER       64
#define DATA_COMPACT      8 /* more, before the payload */
#define FIELD_HEADER      40
#define ENTRY_HEADER      64
#define ARRAY_HEADER      24

static const struct journal_block *block_of(struct journal_file *file, uint64_t number)
{
    struct journal_block *block = &file->blocks[number % JOURNAL_BLOCKS];
    if (block->number == number + 1)
        return block;
    if (file->reads_left == 0)
        return NULL;
    file->reads_left--;
    ssize_t got;
    do
        got = pread(file->fd, block->bytes, JOURNAL_BLOCK, (off_t)(number * JOURNAL_BLOCK));
    while (got < 0 && errno == EINTR);
    block->number = got < 0 ? 0 : number + 1;
    block->size = got < 0 ? 0 : (size_t)got;
    return got < 0 ? NULL : block;
}

bool journal_file_read(struct journal_file *file, uint64_t offset, void *to, uint64_t size)
{
    unsigned char *target = to;
    if (offset > file->size || size > file->size - offset)
        return false;
    while (size > 0) {
        const struct journal_block *block = block_of(file, offset / JOURNAL_BLOCK);
        size_t at = (size_t)(offset % JOURNAL_BLOCK);
        if (block == NULL || at >= block->size)
            return false;
        size_t part = block->size - at < size ? block->size - at : (size_t)size;
        memcpy(target, block->bytes + at, part);
        target += part;
        offset += part;
        size -= part;
    }
    return true;
}

bool journal_file_number(struct journal_file *file, uint64_t offset, uint64_t *ret_value)
{
    uint64_t value;
    if (!journal_file_read(file, offset, &value, sizeof(value)))
        return false;
    *ret_value = le64toh(value);
    return true;
}

const char *journal_file_open(struct journal_file *file, int fd)
{
    struct stat stat;
    char signature[8];
    uint32_t flags;
    memset(file, 0, sizeof(*file));
    if (fstat(fd, &stat) != 0 || stat.st_size < 0)
        return "its size is not known";
    file->fd = fd;
    file->size = (uint64_t)stat.st_size;
    file->reads_left = JOURNAL_READS;
    if (!journal_file_read(file, 0, signature, sizeof(signature)) ||
        memcmp(signature, SIGNATURE, sizeof(signature)) != 0)
        return "not a journal file";
    if (!journal_file_read(file, AT_INCOMPATIBLE, &flags, sizeof(flags)) ||
        !journal_file_number(file, AT_HEADER_SIZE, &file->header_size) ||
        !journal_file_number(file, AT_FIELD_TABLE, &file->field_table) ||
        !journal_file_number(file, AT_FIELD_SIZE, &file->field_table_size))
        return "it ends within its header";
    if ((le32toh(flags) & ~FLAGS_KNOWN) != 0)
        return "a newer journal file format than gpuenv knows";
    if (file->header_size < HEADER_MIN || file->header_size > file->size ||
        file->field_table > file->size || file->field_table_size > file->size - file->field_table)
        return "its header is damaged";
    file->compact = (le32toh(flags) & FLAG_COMPACT) != 0;
    return NULL;
}

static bool read_object(struct journal_file *file, uint64_t offset, unsigned char type,
                        uint64_t smallest, struct journal_object *ret_object)
{
    unsigned char head[2];
    uint64_t size;
    if (offset < file->header_size || offset % 8 != 0 ||
        !journal_file_read(file, offset, head, sizeof(head)) ||
        !journal_file_number(file, offset + 8, &size))
        return false;
    if (head[0] != type || size < smallest || size > file->size - offset)
        return false;
    *ret_object =
        (struct journal_object){.offset = offset, .size = size, .type = head[0], .flags = head[1]};
    return true;
}

bool journal_file_data(struct journal_file *file, uint64_t offset, struct journal_data *ret_data)
{
    struct journal_object object;
    uint64_t header = DATA_HEADER + (file->compact ? DATA_COMPACT : 0);
    if (!read_object(file, offset, OBJECT_DATA, header, &object) ||
        !journal_file_number(file, offset + 32, &ret_data->next_of_field) ||
        !journal_file_number(file, offset + 40, &ret_data->entry) ||
        !journal_file_number(file, offset + 48, &ret_data->entry_array) ||
        !journal_file_number(file, offset + 56, &ret_data->entries))
        return false;
    ret_data->payload = offset + header;
    ret_data->payload_size = object.size - header;
    ret_data->compressed = (object.flags & OBJECT_COMPRESSED) != 0;
    return true;
}

bool journal_file_field(struct journal_file *file, uint64_t offset, struct journal_field *ret_field)
{
    struct journal_object object;
    if (!read_object(file, offset, OBJECT_FIELD, FIELD_HEADER, &object) ||
        !journal_file_number(file, offset + 24, &ret_field->next) ||
        !journal_file_number(file, offset + 32, &ret_field->first_data))
        return false;
    ret_field->payload = offset + FIELD_HEADER;
    ret_field->payload_size = object.size - FIELD_HEADER;
    return true;
}

/* Offsets have four bytes in compact files, eight in others. */
static bool read_item(struct journal_file *file, uint64_t offset, uint64_t *ret_value)
{
    uint32_t value;
    if (!file->compact)
        return journal_file_number(file, offset, ret_value);
    if (!journal_file_read(file, offset, &value, sizeof(value)))
        return false;
    *ret_value = le32toh(value);
    return true;
}

bool journal_file_array(struct journal_file *file, uint64_t offset, uint64_t *ret_items,
                        uint64_t *ret_next)
{
    struct journal_object object;
    if (!read_object(file, offset, OBJECT_ARRAY, ARRAY_HEADER, &object) ||
        !journal_file_number(file, offset + OBJECT_HEADER, ret_next))
        return false;
    *ret_items = (object.size - ARRAY_HEADER) / (file->compact ? 4 : 8);
    return true;
}

bool journal_file_array_item(struct journal_file *file, uint64_t offset, uint64_t index,
                             uint64_t *ret_value)
{
    return read_item(file, offset + ARRAY_HEADER + index * (file->compact ? 4 : 8), ret_value);
}

bool journal_file_entry(struct journal_file *file, uint64_t offset,
                        struct journal_object *ret_entry)
{
    return read_object(file, offset, OBJECT_ENTRY, ENTRY_HEADER, ret_entry);
}

uint64_t journal_file_entry_items(const struct journal_file *file,
                                  const struct journal_object *entry)
{
    return (entry->size - ENTRY_HEADER) / (file->compact ? 4 : 16);
}

bool journal_file_entry_item(struct journal_file *file, const struct journal_object *entry,
                             uint64_t index, uint64_t *ret_offset)
{
    return read_item(file, entry->offset + ENTRY_HEADER + index * (file->compact ? 4 : 16),
                     ret_offset);
}
