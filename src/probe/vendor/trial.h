/* SPDX-License-Identifier: MIT */
#ifndef PROBE_VENDOR_TRIAL_H
#define PROBE_VENDOR_TRIAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct channel;
struct strlist;

/* Private to probe/vendor/trial*.c: computing on the GPUs (--try), each in a child of its own. What
 * the children answer are facts of the groups trial/N and peer_copy/N-M. */

/* The driver API as far as computing wants it: signatures of cuda.h, CUDA 13.0. CUresult and
 * CUdevice are int; CUcontext, CUmodule, CUfunction and CUstream are pointers; CUdeviceptr is 64
 * bits. */
struct trial_functions {
    int (*get_error_name)(int result, const char **ret_name);
    int (*init)(unsigned flags);
    int (*get)(int *ret_device, int ordinal);
    int (*context_create)(void **ret_context, unsigned flags, int device);
    int (*context_set)(void *context);
    int (*context_destroy)(void *context);
    int (*memory_info)(size_t *ret_free, size_t *ret_total);
    int (*module_load)(void **ret_module, const void *image, unsigned option_count, int *options,
                       void **values);
    int (*module_function)(void **ret_function, void *module, const char *name);
    int (*memory_allocate)(uint64_t *ret_address, size_t size);
    int (*copy_to)(uint64_t target, const void *source, size_t size);
    int (*copy_from)(void *target, uint64_t source, size_t size);
    int (*launch)(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                  unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                  void *stream, void **parameters, void **extra);
    int (*synchronize)(void);
    int (*can_access_peer)(int *ret_can, int device, int peer);
    int (*enable_peer)(void *context, unsigned flags);
    int (*copy_peer)(uint64_t target, void *target_context, uint64_t source, void *source_context,
                     size_t size);
};

/* One child's work. */
struct trial {
    struct channel *channel;
    const char *group; /* that is being answered: "trial/0", "peer_copy/0-1" */
    struct trial_functions call;
};

/* Opens the library. False, and "outcome" of the group answered unknown, when it cannot be opened
 * or lacks a function. */
bool trial_open(struct trial *trial, const char *soname);

/* Says over the channel that a function is about to be called; returns its name. */
const char *trial_step(struct trial *trial, const char *function);

/* True for success. Else the outcome is answered: failed, the call, its error. */
bool trial_succeeded(struct trial *trial, const char *function, int result);

/* A context on the GPU of that number, current; false: answered. */
bool trial_context(struct trial *trial, int ordinal, int *ret_device, void **ret_context);

/* Answers right or wrong: how many of the numbers are not what they should be, and the first. */
void trial_compare(struct trial *trial, const uint32_t *numbers, uint32_t count,
                   uint32_t (*expected)(uint32_t index));

/* What a child is asked to do. */
struct trial_task {
    const char *soname;
    int ordinal;                    /* of trial_ask() */
    const struct trial_pair *pairs; /* of trial_ask_peers() */
    size_t pair_count;
};
struct trial_pair {
    int from, to;
};

/* In the child, of struct asking: context is a struct trial_task. The kernel on one GPU; copies
 * from GPU to GPU, one after the other. */
void trial_ask(struct channel *channel, const void *context);
void trial_ask_peers(struct channel *channel, const void *context);

#endif
