/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/path.h"
#include "host/root/bytes.h"
#include "host/root/input.h"
#include "install/run/run.h"
#include "install/run/run_archive.h"

/* Archives that the user has already: copied into the cache, where nobody else can change them, and
 * proved there. */

static size_t item_of(const struct plan *plan, const struct digest *digest)
{
    for (size_t i = 0; i < plan->item_count; i++)
        if (digest_equal(&plan->items[i].sha256, digest))
            return i;
    return plan->item_count;
}

/* The item that the file's name speaks of, to say what was expected. */
static const struct plan_item *item_named(const struct plan *plan, const char *path)
{
    for (size_t i = 0; i < plan->item_count; i++)
        if (string_equal(path_base(plan->items[i].path), path_base(path)))
            return &plan->items[i];
    /* There is only one that it could be. */
    return plan->item_count == 1 && plan->items[0].layout ? &plan->items[0] : NULL;
}

static bool refuse(const struct plan *plan, const char *path, const struct digest *found,
                   struct error *error)
{
    char hex[DIGEST_HEX_SIZE], expected[DIGEST_HEX_SIZE];
    const struct plan_item *named = item_named(plan, path);
    error_set(error, ERROR_DATA, "--archive: this file is not one of the plan's archives");
    error_where(error, "%s", path);
    if (named)
        error_why(error, "sha256 expected %s, found %s", digest_hex(&named->sha256, expected),
                  digest_hex(found, hex));
    else
        error_why(error, "its sha256 is %s", digest_hex(found, hex));
    return error_next(error, "gpuenv plan -v lists the archives with URL and sha256");
}

/* No more than a block too many, should the file have grown meanwhile. */
static bool copy(int from, int to, uint64_t size_wanted, const char *path, struct error *error)
{
    AUTO_FREE char *block = mem_alloc(1u << 18);
    off_t at = 0;
    while ((uint64_t)at <= size_wanted) {
        ssize_t size = pread(from, block, 1u << 18, at);
        if (size < 0 && errno == EINTR)
            continue;
        if (size < 0)
            return error_set_errno(error, ERROR_NO_INPUT, errno, path, "cannot read");
        if (size == 0)
            return true;
        if (!bytes_write(to, block, (size_t)size))
            return error_set_errno(error, ERROR_CANNOT_WRITE, errno, path,
                                   "cannot copy the archive into the cache");
        at += size;
    }
    return true;
}

static bool keep(struct run *run, int from, uint64_t size_there, const char *path,
                 const struct plan_item *item, struct error *error)
{
    struct digest found;
    uint64_t size;
    if (cache_has(run->cache, &item->sha256))
        return true;
    AUTO_CLOSE int fd = cache_partial(run->cache, &item->sha256, error);
    if (fd < 0)
        return false;
    if (ftruncate(fd, 0) != 0 || lseek(fd, 0, SEEK_SET) != 0)
        return error_set_errno(error, ERROR_CANNOT_WRITE, errno, cache_path(run->cache),
                               "cannot write into the cache");
    bool ok = copy(from, fd, item->size ? item->size : size_there, path, error) &&
              digest_of_file(fd, UINT64_MAX, path, &found, &size, error);
    if (ok && !digest_equal(&found, &item->sha256))
        ok = refuse(&run->plan, path, &found, error);
    if (!ok && ftruncate(fd, 0) != 0) /* nothing of it is of use */
        return false;
    return ok && cache_keep(run->cache, &item->sha256, fd, error);
}

static bool take(struct run *run, const char *path, struct error *error)
{
    struct digest found;
    uint64_t size;
    AUTO_CLOSE int fd = -1;
    if (!input_open(path, &fd, error)) {
        error_prefix(error, "--archive");
        return error_next(
            error, "name a file that is one of the archives (gpuenv plan -v lists the archives)");
    }
    if (!digest_of_file(fd, INT64_MAX, path, &found, &size, error))
        return false;
    const struct plan *plan = &run->plan;
    size_t at = item_of(plan, &found);
    return at < plan->item_count ? keep(run, fd, size, path, &plan->items[at], error)
                                 : refuse(plan, path, &found, error);
}

bool run_take_archives(struct run *run, struct error *error)
{
    for (size_t i = 0; i < run->request->archives.count; i++)
        if (!take(run, run->request->archives.items[i], error))
            return false;
    return true;
}
