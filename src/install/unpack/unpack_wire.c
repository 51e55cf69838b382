/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "install/unpack/unpack_private.h"

/* A record is its type, the length of what follows as four bytes, and that: numbers with the lowest
 * byte first, strings after their length in two bytes. */
enum { HEAD_SIZE = 5, WORDS_MAX = 1900 };

static void put(struct text *text, uint64_t number, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        text_append_char(text, (char)(number >> (8 * i) & 0xff));
}

static void put_string(struct text *text, const char *string)
{
    size_t size = string ? strlen(string) : 0;
    if (size > WORDS_MAX)
        size = WORDS_MAX;
    put(text, size, 2);
    text_append_n(text, string, size);
}

static void put_record(struct text *text, enum unpack_record type, const struct text *body)
{
    text_append_char(text, (char)type);
    put(text, body->size, 4);
    text_append_n(text, body->data, body->size);
}

void unpack_wire_cage(struct text *text, const struct unpacker_cage *cage)
{
    AUTO_TEXT struct text body = {0};
    put(&body, cage->files, 1);
    put(&body, cage->calls, 1);
    put_record(text, UNPACK_RECORD_CAGE, &body);
}

void unpack_wire_digest(struct text *text, uint64_t size, const struct digest *found)
{
    AUTO_TEXT struct text body = {0};
    put(&body, size, 8);
    text_append_n(&body, (const char *)found->bytes, sizeof(found->bytes));
    put_record(text, UNPACK_RECORD_DIGEST, &body);
}

void unpack_wire_member(struct text *text, const struct unpack_member *member)
{
    AUTO_TEXT struct text body = {0};
    put(&body, member->type, 1);
    put(&body, member->mode, 2);
    put(&body, member->size, 8);
    text_append_n(&body, (const char *)member->sha256.bytes, sizeof(member->sha256.bytes));
    put_string(&body, member->path);
    put_string(&body, member->target);
    put_record(text, UNPACK_RECORD_MEMBER, &body);
}

void unpack_wire_error(struct text *text, const struct error *error)
{
    AUTO_TEXT struct text body = {0};
    put(&body, error->kind, 1);
    put_string(&body, error->what);
    put_string(&body, error->where);
    put_string(&body, error->why);
    put_string(&body, error->next);
    put_record(text, UNPACK_RECORD_ERROR, &body);
}

void unpack_wire_done(struct text *text, size_t count)
{
    AUTO_TEXT struct text body = {0};
    put(&body, count, 8);
    put_record(text, UNPACK_RECORD_DONE, &body);
}

/* The parent's side. */

struct body {
    const unsigned char *at;
    size_t left;
    bool failed;
};

static uint64_t take(struct body *body, unsigned bytes)
{
    uint64_t number = 0;
    if (body->left < bytes) {
        body->failed = true;
        return 0;
    }
    for (unsigned i = 0; i < bytes; i++)
        number |= (uint64_t)body->at[i] << (8 * i);
    body->at += bytes;
    body->left -= bytes;
    return number;
}

static void take_digest(struct body *body, struct digest *ret_digest)
{
    if (body->left < sizeof(ret_digest->bytes)) {
        body->failed = true;
        return;
    }
    memcpy(ret_digest->bytes, body->at, sizeof(ret_digest->bytes));
    body->at += sizeof(ret_digest->bytes);
    body->left -= sizeof(ret_digest->bytes);
}

/* NULL when it is empty; without NULs. */
static char *take_string(struct body *body)
{
    size_t size = (size_t)take(body, 2);
    if (size > body->left || size > WORDS_MAX || memchr(body->at, '\0', size)) {
        body->failed = true;
        return NULL;
    }
    char *string = size > 0 ? mem_string_n((const char *)body->at, size) : NULL;
    body->at += size;
    body->left -= size;
    return string;
}

static bool is_whole(const struct body *body)
{
    return !body->failed && body->left == 0;
}

static bool take_cage(struct unpack_reader *reader, struct body *body)
{
    uint64_t files = take(body, 1), calls = take(body, 1);
    reader->result.cage = (struct unpacker_cage){.files = files == 1, .calls = calls == 1};
    return is_whole(body) && files <= 1 && calls <= 1;
}

static bool take_found(struct unpack_reader *reader, struct body *body)
{
    reader->result.found_size = take(body, 8);
    take_digest(body, &reader->result.found);
    reader->result.digest_differs = true;
    return is_whole(body) && reader->result.count == 0;
}

static bool take_error(struct unpack_reader *reader, struct body *body)
{
    static const enum error_kind kinds[] = {ERROR_DATA, ERROR_NO_INPUT, ERROR_CANNOT_WRITE,
                                            ERROR_INTERNAL};
    uint64_t number = take(body, 1);
    struct error *error = &reader->error;
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        if (number == kinds[i])
            error->kind = kinds[i];
    error->what = take_string(body);
    error->where = take_string(body);
    error->why = take_string(body);
    error->next = take_string(body);
    return is_whole(body) && error->kind != ERROR_NONE && error->what;
}

