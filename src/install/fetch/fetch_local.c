/* SPDX-License-Identifier: MIT */
#include "install/fetch/fetch_private.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BLOCK      (1u << 20)
#define BLOCKS_MAX 8 /* before transfers get their turn */

/* The size that a file must have to be taken for the item. */
static bool has_right_size(const struct transfer *transfer, int fd, uint64_t *ret_size)
{
    struct stat status;
    if (fstat(fd, &status) != 0 || status.st_size < 0)
        return false;
    *ret_size = (uint64_t)status.st_size;
    return transfer->item->size ? *ret_size == transfer->item->size
                                : *ret_size <= transfer->item->max;
}

bool transfer_from_cache(struct transfer *transfer)
{
    const struct fetch_item *item = transfer->item;
    const struct cache *cache = transfer->fetch->options.cache;
    char hex[DIGEST_HEX_SIZE];
    uint64_t size;
    if (transfer->was_cached || item->sha256 == NULL)
        return false;
    transfer->was_cached = true;
    AUTO_CLOSE int fd = cache_find(cache, item->sha256);
    if (fd < 0)
        return false;
    if (!has_right_size(transfer, fd, &size)) {
        cache_drop(cache, item->sha256);
        return false;
    }
    digest_hex(item->sha256, hex);
    AUTO_FREE char *url = mem_printf("%s/sha256/%.2s/%s", cache_path(cache), hex, hex);
    transfer->is_from_cache = true;
    transfer_ready(transfer, fd_steal(&fd), url);
    return true;
}

bool transfer_is_local(const struct transfer *transfer)
{
    const struct fetch_options *options = &transfer->fetch->options;
    uint64_t size;
    if (transfer->item->sha256) {
        AUTO_CLOSE int kept = cache_find(options->cache, transfer->item->sha256);
        if (kept >= 0 && has_right_size(transfer, kept, &size))
            return true;
    }
    for (size_t i = 0; i < options->mirror_count; i++) {
        bool in_place;
        AUTO_CLOSE int fd =
            options->mirrors[i].is_directory
                ? mirror_open(&options->mirrors[i], transfer->item->path, &in_place, NULL)
                : -1;
        if (fd >= 0 && has_right_size(transfer, fd, &size))
            return true;
    }
    return false;
}

static void fail_size(struct transfer *transfer, const char *where, uint64_t found)
{
    const struct fetch_item *item = transfer->item;
    transfer_fail_mirror(transfer, where, FAULT_WRONG,
                         "the file has %" PRIu64 " bytes; expected %s%" PRIu64, found,
                         item->size ? "" : "at most ", transfer_limit(transfer));
    transfer_leave_mirror(transfer);
}

/* A file that another user can write is copied first; what is hashed and unpacked must not change.
 */
static bool begin_copy(struct transfer *transfer, int fd, struct error *error)
{
    transfer->copy_fd = fd;
    if (!transfer_open_partial(transfer, error))
        return false;
    transfer_empty(transfer);
    transfer->state = TRANSFER_COPYING;
    return true;
}

bool transfer_from_directory(struct transfer *transfer, struct error *error)
{
    AUTO_ERROR struct error wrong = {0};
    const struct mirror *mirror = transfer_mirror(transfer, 0);
    bool in_place = false;
    uint64_t size = 0;
    free(transfer->url);
    transfer->url = mirror_url(mirror, transfer->item->path);
    AUTO_CLOSE int fd = mirror_open(mirror, transfer->item->path, &in_place, &wrong);
    if (fd < 0) {
        transfer_fail_mirror(transfer, transfer->url, FAULT_STATUS, "%s%s%s", wrong.what,
                             wrong.why ? ": " : "", wrong.why ? wrong.why : "");
        transfer_leave_mirror(transfer);
        return true;
    }
    if (!has_right_size(transfer, fd, &size)) {
        fail_size(transfer, transfer->url, size);
        return true;
    }
    if (!in_place)
        return begin_copy(transfer, fd_steal(&fd), error);
    progress_had(transfer->fetch->options.progress, size);
    AUTO_FREE char *url = mem_steal(&transfer->url);
    transfer_ready(transfer, fd_steal(&fd), url);
    return true;
}

static void end_copy(struct transfer *transfer)
{
    close(transfer->copy_fd);
    transfer->copy_fd = -1;
    transfer->state = TRANSFER_WAITING;
}

static void finish_copy(struct transfer *transfer)
{
    AUTO_FREE char *url = mem_string(transfer->url);
    end_copy(transfer);
    if (transfer->item->size && transfer->have != transfer->item->size)
        fail_size(transfer, url, transfer->have);
    else
        transfer_ready(transfer, -1, url);
}

bool transfer_copy_more(struct transfer *transfer, struct error *error)
{
    AUTO_FREE char *block = mem_alloc(BLOCK);
    for (int i = 0; i < BLOCKS_MAX; i++) {
        ssize_t size = pread(transfer->copy_fd, block, BLOCK, (off_t)transfer->have);
        if (size < 0 && errno == EINTR)
            continue;
        if (size < 0) {
            transfer_fail_mirror(transfer, transfer->url, FAULT_STATUS, "cannot read: %s",
                                 strerror(errno));
            end_copy(transfer);
            transfer_leave_mirror(transfer);
            return true;
        }
        if (size == 0) {
            finish_copy(transfer);
            return true;
        }
        if ((uint64_t)size > transfer_limit(transfer) - transfer->have) {
            AUTO_FREE char *url = mem_string(transfer->url);
            uint64_t found = transfer->have + (uint64_t)size;
            end_copy(transfer);
            fail_size(transfer, url, found);
            return true;
        }
        if (!transfer_write(transfer, block, (size_t)size))
            return transfer_cannot_write(transfer, error);
    }
    return true;
}
