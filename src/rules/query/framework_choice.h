/* SPDX-License-Identifier: MIT */
#ifndef RULES_QUERY_FRAMEWORK_CHOICE_H
#define RULES_QUERY_FRAMEWORK_CHOICE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/version.h"

/* What was resolved of a framework for this machine. The rules do not resolve: they are told. */
struct framework_choice {
    char *title;        /* PyTorch */
    char *framework;    /* pytorch */
    char *asked;        /* what --for-framework says, "pytorch@2.5"; NULL: it is installed here */
    char *version;      /* of the build that was chosen; NULL: nothing fits */
    char *build;        /* cu126; or NULL */
    char *command;      /* that installs it, "pip install …"; NULL: none is known */
    char *why;          /* one sentence: what decided */
    char *limits;       /* what does not work then, joined; NULL: it runs without limits */
    char *reason;       /* nothing fits: slug of what speaks against the newest; or NULL */
    char *row;          /* of the manifest; or NULL */
    char *cuda, *cudnn; /* that the build was made with; or NULL */
    bool unknown;       /* whether it runs here is not known; without a version: whether any does */
    bool wants_system;  /* it brings neither, and wants them installed */
    bool needs_no_cuda; /* CUDA is not its business */
    char *python;       /* that it takes, "3.9-3.13"; or NULL */
    struct version glibc; /* that its wheel asks for at least; count 0: not known */
    /* For a build without CUDA: the release that is installed, and what installs its build for CUDA
     * that runs here. NULL: there is none, or it is the one that was chosen. */
    char *same_release, *same_command;
};

/* A GPU that an installed framework has PTX alone for, which the driver does not compile; or nobody
 * knows whether it does. It is judged as `gpuenv inspect` judges a file. */
struct framework_ptx {
    char *group;               /* of the framework: "framework/0" */
    struct version capability; /* of the GPU */
    bool unknown;
    char *why;                 /* one sentence: what decided */
    char *row;                 /* of the manifest; or NULL */
    struct version driver_min; /* that compiles it; count 0: not known */
};

/* What `gpuenv install` does with a request here: a fix must not print a command that it refuses.
 * The rules do not resolve: they ask for it when they print such a fix. */
struct framework_install {
    char *asked;        /* "tensorflow@2.7.0": what it was built with; "cuda@11.3" */
    char *command;      /* "gpuenv install …"; NULL: it cannot */
    bool unpinned;      /* nothing but the server vouches for what the command downloads */
    char *cuda, *cudnn; /* the versions that it is about; NULL: none, or not known */
};

struct framework_choices {
    struct framework_choice *items;
    size_t count, capacity;
    /* Fills in what it finds out about install->asked; NULL: nobody can be asked. */
    void (*try_install)(const void *data, struct framework_install *install);
    const void *install_data; /* of try_install() */
    struct framework_ptx *ptx;
    size_t ptx_count, ptx_capacity;
};
void framework_choices_free(struct framework_choices *choices);

/* The choice for one that is installed; NULL: none was resolved. choices may be NULL. */
const struct framework_choice *framework_choice_find(const struct framework_choices *choices,
                                                     const char *framework);

/* False: nobody can be asked what `gpuenv install` does with asked. choices may be NULL.
 * *ret_install is the caller's to free. */
bool framework_install_try(const struct framework_choices *choices, const char *asked,
                           struct framework_install *ret_install);
void framework_install_free(struct framework_install *install);
#define AUTO_INSTALL AUTO(framework_install_free)

/* What was told of that framework's PTX for GPUs of that compute capability; NULL: nothing, and it
 * runs or others tell why not. choices may be NULL. */
const struct framework_ptx *framework_ptx_find(const struct framework_choices *choices,
                                               const char *group, const struct version *capability);

/* False when the build is known not to be for that Python; ret_newest is then the newest that it is
 * for. */
bool framework_choice_takes_python(const struct framework_choice *choice,
                                   const struct version *python, struct version *ret_newest);

#endif
