/* SPDX-License-Identifier: MIT */
#ifndef MANIFEST_FRAMEWORK_H
#define MANIFEST_FRAMEWORK_H

#include "manifest/manifest.h"

/* manifests/framework.json: builds of frameworks and inference servers, and what each needs. */

/* One build: a wheel, a conda package, a container image. */
struct manifest_build {
    const char *id;        /* "framework/pytorch-2.5.1+cu124": unique */
    const char *framework; /* pytorch, tensorflow, jax, onnxruntime … in small letters */
    const char *release;   /* its version as published: "2.5.1", "25.03", "2.x" */
    const char *variant;   /* which build of that release: "cu124", "cuda12", "linux"; NULL: one */
    const char *kind;      /* wheel, conda, image, source: how it comes */
    const char *os;        /* linux, windows, macos; NULL: linux, or not said */
    const char *stage;     /* "planned", "unreleased"; NULL: published */
    const char *date;      /* of the release */
    const char *uses_cuda; /* yes; no: it runs on CPUs only; not-native: CUDA by way of another
                              framework or library alone; NULL: unknown */
    struct version cuda;   /* that it was built with and carries or wants: 12.4, 12.4.1 */
    struct strlist cudas;  /* where it works with several: "12.0", "12.x" */
    struct manifest_range cuda_range; /* that it accepts */
    struct version cudnn;             /* that it was built with */
    struct manifest_range cudnn_range;
    const char *carries; /* cuda: brings CUDA and cuDNN itself; system: wants them installed */
    struct version tensorrt;
    struct version driver_min;     /* where its makers state one; count 0: that of its CUDA holds */
    struct strlist sass;           /* "8.0", "9.0a": machine code inside (x86_64) */
    struct strlist ptx;            /* "12.0": PTX inside, newer GPUs compile it */
    struct strlist sass_aarch64;   /* machine code in the aarch64 build */
    struct version capability_min; /* lowest that its makers state */
    const char *python;            /* "3.9-3.13" */
    const char *is_default;        /* yes: what a plain install from the package index gives */
    const char *package;           /* "torch", "jax[cuda12]": what the installer is told */
    const char *index;             /* index tag or URL that the package comes from; NULL: PyPI */
    const char *image;             /* base image */
    const char *source;
    const char *confidence;
    const char *notes;
};
/* Every build: by framework, oldest release first. */
const struct manifest_build *manifest_builds(struct manifest *manifest, size_t *ret_count);

/* A framework. */
struct manifest_framework {
    const char *id;        /* "framework/pytorch" */
    const char *framework; /* pytorch */
    const char *title;     /* PyTorch */
    struct strlist names;  /* other names people and packages use: "torch" */
    const char *native; /* yes; rider: it runs on another framework; no: CUDA is not its business */
    struct strlist backends; /* of a rider: frameworks it runs on */
    const char *pip;         /* the command that installs a build: VERSION, INDEX, PACKAGE stand for
                                what the build has; NULL: it is not installed so */
    const char *status;      /* active, ended */
    const char *source;
    const char *confidence;
    const char *notes;
};
const struct manifest_framework *manifest_frameworks(struct manifest *manifest, size_t *ret_count);
/* By name or other name, case and '-', '_' and '.' alike; NULL when not listed. */
const struct manifest_framework *manifest_framework_find(struct manifest *manifest,
                                                         const char *name);

#endif
