/* SPDX-License-Identifier: MIT */
/*
 * bench_probes ROUNDS [ROOT]: what each probe costs on this machine, or on the tree below ROOT, as
 * the median of ROUNDS, dearest first: microseconds, its share of all, and how many times the floor
 * of this run, which is to open, read and close one small file. Files are as warm as they are.
 * `vendor` calls the libraries that are here, in children, as doctor does; on a tree it has nothing
 * to do.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "facts/facts.h"
#include "host/loader/loader.h"
#include "host/root/host.h"
#include "probe/table.h"

#define ROUNDS_MAX  1001
#define FLOOR_READS 100
#define DEADLINE_MS 10000 /* doctor's, without --timeout */

struct series {
    const char *name;
    long median_ns;
    long ns[ROUNDS_MAX];
};

static long now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (long)now.tv_sec * 1000000000 + now.tv_nsec;
}

static int by_number(const void *a, const void *b)
{
    const long *first = a, *second = b;
    return (*first > *second) - (*first < *second);
}

static int by_cost(const void *a, const void *b)
{
    const struct series *first = a, *second = b;
    return (first->median_ns < second->median_ns) - (first->median_ns > second->median_ns);
}

static void settle(struct series *series, size_t rounds)
{
    qsort(series->ns, rounds, sizeof(series->ns[0]), by_number);
    series->median_ns = series->ns[rounds / 2];
}

/* One small file of that root: what no probe can do with less. */
static long read_floor(const char *root)
{
    char buffer[4096];
    AUTO_FREE char *path = mem_printf("%s/etc/os-release", root);
    long start = now_ns();
    for (int i = 0; i < FLOOR_READS; i++) {
        int fd = open(path, O_RDONLY | O_CLOEXEC);
        if (fd < 0 || read(fd, buffer, sizeof(buffer)) < 0)
            exit(66);
        close(fd);
    }
    return (now_ns() - start) / FLOOR_READS;
}

/* One round of all probes, as a doctor runs them: later ones see the facts of earlier ones. */
static void run_round(const struct host *host, struct series *all, size_t count, size_t round)
{
    struct loader *loader = loader_new(host);
    struct probe_context context = {.host = host,
                                    .loader = loader,
                                    .deadline_ms = (uint64_t)(now_ns() / 1000000 + DEADLINE_MS)};
    struct facts *facts = facts_new();
    for (size_t i = 0; i < count; i++) {
        if (probe_table[i].live_only && !host_is_live(host))
            continue;
        long start = now_ns();
        probe_table[i].run(&context, facts);
        all[i].ns[round] = now_ns() - start;
    }
    facts_free(facts);
    loader_free(loader);
}

static void print_row(const struct series *series, long whole_ns, long floor_ns)
{
    printf("%8.0f us %5.1f %% %7.0f x  %s\n", (double)series->median_ns / 1e3,
           100.0 * (double)series->median_ns / (double)whole_ns,
           (double)series->median_ns / (double)floor_ns, series->name);
}

int main(int argc, char **argv)
{
    size_t rounds = argc > 1 ? (size_t)atoi(argv[1]) : 21;
    const char *root = argc > 2 ? argv[2] : "/";
    struct host *host = host_new(root, NULL);
    size_t count = 0;
    while (probe_table[count].name)
        count++;
    if (host == NULL || rounds < 1 || rounds > ROUNDS_MAX)
        return 64;
    struct series *all = mem_resize(NULL, count + 1, sizeof(*all));
    struct series floor = {.name = "floor: one small file"}, whole = {.name = "all"};
    memset(all, 0, (count + 1) * sizeof(*all));
    for (size_t round = 0; round < rounds; round++) {
        run_round(host, all, count, round);
        floor.ns[round] = read_floor(root);
    }
    settle(&floor, rounds);
    for (size_t i = 0; i < count; i++) {
        all[i].name = probe_table[i].name;
        settle(&all[i], rounds);
        whole.median_ns += all[i].median_ns;
    }
    qsort(all, count, sizeof(all[0]), by_cost);
    for (size_t i = 0; i < count; i++)
        print_row(&all[i], whole.median_ns, floor.median_ns);
    print_row(&whole, whole.median_ns, floor.median_ns);
    printf("%11.1f us                  %s\n", (double)floor.median_ns / 1e3, floor.name);
    free(all);
    host_free(host);
    return 0;
}
