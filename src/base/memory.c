/* SPDX-License-Identifier: MIT */
#include "base/memory.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/exit.h"

_Noreturn void mem_exhausted(void)
{
    static const char message[] = MEM_EXHAUSTED
        "\nfree some memory, or raise the limit (ulimit -v or the container's), and try again\n";
    ssize_t written = write(STDERR_FILENO, message, sizeof(message) - 1);
    (void)written;
    _exit(EXIT_INTERNAL);
}

void *mem_alloc(size_t size)
{
    void *block = calloc(1, size ? size : 1);
    if (block == NULL)
        mem_exhausted();
    return block;
}

void *mem_resize(void *block, size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes))
        mem_exhausted();
    void *resized = realloc(block, bytes ? bytes : 1);
    if (resized == NULL)
        mem_exhausted();
    return resized;
}

char *mem_string_n(const char *text, size_t size)
{
    size_t bytes;
    if (__builtin_add_overflow(size, (size_t)1, &bytes))
        mem_exhausted();
    char *copy = mem_alloc(bytes);
    if (size > 0)
        memcpy(copy, text, size);
    return copy;
}

char *mem_string(const char *text)
{
    return text ? mem_string_n(text, strlen(text)) : NULL;
}

char *mem_vprintf(const char *format, va_list arguments)
{
    char *text = NULL;
    if (vasprintf(&text, format, arguments) < 0)
        mem_exhausted();
    return text;
}

char *mem_printf(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = mem_vprintf(format, arguments);
    va_end(arguments);
    return text;
}
