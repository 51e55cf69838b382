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

#include "manifest/subject.h"

#define SUBJECTS_MAX 32

struct manifest *__real_manifest_new(void);
const void *__real_manifest_rows(struct manifest *manifest, const struct manifest_subject *subject,
                                 unsigned table, size_t *ret_count);
void *__real_manifest_fields(struct manifest *manifest, const struct manifest_subject *subject);
struct manifest *__wrap_manifest_new(void);
const void *__wrap_manifest_rows(struct manifest *manifest, const struct manifest_subject *subject,
                                 unsigned table, size_t *ret_count);
void *__wrap_manifest_fields(struct manifest *manifest, const struct manifest_subject *subject);

static struct {
    pid_t pid;
    double begun, spent;
    unsigned lookups;
    const char *subjects[SUBJECTS_MAX];
} share;

static double now_ms(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static void note(const struct manifest_subject *subject, double start)
{
    share.spent += now_ms(CLOCK_THREAD_CPUTIME_ID) - start;
    share.lookups++;
    size_t i = 0;
    while (i < SUBJECTS_MAX && share.subjects[i] != NULL && share.subjects[i] != subject->name)
        i++;
    if (i < SUBJECTS_MAX)
        share.subjects[i] = subject->name;
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
    double start = now_ms(CLOCK_THREAD_CPUTIME_ID);
    const void *rows = __real_manifest_rows(manifest, subject, table, ret_count);
    note(subject, start);
    return rows;
}

void *__wrap_manifest_fields(struct manifest *manifest, const struct manifest_subject *subject)
{
    double start = now_ms(CLOCK_THREAD_CPUTIME_ID);
    void *fields = __real_manifest_fields(manifest, subject);
    note(subject, start);
    return fields;
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
    fprintf(stderr, "manifest: %.2f ms of %.1f ms, %u lookups:", share.spent,
            now_ms(CLOCK_MONOTONIC) - share.begun, share.lookups);
    for (size_t i = 0; i < SUBJECTS_MAX && share.subjects[i] != NULL; i++)
        fprintf(stderr, " %s", share.subjects[i]);
    fprintf(stderr, "\n");
}
