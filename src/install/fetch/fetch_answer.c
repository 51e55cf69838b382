/* SPDX-License-Identifier: MIT */
#include "install/fetch/fetch_private.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define SKIP_LIMIT (64u << 10) /* of an error page, so that its connection can be used again */

__attribute__((format(printf, 3, 4))) static bool
refuse(struct transfer *transfer, enum fetch_fault fault, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(transfer->why, sizeof(transfer->why), format, arguments);
    va_end(arguments);
    transfer->fault = fault;
    return false;
}

bool transfer_is_page(const struct transfer *transfer)
{
    const char *type = transfer->request.answer.type;
    return string_equal(type, "text/html") || string_equal(type, "application/xhtml+xml");
}

/* "got text/html, 18 bytes; expected 1234 bytes" */
static bool refuse_size(struct transfer *transfer, uint64_t found)
{
    const struct http_answer *answer = &transfer->request.answer;
    const struct fetch_item *item = transfer->item;
    return refuse(
        transfer, FAULT_WRONG, "got %s%s%" PRIu64 " bytes%s%s; expected %s%" PRIu64 " bytes",
        answer->type, *answer->type ? ", " : "", found, *answer->encoding ? ", encoded as " : "",
        answer->encoding, item->size ? "" : "at most ", item->size ? item->size : item->max);
}

static bool judge_whole(struct transfer *transfer)
{
    const struct http_answer *answer = &transfer->request.answer;
    uint64_t length = (uint64_t)answer->length;
    if (transfer->request.offset > 0)
        transfer->no_range = true; /* it does not send parts: do not ask for one again */
    if (answer->length >= 0 && (length > transfer_limit(transfer) ||
                                (transfer->item->size && length != transfer->item->size)))
        return refuse_size(transfer, length);
    if (transfer->have > 0)
        transfer_empty(transfer);
    return true;
}

/* Nothing is taken but the part that is missing, all of it, of a file of the right size. */
static bool judge_part(struct transfer *transfer)
{
    const struct http_answer *answer = &transfer->request.answer;
    uint64_t size = transfer->item->size, offset = transfer->request.offset;
    if (offset == 0)
        return refuse(transfer, FAULT_RANGE,
                      "status 206 (partial content), but the whole file was requested");
    if (answer->range_start < 0)
        return refuse(
            transfer, FAULT_RANGE,
            "status 206 (partial content), but the server does not say which part it sent");
    if ((uint64_t)answer->range_start != offset || (uint64_t)answer->range_end + 1 != size)
        return refuse(transfer, FAULT_RANGE,
                      "status 206 with the wrong part: bytes %" PRId64 " to %" PRId64,
                      answer->range_start, answer->range_end);
    if (answer->range_total >= 0 && (uint64_t)answer->range_total != size)
        return refuse(transfer, FAULT_RANGE,
                      "status 206, part of a file of %" PRId64 " bytes; expected %" PRIu64 " bytes",
                      answer->range_total, size);
    if (answer->length >= 0 && (uint64_t)answer->length != size - offset)
        return refuse(transfer, FAULT_RANGE,
                      "status 206 with %" PRId64 " bytes; %" PRIu64 " are missing", answer->length,
                      size - offset);
    transfer->is_mixed = true;
    return true;
}

/* Whether the body of this answer is the file, or the part that is missing. */
static bool judge(struct transfer *transfer)
{
    long status = transfer->request.answer.status;
    transfer->is_judged = true;
    if (status == 200)
        return judge_whole(transfer);
    return status == 206 && judge_part(transfer);
}

static bool write_body(struct transfer *transfer, const char *bytes, size_t size)
{
    uint64_t limit = transfer_limit(transfer);
    if (size > limit - transfer->have)
        return refuse(transfer, FAULT_WRONG, "got more than the %" PRIu64 " bytes expected", limit);
    transfer->came += size;
    transfer->range_good |= transfer->request.offset > 0 && !transfer->no_range;
    if (!transfer_write(transfer, bytes, size))
        return false;
    transfer->request.has_all = transfer->item->sha256 && transfer->have == transfer->item->size;
    return true;
}