/* The directory that a member is in comes before it. */
static bool has_parent(const struct unpack_result *result, const char *path)
{
    const char *slash = strrchr(path, '/');
    if (slash == NULL)
        return true;
    AUTO_FREE char *parent = mem_string_n(path, (size_t)(slash - path));
    size_t low = 0, high = result->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strcmp(result->members[middle].path, parent);
        if (order == 0)
            return result->members[middle].type == UNPACK_DIRECTORY;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return false;
}

static bool is_member_path(const char *path)
{
    const char *why;
    AUTO_FREE char *whole = mem_printf("./top/%s", path);
    AUTO_FREE char *again = unpack_path(whole, "top", &why);
    return string_equal(again, path);
}

static bool is_member(const struct unpack_result *result, const struct unpack_member *member)
{
    const char *before = result->count > 0 ? result->members[result->count - 1].path : "";
    if (member->path == NULL || !is_member_path(member->path) ||
        strcmp(before, member->path) >= 0 || !has_parent(result, member->path))
        return false;
    if (member->type == UNPACK_LINK)
        return member->mode == 0 && member->size == 0 && member->target &&
               unpack_target_problem(member->path, member->target) == NULL;
    if (member->target)
        return false;
    if (member->type == UNPACK_DIRECTORY)
        return member->mode == 0755 && member->size == 0;
    return member->type == UNPACK_FILE && (member->mode == 0755 || member->mode == 0644);
}

static void member_free(struct unpack_member *member)
{
    free(member->path);
    free(member->target);
}

static bool take_member(struct unpack_reader *reader, struct body *body)
{
    struct unpack_result *result = &reader->result;
    uint64_t type = take(body, 1);
    struct unpack_member member = {
        .type = (enum unpack_type)type, .mode = (unsigned)take(body, 2), .size = take(body, 8)};
    take_digest(body, &member.sha256);
    member.path = take_string(body);
    member.target = take_string(body);
    reader->name_bytes += body->failed || member.path == NULL ? 0 : strlen(member.path);
    reader->name_bytes += member.target ? strlen(member.target) : 0;
    if (!is_whole(body) || type > UNPACK_LINK || member.size > reader->limits.bytes ||
        result->count >= reader->limits.files || reader->name_bytes > UNPACK_NAMES_MAX ||
        !is_member(result, &member)) {
        member_free(&member);
        return false;
    }
    *vec_push(result->members, result->count, result->capacity) = member;
    return true;
}

static bool take_record(struct unpack_reader *reader, unsigned char type, struct body *body)
{
    bool was_begun = reader->begun;
    reader->last = type;
    reader->ended = type != UNPACK_RECORD_CAGE && type != UNPACK_RECORD_MEMBER;
    if (type == UNPACK_RECORD_ERROR)
        return take_error(reader, body);
    if (!was_begun && type != UNPACK_RECORD_CAGE)
        return false;
    switch (type) {
    case UNPACK_RECORD_CAGE:
        reader->begun = true;
        return !was_begun && take_cage(reader, body);
    case UNPACK_RECORD_DIGEST:
        return take_found(reader, body);
    case UNPACK_RECORD_MEMBER:
        return take_member(reader, body);
    case UNPACK_RECORD_DONE:
        return take(body, 8) == reader->result.count && is_whole(body);
    default:
        return false;
    }
}

/* One record out of pending, from *at on. False: it is not whole yet, or *ret_wrong. */
static bool next_record(struct unpack_reader *reader, size_t *at, bool *ret_wrong)
{
    const unsigned char *bytes = (const unsigned char *)reader->pending.data + *at;
    size_t left = reader->pending.size - *at;
    struct body head = {.at = bytes, .left = left};
    unsigned char type = (unsigned char)take(&head, 1);
    size_t size = (size_t)take(&head, 4);
    *ret_wrong = !head.failed && size > UNPACK_RECORD_MAX;
    if (head.failed || *ret_wrong || size > head.left)
        return false;
    struct body body = {.at = head.at, .left = size};
    *ret_wrong = reader->ended || !take_record(reader, type, &body);
    *at += HEAD_SIZE + size;
    return !*ret_wrong;
}

bool unpack_reader_feed(struct unpack_reader *reader, const char *bytes, size_t size)
{
    size_t at = 0;
    bool wrong = false;
    text_append_n(&reader->pending, bytes, size);
    if (reader->pending.size == 0)
        return true;
    while (at < reader->pending.size && next_record(reader, &at, &wrong))
        continue;
    AUTO_TEXT struct text rest = {0};
    text_append_n(&rest, reader->pending.data + at, reader->pending.size - at);
    text_clear(&reader->pending);
    text_append_n(&reader->pending, rest.data, rest.size);
    return !wrong && !(reader->ended && reader->pending.size > 0);
}

void unpack_result_free(struct unpack_result *result)
{
    for (size_t i = 0; i < result->count; i++)
        member_free(&result->members[i]);
    free(result->members);
    *result = (struct unpack_result){.members = NULL};
}

void unpack_reader_free(struct unpack_reader *reader)
{
    text_free(&reader->pending);
    unpack_result_free(&reader->result);
    error_clear(&reader->error);
}
