/* SPDX-License-Identifier: MIT */
#ifndef MANIFEST_MANIFEST_H
#define MANIFEST_MANIFEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/strlist.h"
#include "base/version.h"

/* What is known of the NVIDIA world: manifests/ of the source tree. docs/manifest.md describes the
 * files. A table is parsed when it is first asked for; the built-in ones are checked whole by the
 * tests of gpuenv. */
struct manifest;

/* The manifest built into the program. Never NULL. */
struct manifest *manifest_new(void);

/* A joined document (gpuenv.manifest.json), checked whole. NULL and ERROR_DATA otherwise, naming
 * file, line and key (my.json:117: cuda.rows[14].driver_min), what was expected and what was found.
 * name is what errors call it. text is not needed afterwards. */
#define MANIFEST_MAX (16u << 20)
struct manifest *manifest_load(const char *text, size_t size, const char *name,
                               struct error *error);
void manifest_free(struct manifest *manifest);

/* One thing that is wrong with a manifest. */
struct manifest_problem {
    size_t line;        /* from 1 on; 0: of no line, or not known */
    char *key;          /* cuda.rows[14].driver_min; NULL: none */
    struct error error; /* ERROR_DATA; where names file, line and key */
};

/* All that is wrong. Start with {.max}. */
#define MANIFEST_PROBLEMS_MAX 1000
struct manifest_problems {
    struct manifest_problem *items; /* in the order of their lines */
    size_t count, capacity;
    size_t max;   /* no more than these are looked for */
    bool partial; /* rows that lean on a broken subject were not checked against it */
};
#define AUTO_PROBLEMS AUTO(manifest_problems_free)
void manifest_problems_free(struct manifest_problems *problems);

/* The same as manifest_load(), but finds all problems instead of the first. NULL when there is
 * any. */
struct manifest *manifest_examine(const char *text, size_t size, const char *name,
                                  struct manifest_problems *problems);

/* Checks every subject of the manifest strictly, and the subjects against one another. */
bool manifest_check(struct manifest *manifest, struct error *error);

/* What is wrong with a built-in subject that was asked for (ERROR_INTERNAL), NULL when nothing is.
 * Every lookup in such a subject finds nothing. */
const struct error *manifest_problem(const struct manifest *manifest);

/* NULL only where manifest_problem() has something to say. */
const char *manifest_version(struct manifest *manifest); /* "1" */
const char *manifest_date(struct manifest *manifest);    /* "2026-11-20" */

/* Every row: id names it in messages and JSON ("cuda/12.8.1"), source says where it is from (the
 * citations, joined with "; "), confidence is high, medium or low, notes may be NULL. The rows
 * belong to the manifest. An empty cell is a version with count 0, a NULL string, an empty list or
 * the number 0: unknown, never a guess. */

/* Versions from one on and below another. A bound with count 0 is none. */
struct manifest_range {
    struct version from, below;
};
bool manifest_range_has(const struct manifest_range *range, const struct version *version);

/* A CUDA toolkit release. */
struct manifest_cuda {
    const char *id;
    struct version version;        /* 12.8.1 */
    const char *release;           /* "12.8 Update 1": from 13.4 on not what the patch digit says */
    const char *stage;             /* preview, rc, ga, update */
    const char *date;              /* 2025-03-06, or 2025-03 */
    struct version driver_min;     /* the toolkit's own minimum driver on Linux */
    struct version driver_bundled; /* the driver that its Linux runfile brings */
    const char *ships_driver;      /* yes, no */
    const char *source;
    const char *confidence;
    const char *notes;
};
/* The release itself, or for fewer parts ("12.8") its first one that is not a preview or release
 * candidate. NULL when not listed. */
const struct manifest_cuda *manifest_cuda_find(struct manifest *manifest,
                                               const struct version *version);

/* Every release, oldest first. ret_count is always set. */
const struct manifest_cuda *manifest_cuda_all(struct manifest *manifest, size_t *ret_count);
/* True for a preview or release candidate: never chosen unless it is named. */
bool manifest_cuda_is_early(const struct manifest_cuda *release);

