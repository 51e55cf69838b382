/* SPDX-License-Identifier: MIT */
#include "host/log/kmsg.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "base/hex.h"
#include "base/text.h"
#include "host/root/root.h"

#define PATH       "/dev/kmsg"
#define MAJOR      1
#define MINOR      11
#define RECORD_MAX 8192 /* CONSOLE_EXT_LOG_MAX of the kernel's kernel/printk/internal.h */
#define FILE_MAX   (8u << 20)

/* The kernel writes bytes that are not printable, and a backslash, as \xHH. A NUL would end the
 * text, so it stays as it is. */
static void unescape(char *text)
{
    char *to = text;
    for (const char *from = text; *from; from++) {
        int byte = from[0] == '\\' && from[1] == 'x' ? hex_byte(from + 2) : -1;
        if (byte > 0) {
            *to++ = (char)byte;
            from += 3;
        } else {
            *to++ = *from;
        }
    }
    *to = '\0';
}

static bool take_number(char **cursor, uint64_t *ret_value)
{
    char *end = *cursor + strspn(*cursor, "0123456789");
    if (*end != ',' || end == *cursor)
        return false;
    *end = '\0';
    unsigned long long value;
    bool valid = string_to_unsigned(*cursor, &value);
    *cursor = end + 1;
    *ret_value = value;
    return valid;
}

bool kmsg_parse(char *text, struct kmsg_record *ret_record, uint64_t *ret_sequence)
{
    uint64_t priority;
    uint64_t sequence;
    uint64_t time_us;
    char *cursor = text;
    char *message = strchr(text, ';');
    if (message == NULL || !take_number(&cursor, &priority) || !take_number(&cursor, &sequence))
        return false;
    /* The time is followed by ",FLAGS" or, on old kernels, by the text. */
    cursor[strcspn(cursor, ",;")] = ',';
    if (!take_number(&cursor, &time_us))
        return false;
    *ret_sequence = sequence;
    if (priority >> 3 != 0) /* the facility: 0 is the kernel's */
        return false;
    message++;
    message[strcspn(message, "\n")] = '\0'; /* properties of the device follow */
    unescape(message);
    *ret_record =
        (struct kmsg_record){.time_us = time_us, .level = (unsigned)priority, .text = message};
    return true;
}

/* Where the reading stands. */
struct reading {
    bool (*each)(const struct kmsg_record *record, void *data);
    void *data;
    bool any;
    bool complete;
};

static bool take_record(struct reading *reading, char *bytes)
{
    struct kmsg_record record;
    uint64_t sequence = UINT64_MAX;
    bool own = kmsg_parse(bytes, &record, &sequence);
    if (!reading->any && sequence != UINT64_MAX) {
        reading->any = true;
        reading->complete = sequence == 0;
    }
    return !own || reading->each(&record, reading->data);
}

static enum host_status read_node(const struct host *host, int fd, struct reading *reading,
                                  struct error *error)
{
    char bytes[RECORD_MAX + 1];
    for (size_t i = 0; i < KMSG_MAX && !host_is_late(host); i++) {
        ssize_t size = read(fd, bytes, RECORD_MAX);
        if (size < 0 && (errno == EINTR || errno == EPIPE)) /* EPIPE: overwritten meanwhile */
            continue;
        if (size < 0 && errno == EAGAIN)
            return HOST_OK;
        if (size < 0)
            return root_fail(error, errno, "read", PATH);
        if (size == 0)
            return HOST_OK;
        bytes[size] = '\0';
        if (!take_record(reading, bytes))
            return HOST_OK;
    }
    return HOST_OK;
}

static enum host_status read_file(const struct host *host, struct reading *reading,
                                  struct error *error)
{
    AUTO_TEXT struct text text = {0};
    enum host_status status = host_read(host, PATH, FILE_MAX, &text, error);
    char *cursor = text.data;
    for (char *line; (line = string_next_line(&cursor));)
        if (line[0] != ' ' && !take_record(reading, line))
            break;
    return status;
}

static enum host_status open_node(int object, int *ret_fd, struct error *error)
{
    char name[ROOT_SELF_FD_SIZE];
    int fd = open(root_self_fd(object, name), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0)
        return root_fail(error, errno == ENOENT ? EACCES : errno, "open", PATH);
    *ret_fd = fd;
    return HOST_OK;
}

enum host_status kmsg_each(const struct host *host,
                           bool (*each)(const struct kmsg_record *record, void *data), void *data,
                           bool *ret_complete, struct error *error)
{
    struct reading reading = {.each = each, .data = data};
    AUTO_OBJECT struct root_object object = {.fd = -1};
    AUTO_CLOSE int fd = -1;
    enum host_status status = root_find(host, PATH, true, "open", &object, error);
    if (status != HOST_OK)
        return status;
    const struct stat *stat = &object.stat;
    if (S_ISREG(stat->st_mode))
        status = read_file(host, &reading, error);
    else if (!S_ISCHR(stat->st_mode) || major(stat->st_rdev) != MAJOR ||
             minor(stat->st_rdev) != MINOR)
        status = root_refuse(error, "open", PATH, "this is not the kernel's log");
    else if (!host_is_live(host))
        status = root_refuse(error, "open", PATH, "this is a device node in a tree");
    else if ((status = open_node(object.fd, &fd, error)) == HOST_OK)
        status = read_node(host, fd, &reading, error);
    *ret_complete = reading.complete;
    return status;
}
