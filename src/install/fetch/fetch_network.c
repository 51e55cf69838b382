/* SPDX-License-Identifier: MIT */
#include "install/fetch/fetch_private.h"

#include <stdio.h>
#include <string.h>

#include "host/local/random_bytes.h"
#include "host/root/clock.h"
#include "install/io/url.h"

#define JOBS      6
#define TIMEOUT_S 30
#define HOPS_MAX  5
/* A try that brought so much is not counted: a large file may lose its connection more often. */
#define PROGRESS_MIN (32u << 20)

static bool is_large(const struct transfer *transfer)
{
    return transfer->item->size >= FETCH_LARGE;
}

static bool begin_request(struct transfer *transfer, struct error *error)
{
    struct fetch *fetch = transfer->fetch;
    const struct mirror *mirror = transfer_mirror(transfer, 0);
    transfer->request.url = transfer->url;
    /* What has come stays until the first byte of an answer that begins at 0. */
    transfer->request.offset = transfer->no_range ? 0 : transfer->have;
    transfer->request.take = transfer_take;
    transfer->request.data = transfer;
    /* http is good enough for what is not pinned because it stays on this machine. */
    transfer->request.direct = !transfer->item->pinned && string_starts(mirror->base, "http:");
    transfer->is_judged = transfer->is_body = false;
    transfer->fault = FAULT_NONE;
    transfer->came = transfer->skipped = 0;
    if (!http_begin(fetch->http, &transfer->request, error))
        return false;
    transfer->state = TRANSFER_RUNNING;
    fetch->running++;
    fetch->running_large += is_large(transfer);
    return true;
}

static bool large_one_waits(const struct fetch *fetch, uint64_t now)
{
    for (size_t i = 0; i < fetch->count && is_large(&fetch->transfers[i]); i++)
        if (fetch->transfers[i].state == TRANSFER_WAITING && fetch->transfers[i].due_ms <= now)
            return true;
    return false;
}

static bool has_place(const struct transfer *transfer)
{
    struct fetch *fetch = transfer->fetch;
    uint64_t now = clock_ms();
    unsigned jobs = fetch->options.jobs ? fetch->options.jobs : JOBS;
    if (fetch->running >= jobs)
        return false;
    if (!is_large(transfer))
        return !large_one_waits(fetch, now);
    return fetch->running_large < fetch_places_look(&fetch->places, now, fetch->bytes, jobs);
}

bool transfer_from_server(struct transfer *transfer, struct error *error)
{
    struct fetch *fetch = transfer->fetch;
    const struct fetch_options *options = &fetch->options;
    if (!has_place(transfer))
        return true;
    if (fetch->http == NULL)
        fetch->http =
            http_new(&(struct http_settings){.timeout_s = options->timeout_s ? options->timeout_s
                                                                             : TIMEOUT_S,
                                             .cacert = options->cacert},
                     error);
    if (fetch->http == NULL || !transfer_open_partial(transfer, error))
        return false;
    /* Without a digest nothing would tell that two halves do not belong together. */
    if (transfer->have > 0 && transfer->item->sha256 == NULL)
        transfer_empty(transfer);
    if (transfer->url == NULL)
        transfer->url = mirror_url(transfer_mirror(transfer, 0), transfer->item->path);
    if (transfer->item->size && transfer->have == transfer->item->size) {
        transfer_ready(transfer, -1, transfer->url);
        return true;
    }
    if (transfer->begun_ms == 0) {
        transfer->begun_ms = clock_ms();
        if (!transfer->item->is_page)
            progress_step(options->progress, "fetching", transfer_name(transfer),
                          transfer->item->size);
    }
    return begin_request(transfer, error);
}

static bool is_redirect(const struct http_request *request)
{
    long status = request->answer.status;
    return request->redirect &&
           (status == 301 || status == 302 || status == 303 || status == 307 || status == 308);
}

/* The next address of the same try. */
static enum fetch_fault follow(struct transfer *transfer)
{
    struct http_request *request = &transfer->request;
    const char *reason = NULL;
    if (++transfer->hops > HOPS_MAX)
        reason = "more than 5 redirects";
    else
        url_may_follow(transfer->url, request->redirect, transfer->item->pinned, &reason);
    if (reason) {
        AUTO_FREE char *shown = url_shown(request->redirect);
        snprintf(transfer->why, sizeof(transfer->why), "a redirect to %.150s is not followed: %s",
                 shown, reason);
        return FAULT_REDIRECT;
    }
    free(transfer->url);
    transfer->url = mem_steal(&request->redirect);
    return FAULT_NONE;
}