/* Minor-version compatibility of a CUDA major. */
struct manifest_cuda_major {
    const char *id;
    unsigned major;
    struct version driver_min;         /* count 0: no minor-version compatibility */
    struct manifest_range table_range; /* as NVIDIA prints it; a newer driver works all the same */
    const char *source;
    const char *confidence;
    const char *notes;
};
const struct manifest_cuda_major *manifest_cuda_major_find(struct manifest *manifest,
                                                           unsigned major);

/* A driver branch. */
struct manifest_branch {
    const char *id;
    unsigned branch;                 /* 570 */
    struct version cuda;             /* CUDA driver API version: 12.8 */
    const char *kind;                /* legacy, lts, production, new-feature, evaluation */
    const char *first_release;       /* 2025-01-27, or 2025-01 */
    const char *eol;                 /* likewise: when NVIDIA's support ends */
    struct version latest;           /* newest release seen: 570.211.01 */
    const char *oldest_architecture; /* Maxwell */
    struct version capability_min;   /* oldest compute capability it drives */
    const char *open_module;         /* no, offered, default, blackwell (required there), only */
    const char *source;
    const char *confidence;
    const char *notes;
};
/* Every branch, oldest first. ret_count is always set. */
const struct manifest_branch *manifest_branch_all(struct manifest *manifest, size_t *ret_count);
/* The branch of a driver version; NULL when it is not listed. */
const struct manifest_branch *manifest_branch_find(struct manifest *manifest,
                                                   const struct version *driver);
/* The newest listed branch, of those with a release, that drives compute capability (count 0: any);
 * NULL when none does, or when the capability is newer than every listed one. */
const struct manifest_branch *manifest_branch_newest(struct manifest *manifest,
                                                     const struct version *capability);
/* The first branch whose CUDA driver API version is at least cuda, of which major and minor count
 * (12.8.1 is 12.8). */
const struct manifest_branch *manifest_branch_for_cuda(struct manifest *manifest,
                                                       const struct version *cuda);

/* Forward compatibility: whether cuda-compat of a CUDA minor runs on a driver branch. NO also where
 * the branch is the package's own: it is of no use there, and stands in the way when loaded.
 * ret_id (may be NULL) is set when the answer is known. */
enum manifest_compat { COMPAT_UNKNOWN, COMPAT_YES, COMPAT_NO };
enum manifest_compat manifest_compat_find(struct manifest *manifest, const struct version *cuda,
                                          unsigned branch, const char **ret_id);

/* Where that row is from, and how sure it is; NULL: not known. */
const char *manifest_compat_source(struct manifest *manifest, const struct version *cuda,
                                   unsigned branch, const char **ret_confidence);

/* A compute capability. */
struct manifest_capability {
    const char *id;
    struct version capability;            /* 9.0 */
    const char *sm;                       /* sm_90 */
    const char *architecture;             /* Hopper */
    const char *variant;                  /* Orin */
    struct strlist boards;                /* a few that have it */
    struct version first_cuda, last_cuda; /* last_cuda count 0: still supported */
    struct version dropped_in;            /* the first toolkit without it */
    unsigned first_branch, last_branch;   /* 0: unknown, or still supported */
    struct version renamed_to;            /* 10.1 is called 11.0 in newer toolkits */
    const char *source;
    const char *confidence;
    const char *notes;
};
/* Every capability, lowest first. ret_count is always set. */
const struct manifest_capability *manifest_capability_all(struct manifest *manifest,
                                                          size_t *ret_count);
const struct manifest_capability *manifest_capability_find(struct manifest *manifest,
                                                           const struct version *capability);

/* A GPU architecture: which kernel module drives it. */
struct manifest_architecture {
    const char *id;
    const char *architecture;       /* Hopper */
    struct strlist capabilities;    /* "9.0" */
    unsigned last_branch;           /* 0: still supported */
    const char *open_module;        /* no, yes, required */
    unsigned open_module_from;      /* first branch with it */
    const char *proprietary_module; /* no, yes, required */
    const char *source;
    const char *confidence;
    const char *notes;
};
/* The architecture whose list has the compute capability. NULL when none has: integrated GPUs
 * (7.2, 8.7) are not listed, their driver is another one. */
