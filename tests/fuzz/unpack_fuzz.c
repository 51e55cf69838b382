/* SPDX-License-Identifier: MIT */
#include "fuzz.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "install/unpack/unpack_private.h"

/* The first byte says what is read: an unpacker's answers, an xz file from its end, tar headers, a
 * zip file's end, names. */

static void read_answers(const char *bytes, size_t size)
{
    struct unpack_reader whole = {.limits = unpack_limits_default};
    struct unpack_reader parts = {.limits = unpack_limits_default};
    bool good = unpack_reader_feed(&whole, bytes, size), still = true;
    for (size_t at = 0; still && at < size; at += 7)
        still = unpack_reader_feed(&parts, bytes + at, size - at < 7 ? size - at : 7);
    if (good != still || (good && whole.result.count != parts.result.count))
        abort(); /* how it is cut makes no difference */
    for (size_t i = 0; i < whole.result.count; i++) {
        const struct unpack_member *member = &whole.result.members[i];
        AUTO_FREE char *padded = mem_printf("/%s/", member->path);
        if (strstr(padded, "//") || strstr(padded, "/./") || strstr(padded, "/../") ||
            (member->mode & ~0755u) != 0 || (member->target && member->target[0] == '/'))
            abort();
    }
    if (good && whole.ended && whole.last == UNPACK_RECORD_ERROR && whole.error.what == NULL)
        abort();
    unpack_reader_free(&whole);
    unpack_reader_free(&parts);
}

static void read_file(const char *bytes, size_t size)
{
    AUTO_ERROR struct error error = {0};
    struct unpack_xz xz;
    AUTO_CLOSE int fd = memfd_create("fuzz", MFD_CLOEXEC);
    if (fd < 0 || write(fd, bytes, size) != (ssize_t)size)
        return;
    unpack_zip_ends(fd, size);
    if (unpack_xz_look(fd, 0, size, &xz, &error)) {
        if (xz.dictionary > UINT32_MAX || xz.blocks > size / 8)
            abort();
    } else if (error.kind != ERROR_DATA || error.why == NULL) {
        abort(); /* it never reads behind the end */
    }
}

static void read_headers(const char *bytes, size_t size)
{
    char flag;
    unsigned mode;
    if (unpack_tar_look(bytes, size, &flag, &mode) &&
        (mode > 07777 || (flag != '\0' && strchr("xgKL", flag))))
        abort();
}

/* What is accepted has the properties that it was accepted for. */
static void read_names(const char *bytes, size_t size)
{
    const char *why;
    AUTO_FREE char *raw = mem_string_n(bytes, size);
    AUTO_FREE char *path = unpack_path(raw, "top", &why);
    if (path == NULL || path[0] == '\0')
        return;
    AUTO_FREE char *again_raw = mem_printf("top/%s", path);
    AUTO_FREE char *again = unpack_path(again_raw, "top", &why);
    if (!string_equal(path, again) || path[0] == '/' || strstr(path, "//"))
        abort();
    if (unpack_target_problem("a/b/c", raw) == NULL) {
        AUTO_FREE char *target = unpack_target_path("a/b/c", raw);
        if (target[0] == '/' || string_starts(target, "../") || string_equal(target, ".."))
            abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static void (*const readers[])(const char *bytes, size_t size) = {read_answers, read_file,
                                                                      read_headers, read_names};
    if (size > 0)
        readers[data[0] % 4]((const char *)data + 1, size - 1);
    return 0;
}
