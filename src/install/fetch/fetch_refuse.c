/* SPDX-License-Identifier: MIT */
#include "install/fetch/fetch_private.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static struct transfer *transfer_of(struct fetch *fetch, const struct fetch_item *item)
{
    for (size_t i = 0; i < fetch->count; i++)
        if (fetch->transfers[i].item == item)
            return &fetch->transfers[i];
    return NULL;
}

/* Our own copy of the file, not a mirror, is to blame. */
static bool refuse_own(struct transfer *transfer)
{
    const struct fetch_options *options = &transfer->fetch->options;
    AUTO_FREE char *name = string_safe(transfer_name(transfer));
    if (transfer->is_from_cache) {
        cache_drop(options->cache, transfer->item->sha256);
        transfer->is_from_cache = false;
        progress_note(options->progress,
                      "%s: the cached file does not match; fetching the file again", name);
        return true;
    }
    bool is_doubtful = transfer->is_old || (transfer->is_mixed && !transfer->was_refetched);
    if (!transfer->is_partial || !is_doubtful)
        return false;
    transfer->was_refetched |= !transfer->is_old; /* what is old is gone after that */
    progress_note(options->progress,
                  "%s: the downloaded parts do not fit together; fetching the file again", name);
    return true;
}

/* Takes the file back: a partial is filled again, whatever else it was is closed. */
static void take_back(struct transfer *transfer)
{
    int fd = fd_steal(&transfer->item->fd);
    if (transfer->is_partial) {
        transfer->fd = fd;
        transfer_empty(transfer);
    } else if (fd >= 0) {
        close(fd);
    }
    free(mem_steal(&transfer->item->url));
    free(mem_steal(&transfer->url));
    transfer->state = TRANSFER_WAITING;
}

/* The bytes are not the ones wanted, and reason says how that is known. False: no mirror is left.
 */
static bool refuse(struct transfer *transfer, const char *reason)
{
    AUTO_FREE char *url = mem_string(transfer->item->url);
    bool again = refuse_own(transfer);
    take_back(transfer);
    if (again)
        return true;
    transfer_fail_mirror(transfer, url, FAULT_DIGEST, "%s", reason);
    transfer_leave_mirror(transfer);
    return transfer_mirror(transfer, 0) != NULL;
}

bool fetch_refuse(struct fetch *fetch, struct fetch_item *item, const struct digest *found,
                  struct error *error)
{
    struct transfer *transfer = transfer_of(fetch, item);
    char hex[DIGEST_HEX_SIZE], expected[DIGEST_HEX_SIZE] = "none";
    if (item->sha256)
        digest_hex(item->sha256, expected);
    AUTO_FREE char *reason =
        mem_printf("sha256 expected %s, found %s", expected, digest_hex(found, hex));
    return refuse(transfer, reason) || transfer_fail(transfer, error);
}

static bool read_text(const struct fetch_item *item, uint64_t limit, struct text *ret_text,
                      struct error *error)
{
    AUTO_FREE char *block = mem_alloc(65536);
    text_clear(ret_text);
    for (;;) {
        ssize_t size = pread(item->fd, block, 65536, (off_t)ret_text->size);
        if (size < 0)
            return error_set_errno(error, ERROR_NO_INPUT, errno, item->url, "cannot read");
        if (size == 0)
            return true;
        text_append_n(ret_text, block, (size_t)size);
        if (ret_text->size > limit) {
            error_set(error, ERROR_DATA, "the file grew while it was read");
            return error_where(error, "%s", item->url);
        }
    }
}

/* The words of the last proof are kept where no other mirror has any. */
static bool refuse_unproved(struct transfer *transfer, struct error *wrong, struct error *error)
{
    AUTO_FREE char *reason =
        mem_printf("%s%s%s", wrong->what, wrong->why ? ": " : "", wrong->why ? wrong->why : "");
    if (refuse(transfer, reason))
        return true;
    if (transfer->failure_count > 1)
        return transfer_fail(transfer, error);
    if (error) {
        error_clear(error);
        *error = *wrong;
        *wrong = (struct error){.kind = ERROR_NONE};
    }
    return false;
}

enum proof { PROOF_GOOD, PROOF_AGAIN, PROOF_FAILED };

static enum proof prove(struct fetch *fetch, struct fetch_item *item, const struct text *text,
                        struct error *error)
{
    AUTO_ERROR struct error wrong = {0};
    struct digest found;
    if (item->sha256) {
        if (!digest_of_bytes(text_string(text), text->size, &found, error))
            return PROOF_FAILED;
        if (!digest_equal(&found, item->sha256))
            return fetch_refuse(fetch, item, &found, error) ? PROOF_AGAIN : PROOF_FAILED;
    }
    if (item->proves == NULL || item->proves(item, text, &wrong))
        return PROOF_GOOD;
    return refuse_unproved(transfer_of(fetch, item), &wrong, error) ? PROOF_AGAIN : PROOF_FAILED;
}

static bool fetch_proved(struct fetch *fetch, struct fetch_item *item, struct text *ret_text,
                         struct error *error)
{
    enum proof proof;
    do {
        while (fetch_next(fetch) == NULL)
            if (!fetch_step(fetch, NULL, 0, 1000, error))
                return false;
        if (!read_text(item, transfer_limit(transfer_of(fetch, item)), ret_text, error))
            return false;
        proof = prove(fetch, item, ret_text, error);
    } while (proof == PROOF_AGAIN);
    return proof == PROOF_GOOD && (item->sha256 == NULL ||
                                   cache_keep(fetch->options.cache, item->sha256, item->fd, error));
}

bool fetch_one(const struct fetch_options *options, struct fetch_item *item, struct text *ret_text,
               struct error *error)
{
    struct fetch *fetch = fetch_new(options, item, 1, error);
    if (fetch == NULL)
        return false;
    fetch->in_memory = item->sha256 == NULL;
    bool ok = fetch_proved(fetch, item, ret_text, error);
    if (item->fd >= 0)
        close(fd_steal(&item->fd));
    fetch_free(fetch);
    return ok;
}
