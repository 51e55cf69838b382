/* SPDX-License-Identifier: MIT */
#ifndef MANIFEST_FRAMEWORK_FRAMEWORK_H
#define MANIFEST_FRAMEWORK_FRAMEWORK_H

#include <stddef.h>

#include "base/strlist.h"
#include "base/version.h"
#include "manifest/reader/range.h"
#include "manifest/versions/listed.h"

struct manifest;

/* manifests/framework.json: builds of frameworks and inference servers, and what each needs. */

/* One build: a wheel, a conda package, a container image. A version with fewer parts than usual
 * ("9" for a cuDNN) is all that its makers say. */
struct manifest_build {
    const char *id;        /* "framework/pytorch-2.5.1+cu124": unique */
    const char *framework; /* pytorch, tensorflow, jax, onnxruntime … in small letters */
    const char *release; /* its version as published: "2.5.1", "25.03", "2.x", "<=2.5.1", "0.3-0.5";
                            NULL: not said */
    const char *variant; /* which build of that release: "cu124", "cuda12", "windows"; NULL: one */
    const char *kind;    /* wheel, conda, image, archive, source: how it comes; NULL: not said */
    const char *os;      /* linux, windows, macos; NULL: linux, or not said */
    const char *os_also; /* windows: the row holds for it too */
    struct strlist arch; /* "x86_64", "aarch64": all that it is made for; empty: not said */
    const char *stage;   /* "planned", "unreleased", "recipe" (its makers' build scripts have it,
                            their release does not); NULL: published */
    const char *tier;    /* stable, experimental, extra, lts: as its makers call it */
    const char *rank;    /* primary, also, doc: of the builds of one TensorRT release */
    const char *date;    /* of the release */
    const char *seen;    /* date of the state that was read, where a release has no single one */
    const char *uses_cuda; /* yes; no: it does without; not-native: CUDA by way of another
                              framework or library alone; NULL: unknown */
    struct version cuda;   /* that it was built with and carries or wants: 12.4, 12.4.1 */
    struct strlist cudas;  /* others that it works with or comes for: "12.0", "12.x", "11.2+" */
    struct manifest_range cuda_range; /* that it accepts */
    struct version cudnn;             /* that it was built with */
    struct strlist cudnns;            /* where it works with several: "8.0", "8.2+" */
    struct manifest_range cudnn_range;
    const char *carries; /* cuda: brings CUDA and cuDNN itself; system: wants them installed; NULL:
                            not said */
    struct version tensorrt;
    const char *onnxruntime; /* release inside */
    struct version nccl_min;
    struct strlist requires;   /* "torch==2.13.0" */
    struct strlist components; /* of an image: "torch 2.6.0a0", "TensorRT-LLM 0.17.0" */
    struct version driver_min; /* where its makers state one; count 0: that of its CUDA holds */
    struct strlist driver_alternates; /* older branches that do on data-centre GPUs: "470.57" */
    struct version driver_min_windows;
    struct version driver_listed; /* that belongs to its CUDA: no minimum */
    struct version driver_built;  /* of the machine that built it: no minimum */
    struct strlist sass;          /* "8.0", "9.0a": machine code inside (x86_64) */
    struct strlist ptx;           /* "12.0": PTX inside, newer GPUs compile it */
    struct strlist ptx_fails;     /* "12.0": newer GPUs on which it fails all the same */
    struct strlist sass_aarch64;  /* machine code in the aarch64 build */
    struct strlist plugin_sass;   /* TensorRT: machine code of its open-source plugins alone */
    struct version capability_min, capability_max; /* that its makers state */
    struct strlist capabilities; /* what its documentation lists, as written: "7.0", ">8.0" */
    const char *python;          /* "3.9-3.13", ">=3.10,<3.15" */
    const char *python_aarch64;  /* where the aarch64 build is for fewer; NULL: for the same */
    const char *compiler;
    const char *build_tool;
    const char *is_default;     /* yes: what a plain install from the package index gives */
    const char *package;        /* "torch", "jax[cuda12]": what the installer is told */
    const char *suffix;         /* to the version that the installer is told: "post117" */
    struct strlist packages;    /* that it consists of; or one for each CUDA ("cupy-cuda12x") */
    struct strlist with;        /* "numpy<2": what the installer is told beside it, as its own
                                   METADATA lets newer ones in that it does not run with */
    const char *index;          /* index tag that the package comes from; NULL: PyPI, or unknown */
    const char *channel;        /* of a conda package */
    struct strlist patterns;    /* of the conda build string */
    struct strlist constrains;  /* packages whose versions the conda build constrains */
    struct version conda_cudnn; /* PyTorch: what its conda package of the same CUDA has */
    const char *conda_python;
    struct strlist conda_sass;
    struct strlist downloads; /* words in the names of its archives: "cuda-11.8.cudnn8.6" */
    const char *image;        /* base image */
    const char *source;
    const char *confidence;
    const char *notes;
};
/* Every build: by framework, oldest release first. */
const struct manifest_build *manifest_builds(struct manifest *manifest, size_t *ret_count);
/* Those of one framework (its exact name): NULL and a count of 0 when there are none. */
const struct manifest_build *manifest_builds_of(struct manifest *manifest, const char *framework,
                                                size_t *ret_count);
