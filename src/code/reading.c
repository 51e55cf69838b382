/* SPDX-License-Identifier: MIT */
#include "code/reading.h"

#include <stdarg.h>
#include <string.h>

#include "base/text.h"

size_t window_left(const struct window *window, const struct code_source *source, uint64_t offset)
{
    if (window->source != source || offset < window->start ||
        offset - window->start >= window->size)
        return 0;
    return window->size - (size_t)(offset - window->start);
}

const unsigned char *window_at(struct window *window, const struct code_source *source,
                               uint64_t offset, size_t need, size_t ahead, const char *what,
                               struct error *error)
{
    if (need == 0)
        return window->bytes;
    if (need <= window_left(window, source, offset))
        return window->bytes + (offset - window->start);
    size_t size = need;
    if (ahead > need && offset <= source->size && need <= source->size - offset)
        size = ahead < source->size - offset ? ahead : (size_t)(source->size - offset);
    window->source = NULL;
    if (!code_source_read(source, offset, window->bytes, size, what, error))
        return NULL;
    window->source = source;
    window->start = offset;
    window->size = size;
    return window->bytes;
}

bool code_malformed(struct error *error, const char *container, const struct code_source *source,
                    uint64_t offset, const char *format, ...)
{
    AUTO_TEXT struct text reason = {0};
    va_list arguments;
    va_start(arguments, format);
    text_vprintf(&reason, format, arguments);
    va_end(arguments);
    error_set(error, ERROR_DATA, "not a valid %s", container);
    unsigned long long at = code_source_origin(source) + offset;
    return error_why(error, "offset 0x%llx: %s", at, text_string(&reason));
}

/* The number at *cursor, which is moved behind it. 0 where there is none. */
static unsigned take_number(const char **cursor)
{
    unsigned number = 0;
    for (; **cursor >= '0' && **cursor <= '9' && number < 100000; (*cursor)++)
        number = number * 10 + (unsigned)(**cursor - '0');
    return number;
}

void listing_set_toolkit(struct code_listing *listing, const char *words, size_t size)
{
    if (listing->cuda_major != 0)
        return;
    AUTO_FREE char *text = mem_string_n(words, strnlen(words, size));
    const char *release = strstr(text, "release ");
    if (release == NULL)
        return;
    release += strlen("release ");
    unsigned major = take_number(&release);
    if (major == 0 || *release != '.')
        return;
    release++;
    listing->cuda_major = major;
    listing->cuda_minor = take_number(&release);
    listing->toolkit = mem_string(string_trim(text));
}
