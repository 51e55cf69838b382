/* SPDX-License-Identifier: MIT */
/* A library for LD_PRELOAD that makes memory run out at a chosen call: malloc, calloc, realloc,
 * reallocarray, memalign, aligned_alloc and posix_memalign, counted together. It stands for the C
 * library's allocator under its own names too (__libc_malloc …), which gpuenv calls (src/malloc.c).
 *
 *   NTH_MALLOC=N           the N-th call fails with ENOMEM
 *   NTH_MALLOC_FROM=N      so do all from the N-th on
 *   NTH_MALLOC_PROGRAM=P   only in the program of that name; execve(2) starts the count again
 *   NTH_MALLOC_CHILDREN=1  counts in forked children too, all together
 *   NTH_MALLOC_CHILDREN=only  counts in forked children alone, in each by itself
 *   NTH_MALLOC_COUNT=FILE  two numbers of 8 bytes for each program are kept in FILE.P: how many
 * calls there were (with "only": in the child with the most), and how many of them failed; right
 * also after a kill
 *
 * Without the sanitizers, and in processes that do not set these variables for themselves. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

enum children { CHILDREN_NONE, CHILDREN_ALL, CHILDREN_ONLY };

struct counts {
    _Atomic uint64_t calls, failed;
};

static struct {
    void *(*malloc)(size_t size);
    void *(*calloc)(size_t count, size_t size);
    void *(*realloc)(void *block, size_t size);
    void *(*memalign)(size_t alignment, size_t size);
    enum { UNBEGUN, BEGINNING, BEGUN } state;
    bool on;
    enum children children;
    pid_t first, last; /* the process that was executed; the one that called last */
    uint64_t calls;    /* of last, with CHILDREN_ONLY */
    uint64_t nth, from;
    struct counts *counts;
} self;

static uint64_t number_of(const char *name)
{
    const char *value = getenv(name);
    return value ? strtoull(value, NULL, 10) : 0;
}

/* Shared with forked children, and with whoever reads the file. */
static struct counts *map_counts(const char *path)
{
    char name[4096];
    int fd = -1;
    if (path) {
        snprintf(name, sizeof(name), "%s.%s", path, program_invocation_short_name);
        fd = open(name, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
        if (fd >= 0 && ftruncate(fd, sizeof(struct counts)) != 0)
            abort();
    }
    void *page = mmap(NULL, sizeof(struct counts), PROT_READ | PROT_WRITE,
                      MAP_SHARED | (fd < 0 ? MAP_ANONYMOUS : 0), fd, 0);
    if (page == MAP_FAILED)
        abort();
    if (fd >= 0)
        close(fd);
    return page;
}

static void begin(void)
{
    const char *program = getenv("NTH_MALLOC_PROGRAM"), *children = getenv("NTH_MALLOC_CHILDREN");
    self.state = BEGINNING;
    self.malloc = dlsym(RTLD_NEXT, "__libc_malloc");
    self.calloc = dlsym(RTLD_NEXT, "__libc_calloc");
    self.realloc = dlsym(RTLD_NEXT, "__libc_realloc");
    self.memalign = dlsym(RTLD_NEXT, "__libc_memalign");
    if (!self.malloc || !self.calloc || !self.realloc || !self.memalign)
        abort();
    self.first = self.last = getpid();
    self.nth = number_of("NTH_MALLOC");
    self.from = number_of("NTH_MALLOC_FROM");
    if (children)
        self.children = strcmp(children, "only") == 0 ? CHILDREN_ONLY : CHILDREN_ALL;
    self.on = program == NULL || strcmp(program, program_invocation_short_name) == 0;
    self.counts = map_counts(self.on ? getenv("NTH_MALLOC_COUNT") : NULL);
    self.state = BEGUN;
}

static bool is_counted(pid_t now)
{
    return self.on && self.state == BEGUN &&
           (self.children == CHILDREN_ALL ||
            (now == self.first) == (self.children == CHILDREN_NONE));
}

/* The number of this call. */
static uint64_t count(pid_t now)
{
    if (self.children != CHILDREN_ONLY)
        return atomic_fetch_add(&self.counts->calls, 1) + 1;
    if (now != self.last)
        self.calls = 0;
    self.last = now;
    self.calls++;
    uint64_t most = atomic_load(&self.counts->calls);
    while (self.calls > most &&
           !atomic_compare_exchange_weak(&self.counts->calls, &most, self.calls))
        continue;
    return self.calls;
}

static bool fails(void)
{
    pid_t now = getpid();
    if (self.state == UNBEGUN)
        begin();
    if (!is_counted(now))
        return false;
    uint64_t call = count(now);
    if (call != self.nth && (self.from == 0 || call < self.from))
        return false;
    atomic_fetch_add(&self.counts->failed, 1);
    errno = ENOMEM;
    return true;
}

void *__libc_malloc(size_t size)
{
    return fails() ? NULL : self.malloc(size);
}

void *malloc(size_t size)
{
    return __libc_malloc(size);
}

void *__libc_calloc(size_t count, size_t size)
{
    return fails() ? NULL : self.calloc(count, size);
}

void *calloc(size_t count, size_t size)
{
    return __libc_calloc(count, size);
}

/* realloc(block, 0) frees. */
void *__libc_realloc(void *block, size_t size)
{
    return (block == NULL || size > 0) && fails() ? NULL : self.realloc(block, size);
}

void *realloc(void *block, size_t size)
{
    return __libc_realloc(block, size);
}

void *reallocarray(void *block, size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes)) {
        errno = ENOMEM;
        return NULL;
    }
    return __libc_realloc(block, bytes);
}

void *__libc_memalign(size_t alignment, size_t size)
{
    return fails() ? NULL : self.memalign(alignment, size);
}

void *memalign(size_t alignment, size_t size)
{
    return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **ret_block, size_t alignment, size_t size)
{
    void *block = __libc_memalign(alignment, size);
    if (block == NULL)
        return ENOMEM;
    *ret_block = block;
    return 0;
}
