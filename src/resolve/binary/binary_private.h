/* SPDX-License-Identifier: MIT */
#ifndef RESOLVE_BINARY_BINARY_PRIVATE_H
#define RESOLVE_BINARY_BINARY_PRIVATE_H

#include <stdbool.h>

#include "base/version.h"
#include "manifest/toolkit/code_match.h"
#include "resolve/binary/binary.h"

struct manifest;

/* Which of its code decides. Linked code, where there is any: the linked code is in the file too.
 * And code where nvcc puts it, or code in data, whichever is more: cuFFT has nearly all of it in
 * data, cuSPARSE has some there for a part of what it does. */
struct binary_choice {
    bool linked;  /* no unlinked code */
    bool in_data; /* that in data, not the other */
};
struct binary_choice binary_choice(const struct binary *binary);
bool binary_counts(const struct binary_choice *choice, const struct binary_code *code);

/* The code of a kind, of what decides (choice NULL: of all), that suits the GPU best: the highest
 * compute capability, then the newest PTX. NULL: none does. */
const struct binary_code *binary_best(struct manifest *manifest, const struct binary *binary,
                                      const struct binary_choice *choice, enum binary_kind kind,
                                      const struct version *gpu, enum code_match *ret_match);

/* The lowest compute capability that any of it is for; count 0: none is said. */
struct version binary_least(const struct binary *binary);

/* The lowest drivers, count 0 where it is not known: of a GPU; that knows this PTX; that runs
 * programs of this CUDA, minor-version compatibility counted. */
struct version binary_driver_of_gpu(struct manifest *manifest, const struct version *capability);
struct version binary_driver_of_ptx(struct manifest *manifest, const struct version *ptx);
struct version binary_driver_of_cuda(struct manifest *manifest, const struct version *cuda);
/* The later one; count 0 loses. */
struct version binary_later(struct version a, struct version b);

/* The codes of a kind, each once: "sm_75, sm_80". A new string, "" when there is none. */
char *binary_names(const struct binary *binary, enum binary_kind kind);

#endif
