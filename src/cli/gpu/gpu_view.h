/* SPDX-License-Identifier: MIT */
#ifndef CLI_GPU_GPU_VIEW_H
#define CLI_GPU_GPU_VIEW_H

#include "base/strlist.h"
#include "cli/machine/gpu_word.h"
#include "facts/facts.h"
#include "manifest/versions/compat.h"
#include "report/engine/report.h"
#include "resolve/support/support.h"
#include "rules/query/judged.h"

struct manifest;
struct manifest_architecture;
struct manifest_branch;
struct manifest_capability;
struct manifest_gpu;
struct manifest_instance;
struct text;

/* What `gpuenv gpu` says of one GPU: a model, a compute capability, or one of this machine that the
 * manifest may not know. Rows belong to the manifest. */
struct gpu_view {
    char *asked;     /* the word; NULL: a GPU of this machine */
    size_t count;    /* how many of them this machine has; 0: the word was asked for */
    char *title;     /* "H100 SXM5 80GB", "compute capability 9.0" */
    char *device_id; /* that was asked for or found; NULL: neither */
    const struct manifest_instance *instance; /* that was asked for; NULL: none */
    const struct manifest_gpu *model;         /* NULL: a capability, or not known */
    const char *family; /* architecture of the model or the id; NULL: only the capability tells */
    const struct manifest_capability *capability;     /* NULL: not known */
    const struct manifest_architecture *architecture; /* NULL: not listed */
    const struct manifest_branch *branch; /* the newest that drives it; NULL: not known */
    struct support_cudnn cudnn;
    struct support_frameworks frameworks; /* none where the capability is not known */
    enum manifest_compat compat;          /* whether it may use cuda-compat */
    struct strlist others;  /* models that the word, or the PCI id, stands for as well */
    const char *others_why; /* "with this PCI id too", "of this name too", "models" */
};
struct gpu_views {
    struct gpu_view *items;
    size_t count, capacity;
};
#define AUTO_VIEWS AUTO(gpu_views_free)
void gpu_views_free(struct gpu_views *views);

/* Of a word, of which several models may have the PCI id: one each; of one model. */
void gpu_view_word(struct manifest *manifest, const char *text, const struct gpu_word *word,
                   struct gpu_views *views);
void gpu_view_model(struct manifest *manifest, const struct manifest_gpu *model,
                    struct gpu_views *views);
/* The GPUs of a machine, equal ones once. */
void gpu_view_machine(struct manifest *manifest, const struct facts *facts,
                      struct gpu_views *views);

/* The cells, in the order in which both formats show them. */
struct gpu_cell {
    const char *label; /* "memory bandwidth" */
    /* Appends the value with its unit; nothing: it is not known. */
    void (*append)(const struct gpu_view *view, struct text *text);
    bool of_model; /* a compute capability has none */
};
extern const struct gpu_cell gpu_cells[]; /* ends with label NULL */

/* True when it stands for a compute capability and no model. */
bool gpu_view_is_capability(const struct gpu_view *view);

/* True when no other kernel module drives it. */
bool gpu_view_open_required(const struct gpu_view *view);

/* One below the other for one, side by side for several. */
void gpu_views_append_text(const struct report_input *input, const struct gpu_views *views,
                           struct text *output);
/* "gpus": a list of objects; what is not known is left out. The caller owns the result. */
json_t *gpu_views_json(const struct gpu_views *views);

#endif
