/* SPDX-License-Identifier: MIT */
/* bench_probes ROUNDS: what each probe costs on this machine, the median of ROUNDS, dearest first.
 * Vendor libraries are not asked. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "facts/facts.h"
#include "host/host.h"
#include "host/loader.h"
#include "probe/probe.h"

#define ROUNDS_MAX 1001
#define PROBES_MAX 128

struct row {
    const char *name;
    long median_us;
};

static long now_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (long)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

static int by_number(const void *a, const void *b)
{
    const long *first = a, *second = b;
    return (*first > *second) - (*first < *second);
}

static int by_cost(const void *a, const void *b)
{
    const struct row *first = a, *second = b;
    return (first->median_us < second->median_us) - (first->median_us > second->median_us);
}

/* One round of all probes, as a doctor runs them: later ones see the facts of earlier ones. */
static void run_round(const struct host *host, long (*times)[ROUNDS_MAX], size_t round)
{
    struct loader *loader = loader_new(host);
    struct probe_context context = {.host = host, .loader = loader};
    struct facts *facts = facts_new();
    for (size_t i = 0; probe_table[i].name && i < PROBES_MAX; i++) {
        if (strcmp(probe_table[i].name, "vendor") == 0)
            continue;
        long start = now_us();
        probe_table[i].run(&context, facts);
        times[i][round] = now_us() - start;
    }
    facts_free(facts);
    loader_free(loader);
}

int main(int argc, char **argv)
{
    size_t rounds = argc > 1 ? (size_t)atoi(argv[1]) : 21;
    struct host *host = host_new("/", NULL);
    long(*times)[ROUNDS_MAX] = mem_resize(NULL, PROBES_MAX, sizeof(*times));
    struct row rows[PROBES_MAX];
    size_t count = 0;
    long all = 0;
    if (host == NULL || rounds < 1 || rounds > ROUNDS_MAX)
        return 64;
    for (size_t round = 0; round < rounds; round++)
        run_round(host, times, round);
    for (size_t i = 0; probe_table[i].name && i < PROBES_MAX; i++) {
        if (strcmp(probe_table[i].name, "vendor") == 0)
            continue;
        qsort(times[i], rounds, sizeof(times[i][0]), by_number);
        rows[count] = (struct row){probe_table[i].name, times[i][rounds / 2]};
        all += rows[count++].median_us;
    }
    qsort(rows, count, sizeof(rows[0]), by_cost);
    for (size_t i = 0; i < count; i++)
        printf("%8ld us  %s\n", rows[i].median_us, rows[i].name);
    printf("%8ld us  all\n", all);
    free(times);
    host_free(host);
    return 0;
}
