/* SPDX-License-Identifier: MIT */
#include "host/log/journal.h"

#include <endian.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "host/log/journal_file.h"
#include "host/root/root.h"

#define FIELD_TABLE_MAX (1u << 20) /* systemd makes it of 333 buckets */
#define FIELDS_MAX      10000
#define VALUES_MAX      256
#define ARRAYS_MAX      64 /* each doubles the one before */
#define ITEMS_MAX       512
#define MESSAGE_MAX     4096

static const char transport[] = "_TRANSPORT";
static const char kernel[] = "_TRANSPORT=kernel";

/* The data object "_TRANSPORT=kernel": the field's hash table leads to the field, and that to the
 * list of its values. No hash is computed: the table is small. */
static uint64_t find_value(struct journal_file *file, uint64_t first)
{
    for (size_t i = 0; first != 0 && i < VALUES_MAX; i++) {
        struct journal_data data;
        if (!journal_file_data(file, first, &data))
            return 0;
        char payload[sizeof(kernel)] = {0};
        if (!data.compressed && data.payload_size == strlen(kernel) &&
            journal_file_read(file, data.payload, payload, strlen(kernel)) &&
            strcmp(payload, kernel) == 0)
            return first;
        first = data.next_of_field;
    }
    return 0;
}

static bool is_transport(struct journal_file *file, const struct journal_field *field)
{
    char payload[sizeof(transport)] = {0};
    return field->payload_size == strlen(transport) &&
           journal_file_read(file, field->payload, payload, strlen(transport)) &&
           strcmp(payload, transport) == 0;
}

static bool find_kernel(struct journal_file *file, uint64_t *ret_data)
{
    uint64_t buckets = file->field_table_size / 16;
    size_t fields = 0;
    *ret_data = 0;
    if (file->field_table_size > FIELD_TABLE_MAX)
        return false;
    for (uint64_t i = 0; i < buckets; i++) {
        uint64_t at;
        if (!journal_file_number(file, file->field_table + i * 16, &at))
            return false;
        while (at != 0) {
            struct journal_field field;
            if (fields++ >= FIELDS_MAX || !journal_file_field(file, at, &field))
                return false;
            if (is_transport(file, &field)) {
                *ret_data = find_value(file, field.first_data);
                return true;
            }
            at = field.next;
        }
    }
    return true;
}

/* The entries of a data object: the first in the object itself, the others in a chain of arrays. */
struct entry_list {
    uint64_t first;
    uint64_t arrays[ARRAYS_MAX];
    uint64_t sizes[ARRAYS_MAX];
    size_t count;
    uint64_t total;
};

static void list_entries(struct journal_file *file, const struct journal_data *data,
                         struct entry_list *list)
{
    uint64_t next = data->entry_array;
    uint64_t held = data->entry != 0;
    *list = (struct entry_list){.first = data->entry};
    while (next != 0 && list->count < ARRAYS_MAX && held < data->entries) {
        uint64_t items;
        uint64_t following;
        if (!journal_file_array(file, next, &items, &following))
            break;
        uint64_t left = data->entries - held;
        list->arrays[list->count] = next;
        list->sizes[list->count] = items < left ? items : left;
        held += list->sizes[list->count++];
        next = following > next ? following : 0; /* they are written one after the other */
    }
    list->total = held;
}

static bool entry_at(struct journal_file *file, const struct entry_list *list, uint64_t index,
                     uint64_t *ret_offset)
{
    if (list->first != 0 && index-- == 0) {
        *ret_offset = list->first;
        return true;
    }
    for (size_t i = 0; i < list->count; i++) {
        if (index < list->sizes[i])
            return journal_file_array_item(file, list->arrays[i], index, ret_offset) &&
                   *ret_offset != 0;
        index -= list->sizes[i];
    }
    return false;
}

