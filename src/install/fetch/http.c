/* SPDX-License-Identifier: MIT */
#include "host/root/clock.h"
#include "install/fetch/http_private.h"

#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

#define WATCH_EVERY_MS 500
#define SLOWEST        1024 /* bytes in a second */

struct slot {
    struct http_transfer *transfer;
    struct http_request *request;
};
struct slots {
    struct slot *items;
    size_t count, capacity;
};

struct http {
    CURLM *multi;
    struct curl_slist *headers;
    struct http_settings settings;
    struct slots running; /* transfers */
    struct slots ended;   /* requests */
    uint64_t left_ms;     /* when the last step ended; 0: there was none */
};

static bool refuse(struct error *error, const char *words)
{
    error_set(error, ERROR_INTERNAL, "libcurl does not work");
    return error_why(error, "%s", words);
}

struct http *http_new(const struct http_settings *settings, struct error *error)
{
    CURLcode code = curl_global_init(CURL_GLOBAL_DEFAULT);
    if (code != CURLE_OK) {
        refuse(error, curl_easy_strerror(code));
        return NULL;
    }
    struct http *http = mem_alloc(sizeof(*http));
    http->settings = *settings;
    http->multi = curl_multi_init();
    http->headers = curl_slist_append(NULL, "Accept-Encoding: identity");
    if (http->multi && http->headers)
        return http;
    refuse(error, "no memory");
    http_free(http);
    return NULL;
}

static void transfer_free(struct http *http, struct http_transfer *transfer)
{
    if (transfer->easy) {
        curl_multi_remove_handle(http->multi, transfer->easy);
        curl_easy_cleanup(transfer->easy);
    }
    transfer->request->transfer = NULL;
    free(transfer->range);
    free(transfer->location);
    free(transfer);
}

void http_free(struct http *http)
{
    if (http == NULL)
        return;
    for (size_t i = 0; i < http->running.count; i++)
        transfer_free(http, http->running.items[i].transfer);
    curl_multi_cleanup(http->multi);
    curl_slist_free_all(http->headers);
    free(http->running.items);
    free(http->ended.items);
    free(http);
    curl_global_cleanup();
}

void http_request_clear(struct http_request *request)
{
    free(request->redirect);
    http_answer_clear(&request->answer);
    request->redirect = NULL;
    request->fault = FAULT_NONE;
    request->stopped = request->wrong_date = request->has_all = false;
    request->words[0] = '\0';
}

bool http_begin(struct http *http, struct http_request *request, struct error *error)
{
    uint64_t now = clock_ms();
    http_request_clear(request);
    struct http_transfer *transfer = mem_alloc(sizeof(*transfer));
    *transfer = (struct http_transfer){
        .easy = curl_easy_init(), .request = request, .last_ms = now, .window_ms = now};
    request->transfer = transfer;
    if (request->offset > 0)
        transfer->range = mem_printf("%" PRIu64 "-", request->offset);
    bool ok = transfer->easy ? http_set_options(transfer, &http->settings, http->headers, error)
                             : refuse(error, "no memory");
    if (ok && curl_multi_add_handle(http->multi, transfer->easy) != CURLM_OK)
        ok = refuse(error, "curl_multi_add_handle failed");
    if (!ok) {
        transfer_free(http, transfer);
        return false;
    }
    vec_push(http->running.items, http->running.count, http->running.capacity)->transfer = transfer;
    return true;
}

static void end_transfer(struct http *http, struct http_transfer *transfer)
{
    struct slots *running = &http->running;
    vec_push(http->ended.items, http->ended.count, http->ended.capacity)->request =
        transfer->request;
    for (size_t i = 0; i < running->count; i++)
        if (running->items[i].transfer == transfer)
            running->items[i] = running->items[--running->count];
    transfer_free(http, transfer);
}

static bool move_on(struct http *http, struct error *error)
{
    int running, left;
    CURLMcode code = curl_multi_perform(http->multi, &running);
    if (code != CURLM_OK)
        return refuse(error, curl_multi_strerror(code));
    for (const CURLMsg *message = curl_multi_info_read(http->multi, &left); message;
         message = curl_multi_info_read(http->multi, &left)) {
        struct http_transfer *transfer = NULL;
        char *private = NULL;
        if (message->msg != CURLMSG_DONE)
            continue;
        CURLcode result = message->data.result; /* the message goes with its handle */
        curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &private);
        transfer = (struct http_transfer *)(void *)private;
        http_take_result(transfer, result);
        end_transfer(http, transfer);
    }
    return true;
}

