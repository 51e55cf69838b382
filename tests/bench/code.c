/* SPDX-License-Identifier: MIT */
/* bench_code FILE…: what code_read() costs, a line per file: MiB, fat binaries, entries, KiB read,
 * reads, milliseconds (the best of RUNS, warm), and how often longer than the same reads alone. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "code/code.h"
#include "host/root/byte_file.h"

#define RUNS 15

struct look {
    uint64_t offset;
    size_t count;
};

struct looks {
    const struct byte_source *file;
    struct look *items;
    size_t count, capacity;
    uint64_t bytes;
};

static bool read_noted(const struct byte_source *source, uint64_t offset, void *buffer,
                       size_t count, struct error *error)
{
    struct looks *looks = (struct looks *)(uintptr_t)source->data;
    *vec_push(looks->items, looks->count, looks->capacity) =
        (struct look){.offset = offset, .count = count};
    looks->bytes += count;
    return looks->file->read(looks->file, offset, buffer, count, error);
}

static double now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

/* Opening the file is part of it. */
static double time_read(const struct host *host, const char *path)
{
    double best = 1e9;
    for (int i = 0; i < RUNS; i++) {
        double begin = now_ms();
        AUTO_BYTE_FILE struct byte_source source = BYTE_SOURCE_NONE;
        AUTO_CODE_LISTING struct code_listing listing = {0};
        if (byte_file_open(host, path, &source, NULL) != HOST_OK ||
            !code_read(&source, &listing, NULL))
            exit(1);
        double took = now_ms() - begin;
        best = took < best ? took : best;
    }
    return best;
}

static double time_floor(const struct host *host, const char *path, const struct looks *looks)
{
    static char buffer[1u << 16];
    double best = 1e9;
    for (int i = 0; i < RUNS; i++) {
        double begin = now_ms();
        AUTO_BYTE_FILE struct byte_source source = BYTE_SOURCE_NONE;
        if (byte_file_open(host, path, &source, NULL) != HOST_OK)
            exit(1);
        for (size_t k = 0; k < looks->count; k++) {
            size_t count =
                looks->items[k].count < sizeof(buffer) ? looks->items[k].count : sizeof(buffer);
            if (pread(source.fd, buffer, count, (off_t)looks->items[k].offset) < 0)
                exit(1);
        }
        double took = now_ms() - begin;
        best = took < best ? took : best;
    }
    return best;
}

static void measure(const struct host *host, const char *path)
{
    AUTO_ERROR struct error error = {0};
    AUTO_BYTE_FILE struct byte_source file = BYTE_SOURCE_NONE;
    AUTO_CODE_LISTING struct code_listing listing = {0};
    struct looks looks = {.file = &file};
    if (byte_file_open(host, path, &file, &error) != HOST_OK) {
        printf("%s: cannot be opened\n", path);
        return;
    }
    struct byte_source noted = {.size = file.size, .read = read_noted, .data = &looks, .fd = -1};
    if (!code_read(&noted, &listing, &error)) {
        printf("%s: refused: %s\n", path, error.what);
        return;
    }
    size_t entries = 0;
    for (size_t i = 0; i < listing.count; i++)
        entries += listing.entries[i].count;
    double took = time_read(host, path);
    double least = time_floor(host, path, &looks);
    printf("%8.1f %7zu %7zu %9.1f %8.1f %7zu %8.3f %8.3f %6.2f  %s\n", (double)file.size / 1048576,
           listing.fat_binaries, entries, (double)listing.unsearched / 1048576,
           (double)looks.bytes / 1024, looks.count, took, least, took / least, path);
    free(looks.items);
}

int main(int count, char **arguments)
{
    struct host *host = host_new(NULL, NULL);
    if (host == NULL)
        return 1;
    puts("     MiB     fat entries left MiB  KiB read   reads       ms    floor  ratio  file");
    for (int i = 1; i < count; i++)
        measure(host, arguments[i]);
    host_free(host);
    return 0;
}
