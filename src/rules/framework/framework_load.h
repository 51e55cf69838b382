/* SPDX-License-Identifier: MIT */
#ifndef RULES_FRAMEWORK_FRAMEWORK_LOAD_H
#define RULES_FRAMEWORK_FRAMEWORK_LOAD_H

#include "rules/framework/framework.h"

struct finding;
struct manifest;

/* What frameworks load, and what they get. Strings belong to the record. */

/* One library that one framework asks for: a group "framework_library/N". */
struct framework_load {
    const char *group;
    const struct framework *framework; /* never NULL */
    const char *soname;                /* libcudnn.so.9; never NULL */
    const char *family;                /* cudnn; "" when not known */
    const char *by;                    /* the file that asks; may be NULL */
    const char *path;                  /* what it gets; NULL: nothing, or not known */
    const char *real_path;             /* the same without links; NULL with path */
    const char *why;                   /* what led there; may be NULL */
    bool missing;                      /* it was looked for, and is not found */
    const char *damaged; /* why what is there cannot be loaded; NULL: nothing is known of that */
    bool linked;         /* a file names it as needed: without it that does not load */
};
struct framework_loads {
    struct framework_load *items;
    size_t count, capacity;
};
#define AUTO_LOADS AUTO(framework_loads_free)
/* Without those that are only taken when they are there. frameworks must outlive it. */
struct framework_loads framework_loads_of(const struct facts *facts,
                                          const struct frameworks *frameworks);
void framework_loads_free(struct framework_loads *loads);

/* The load of that name of that framework which finds something; NULL: none. */
const struct framework_load *framework_loads_got(const struct framework_loads *loads,
                                                 const struct framework *framework,
                                                 const char *soname);

/* ONNX Runtime takes libraries that the program has loaded before it: true when another framework
 * of its environment gets what it asks for. */
bool framework_loads_brought(const struct framework_loads *loads,
                             const struct framework_load *asked);

/* "import torch before cupy", as a fix, where PyTorch of the same environment gets the library that
 * CuPy asks for and does not get. */
void framework_fix_order(struct finding *finding, const struct framework_loads *loads,
                         const struct framework_load *asked);

/* A copy of the library of that name, for this system's programs and no stub, wherever it is; NULL:
 * none. */
const char *framework_copy_named(const struct facts *facts, const char *soname);
/* A copy of the same family under another number; NULL: none. */
const char *framework_copy_other(const struct facts *facts, const char *family, const char *soname);
/* A library without which a framework's programs do not start: of CUDA, or any of NVIDIA's that is
 * linked (NCCL, cuSPARSELt, cuDSS). Not cuDNN, NVRTC and the driver, which have causes of their
 * own. */
bool framework_load_is_core(const struct framework_load *load);

/* True when a library of CUDA that the framework gets asks for it, and nothing gets it. */
bool framework_load_is_dependency(const struct framework_loads *loads,
                                  const struct framework_load *load);

/* NVIDIA's wheel that brings the library of that name: nvidia-nvjitlink-cu12 of libnvJitLink.so.12.
 * NULL: not known. */
const char *framework_wheel_of(struct manifest *manifest, const char *family, const char *soname);

/* True where the package itself loads a library that a rule follows. */
bool framework_has_loads(const struct framework_loads *loads, const struct framework *framework);

/* "export LD_LIBRARY_PATH=…" for the directory of path, as a fix. */
void framework_fix_path(struct finding *finding, const char *path, const char *note);

/* On a Jetson: the CUDA runtime that a wheel for Jetson asks for, where this JetPack has another
 * one; NULL: it is built for this JetPack, or that is not known (framework_cpu.c). */
const struct framework_load *framework_of_other_jetpack(const struct facts *facts,
                                                        const struct framework_loads *loads,
                                                        const struct framework *framework);

#endif
