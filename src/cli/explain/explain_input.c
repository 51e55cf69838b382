/* SPDX-License-Identifier: MIT */
#include "cli/explain/explain_input.h"

#include <errno.h>
#include <stdint.h>
#include <unistd.h>

#include "explain/explanation.h"
#include "host/packed/packed.h"
#include "host/root/bytes.h"
#include "host/root/input.h"

#define PIECE 65536
#define HEAD  6

static bool feed(const void *bytes, size_t size, void *data)
{
    explainer_feed(data, bytes, size);
    return true;
}

static bool read_plain(int fd, const char *path, struct explainer *explainer, struct error *error)
{
    AUTO_TEXT struct text piece = {0};
    for (;;) {
        int number = bytes_read(fd, PIECE, &piece);
        explainer_feed(explainer, text_string(&piece), piece.size);
        if (number == 0 && piece.size < PIECE)
            return true;
        if (number != 0 && (number != EAGAIN || !bytes_wait(fd)))
            return error_set_errno(error, ERROR_NO_INPUT, number, path, "cannot read");
        text_clear(&piece);
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
