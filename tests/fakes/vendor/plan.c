/* SPDX-License-Identifier: MIT */
#include "plan.h"

#include <ctype.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A line is `[gpu N] SUBJECT REST`. The last one that fits counts. */
struct plan_line {
    int gpu; /* NO_GPU: for all */
    const char *subject, *rest;
};

#define PLAN_MAX  65536
#define LINES_MAX 1000

/* A healthy machine: what holds where the plan says nothing else. */
static const char healthy[] = "gpus 1\n"
                              "driver 570.86.15\n"
                              "nvml 12.570.86.15\n"
                              "cuda 12080\n"
                              "confidential 0\n"
                              "confidential_ready 0\n"
                              "name NVIDIA H100 80GB HBM3\n"
                              "uuid GPU-$\n"
                              "bus_id $\n"
                              "capability_major 9\n"
                              "capability_minor 0\n"
                              "clock_khz 1980000\n"
                              "memory_clock_khz 2619000\n"
                              "multiprocessors 132\n"
                              "peer_access 1\n"
                              "context_bytes 536870912\n"
                              "wrong 0\n"
                              "wrong_copied 0\n"
                              "jit_log -\n"
                              "memory_total 85520809984\n"
                              "memory_used 0\n"
                              "memory_reserved 624951296\n"
                              "utilization 0\n"
                              "compute_mode 0\n"
                              "display_active 0\n"
                              "display_mode 0\n"
                              "persistence 1\n"
                              "mig 0\n"
                              "mig_max 7\n"
                              "mig_instances 0\n"
                              "pcie_generation 5\n"
                              "pcie_generation_max 5\n"
                              "pcie_width 16\n"
                              "pcie_width_max 16\n"
                              "clock_sm 345\n"
                              "clock_sm_max 1980\n"
                              "clock_memory 2619\n"
                              "clock_memory_max 2619\n"
                              "clock_event_reasons 1\n"
                              "temperature 33\n"
                              "power 71000\n"
                              "power_limit 700000\n"
                              "power_default 700000\n"
                              "ecc 1\n"
                              "ecc_uncorrected_volatile 0\n"
                              "ecc_uncorrected_aggregate 0\n"
                              "remapped_correctable 0\n"
                              "remapped_uncorrectable 0\n"
                              "remap_pending 0\n"
                              "remap_failure 0\n"
                              "retired_pages 0\n"
                              "retired_pages_pending 0\n"
                              "processes 0\n"
                              "no_processes 0\n"
                              "nvlinks 18\n"
                              "nvlinks_inactive 0\n"
                              "fabric_state 3\n"
                              "fabric_status 0\n"
                              "minor $\n"
                              "cudart 12080\n"
                              "cudnn 90800\n"
                              "cudnn_cudart 12080\n"
                              "cudnn_capability 1210\n"
                              "nccl 22602\n"
                              "tensorrt 100800\n"
                              "cublas 120800\n"
                              "cufft 11304\n"
                              "curand 10309\n"
                              "cusolver 11703\n"
                              "major 12\n"
                              "minor_version 8\n"
                              "patch 1\n";

static char plan_text[PLAN_MAX];
static struct plan_line lines[LINES_MAX];
static size_t line_count;

static void hex_decode(char *text)
{
    char *to = text;
    for (const char *from = text; *from; to++) {
        unsigned byte;
        if (from[0] == '\\' && from[1] == 'x' && isxdigit((unsigned char)from[2]) &&
            sscanf(from + 2, "%2x", &byte) == 1) {
            *to = (char)byte;
            from += isxdigit((unsigned char)from[3]) ? 4 : 3;
        } else {
            *to = *from++;
        }
    }
    *to = '\0';
}

/* Cuts the first word off. */
static char *word_cut(char **text)
{
    char *word = *text + strspn(*text, " ");
    char *end = word + strcspn(word, " ");
    *text = end + strspn(end, " ");
    if (*end)
        *end = '\0';
    return word;
}

static void line_add(char *text)
{
    struct plan_line line = {.gpu = NO_GPU};
    if (strncmp(text, "gpu ", 4) == 0) {
        word_cut(&text);
        line.gpu = atoi(word_cut(&text));
    }
    line.subject = word_cut(&text);
    hex_decode(text);
    line.rest = text;
    if (line.subject[0] && line.subject[0] != '#' && line_count < LINES_MAX)
        lines[line_count++] = line;
}

static void lines_add(char *text)
{
    char *rest = NULL;
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
        line_add(line);
}

/* The path that this library was loaded by, the name cut off; *ret_name is that name. */
static void own_directory(char *path, size_t size, const char **ret_name)
{
    Dl_info info;
    *ret_name = "";
    path[0] = '\0';
    if (!dladdr((const void *)healthy, &info) || info.dli_fname == NULL)
        return;
    const char *slash = strrchr(info.dli_fname, '/');
    *ret_name = slash ? slash + 1 : info.dli_fname;
    snprintf(path, size, "%.*s", (int)(*ret_name - info.dli_fname), info.dli_fname);
}

