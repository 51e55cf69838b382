/* SPDX-License-Identifier: MIT */
#include "code/archive.h"

#include <string.h>

#include "base/text.h"
#include "code/image.h"

#define ARCHIVE "static archive"

#define HEAD_SIZE   8u
#define HEADER_SIZE 60u
#define NAME_SIZE   16u
enum { SIZE_AT = 48, SIZE_DIGITS = 10, END_AT = 58 };

#define NAME_MAX_SHOWN 255u

struct member {
    uint64_t header, data, size; /* offsets of its header and data; bytes of data */
    char name[NAME_SIZE + 1];    /* as it stands in the header, without spaces at the end */
};

struct archive {
    struct reading *reading;
    const struct byte_source *source;
    bool is_thin;
    uint64_t names, names_size; /* the table of long names ("//") */
};

bool archive_is(const unsigned char *head, size_t size)
{
    return size >= HEAD_SIZE &&
           (memcmp(head, "!<arch>\n", HEAD_SIZE) == 0 || memcmp(head, "!<thin>\n", HEAD_SIZE) == 0);
}

/* Decimal digits with spaces behind them. */
static bool read_decimal(const unsigned char *bytes, size_t size, uint64_t *ret_number)
{
    uint64_t number = 0;
    size_t i = 0;
    for (; i < size && bytes[i] >= '0' && bytes[i] <= '9'; i++)
        number = number * 10 + (uint64_t)(bytes[i] - '0');
    *ret_number = number;
    size_t digits = i;
    while (i < size && bytes[i] == ' ')
        i++;
    return digits > 0 && i == size;
}

static bool read_header(const struct archive *archive, uint64_t offset, struct member *ret_member,
                        struct error *error)
{
    const unsigned char *bytes = byte_window_at(archive->reading->window, archive->source, offset,
                                                HEADER_SIZE, 256, "the header of a member", error);
    if (bytes == NULL)
        return false;
    *ret_member = (struct member){.header = offset, .data = offset + HEADER_SIZE};
    if (bytes[END_AT] != '`' || bytes[END_AT + 1] != '\n')
        return byte_source_malformed(error, ARCHIVE, archive->source, offset,
                                     "a member header is missing at this offset");
    if (!read_decimal(bytes + SIZE_AT, SIZE_DIGITS, &ret_member->size))
        return byte_source_malformed(error, ARCHIVE, archive->source, offset,
                                     "the size of a member is not a number");
    memcpy(ret_member->name, bytes, NAME_SIZE);
    for (size_t i = NAME_SIZE; i > 0 && ret_member->name[i - 1] == ' '; i--)
        ret_member->name[i - 1] = '\0';
    return true;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Symbol tables and the table of names; in a thin archive their data alone is there. */
static bool is_special(const char *name)
{
    return strcmp(name, "/") == 0 || strcmp(name, "//") == 0 || strcmp(name, "/SYM64/") == 0 ||
           string_starts(name, "__.SYMDEF");
}

/* A name of BSD stands before the data: takes it off there. */
static bool cut_name(const struct archive *archive, struct member *member, struct error *error)
{
    if (!string_starts(member->name, "#1/"))
        return true;
    uint64_t length;
    const char *digits = member->name + 3;
    if (!read_decimal((const unsigned char *)digits, strlen(digits), &length) ||
        length > member->size)
        return byte_source_malformed(error, ARCHIVE, archive->source, member->header,
                                     "the name of a member is longer than the member");
    member->data += length;
    member->size -= length;
    return true;
}

/* The name of a member, for a message: the caller frees it. */
static char *name_of(const struct archive *archive, const struct member *member)
{
    uint64_t at = archive->names, left = 0, number;
    char end = '/';
    if (string_starts(member->name, "#1/")) {
        at = member->header + HEADER_SIZE;
        left = member->data - at;
        end = '\0';
    } else if (member->name[0] == '/' && is_digit(member->name[1]) &&
               read_decimal((const unsigned char *)member->name + 1, strlen(member->name + 1),
                            &number) &&
               number < archive->names_size) {
        at += number;
        left = archive->names_size - number;
    }
    char name[NAME_MAX_SHOWN];
    size_t size = left < sizeof(name) ? (size_t)left : sizeof(name);
    if (size == 0 || !byte_source_read(archive->source, at, name, size, "a name", NULL))
        return mem_string_n(member->name, strcspn(member->name, "/"));
    const char *stop = memchr(name, end, size);
    return mem_string_n(name, stop == NULL ? size : (size_t)(stop - name));
}

/* Lists what is in a member; a fault of it is one of the archive. */
static bool list_member(const struct archive *archive, const struct member *member,
                        struct error *error)
{
    struct byte_source part = byte_source_part(archive->source, member->data, member->size);
    enum code_file file;
    archive->reading->window->source = NULL; /* it may hold another member, at the same address */
    bool done = image_list(archive->reading, &part, &file, error);
    archive->reading->window->source = NULL;
    archive->reading->listing->members += file != CODE_FILE_OTHER;
    if (done)
        return true;
    AUTO_FREE char *name = name_of(archive, member);
    return error_prefix(error, "member %s", name);
}

static bool take_member(struct archive *archive, struct member *member, uint64_t *ret_next,
                        struct error *error)
{
    bool special = is_special(member->name);
    if (archive->is_thin && !special) {
        archive->reading->listing->members_elsewhere++;
        *ret_next = member->data;
        return true;
    }
    uint64_t left = archive->source->size - member->data;
    if (member->size > left)
        return byte_source_malformed(error, ARCHIVE, archive->source, member->header,
                                     "a member has 0x%llx bytes, but only 0x%llx are left",
                                     (unsigned long long)member->size, (unsigned long long)left);
    *ret_next = member->data + member->size + (member->size & 1);
    if (strcmp(member->name, "//") == 0) {
        archive->names = member->data;
        archive->names_size = member->size;
    }
    if (special)
        return true;
    return cut_name(archive, member, error) && list_member(archive, member, error);
}

bool archive_list(struct reading *reading, const struct byte_source *source, struct error *error)
{
    struct archive archive = {.reading = reading, .source = source};
    unsigned char head[HEAD_SIZE];
    if (!byte_source_read(source, 0, head, sizeof(head), "the first bytes", error))
        return false;
    archive.is_thin = head[2] == 't';
    uint64_t offset = HEAD_SIZE;
    for (unsigned count = 0; offset < source->size; count++) {
        struct member member;
        if (count == CODE_MEMBERS_MAX)
            return byte_source_malformed(error, ARCHIVE, source, offset, "more than %u members",
                                         CODE_MEMBERS_MAX);
        if (!read_header(&archive, offset, &member, error) ||
            !take_member(&archive, &member, &offset, error))
            return false;
    }
    return true;
}
