/* SPDX-License-Identifier: MIT */
#include "cli/explain/explain_input.h"

#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <unistd.h>

#include "base/memory.h"
#include "explain/explanation.h"
#include "host/packed/packed.h"
#include "host/root/input.h"

#define PIECE 65536
#define HEAD  6

static bool feed(const void *bytes, size_t size, void *data)
{
    explainer_feed(data, bytes, size);
    return true;
}

/* A pipe that is not to block is waited for. */
static bool is_to_wait(int number)
{
    return number == EAGAIN || number == EINTR;
}

static bool read_plain(int fd, const char *path, struct explainer *explainer, struct error *error)
{
    AUTO_FREE char *piece = mem_alloc(PIECE);
    for (;;) {
        ssize_t count = read(fd, piece, PIECE);
        if (count == 0)
            return true;
        if (count > 0) {
            explainer_feed(explainer, piece, (size_t)count);
            continue;
        }
        struct pollfd more = {.fd = fd, .events = POLLIN};
        if (!is_to_wait(errno) || (poll(&more, 1, -1) < 0 && errno != EINTR))
            return error_set_errno(error, ERROR_NO_INPUT, errno, path, "cannot read");
    }
}

static bool read_packed(int fd, const char *path, enum packing packing, struct explainer *explainer,
                        struct error *error)
{
    const char *problem = packed_read(fd, packing, UINT64_MAX, feed, explainer);
    if (problem == NULL)
        return true;
    error_set(error, ERROR_NO_INPUT, "cannot unpack");
    error_where(error, "%s", path);
    return error_why(error, "%s", problem);
}

bool explain_read(const char *path, struct explainer *explainer, struct error *error)
{
    int given = path[0] == '-' && path[1] == '\0' ? STDIN_FILENO : standard_descriptor(path);
    if (given >= 0)
        return read_plain(given, given == STDIN_FILENO ? "standard input" : path, explainer, error);
    AUTO_CLOSE int fd = -1;
    char head[HEAD];
    if (!input_open(path, &fd, error))
        return false;
    ssize_t size = pread(fd, head, sizeof(head), 0);
    enum packing packing = size > 0 ? packing_of(head, (size_t)size) : PACKING_NONE;
    return packing == PACKING_NONE ? read_plain(fd, path, explainer, error)
                                   : read_packed(fd, path, packing, explainer, error);
}
