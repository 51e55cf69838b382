/* SPDX-License-Identifier: MIT */
#ifndef PROBE_FRAMEWORK_FRAMEWORK_PRELOAD_H
#define PROBE_FRAMEWORK_FRAMEWORK_PRELOAD_H

#include "base/strlist.h"
#include "probe/framework/framework_load.h"

/* What a framework's own Python code loads by full paths, as its text in the environment says: each
 * release has its own list. */

/* Before its modules: JAX's plugin, Faiss, CuPy from 14 on. */
void preload_before(struct loading *loading);

/* PyTorch, after its first library, which is the item `first` of loading: what its text loads then,
 * and that library again where it failed. */
void preload_torch(struct loading *loading, size_t first);

/* Objects of LD_PRELOAD, which are there before all others. */
void preload_variable(struct loading *loading);

/* Adds the families that JAX's plugin checks when it starts, by its text; without one it computes
 * on the CPU. False where the framework is another or has no such text. */
bool preload_checked(const struct loading *loading, struct strlist *families);

#endif
