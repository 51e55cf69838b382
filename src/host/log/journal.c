/* SPDX-License-Identifier: MIT */
#include "host/log/journal.h"

#include <endian.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/text.h"
#include "host/log/journal_file.h"
#include "host/root/root.h"

#define FIELD_TABLE_MAX (1u << 20) /* systemd makes it of 333 buckets */
#define FIELDS_MAX      10000
#define VALUES_MAX      4096
#define ARRAYS_MAX      64 /* each doubles the one before */
#define ITEMS_MAX       512
#define MESSAGE_MAX     4096
#define PAYLOAD_SIZE    96

/* Which entries are read: those with this value of the field, or with prefixes those with any value
 * that begins with one of them. */
struct wanted {
    const char *field;
    const char *values[3]; /* "FIELD=value", up to NULL */
    bool prefixes;
};
static const struct wanted of_kernel = {"_TRANSPORT", {"_TRANSPORT=kernel"}, false};
static const struct wanted of_services = {
    "SYSLOG_IDENTIFIER", {"SYSLOG_IDENTIFIER=nvidia-", "SYSLOG_IDENTIFIER=nv-"}, true};

static bool fits(const struct wanted *wanted, const char *payload)
{
    for (size_t i = 0; wanted->values[i]; i++)
        if (wanted->prefixes ? string_starts(payload, wanted->values[i])
                             : strcmp(payload, wanted->values[i]) == 0)
            return true;
    return false;
}

/* The first data object from first on with such a value, which is copied; 0: there is none. No hash
 * is computed: the list of a field's values is short. */
static uint64_t find_value(struct journal_file *file, const struct wanted *wanted, uint64_t first,
                           size_t *values, struct journal_data *ret_data,
                           char ret_payload[static PAYLOAD_SIZE])
{
    for (; first != 0 && *values < VALUES_MAX; first = ret_data->next_of_field) {
        ++*values;
        if (!journal_file_data(file, first, ret_data))
            return 0;
        size_t size = ret_data->payload_size;
        if (ret_data->compressed || size >= PAYLOAD_SIZE ||
            !journal_file_read(file, ret_data->payload, ret_payload, size))
            continue;
        ret_payload[size] = '\0';
        if (fits(wanted, ret_payload))
            return first;
    }
    return 0;
}

static bool is_field(struct journal_file *file, const struct journal_field *field, const char *name)
{
    char payload[PAYLOAD_SIZE] = {0};
    return field->payload_size == strlen(name) &&
           journal_file_read(file, field->payload, payload, strlen(name)) &&
           strcmp(payload, name) == 0;
}

/* The field's hash table leads to the field, and that to the list of its values. */
static bool find_field(struct journal_file *file, const char *name, uint64_t *ret_first)
{
    uint64_t buckets = file->field_table_size / 16;
    size_t fields = 0;
    *ret_first = 0;
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
            if (is_field(file, &field, name)) {
                *ret_first = field.first_data;
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

/* What is read, and who is told. */
struct walk {
    const struct host *host;
    void (*each)(const struct journal_entry *entry, void *data);
    void *data;
    struct journal_summary *summary;
};

static void walk_list(const struct walk *walk, struct journal_file *file,
                      const struct journal_data *object, const char *identifier)
{
    struct entry_list list;
    struct journal_summary *summary = walk->summary;
    char buffer[MESSAGE_MAX];
    list_entries(file, object, &list);
    summary->entries += (size_t)list.total;
    bool cut = list.total > JOURNAL_ENTRIES_MAX;
    summary->cut = summary->cut || cut;
    for (uint64_t i = cut ? list.total - JOURNAL_ENTRIES_MAX : 0;
         i < list.total && !host_is_late(walk->host); i++) {
        uint64_t offset;
        struct journal_entry entry = {.identifier = identifier};
        if (!entry_at(file, &list, i, &offset) || !read_entry(file, offset, buffer, &entry)) {
            summary->unreadable++;
            continue;
        }
        summary->read++;
        walk->each(&entry, walk->data);
    }
}

static const char *walk_wanted(const struct walk *walk, struct journal_file *file,
                               const struct wanted *wanted)
{
    struct journal_data object = {.entry = 0};
    char payload[PAYLOAD_SIZE];
    size_t values = 0;
    uint64_t at;
    if (!find_field(file, wanted->field, &at))
        return "the list of fields is damaged";
    while ((at = find_value(file, wanted, at, &values, &object, payload)) != 0) {
        walk_list(walk, file, &object, wanted->prefixes ? strchr(payload, '=') + 1 : NULL);
        at = wanted->prefixes ? object.next_of_field : 0;
    }
    if (file->reads_left == 0)
        walk->summary->cut = true;
    return NULL;
}

static const char *walk_file(const struct walk *walk, int fd, const struct wanted *wanted)
{
    *walk->summary = (struct journal_summary){0};
    AUTO_FREE struct journal_file *file = mem_alloc(sizeof(*file));
    const char *problem = journal_file_open(file, fd);
    return problem ? problem : walk_wanted(walk, file, wanted);
}

const char *journal_walk(const struct host *host, int fd,
                         void (*each)(const struct journal_entry *entry, void *data), void *data,
                         struct journal_summary *ret_summary)
{
    const struct walk walk = {host, each, data, ret_summary};
    return walk_file(&walk, fd, &of_kernel);
}

static enum host_status walk_path(const struct walk *walk, const char *path,
                                  const struct wanted *wanted, struct error *error)
{
    AUTO_CLOSE int fd = -1;
    *walk->summary = (struct journal_summary){0};
    enum host_status status = host_open(walk->host, path, &fd, error);
    if (status != HOST_OK)
        return status;
    const char *problem = walk_file(walk, fd, wanted);
    return problem ? root_refuse(error, "read", path, "%s", problem) : HOST_OK;
}

enum host_status journal_each_kernel(const struct host *host, const char *path,
                                     void (*each)(const struct journal_entry *entry, void *data),
                                     void *data, struct journal_summary *ret_summary,
                                     struct error *error)
{
    const struct walk walk = {host, each, data, ret_summary};
    return walk_path(&walk, path, &of_kernel, error);
}

enum host_status journal_each_service(const struct host *host, const char *path,
                                      void (*each)(const struct journal_entry *entry, void *data),
                                      void *data, struct error *error)
{
    struct journal_summary summary;
    const struct walk walk = {host, each, data, &summary};
    return walk_path(&walk, path, &of_services, error);
}
