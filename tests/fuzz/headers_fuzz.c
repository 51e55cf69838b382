/* SPDX-License-Identifier: MIT */
/* Any answer of a server: the first three bytes say what was asked for, the status, the length that
 * is announced and how the body is cut; then header lines, an empty one, and the body. What is
 * taken for the file, or for the rest of it, has the right size, and leaves what was there. */
#include "fuzz.h"

#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/path.h"
#include "install/fetch/fetch_private.h"
#include "install/io/url.h"

enum { SIZE = 64, HAVE = 20 };

static bool is_printable(const char *word, size_t room)
{
    if (memchr(word, '\0', room) == NULL)
        return false;
    for (; *word; word++)
        if (*word < 0x20 || *word > 0x7e)
            return false;
    return true;
}

static void check_answer(const struct http_answer *answer)
{
    bool has_range = answer->range_start >= 0;
    if (!is_printable(answer->type, sizeof(answer->type)) ||
        !is_printable(answer->encoding, sizeof(answer->encoding)) ||
        strpbrk(answer->type, "; ABCDEFGHIJKLMNOPQRSTUVWXYZ") || answer->retry_after_s < 0)
        abort();
    if (!has_range && (answer->range_end != -1 || answer->range_total != -1))
        abort();
    if (has_range && (answer->range_end < answer->range_start ||
                      (answer->range_total != -1 && answer->range_total <= answer->range_end)))
        abort();
}

/* A range that was read is written as it should be, and read as the same. */
static void check_range_again(const struct http_answer *answer)
{
    struct http_answer again;
    AUTO_TEXT struct text line = {0};
    if (answer->range_start < 0)
        return;
    text_printf(&line, "Content-Range: bytes %" PRId64 "-%" PRId64 "/", answer->range_start,
                answer->range_end);
    if (answer->range_total >= 0)
        text_printf(&line, "%" PRId64 "\r\n", answer->range_total);
    else
        text_append(&line, "*\r\n");
    http_answer_clear(&again);
    http_answer_take_line(&again, text_string(&line), line.size);
    if (again.range_start != answer->range_start || again.range_end != answer->range_end ||
        again.range_total != answer->range_total)
        abort();
}

/* A place that may be followed is http or https, without credentials, and here where it must be. */
static void check_location(const char *line, size_t size)
{
    static const char from[] = "https://mirror.example/compute/a.tar.xz";
    static const char name[] = "location:";
    const char *reason = NULL;
    if (size < strlen(name) || strncasecmp(line, name, strlen(name)) != 0)
        return;
    AUTO_FREE char *to = mem_string_n(line + strlen(name), size - strlen(name));
    for (int pinned = 0; pinned < 2; pinned++) {
        AUTO_URL struct url url = {.scheme = NULL};
        bool follows = url_may_follow(from, to, pinned, &reason);
        if (follows != (reason == NULL))
            abort();
        if (follows && (!url_parse(to, &url) || !string_equal(url.scheme, "https") ||
                        url.has_user || (!pinned && strcasecmp(url.host, "mirror.example") != 0)))
            abort();
    }
    AUTO_FREE char *shown = url_shown(to);
    if (strlen(shown) > strlen(to))
        abort();
}

/* Returns where the body begins. */
static const char *take_head(struct http_answer *answer, const char *bytes, const char *end)
{
    http_answer_clear(answer);
    while (bytes < end) {
        const char *newline = memchr(bytes, '\n', (size_t)(end - bytes));
        const char *next = newline ? newline + 1 : end;
        if (newline == bytes)
            return next;
        http_answer_take_line(answer, bytes, (size_t)(next - bytes));
        check_answer(answer);
        check_range_again(answer);
        check_location(bytes, (size_t)(next - bytes));
        bytes = next;
    }
    return end;
}

static void take_body(struct transfer *transfer, const char *bytes, const char *end, size_t piece)
{
    while (bytes < end) {
        size_t size = (size_t)(end - bytes) < piece ? (size_t)(end - bytes) : piece;
        if (!transfer_take(&transfer->request, bytes, size))
            return;
        bytes += size;
    }
}

static void check_file(const struct transfer *transfer, enum fetch_fault fault, const char *before)
{
    char now[SIZE + 1];
    struct stat status;
    const struct http_answer *answer = &transfer->request.answer;
    if (fstat(transfer->fd, &status) != 0 || (uint64_t)status.st_size != transfer->have ||
        transfer->have > SIZE || transfer->write_errno)
        abort();
    if (fault != FAULT_NONE && transfer->why[0] == '\0')
        abort();
    if (fault != FAULT_NONE)
        return;
    if (transfer->have != SIZE || (answer->status != 200 && answer->status != 206))
        abort();
    if (answer->status == 206 &&
        (answer->range_start != HAVE || answer->range_end != SIZE - 1 ||
         pread(transfer->fd, now, HAVE, 0) != HAVE || memcmp(now, before, HAVE) != 0))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const long statuses[] = {200, 206, 416, 404, 503, 302, 407, 999};
    static const char before[HAVE + 1] = "what had come before";
    static const struct digest sha256 = {.bytes = {0}};
    struct fetch fetch = {.transfers = NULL};
    struct fetch_item item = {.path = "a/b", .size = SIZE, .sha256 = &sha256, .fd = -1};
    struct transfer transfer = {.fetch = &fetch, .item = &item};
    if (size < 3)
        return 0;
    const char *end = (const char *)data + size;
    const char *body = take_head(&transfer.request.answer, (const char *)data + 3, end);
    AUTO_CLOSE int fd = memfd_create("fuzz", MFD_CLOEXEC);
    bool resumed = data[0] & 1;
    if (fd < 0 || (resumed && write(fd, before, HAVE) != HAVE))
        return 0;
    transfer.fd = fd;
    transfer.have = transfer.request.offset = resumed ? HAVE : 0;
    transfer.request.data = &transfer;
    transfer.request.answer.status = statuses[data[0] >> 1 & 7];
    transfer.request.answer.length = data[0] & 16   ? end - body
                                     : data[0] & 32 ? (int64_t)data[1]
                                                    : -1;
    transfer.request.fault = data[0] & 64 ? FAULT_CUT : FAULT_NONE;
    strcpy(transfer.request.words, "it broke off");
    take_body(&transfer, body, end, 1 + data[2] % 32);
    check_file(&transfer, transfer_fault(&transfer), before);
    return 0;
}
