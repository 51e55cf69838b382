/* SPDX-License-Identifier: MIT */
#include "base/memory.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/exit.h"

static _Noreturn void out_of_memory(void)
{
    static const char message[] = "gpuenv: out of memory\n";
    ssize_t written = write(STDERR_FILENO, message, sizeof(message) - 1);
    (void)written;
    _exit(EXIT_INTERNAL);
}

void *mem_alloc(size_t size)
{
    void *block = calloc(1, size ? size : 1);
    if (block == NULL)
        out_of_memory();
    return block;
}

void *mem_resize(void *block, size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes))
        out_of_memory();
    void *resized = realloc(block, bytes ? bytes : 1);
    if (resized == NULL)
        out_of_memory();
    return resized;
}

char *mem_string_n(const char *text, size_t size)
{
    size_t bytes;
    if (__builtin_add_overflow(size, (size_t)1, &bytes))
        out_of_memory();
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
        out_of_memory();
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
