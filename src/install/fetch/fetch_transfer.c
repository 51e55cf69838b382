/* SPDX-License-Identifier: MIT */
#include "install/fetch/fetch_private.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/local/anonymous_file.h"

uint64_t transfer_limit(const struct transfer *transfer)
{
    return transfer->item->size ? transfer->item->size : transfer->item->max;
}

/* What came, where it was not known before. */
static uint64_t size_of(const struct transfer *transfer)
{
    struct stat status;
    if (transfer->item->size > 0)
        return transfer->item->size;
    return fstat(transfer->item->fd, &status) == 0 ? (uint64_t)status.st_size : transfer->have;
}

void transfer_ready(struct transfer *transfer, int fd, const char *url)
{
    transfer->is_partial = fd < 0;
    transfer->item->fd = fd < 0 ? fd_steal(&transfer->fd) : fd;
    free(transfer->item->url);
    transfer->item->url = mem_string(url);
    transfer->state = TRANSFER_READY;
    if (!transfer->item->is_page)
        progress_step(transfer->fetch->options.progress,
                      transfer->is_from_cache ? "cached" : "fetched", transfer_name(transfer),
                      size_of(transfer));
}

bool transfer_cannot_write(const struct transfer *transfer, struct error *error)
{
    error_set_errno(error, ERROR_CANNOT_WRITE, transfer->write_errno,
                    cache_path(transfer->fetch->options.cache), "cannot write %s there",
                    transfer_name(transfer));
    return error_next(error, "free some space, or choose another place with GPUENV_CACHE_DIR");
}

void transfer_empty(struct transfer *transfer)
{
    progress_lost(transfer->fetch->options.progress, transfer->have);
    transfer->have = 0;
    transfer->is_mixed = transfer->is_old = false;
    /* What stays behind the end when this fails is overwritten or counted as too much. */
    if (ftruncate(transfer->fd, 0) != 0)
        transfer->write_errno = errno;
}

bool transfer_write(struct transfer *transfer, const char *bytes, size_t size)
{
    while (size > 0) {
        ssize_t written = pwrite(transfer->fd, bytes, size, (off_t)transfer->have);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0) {
            transfer->write_errno = errno;
            return false;
        }
        bytes += written;
        size -= (size_t)written;
        transfer->have += (uint64_t)written;
        transfer->fetch->bytes += (uint64_t)written;
        progress_bytes(transfer->fetch->options.progress, (uint64_t)written);
    }
    return true;
}

/* What has no digest goes by its path, and nothing of an earlier run is of use. */
static bool open_empty(struct transfer *transfer, struct error *error)
{
    const struct fetch_item *item = transfer->item;
    struct digest key;
    if (transfer->fetch->in_memory) {
        transfer->fd = anonymous_file_new();
        if (transfer->fd >= 0)
            return true;
        transfer->write_errno = errno;
        return transfer_cannot_write(transfer, error);
    }
    if (!digest_of_bytes(item->path, strlen(item->path), &key, error))
        return false;
    transfer->fd = cache_partial(transfer->fetch->options.cache, &key, error);
    if (transfer->fd >= 0)
        transfer_empty(transfer);
    return transfer->fd >= 0;
}

bool transfer_open_partial(struct transfer *transfer, struct error *error)
{
    struct stat status;
    if (transfer->fd >= 0)
        return true;
    bool is_text = transfer->item->size == 0 && transfer->fetch->in_memory;
    if (transfer->item->sha256 == NULL || is_text)
        return open_empty(transfer, error);
    transfer->fd = cache_partial(transfer->fetch->options.cache, transfer->item->sha256, error);
    if (transfer->fd < 0)
        return false;
    if (fstat(transfer->fd, &status) == 0 && status.st_size > 0) {
        transfer->have = (uint64_t)status.st_size;
        transfer->is_old = true;
        progress_had(transfer->fetch->options.progress, transfer->have);
        if (transfer->have > transfer->item->size)
            transfer_empty(transfer);
    }
    return true;
}

void transfer_leave_mirror(struct transfer *transfer)
{
    transfer->mirror++;
    transfer->tries = 0;
    transfer->begun_ms = transfer->due_ms = 0;
    transfer->was_refetched = transfer->no_range = transfer->range_good = false;
    transfer->is_old = transfer->have > 0;
    free(mem_steal(&transfer->url));
}

const struct mirror *transfer_mirror(const struct transfer *transfer, size_t more)
{
    const struct fetch_options *options = &transfer->fetch->options;
    const struct fetch_item *item = transfer->item;
    size_t count = item->only_there ? 0 : options->mirror_count;
    size_t at = transfer->mirror + more;
    if (at < count)
        return &options->mirrors[at];
    return at == count ? item->address : NULL;
}

struct mirror_state *transfer_mirror_state(const struct transfer *transfer)
{
    const struct fetch *fetch = transfer->fetch;
    bool is_address = transfer->item->only_there;
    return &fetch->mirrors[is_address ? fetch->options.mirror_count : transfer->mirror];
}

/* A mirror that is not asked at all; the words say why. */
static const char *reason_against(const struct transfer *transfer, enum fetch_fault *ret_fault)
{
    const struct fetch_options *options = &transfer->fetch->options;
    const struct mirror *mirror = transfer_mirror(transfer, 0);
    const struct mirror_state *known = transfer_mirror_state(transfer);
    *ret_fault = FAULT_OTHER;
    if (!mirror->is_secure && !transfer->item->pinned)
        return "http is allowed only for pinned files, and this one has no pin: use https";
    if (mirror->is_directory)
        return NULL;
    if (options->offline)
        return "--offline allows no connection";
    *ret_fault = known->down_fault;
    return known->down;
}

bool transfer_begin(struct transfer *transfer, struct error *error)
{
    const struct mirror *mirror;
    if (transfer_from_cache(transfer))
        return true;
    while (transfer->state == TRANSFER_WAITING && (mirror = transfer_mirror(transfer, 0)) != NULL) {
        enum fetch_fault fault;
        const char *reason = reason_against(transfer, &fault);
        if (reason) {
            transfer_fail_mirror(transfer, mirror->base, fault, "%s", reason);
            transfer_leave_mirror(transfer);
        } else if (!mirror->is_directory) {
            return transfer_from_server(transfer, error);
        } else if (!transfer_from_directory(transfer, error)) {
            return false;
        }
    }
    return transfer->state != TRANSFER_WAITING || transfer_fail(transfer, error);
}
