/* SPDX-License-Identifier: MIT */
#include "base/byte_window.h"

#include "base/memory.h"

/* Not zeroed: a small file needs few of its bytes. */
struct byte_window *byte_window_new(void)
{
    struct byte_window *window = mem_resize(NULL, 1, sizeof(*window));
    window->source = NULL;
    window->start = 0;
    window->size = 0;
    return window;
}

size_t byte_window_left(const struct byte_window *window, const struct byte_source *source,
                        uint64_t offset)
{
    if (window->source != source || offset < window->start ||
        offset - window->start >= window->size)
        return 0;
    return window->size - (size_t)(offset - window->start);
}

const unsigned char *byte_window_at(struct byte_window *window, const struct byte_source *source,
                                    uint64_t offset, size_t need, size_t ahead, const char *what,
                                    struct error *error)
{
    if (need == 0)
        return window->bytes;
    if (need <= byte_window_left(window, source, offset))
        return window->bytes + (offset - window->start);
    size_t size = need;
    if (ahead > need && offset <= source->size && need <= source->size - offset)
        size = ahead < source->size - offset ? ahead : (size_t)(source->size - offset);
    window->source = NULL;
    if (!byte_source_read(source, offset, window->bytes, size, what, error))
        return NULL;
    window->source = source;
    window->start = offset;
    window->size = size;
    return window->bytes;
}
