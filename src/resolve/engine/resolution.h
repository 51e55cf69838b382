/* SPDX-License-Identifier: MIT */
#ifndef RESOLVE_ENGINE_RESOLUTION_H
#define RESOLVE_ENGINE_RESOLUTION_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/strlist.h"
#include "base/version.h"

/* What is resolved, for which machine, and what comes of it. Strings belong to the manifest or to
 * the machine unless it is said otherwise. */

struct manifest_gpu;

/* "cuda", "cuda@12.8", "cuda@auto", "pytorch@2.5", "driver". */
struct resolve_spec {
    char *text;             /* as given */
    char *product;          /* what stands before '@' */
    bool is_auto;           /* @auto */
    struct version version; /* count 0: none given */
    char *release; /* what stands after '@' where that is not a version ("2.x"); else NULL */
};
struct resolve_specs {
    struct resolve_spec *items;
    size_t count, capacity;
};
#define AUTO_SPECS AUTO(resolve_specs_free)
/* Adds one. False: ERROR_USAGE that says what a SPEC looks like, or that a product is given twice.
 * What the manifest must have is asked by resolve_specs_check(). */
bool resolve_specs_add(struct resolve_specs *specs, const char *text, struct error *error);
void resolve_specs_free(struct resolve_specs *specs);
/* The one of the product by that name; NULL: it is not asked for. */
const struct resolve_spec *resolve_spec_of(const struct resolve_specs *specs, const char *product);

/* The machine to resolve for: found or assumed. */
struct resolve_gpu {
    const char *name;                 /* as found or assumed */
    const struct manifest_gpu *model; /* NULL: the manifest does not know it */
    struct version capability;        /* count 0: unknown */
    bool answers;                     /* the driver that is there told of it */
    bool is_driven;                   /* the driver that is there holds it, or told of it */
    const char *device_id;            /* "2330"; NULL: not known, or any of the model's */
};
struct resolve_machine {
    struct version driver;     /* count 0: none found, none assumed, or it tells no version */
    struct version driver_api; /* CUDA driver API version that libcuda told; count 0: not asked */
    bool driver_assumed;
    const struct resolve_gpu *gpus;
    size_t gpu_count;
    const struct version *compat; /* CUDA versions of the cuda-compat packages that are present */
    size_t compat_count;
    const char *architecture;             /* x86_64, aarch64; NULL: x86_64 */
    struct version python;                /* that packages are for; count 0: any */
    struct version glibc;                 /* likewise */
    const char *os_id;                    /* ID of os-release; NULL: unknown */
    const char *os_like;                  /* ID_LIKE; may be NULL */
    const char *os_release;               /* VERSION_ID */
    const struct strlist *apt_components; /* of the distribution's own sources; NULL: unknown */
    const char *apt_file;                 /* that names them; may be NULL */
    struct version toolkit;               /* CUDA that cudnn alone is to join; count 0: none */
    bool toolkit_is_prefix; /* of the prefix: it must. Else it is only installed beside */
};

/* How a version stands to the machine, the worst last. */
enum fit {
    FIT_EXACT,   /* driver and GPUs run all of it */
    FIT_MINOR,   /* minor-version compatibility: no PTX JIT, no new driver features */
    FIT_COMPAT,  /* through a cuda-compat package that is present */
    FIT_UNKNOWN, /* a number that decides is not known */
    FIT_NO,
};
const char *fit_name(enum fit fit); /* exact, minor_version, forward_compatible, unknown, no */

/* One version that was looked at: how it stands to the machine, whatever was asked for. The slugs
 * of reason and turned_down never change meaning; docs/reference/resolve.md lists them. */
struct resolve_candidate {
    const char *product;
    char *version; /* "12.9.1"; of a framework its release */
    char *build;   /* of a framework: "cu126"; of cudnn: "cuda12"; else NULL */
    enum fit fit;
    const char *reason;            /* slug of what decided the fit */
    char *why;                     /* one sentence with the numbers */
    const char *row;               /* id of the manifest's row it rests on; NULL: none has it */
    const char *source;            /* that row's source; NULL with row */
    const char *confidence;        /* that row's; NULL with row */
    const char *notes;             /* that row's; NULL: it has none */
    const char *pin;               /* file, content, none; NULL: the product has no pins */
    const struct resolve_gpu *gpu; /* that decided the fit; NULL: none did */
    const char *turned_down; /* slug of why it was not chosen; NULL: chosen, or older than that */
    char *turned_why;        /* one sentence; NULL: why says it */
};
struct resolve_choice {
    const char *product;
    char *version;
    char *build;
    const char *rule; /* exact, minor_version, forward_compatible: the fit; newest: no driver to
                         measure by; wanted: by --for-framework; recommended: a driver; asked:
                         named in full though its fit is unknown */
    enum fit fit;
    char *why; /* one sentence with the numbers */
    const char *row, *source, *confidence, *pin;
    const char *notes;  /* of the row, where it is a build's or not of high confidence; or NULL */
    char *cuda, *cudnn; /* of a framework's build: what it was made with; or NULL */
    char *python;       /* of a framework's build: the Pythons it is for, "3.9-3.13"; or NULL */
    char *uv; /* what pip's command is for uv; NULL: there is none, or uv has no such Python */
    struct strlist limits; /* what does not work then, one sentence each */
    char *install;         /* what stands in the way of installing it with gpuenv; or NULL */
    char *exact;           /* not an exact fit: the newest version that is; or NULL */
    char *limit_gpu;       /* the GPU that kept a newer version out, with its capability; or NULL */
    struct strlist also;   /* of a framework: other builds of the release that run */
    struct strlist packages; /* of a driver: exact package names */
    struct strlist commands; /* that install it: pip line, apt-get lines */
};
/* A framework for one of several GPUs alone. */
struct mixed_gpu {
    const char *product;
    char *gpu; /* with its capability */
    struct version capability;
    char *version, *build, *command; /* NULL: nothing fits, there is no name, no line */
};
struct resolution {
    struct resolve_choice *chosen;
    size_t chosen_count, chosen_capacity;
    struct resolve_candidate *candidates; /* every version that was looked at: by product in the
                                             order they were resolved, newest first */
    size_t candidate_count, candidate_capacity;
    struct mixed_gpu *mixed_gpus; /* as resolve_mixed_gpus() has it; else none */
    size_t mixed_gpu_count, mixed_gpu_capacity;
    char *machine;         /* what was resolved for, in words */
    struct strlist failed; /* products of which nothing fits */
    struct strlist notes;  /* what to know: "the driver is newer than this manifest (2026-11-20)" */
};
#define AUTO_RESOLUTION AUTO(resolution_free)
void resolve_choice_free(struct resolve_choice *choice); /* what it holds */
void mixed_gpu_free(struct mixed_gpu *mixed);            /* likewise */
void resolution_free(struct resolution *resolution);
/* What was chosen of the product; NULL: nothing. */
struct resolve_choice *resolve_choice_of(const struct resolution *resolution, const char *product);

#endif