/* "why; https_proxy=…, after 5 tries in 12 s" */
static char *reason_of(const struct transfer *transfer, enum fetch_fault fault)
{
    AUTO_TEXT struct text reason = {0};
    bool not_by_proxy = fault == FAULT_WRONG || fault == FAULT_RANGE || fault == FAULT_REDIRECT ||
                        (fault == FAULT_STATUS && transfer->request.answer.status != 407);
    AUTO_FREE char *proxy =
        not_by_proxy || transfer->request.direct ? NULL : http_proxy_shown(transfer->url);
    text_append(&reason, transfer->why);
    if (fault == FAULT_PROXY)
        text_printf(&reason, " (the proxy's status: %ld)", transfer->request.answer.proxy_status);
    if (proxy)
        text_printf(&reason, "; through the proxy in %s", proxy);
    if (transfer->tries > 1)
        text_printf(&reason, "; %u tries in %.0f s", transfer->tries,
                    (double)(clock_ms() - transfer->begun_ms) / 1000);
    return text_steal(&reason);
}

static void leave(struct transfer *transfer, enum fetch_fault fault)
{
    AUTO_FREE char *url = mem_string(transfer->url);
    AUTO_FREE char *reason = reason_of(transfer, fault);
    struct mirror_state *state = transfer_mirror_state(transfer);
    if (!state->reached && state->down == NULL) {
        state->down = mem_printf("not tried again: %s", reason);
        state->down_fault = fault;
    }
    transfer_fail_mirror(transfer, url, fault, "%s", reason);
    transfer_leave_mirror(transfer);
}

static struct fetch_decision decide(struct transfer *transfer, enum fetch_fault fault)
{
    unsigned short random = 0;
    const struct http_answer *answer = &transfer->request.answer;
    if (!random_bytes(&random, sizeof(random)))
        random = 0;
    if (transfer->came >= PROGRESS_MIN)
        transfer->tries = 0;
    const struct fetch_try ended = {
        .fault = fault,
        .status = fault == FAULT_PROXY ? answer->proxy_status : answer->status,
        .retry_after_s = answer->retry_after_s,
        .tries = ++transfer->tries,
        .reached = transfer_mirror_state(transfer)->reached,
        .resumed = transfer->request.offset > 0,
        .range_good = transfer->range_good,
        .base_ms = transfer->fetch->options.wait_ms,
        .random = random % 1024,
    };
    return fetch_decide(&ended);
}

/* A try is over: the file is there, or there is another one, here or at the next mirror. */
static void finish_try(struct transfer *transfer, enum fetch_fault fault)
{
    struct fetch_decision decision = decide(transfer, fault);
    transfer->hops = 0;
    switch (decision.action) {
    case FETCH_TAKE:
        transfer_ready(transfer, -1, transfer->url);
        return;
    case FETCH_RETRY:
        transfer->due_ms = clock_ms() + decision.wait_ms;
        transfer_note_retry(transfer, decision.wait_ms);
        break;
    case FETCH_RESTART:
        transfer->no_range = true;
        transfer_note_restart(transfer);
        break;
    case FETCH_NEXT_MIRROR:
        leave(transfer, fault);
        break;
    }
    free(mem_steal(&transfer->url)); /* the next try begins where the mirror is */
}

bool transfer_ended(struct transfer *transfer, struct error *error)
{
    transfer->fetch->running--;
    transfer->fetch->running_large -= is_large(transfer);
    transfer->state = TRANSFER_WAITING;
    transfer->due_ms = 0;
    if (transfer->write_errno)
        return transfer_cannot_write(transfer, error);
    if (transfer->request.answer.status > 0)
        transfer_mirror_state(transfer)->reached = true;
    enum fetch_fault fault = FAULT_NONE;
    if (is_redirect(&transfer->request)) {
        fault = follow(transfer);
        if (fault == FAULT_NONE)
            return true;
    } else {
        fault = transfer_fault(transfer);
    }
    finish_try(transfer, fault);
    return true;
}
