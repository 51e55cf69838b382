/* SPDX-License-Identifier: MIT */
/*
 * Linked into a gpuenv of its own (bench_manifest): measures what this run spends on the manifest,
 * by standing in the way of all that reads it, and prints at the end, on descriptor 2, one line
 *   manifest: 1.23 of 45.6 ms, 789 lookups: cuda driver gpu
 * The time is that of parsing, checking and looking up, of exactly the subjects that were asked
 * for.
 */
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "manifest/manifest.h"
#include "manifest/store/store.h"

#define TABLES_MAX 64

struct manifest *__real_manifest_new(void);
const void *__real_manifest_rows(struct manifest *manifest, const struct manifest_subject *subject,
                                 unsigned table, size_t *ret_count);
void *__real_manifest_fields(struct manifest *manifest, const struct manifest_subject *subject);
const void *__real_manifest_rows_saying(struct manifest *manifest,
                                        const struct manifest_subject *subject, unsigned table,
                                        const struct strlist *words, size_t *ret_count);
const void *__real_manifest_rows_with(struct manifest *manifest,
                                      const struct manifest_subject *subject, unsigned table,
                                      uint64_t number, size_t *ret_count);
const void *__wrap_manifest_rows_with(struct manifest *manifest,
                                      const struct manifest_subject *subject, unsigned table,
                                      uint64_t number, size_t *ret_count);
struct manifest *__wrap_manifest_new(void);
const void *__wrap_manifest_rows(struct manifest *manifest, const struct manifest_subject *subject,
                                 unsigned table, size_t *ret_count);
void *__wrap_manifest_fields(struct manifest *manifest, const struct manifest_subject *subject);
const void *__wrap_manifest_rows_saying(struct manifest *manifest,
                                        const struct manifest_subject *subject, unsigned table,
                                        const struct strlist *words, size_t *ret_count);

static struct {
    pid_t pid;
    double begun, spent;
    struct {
        const char *subject, *table;
    } tables[TABLES_MAX];
    size_t count;
} share;

static double now_ms(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

/* Whether the table is asked for the first time. */
static int is_first(const char *subject, const char *table)
{
    for (size_t i = 0; i < share.count; i++)
        if (share.tables[i].subject == subject && share.tables[i].table == table)
            return 0;
    if (share.count == TABLES_MAX)
        return 0;
    share.tables[share.count].subject = subject;
    share.tables[share.count++].table = table;
    return 1;
}

struct manifest *__wrap_manifest_new(void)
{
    double start = now_ms(CLOCK_THREAD_CPUTIME_ID);
    struct manifest *manifest = __real_manifest_new();
    share.spent += now_ms(CLOCK_THREAD_CPUTIME_ID) - start;
    return manifest;
}

const void *__wrap_manifest_rows(struct manifest *manifest, const struct manifest_subject *subject,
                                 unsigned table, size_t *ret_count)
{
    if (!is_first(subject->name, subject->tables[table].name))
        return __real_manifest_rows(manifest, subject, table, ret_count);
    double start = now_ms(CLOCK_THREAD_CPUTIME_ID);
    const void *rows = __real_manifest_rows(manifest, subject, table, ret_count);
    share.spent += now_ms(CLOCK_THREAD_CPUTIME_ID) - start;
    return rows;
}

void *__wrap_manifest_fields(struct manifest *manifest, const struct manifest_subject *subject)
{
    if (!is_first(subject->name, "fields"))
        return __real_manifest_fields(manifest, subject);
    double start = now_ms(CLOCK_THREAD_CPUTIME_ID);
    void *fields = __real_manifest_fields(manifest, subject);
    share.spent += now_ms(CLOCK_THREAD_CPUTIME_ID) - start;
    return fields;
}

/* Each call may read other rows: all are timed. */
const void *__wrap_manifest_rows_saying(struct manifest *manifest,
                                        const struct manifest_subject *subject, unsigned table,
                                        const struct strlist *words, size_t *ret_count)
{
    is_first(subject->name, subject->tables[table].name);
    double start = now_ms(CLOCK_THREAD_CPUTIME_ID);
    const void *rows = __real_manifest_rows_saying(manifest, subject, table, words, ret_count);
    share.spent += now_ms(CLOCK_THREAD_CPUTIME_ID) - start;
    return rows;
}

const void *__wrap_manifest_rows_with(struct manifest *manifest,
                                      const struct manifest_subject *subject, unsigned table,
                                      uint64_t number, size_t *ret_count)
{
    is_first(subject->name, subject->tables[table].name);
    double start = now_ms(CLOCK_THREAD_CPUTIME_ID);
    const void *rows = __real_manifest_rows_with(manifest, subject, table, number, ret_count);
    share.spent += now_ms(CLOCK_THREAD_CPUTIME_ID) - start;
    return rows;
}

__attribute__((constructor)) static void begin(void)
{
    share.pid = getpid();
    share.begun = now_ms(CLOCK_MONOTONIC);
}

/* Children of the run say nothing. */
__attribute__((destructor)) static void end(void)
{
    if (getpid() != share.pid)
        return;
    fprintf(stderr, "manifest: %.2f ms of %.1f ms:", share.spent,
            now_ms(CLOCK_MONOTONIC) - share.begun);
    for (size_t i = 0; i < share.count; i++)
        fprintf(stderr, " %s/%s", share.tables[i].subject, share.tables[i].table);
    fprintf(stderr, "\n");
}
