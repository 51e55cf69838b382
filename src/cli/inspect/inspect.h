/* SPDX-License-Identifier: MIT */
#ifndef CLI_INSPECT_INSPECT_H
#define CLI_INSPECT_INSPECT_H

#include "base/error.h"
#include "base/version.h"
#include "cli/engine/session.h"
#include "code/wheel.h"
#include "host/root/host.h"
#include "resolve/binary/binary.h"
#include "resolve/engine/resolution.h"

struct manifest;
struct text;

/* One call of `gpuenv inspect`. */

/* GPU code as it is judged: that of a file, or of a member of an archive. */
struct inspected_code {
    struct binary_code *codes; /* of a listing, in its order */
    struct binary binary;
    struct binary_needs needs;
    struct version cuda;             /* that built it; count 0: not said */
    bool cuda_least;                 /* no entry says it: it is the least that can have */
    struct binary_verdict *verdicts; /* one for each GPU of the inspection */
    size_t verdict_count;
};

/* A file, and what was found in it. */
struct inspected {
    char *path; /* as it was given, or below that */
    uint64_t size;
    struct error error;          /* set: it cannot be read (ERROR_NO_INPUT), or is not sound */
    struct code_listing listing; /* of an archive: the sum */
    struct inspected_code code;
    struct wheel wheel; /* of a zip archive */
    bool is_wheel;
    struct inspected_code *members; /* one for each of the wheel */
    struct version cuda_newest;     /* that built a member, where another built another one */
};

/* GPUs of one kind: here, or assumed. Strings belong to facts and manifest. */
struct inspected_gpu {
    struct resolve_gpu gpu;
    size_t count;
};

struct inspection {
    struct manifest *manifest;
    bool whole;              /* all data of a file is searched, however long that takes */
    struct inspected *items; /* files that were named, and of directories those with GPU code and
                                those that something is wrong with */
    size_t count, capacity;
    size_t with_code;
    size_t without; /* files of directories without GPU code, which are no items */
    size_t skipped; /* links, devices, FIFOs, sockets, kernel file systems in directories */
    size_t again;   /* further names of files that were read */
    bool any_directory;
    struct inspected_gpu *gpus;
    size_t gpu_count, gpu_capacity;
};
#define AUTO_INSPECTION AUTO(inspection_free)
void inspection_free(struct inspection *inspection);

/* Reads what word names: a file, or every file of a directory. Nothing is told by failing: what
 * cannot be read is an item with an error. */
void inspect_path(const struct host *host, const char *word, struct inspection *inspection);

/* Reads one file. named: it is an item whatever is in it. */
void inspect_file(const struct host *host, const char *path, const char *shown, bool named,
                  struct inspection *inspection);

/* Whether a member of the wheel cannot run on a GPU (by its number) though the whole can. */
bool inspected_member_fails(const struct inspected *item, size_t member, size_t gpu);

/* True when an item is not sound, or a member of it. */
bool inspected_is_broken(const struct inspected *item);

void inspection_append_text(const struct report_input *input, const struct inspection *inspection,
                            struct text *output);
void inspection_append_json(const struct report_input *input, const struct inspection *inspection,
                            struct text *output);

/* The name that tells a GPU from others: "NVIDIA H100 80GB HBM3", "compute capability 9.0". */
char *inspected_gpu_name(const struct inspected_gpu *gpu);

#endif
