/* SPDX-License-Identifier: MIT */
#include "host/root/clock.h"
#include "install/fetch/fetch_private.h"
#include "install/io/source_path.h"

#include <poll.h>
#include <string.h>
#include <unistd.h>

static int compare_sizes(const void *a, const void *b)
{
    uint64_t size_a = ((const struct transfer *)a)->item->size;
    uint64_t size_b = ((const struct transfer *)b)->item->size;
    return size_a > size_b ? -1 : size_a < size_b;
}

static bool paths_are_safe(const struct fetch *fetch, struct error *error)
{
    for (size_t i = 0; i < fetch->count; i++) {
        const char *path = fetch->transfers[i].item->path;
        if (source_path_is_safe(path))
            continue;
        error_set(error, ERROR_DATA, "this is not the path of a file below a mirror");
        return error_where(error, "%s", path);
    }
    return true;
}

struct fetch *fetch_new(const struct fetch_options *options, struct fetch_item *items, size_t count,
                        struct error *error)
{
    struct fetch *fetch = mem_alloc(sizeof(*fetch));
    fetch->options = *options;
    fetch->count = count;
    fetch->transfers = mem_alloc((count + 1) * sizeof(*fetch->transfers));
    fetch->mirrors = mem_alloc((options->mirror_count + 1) * sizeof(*fetch->mirrors));
    for (size_t i = 0; i < count; i++)
        fetch->transfers[i] =
            (struct transfer){.fetch = fetch, .item = &items[i], .fd = -1, .copy_fd = -1};
    if (count > 1)
        qsort(fetch->transfers, count, sizeof(*fetch->transfers), compare_sizes);
    if (paths_are_safe(fetch, error) && (!options->offline || fetch_fail_offline(fetch, error)))
        return fetch;
    fetch_free(fetch);
    return NULL;
}

static void transfer_clear(struct transfer *transfer)
{
    if (transfer->fd >= 0)
        close(transfer->fd);
    if (transfer->copy_fd >= 0)
        close(transfer->copy_fd);
    http_request_clear(&transfer->request);
    text_free(&transfer->failures);
    free(transfer->url);
    free(transfer->noted);
    free(transfer->last_url);
    free(transfer->last_reason);
    free(transfer->advice);
}

void fetch_free(struct fetch *fetch)
{
    if (fetch == NULL)
        return;
    http_free(fetch->http);
    for (size_t i = 0; i < fetch->count; i++)
        transfer_clear(&fetch->transfers[i]);
    for (size_t i = 0; i <= fetch->options.mirror_count; i++)
        free(fetch->mirrors[i].down);
    free(fetch->transfers);
    free(fetch->mirrors);
    free(fetch);
}

/* Begins what may begin now, and copies on. */
static bool begin_what_can(struct fetch *fetch, struct error *error)
{
    uint64_t now = clock_ms();
    for (size_t i = 0; i < fetch->count; i++) {
        struct transfer *transfer = &fetch->transfers[i];
        if (transfer->state == TRANSFER_WAITING && transfer->due_ms <= now &&
            !transfer_begin(transfer, error))
            return false;
    }
    return true;
}

static bool copy_on(struct fetch *fetch, struct error *error)
{
    for (size_t i = 0; i < fetch->count; i++) {
        struct transfer *transfer = &fetch->transfers[i];
        if (transfer->state == TRANSFER_COPYING && !transfer_copy_more(transfer, error))
            return false;
    }
    return true;
}

static size_t count_in(const struct fetch *fetch, enum transfer_state state)
{
    size_t count = 0;
    for (size_t i = 0; i < fetch->count; i++)
        count += fetch->transfers[i].state == state;
    return count;
}

/* Until something is due that nobody wakes us for. */
static int wait_of(const struct fetch *fetch, int timeout_ms)
{
    uint64_t now = clock_ms();
    if (count_in(fetch, TRANSFER_READY) > 0 || count_in(fetch, TRANSFER_COPYING) > 0)
        return 0;
    for (size_t i = 0; i < fetch->count; i++) {
        const struct transfer *transfer = &fetch->transfers[i];
        if (transfer->state != TRANSFER_WAITING || transfer->due_ms == 0)
            continue;
        uint64_t left = transfer->due_ms > now ? transfer->due_ms - now : 0;
        if (timeout_ms < 0 || left < (uint64_t)timeout_ms)
            timeout_ms = (int)left;
    }
    return timeout_ms;
}

/* Without a server there is no libcurl: --offline opens no socket, not even one to wake itself. */
static void wait_without_http(const int *extra_fds, size_t extra_count, int timeout_ms)
{
    AUTO_FREE struct pollfd *waited = mem_alloc((extra_count + 1) * sizeof(*waited));
    for (size_t i = 0; i < extra_count; i++)
        waited[i] = (struct pollfd){.fd = extra_fds[i], .events = POLLIN};
    poll(waited, extra_count, timeout_ms);
}

static bool take_ended(struct fetch *fetch, struct error *error)
{
    for (struct http_request *request = http_next(fetch->http); request;
         request = http_next(fetch->http))
        if (!transfer_ended(request->data, error))
            return false;
    return true;
}

/* Nothing runs or waits any more. */
static bool is_done(const struct fetch *fetch)
{
    return count_in(fetch, TRANSFER_GIVEN) == fetch->count;
}

bool fetch_step(struct fetch *fetch, const int *extra_fds, size_t extra_count, int timeout_ms,
                struct error *error)
{
    if (!begin_what_can(fetch, error) || !copy_on(fetch, error))
        return false;
    int wait = wait_of(fetch, timeout_ms);
    if (fetch->http == NULL) {
        if (extra_count > 0 || !is_done(fetch))
            wait_without_http(extra_fds, extra_count, wait);
        return true;
    }
    if (extra_count == 0 && is_done(fetch))
        return true;
    return http_step(fetch->http, extra_fds, extra_count, wait, error) &&
           take_ended(fetch, error) && begin_what_can(fetch, error);
}

struct fetch_item *fetch_next(struct fetch *fetch)
{
    for (size_t i = 0; i < fetch->count; i++) {
        if (fetch->transfers[i].state != TRANSFER_READY)
            continue;
        fetch->transfers[i].state = TRANSFER_GIVEN;
        return fetch->transfers[i].item;
    }
    return NULL;
}
