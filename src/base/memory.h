/* SPDX-License-Identifier: MIT */
#ifndef BASE_MEMORY_H
#define BASE_MEMORY_H

#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

/* Allocation that cannot fail: when memory runs out the process says so on stderr and ends with
 * exit code 70. A checker that lives for milliseconds has nothing better to do. In the two programs
 * src/malloc.c sees to it that the same holds for malloc(3), whoever calls it. */
void *mem_alloc(size_t size);                             /* zeroed; free() it */
void *mem_resize(void *block, size_t count, size_t size); /* count * size is checked */
char *mem_string(const char *text);                       /* a copy; NULL gives NULL */
char *mem_string_n(const char *text, size_t size);        /* a copy of size bytes, NUL added */
char *mem_printf(const char *format, ...) __attribute__((format(printf, 1, 2)));
char *mem_vprintf(const char *format, va_list arguments) __attribute__((format(printf, 1, 0)));

/* That end, for whoever is told by a null pointer or ENOMEM that there is no more. It takes no
 * memory and no lock. The first line that it says is MEM_EXHAUSTED. */
_Noreturn void mem_exhausted(void);
#define MEM_EXHAUSTED "gpuenv: out of memory"

/* The one cleanup idiom: a local variable marked AUTO_… is released when its scope ends. The
 * variable must be initialised where it is declared. mem_steal() takes the value out of it. */
#define AUTO(cleanup_function) __attribute__((cleanup(cleanup_function)))
#define AUTO_FREE              AUTO(mem_free_at)
#define AUTO_CLOSE             AUTO(fd_close_at)

static inline void mem_free_at(void *pointer_address)
{
    free(*(void **)pointer_address);
}

static inline void fd_close_at(const int *fd)
{
    if (*fd >= 0)
        close(*fd);
}

/* The value of *(T *)pointer_address, leaving NULL there. */
#define mem_steal(pointer_address)                                                                 \
    ({                                                                                             \
        __typeof__(*(pointer_address)) mem_stolen = *(pointer_address);                            \
        *(pointer_address) = NULL;                                                                 \
        mem_stolen;                                                                                \
    })

static inline int fd_steal(int *fd)
{
    int stolen = *fd;
    *fd = -1;
    return stolen;
}

/* Grows a vector (pointer, count, capacity) by one zeroed element and yields its address. */
#define vec_push(items, count, capacity)                                                           \
    ({                                                                                             \
        if ((count) == (capacity) || (items) == NULL) {                                            \
            (capacity) = (capacity) ? (capacity)*2 : 8;                                            \
            (items) = mem_resize((items), (capacity), sizeof(__typeof__(*(items))));               \
        }                                                                                          \
        __typeof__(items) vec_slot = &(items)[(count)++];                                          \
        *vec_slot = (__typeof__(*(items))){0};                                                     \
        vec_slot;                                                                                  \
    })

#endif