bool transfer_take(struct http_request *request, const char *bytes, size_t size)
{
    struct transfer *transfer = request->data;
    if (!transfer->is_judged)
        transfer->is_body = judge(transfer);
    if (transfer->is_body)
        return write_body(transfer, bytes, size);
    transfer->skipped += size;
    return transfer->fault == FAULT_NONE && transfer->skipped <= SKIP_LIMIT;
}

static enum fetch_fault fault_of_status(struct transfer *transfer)
{
    const struct http_answer *answer = &transfer->request.answer;
    bool past_the_end = answer->status == 416 && transfer->request.offset > 0;
    bool is_long = answer->retry_after_s > FETCH_RETRY_AFTER;
    char length[32] = "", later[64] = "";
    if (answer->length >= 0)
        snprintf(length, sizeof(length), ", %" PRId64 " bytes", answer->length);
    if (is_long && fetch_status_may_pass(answer->status))
        snprintf(later, sizeof(later), "; the server's Retry-After is more than %d s",
                 FETCH_RETRY_AFTER);
    refuse(transfer, past_the_end ? FAULT_RANGE : FAULT_STATUS, "status %ld (%s%s)%s",
           answer->status, *answer->type ? answer->type : "no content type", length, later);
    return transfer->fault;
}

/* A page where a file is wanted, told by its type and its first character. */
static bool holds_html(const struct transfer *transfer)
{
    char head[256];
    ssize_t size = transfer_is_page(transfer) ? pread(transfer->fd, head, sizeof(head) - 1, 0) : -1;
    if (size < 0)
        return false;
    head[size] = '\0';
    return head[strspn(head, " \t\r\n\xef\xbb\xbf")] == '<';
}

/* The answer ended as HTTP says it should; is it the file? */
static enum fetch_fault fault_of_body(struct transfer *transfer)
{
    uint64_t size = transfer->item->size;
    const char *encoding = transfer->request.answer.encoding;
    if (size > 0 && transfer->have < size && transfer_is_page(transfer))
        refuse_size(transfer, transfer->have);
    else if (size > 0 && transfer->have < size)
        refuse(transfer, FAULT_CUT, "the answer ended after %" PRIu64 " of %" PRIu64 " bytes%s%s",
               transfer->have, size, *encoding ? ", encoded as " : "", encoding);
    else if (size == 0 && !transfer->item->is_page && holds_html(transfer))
        refuse(transfer, FAULT_WRONG, "got %s, %" PRIu64 " bytes", transfer->request.answer.type,
               transfer->have);
    return transfer->fault;
}

static void say_words(struct transfer *transfer)
{
    const struct http_request *request = &transfer->request;
    int size = snprintf(transfer->why, sizeof(transfer->why), "%.200s", request->words);
    if (transfer->have > 0 && size > 0 && transfer->item->size)
        snprintf(transfer->why + size, sizeof(transfer->why) - (size_t)size,
                 ", after %" PRIu64 " of %" PRIu64 " bytes", transfer->have, transfer->item->size);
}

/* Below 200 it only announces the answer; where that never came, how it ended is what counts. */
static bool is_other_answer(const struct http_request *request)
{
    long status = request->answer.status;
    bool is_announced = status < 200 && request->fault != FAULT_NONE;
    return status != 0 && status != 200 && status != 206 && !is_announced;
}

enum fetch_fault transfer_fault(struct transfer *transfer)
{
    const struct http_request *request = &transfer->request;
    if (transfer->fault != FAULT_NONE)
        return transfer->fault;
    if (is_other_answer(request))
        return fault_of_status(transfer);
    if (request->fault == FAULT_NONE && !transfer->is_judged)
        transfer->is_body = judge(transfer); /* it has no body */
    if (transfer->fault != FAULT_NONE)
        return transfer->fault;
    if (transfer->is_body && transfer->item->size && transfer->have == transfer->item->size)
        return FAULT_NONE;
    if (request->fault == FAULT_NONE)
        return fault_of_body(transfer);
    say_words(transfer);
    return request->fault;
}