/* True for what pip takes: a wheel, or a source archive that it compiles. */
bool manifest_build_is_of_pip(const struct manifest_build *build);

/* The command that installs the build, a new string; NULL: none is known. The pip pattern of its
 * framework, filled in, or that of a conda package; none for what is not published, not for a
 * package that the index gives only under another variant, and not where the pattern asks what the
 * build has not. cuda (NULL: that of the build) tells which of several packages is meant. */
char *manifest_build_command(struct manifest *manifest, const struct manifest_build *build,
                             const struct version *cuda);

/* The Pythons that it is for on that architecture (uname's; NULL: x86_64); NULL: not known. */
const char *manifest_build_python(const struct manifest_build *build, const char *architecture);

/* A framework. */
struct manifest_framework {
    const char *id;              /* "framework/pytorch" */
    const char *framework;       /* pytorch */
    const char *title;           /* PyTorch */
    struct strlist names;        /* other names people and packages use: "torch" */
    struct strlist shared_names; /* that other frameworks have too: who gives one is asked which */
    const char *native; /* yes; rider: it runs on another framework; no: CUDA is not its business */
    struct strlist backends; /* of a rider: frameworks it runs on */
    const char *pip;         /* the command that installs a build: VERSION, INDEX, PACKAGE stand for
                                what the build has; a build without index does without what begins
                                at --index-url or -f; NULL: it is not installed so, or not known */
    const char *pip_source;  /* the same for a build that is a source archive, which pip compiles on
                                the machine; NULL likewise */
    const char *jit;         /* the compiler inside, which makes code for the GPU while a program
                                runs, and must know the GPU itself: "XLA"; NULL: none, or unknown */
    const char *gpu_code; /* none: it has no code for GPUs, and needs none; compiled: it has none,
                             and a CUDA toolkit makes it on the machine, for the GPU there; NULL:
                             its builds say what they have */
    const char *status;   /* active, ended; NULL: not known */
    const char *source;
    const char *confidence;
    const char *notes;
};
const struct manifest_framework *manifest_frameworks(struct manifest *manifest, size_t *ret_count);
/* By name or other name, case and '-', '_', '.' and ' ' alike; NULL when not listed. */
const struct manifest_framework *manifest_framework_find(struct manifest *manifest,
                                                         const char *name);
/* The one after it (NULL: the first) of those that share the name; NULL: there is none. */
const struct manifest_framework *
manifest_framework_sharing(struct manifest *manifest, const char *name,
                           const struct manifest_framework *before);