/* Times in which nobody asked us to move on are no stall of the server. */
static void forgive(struct http *http, uint64_t now)
{
    uint64_t away = http->left_ms ? now - http->left_ms : 0;
    for (size_t i = 0; i < http->running.count; i++) {
        http->running.items[i].transfer->last_ms += away;
        http->running.items[i].transfer->window_ms += away;
    }
}

/* A connection is waited for by libcurl's own limit; the watch begins when the server is asked. */
static bool is_asked(struct http_transfer *transfer, uint64_t now)
{
    curl_off_t before = 0;
    if (transfer->is_asked)
        return true;
    curl_easy_getinfo(transfer->easy, CURLINFO_PRETRANSFER_TIME_T, &before);
    transfer->is_asked = before > 0;
    transfer->last_ms = transfer->window_ms = now;
    return false;
}

/* All is there, and the server neither ends the answer nor the connection. Answers of a known
 * length end by themselves, and their connections are used again. */
static bool has_lingered(const struct http_transfer *transfer, uint64_t now)
{
    return transfer->request->has_all && now > transfer->last_ms &&
           now - transfer->last_ms >= HTTP_LINGER_MS;
}

/* Fills words and returns true for a transfer that has stalled. */
static bool has_stalled(struct http_transfer *transfer, uint64_t timeout_s, uint64_t now)
{
    struct http_request *request = transfer->request;
    if (!is_asked(transfer, now))
        return false;
    if (now - transfer->last_ms >= timeout_s * 1000 && now > transfer->last_ms) {
        snprintf(request->words, sizeof(request->words), "no data for %" PRIu64 " s", timeout_s);
        return true;
    }
    if (now - transfer->window_ms < 2 * timeout_s * 1000)
        return false;
    if (transfer->window_bytes < 2 * timeout_s * SLOWEST) {
        snprintf(request->words, sizeof(request->words), "%" PRIu64 " bytes in %" PRIu64 " s",
                 transfer->window_bytes, 2 * timeout_s);
        return true;
    }
    transfer->window_ms = now;
    transfer->window_bytes = 0;
    return false;
}

static void watch(struct http *http)
{
    uint64_t now = clock_ms();
    for (size_t i = 0; i < http->running.count; i++) {
        struct http_transfer *transfer = http->running.items[i].transfer;
        bool has_all = has_lingered(transfer, now);
        if (!has_all && !has_stalled(transfer, http->settings.timeout_s, now))
            continue;
        http_take_result(transfer, CURLE_OK);
        transfer->request->fault = has_all ? FAULT_NONE : FAULT_STALLED;
        end_transfer(http, transfer);
        i--;
    }
}

static bool wait_for_more(struct http *http, const int *extra_fds, size_t extra_count,
                          int timeout_ms, struct error *error)
{
    AUTO_FREE struct curl_waitfd *waited = mem_alloc((extra_count + 1) * sizeof(*waited));
    for (size_t i = 0; i < extra_count; i++)
        waited[i] = (struct curl_waitfd){.fd = extra_fds[i], .events = CURL_WAIT_POLLIN};
    if (http->running.count > 0 && (timeout_ms < 0 || timeout_ms > WATCH_EVERY_MS))
        timeout_ms = WATCH_EVERY_MS;
    CURLMcode code = curl_multi_poll(http->multi, waited, (unsigned)extra_count, timeout_ms, NULL);
    return code == CURLM_OK || refuse(error, curl_multi_strerror(code));
}

bool http_step(struct http *http, const int *extra_fds, size_t extra_count, int timeout_ms,
               struct error *error)
{
    forgive(http, clock_ms());
    if (!move_on(http, error))
        return false;
    if (http->ended.count == 0 &&
        (!wait_for_more(http, extra_fds, extra_count, timeout_ms, error) || !move_on(http, error)))
        return false;
    watch(http);
    http->left_ms = clock_ms();
    return true;
}

struct http_request *http_next(struct http *http)
{
    return http->ended.count > 0 ? http->ended.items[--http->ended.count].request : NULL;
}