/* Reads the message of an entry into buffer. */
static bool read_message(struct journal_file *file, const struct journal_object *entry,
                         char buffer[static MESSAGE_MAX])
{
    static const char key[] = "MESSAGE=";
    uint64_t items = journal_file_entry_items(file, entry);
    for (uint64_t i = 0; i < items && i < ITEMS_MAX; i++) {
        uint64_t at;
        struct journal_data data;
        char head[sizeof(key) - 1];
        if (!journal_file_entry_item(file, entry, i, &at) || !journal_file_data(file, at, &data))
            return false;
        if (data.compressed || data.payload_size < sizeof(head) ||
            !journal_file_read(file, data.payload, head, sizeof(head)) ||
            memcmp(head, key, sizeof(head)) != 0)
            continue;
        uint64_t size = data.payload_size - sizeof(head);
        size = size < MESSAGE_MAX - 1 ? size : MESSAGE_MAX - 1;
        if (!journal_file_read(file, data.payload + sizeof(head), buffer, size))
            return false;
        buffer[size] = '\0';
        return true;
    }
    return false;
}

static bool read_entry(struct journal_file *file, uint64_t offset, char *buffer,
                       struct journal_entry *ret_entry)
{
    struct journal_object object;
    unsigned char boot[16];
    if (!journal_file_entry(file, offset, &object) ||
        !journal_file_number(file, offset + 24, &ret_entry->real_us) ||
        !journal_file_number(file, offset + 32, &ret_entry->since_boot_us) ||
        !journal_file_read(file, offset + 40, boot, sizeof(boot)) ||
        !read_message(file, &object, buffer))
        return false;
    for (size_t i = 0; i < sizeof(boot); i++)
        snprintf(ret_entry->boot + 2 * i, 3, "%02x", boot[i]);
    ret_entry->message = buffer;
    return true;
}

static bool walk_entries(const struct host *host, struct journal_file *file,
                         void (*each)(const struct journal_entry *entry, void *data), void *data,
                         struct journal_summary *summary)
{
    uint64_t value;
    struct journal_data object;
    struct entry_list list;
    char buffer[MESSAGE_MAX];
    if (!find_kernel(file, &value))
        return false;
    if (value == 0)
        return true; /* nothing of the kernel in this file */
    if (!journal_file_data(file, value, &object))
        return false;
    list_entries(file, &object, &list);
    summary->entries = (size_t)list.total;
    summary->cut = list.total > JOURNAL_ENTRIES_MAX;
    uint64_t from = summary->cut ? list.total - JOURNAL_ENTRIES_MAX : 0;
    for (uint64_t i = from; i < list.total && !host_is_late(host); i++) {
        uint64_t offset;
        struct journal_entry entry;
        if (!entry_at(file, &list, i, &offset) || !read_entry(file, offset, buffer, &entry)) {
            summary->unreadable++;
            continue;
        }
        summary->read++;
        each(&entry, data);
    }
    return true;
}

const char *journal_walk(const struct host *host, int fd,
                         void (*each)(const struct journal_entry *entry, void *data), void *data,
                         struct journal_summary *ret_summary)
{
    *ret_summary = (struct journal_summary){0};
    AUTO_FREE struct journal_file *file = mem_alloc(sizeof(*file));
    const char *problem = journal_file_open(file, fd);
    if (problem == NULL && !walk_entries(host, file, each, data, ret_summary))
        problem = "its list of fields is damaged";
    if (file->reads_left == 0)
        ret_summary->cut = true;
    return problem;
}

enum host_status journal_each_kernel(const struct host *host, const char *path,
                                     void (*each)(const struct journal_entry *entry, void *data),
                                     void *data, struct journal_summary *ret_summary,
                                     struct error *error)
{
    AUTO_CLOSE int fd = -1;
    *ret_summary = (struct journal_summary){0};
    enum host_status status = host_open(host, path, &fd, error);
    if (status != HOST_OK)
        return status;
    const char *problem = journal_walk(host, fd, each, data, ret_summary);
    return problem ? root_refuse(error, "read", path, "%s", problem) : HOST_OK;
}