const struct manifest_architecture *manifest_architecture_find(struct manifest *manifest,
                                                               const struct version *capability);

/* A GPU model. */
struct manifest_gpu {
    const char *id;
    const char *name;         /* "H100 SXM5 80GB" */
    struct strlist names;     /* others that drivers give it */
    const char *gpu_class;    /* data-centre, workstation, geforce, jetson, embedded */
    const char *architecture; /* Hopper */
    struct version capability;
    struct strlist device_ids; /* "2330" */
    unsigned gpus_per_board;   /* where it is more than one */
    unsigned memory_gb;        /* of one GPU */
    const char *memory_type;   /* HBM3; "system" where it shares the processor's memory */
    double bandwidth_gb_s;     /* of one GPU */
    double fp32_tflops;        /* at boost clock */
    double fp16_tflops;        /* without tensor cores */
    double fp16_tensor_tflops; /* without sparsity */
    unsigned tdp_w;
    const char *pcie;        /* "5.0 x16" */
    const char *nvlink;      /* yes, no */
    const char *link_basis;  /* source: pcie and nvlink are in a source; editor: they are not */
    const char *open_module; /* required: unlike others of its architecture; NULL: as they */
    const char *source;
    const char *confidence;
    const char *notes;
};
/* Whether forward compatibility (cuda-compat) is meant for GPUs of the model's class; NO also for
 * those that no CUDA with such a package drives. UNKNOWN also where only some of the class may use
 * it (workstation), and where model is NULL. */
enum manifest_compat manifest_gpu_compat(struct manifest *manifest,
                                         const struct manifest_gpu *model);
/* Every model, oldest architecture first. ret_count is always set. */
const struct manifest_gpu *manifest_gpu_all(struct manifest *manifest, size_t *ret_count);
/* Models that are known by name, PCI id and compute capability alone. The lookups find them too. */
const struct manifest_gpu *manifest_gpu_others(struct manifest *manifest, size_t *ret_count);
/* PCI device ids of chips with one compute capability: what is known of a model that has no row. */
struct manifest_gpu_range {
    const char *id;
    const char *first; /* "1b00" */
    const char *last;
    const char *architecture;
    struct version capability;
    struct strlist chips; /* "GP102" */
    const char *source;
    const char *confidence;
    const char *notes;
};
/* The range that has the PCI device id, any case; NULL: none has. */
const struct manifest_gpu_range *manifest_gpu_range_of(struct manifest *manifest,
                                                       const char *device_id);
/* Whether the name that a driver gives a GPU is one of the boards whose memory the kernel uses as
 * its own: files and programs of the processor lie in it. */
bool manifest_gpu_is_coherent(struct manifest *manifest, const char *name);
/* By PCI device id ("2330", any case); the first model when several share one. */
const struct manifest_gpu *manifest_gpu_by_device(struct manifest *manifest, const char *device_id);
/* Whether both are one model, or both NULL: a row may have several addresses. */
bool manifest_gpu_is(const struct manifest_gpu *gpu, const struct manifest_gpu *other);
/* By name as people and drivers write it ("H100", "rtx4090", "NVIDIA H100 80GB HBM3"): the whole
 * name, else the first model whose name, memory size and memory type have all its words, else the
 * first in whose name they stand written together. Case, a leading NVIDIA and all but letters and
 * digits do not matter. NULL: not known, and ret_nearest (may be NULL) gets the names of up to five
 * near ones, nearest first. */
const struct manifest_gpu *manifest_gpu_by_name(struct manifest *manifest, const char *name,
                                                struct strlist *ret_nearest);

/* A cuDNN major: the sub-libraries that must be of one release and in one directory. */
struct manifest_cudnn_major {
    const char *id;
    unsigned major;
    struct strlist required; /* sonames: first the one that programs link to, libcudnn.so.9 */
    struct strlist optional; /* in some releases only */
    const char *source;
    const char *confidence;
    const char *notes;
};
const struct manifest_cudnn_major *manifest_cudnn_major_find(struct manifest *manifest,
                                                             unsigned major);

#endif
