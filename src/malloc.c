/* SPDX-License-Identifier: MIT */
/* malloc(3) and its kin, for all code in the process: gpuenv's, libc's and every library's, those
 * too that are opened while it runs. Where the C library has no more memory the process says so and
 * ends with 70 (decision 20): no library gets to make something else of it. Both programs are
 * linked with this file; the blocks are the C library's all the same. */
#include <errno.h>
#include <malloc.h>
#include <stdlib.h>

#include "base/memory.h"

/* glibc's allocator by the names that stay when malloc(3) is replaced. */
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);
extern void *__libc_valloc(size_t size);
extern void *__libc_pvalloc(size_t size);
extern void __libc_free(void *block);

static void *insist(void *block)
{
    if (block == NULL)
        mem_exhausted();
    return block;
}

/* NOLINTBEGIN(readability-inconsistent-declaration-parameter-name): libc's headers have other names
 */

void *malloc(size_t size)
{
    return insist(__libc_malloc(size));
}

void *calloc(size_t count, size_t size)
{
    return insist(__libc_calloc(count, size));
}

void *realloc(void *block, size_t size)
{
    void *resized = __libc_realloc(block, size);
    return block && size == 0 ? resized : insist(resized); /* that frees */
}

void free(void *block)
{
    __libc_free(block);
}

void *memalign(size_t alignment, size_t size)
{
    return insist(__libc_memalign(alignment, size));
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return insist(__libc_memalign(alignment, size));
}

int posix_memalign(void **ret_block, size_t alignment, size_t size)
{
    if (alignment % sizeof(void *) != 0 || alignment == 0 || (alignment & (alignment - 1)) != 0)
        return EINVAL;
    *ret_block = insist(__libc_memalign(alignment, size));
    return 0;
}

void *valloc(size_t size)
{
    return insist(__libc_valloc(size));
}

void *pvalloc(size_t size)
{
    return insist(__libc_pvalloc(size));
}

/* NOLINTEND(readability-inconsistent-declaration-parameter-name) */