/* Appends what double.plan holds. */
static void file_read(size_t used)
{
    const char *name;
    char directory[4000], path[4096];
    own_directory(directory, sizeof(directory), &name);
    snprintf(path, sizeof(path), "%sdouble.plan", directory);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    ssize_t got = read(fd, plan_text + used, sizeof(plan_text) - used - 1);
    if (got > 0)
        plan_text[used + (size_t)got] = '\0';
    close(fd);
}

static void plan_read(void)
{
    if (line_count > 0)
        return;
    memcpy(plan_text, healthy, sizeof(healthy));
    file_read(sizeof(healthy) - 1);
    lines_add(plan_text);
}

static bool line_fits(const struct plan_line *line, const char *subject, int gpu)
{
    return strcmp(line->subject, subject) == 0 && (line->gpu == NO_GPU || line->gpu == gpu);
}

static bool verb_is(const char *rest, const char *verb)
{
    size_t size = strlen(verb);
    return strncmp(rest, verb, size) == 0 && (rest[size] == ' ' || rest[size] == '\0');
}

const char *plan_find(const char *subject, int gpu, const char *verb)
{
    const char *found = NULL;
    int found_for = NO_GPU;
    plan_read();
    for (size_t i = 0; i < line_count; i++) {
        const struct plan_line *line = &lines[i];
        if (!line_fits(line, subject, gpu) || (verb && !verb_is(line->rest, verb)) ||
            (found_for != NO_GPU && line->gpu == NO_GPU))
            continue;
        found = verb ? line->rest + strlen(verb) : line->rest;
        found += strspn(found, " ");
        found_for = line->gpu;
    }
    return found;
}

static bool is_answer(const char *rest)
{
    return verb_is(rest, "returns") || verb_is(rest, "gives") || verb_is(rest, "fills") ||
           verb_is(rest, "claims");
}

/* Every action of subject, in the order of the lines. */
static void act_all(const char *subject, int gpu)
{
    plan_read();
    for (size_t i = 0; i < line_count; i++) {
        const struct plan_line *line = &lines[i];
        if (!line_fits(line, subject, gpu) || is_answer(line->rest))
            continue;
        char verb[32];
        size_t size = strcspn(line->rest, " ");
        snprintf(verb, sizeof(verb), "%.*s", (int)size, line->rest);
        if (!act(verb, line->rest + size + strspn(line->rest + size, " ")))
            fprintf(stderr, "double.plan: no verb \"%s\" of %s\n", verb, subject);
    }
}

int plan_call(const char *function, int gpu, int fallback)
{
    act_all(function, gpu);
    const char *code = plan_find(function, gpu, "returns");
    return code ? (int)strtoll(code, NULL, 0) : fallback;
}

static const char *answer_find(const char *function, int gpu, const char *key)
{
    const char *given = plan_find(function, gpu, "gives");
    return given ? given : plan_find(key, gpu, NULL);
}

bool plan_number(const char *function, int gpu, const char *key, long long *ret_number)
{
    const char *value = answer_find(function, gpu, key);
    if (value == NULL || strcmp(value, "-") == 0)
        return false;
    *ret_number =
        strcmp(value, "$") == 0 ? gpu : (long long)strtoull(value, NULL, 0); /* takes -1 too */
    return true;
}

/* $ in a UUID or bus id stands for one of the GPU's own. */
static void expand(const char *value, int gpu, const char *key, char *out, size_t size)
{
    if (strcmp(value, "GPU-$") == 0)
        snprintf(out, size, "GPU-%08x-5ad0-4c3f-9f4e-0123456789ab", gpu + 1);
    else if (strcmp(value, "$") == 0 && strcmp(key, "bus_id") == 0)
        snprintf(out, size, "0000:%02x:00.0", 0x18 + gpu);
    else if (value[0] == '$')
        snprintf(out, size, "%s", getenv(value + 1) ? getenv(value + 1) : "(not set)");
    else
        snprintf(out, size, "%s", value);
}

bool plan_string(const char *function, int gpu, const char *key, char *buffer, size_t size)
{
    const char *fill = plan_find(function, gpu, "fills");
    for (size_t i = 0; fill && fill[0] && i < size; i++)
        buffer[i] = fill[i % strlen(fill)];
    if (fill)
        return true;
    const char *value = answer_find(function, gpu, key);
    if (value == NULL || strcmp(value, "-") == 0)
        return false;
    expand(value, gpu, key, buffer, size);
    return true;
}

/* `libcuda.so.1:load ACTION`, by the name it was loaded by. */
static void act_as_library(const char *when)
{
    char directory[4000], subject[300];
    const char *name;
    own_directory(directory, sizeof(directory), &name);
    snprintf(subject, sizeof(subject), "%s:%s", name, when);
    act_all(subject, NO_GPU);
}

__attribute__((constructor)) static void loaded(void)
{
    act_as_library("load");
}

__attribute__((destructor)) static void ended(void)
{
    act_as_library("exit");
}