/* A version of a package that a build asks for; by framework, oldest release first. */
struct manifest_framework_pin {
    const char *id;        /* "framework/jax-0.11.0+cuda12-nvidia-cudnn-cu12" */
    const char *framework; /* jax */
    const char *release;   /* "0.11.0", "2.18-2.21" */
    const char *variant;   /* cuda12; NULL: every one */
    const char *at;        /* install: the wheel says so; import: the running program checks;
                              optional: used where it is there */
    const char *package;   /* nvidia-cudnn-cu12; "cuBLAS" where the library itself is asked */
    const char *spec;      /* ">=9.8,<10.0", "==8.7.0.84" */
    struct version newest; /* that the package index has within spec: what pip takes; count 0: not
                              looked up, or spec allows one alone */
    const char *source;
    const char *confidence;
    const char *notes;
};

const struct manifest_framework_pin *manifest_framework_pins(struct manifest *manifest,
                                                             size_t *ret_count);

/* What a rider wants of a backend. */
struct manifest_rider {
    const char *id;        /* "framework/keras-3.15-3.16+jax" */
    const char *framework; /* keras */
    const char *release;
    const char *backend;    /* jax: a framework of its own row */
    const char *use;        /* run: to run on it; test: what its makers test it with */
    const char *spec;       /* ">=0.4.20", "jax[cuda13]" */
    struct version version; /* the least; of a test, the one */
    const char *python;     /* ">=3.11" */
    const char *source;
    const char *confidence;
    const char *notes;
};
const struct manifest_rider *manifest_riders(struct manifest *manifest, size_t *ret_count);

/* An index of PyTorch wheels, newest first. */
struct manifest_torch_index {
    const char *id;            /* "framework/index-cu126" */
    unsigned order;            /* in which uv tries them */
    const char *index;         /* cu126 */
    struct version cuda;       /* 12.6 */
    struct version driver_min; /* on Linux: that of the CUDA major */
    struct version driver_min_windows;
    const char *source;
    const char *confidence;
    const char *notes;
};

/* The packages of a framework that have code for a GPU. */
struct manifest_framework_capability {
    const char *id;            /* "framework/paddlepaddle-sm-8.6" */
    const char *framework;     /* paddlepaddle */
    struct version capability; /* 8.6 */
    struct strlist cudas;      /* CUDA of the packages: "11.x", "11.2+" */
    const char *source;
    const char *confidence;
    const char *notes;
};
const struct manifest_framework_capability *
manifest_framework_capabilities(struct manifest *manifest, size_t *ret_count);

/* The glibc that a framework's wheels on PyPI ask for by their tag, from a release on up to the
 * next row's of the same architecture. Libraries may need a newer one. */
struct manifest_framework_glibc {
    const char *id;           /* "framework/pytorch-2.7.0:glibc", "…-2.6.0:glibc-aarch64" */
    const char *framework;    /* pytorch */
    const char *architecture; /* aarch64; NULL: x86_64 */
    struct version release;   /* 2.7.0 */
    struct version glibc;     /* 2.28 */
    const char
        *everywhere; /* yes: builds of its makers' own indexes are made alike; NULL: not said */
    const char *source;
    const char *confidence;
    const char *notes;
};
/* architecture as uname has it. NULL: not known of that release there. */
const struct manifest_framework_glibc *manifest_framework_glibc_find(struct manifest *manifest,
                                                                     const char *framework,
                                                                     const char *architecture,
                                                                     const struct version *release);

/* The glibc that the wheel of a build asks for; count 0: it is no wheel, or that is not known.
 * architecture NULL: x86_64. */
struct version manifest_build_glibc(struct manifest *manifest, const struct manifest_build *build,
                                    const char *architecture);

/* The CUDA that wheels of a framework are built for which say it nowhere themselves. */
struct manifest_framework_wheel {
    const char *id;        /* "framework/ctranslate2-4:wheel" */
    const char *framework; /* a package, which need not be among the frameworks */
    struct manifest_range releases;
    struct version cuda; /* 12 */
    const char *source;
    const char *confidence;
    const char *notes;
};
/* NULL: not known of that release. */
const struct manifest_framework_wheel *manifest_framework_wheel_find(struct manifest *manifest,
                                                                     const char *framework,
                                                                     const struct version *release);

#endif
