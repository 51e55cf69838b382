/* SPDX-License-Identifier: MIT */
#ifndef MANIFEST_ERROR_ERROR_H
#define MANIFEST_ERROR_ERROR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strlist.h"

struct manifest;

/* manifests/error.json: the numbers that the driver API, NVML, the kernel log, cuDNN and NCCL give,
 * and the messages that people paste. */

/* The lists of numbers. The same number means something else in each. */
enum manifest_error_list {
    ERRORS_CUDA,    /* CUresult, and the CUDA runtime's error of the same number */
    ERRORS_NVML,    /* nvmlReturn_t */
    ERRORS_XID,     /* of the kernel log: "NVRM: Xid (PCI:0000:01:00): 79, …" */
    ERRORS_CUDNN,   /* cudnnStatus_t */
    ERRORS_NCCL,    /* ncclResult_t */
    ERRORS_MESSAGE, /* words without a number: "No devices were found" */
    ERROR_LISTS
};
/* "CUDA", "NVML", "Xid", "cuDNN", "NCCL", "message" */
const char *manifest_error_list_name(enum manifest_error_list list);
/* As ids and the holes of patterns have it: "cuda", "nvml", "xid", "cudnn", "nccl", "message" */
extern const char *const manifest_error_list_words[ERROR_LISTS];

/* cause, fix and remaining are clauses with "; " between them, the likeliest or safest first. */
struct manifest_error {
    const char *id;           /* "error/cuda-802", "error/nvml-18", "error/xid-79" */
    unsigned code;            /* 802; a message has none */
    const char *text;         /* of a message alone: "No devices were found" */
    const char *by;           /* of a message alone: who says it, "nvidia-smi" */
    const char *error;        /* of a message alone: it stands for "cuda-100" and says no more */
    const char *name;         /* CUDA_ERROR_SYSTEM_NOT_READY; NULL: the runtime's alone */
    const char *runtime_name; /* cudaErrorSystemNotReady; NULL: none, or another list */
    const char *words;      /* what its library says of it: "misaligned address"; NULL: not known */
    const char *older_name; /* cuDNN: what it was called before cuDNN 9; NULL: the same, or new */
    unsigned older_code;    /* cuDNN: its number before cuDNN 9; 0: none */
    const char *meaning;    /* a clause; NULL: nothing but its name is known */
    const char *cause;      /* what it comes from as a rule */
    const char *fix;        /* what to do */
    struct strlist findings; /* causes (slugs) of the findings that decide, likeliest first */
    struct strlist facts;    /* facts that decide: "nvml.fabric_state, pci.nvswitch_count:
                              * what they tell" */
    const char *remaining;   /* what is left when no finding explains it */
    const char *command;     /* the one that would decide then; NULL with remaining */
    const char *root;        /* yes: the command needs root */
    const char *action;      /* Xid: what NVIDIA says to do at once, RESET_GPU; or NULL */
    const char *investigate; /* Xid: and to find the cause */
    const char *application; /* Xid, yes: NVIDIA's Kubernetes device plugin takes it for the
                              * program's own fault, not for the GPU's */
    const char *meaning_confidence; /* of meaning, cause and fix; NULL without a meaning */
    const char *source;
    const char *confidence; /* of number, name and actions */
    const char *notes;
};
/* All of a list, by number. */
const struct manifest_error *manifest_errors(struct manifest *manifest,
                                             enum manifest_error_list list, size_t *ret_count);
/* Adds the facts that an entry of facts names, each as kind.name; returns what they tell, NULL when
 * the entry is not formed so. */
const char *manifest_error_fact(const char *entry, struct strlist *ret_names);
/* Whether it is the row's number, or was before cuDNN 9. */
bool manifest_error_has_number(const struct manifest_error *row, uint64_t number);
/* By code alone. NULL: not listed. */
const struct manifest_error *manifest_error(struct manifest *manifest,
                                            enum manifest_error_list list, int64_t code);

/* The row "cuda-802", and its list. NULL: there is none. */
const struct manifest_error *manifest_error_named(struct manifest *manifest, const char *name,
                                                  enum manifest_error_list *ret_list);
/* The row that a message stands for, and its list: itself, or the one that it names. NULL: there is
 * none. */
const struct manifest_error *manifest_error_meant(struct manifest *manifest,
                                                  const struct manifest_error *message,
                                                  enum manifest_error_list *ret_list);

/* The rows that words stand for, one of each list at most:
 * a number ("802": in every list that has it; in those of cuDNN and NCCL where no other has it),
 * with its list before it ("nvml 18", "Xid79", "xid:79", "CUDA error 802", "error/cuda-802"), a
 * name of any case ("CUDA_ERROR_NO_DEVICE", "cudaErrorNoDevice"), a line of the kernel log ("… Xid
 * (PCI:0000:01:00): 79, pid=…"), or a message that begins with "Error 802:", or words that have a
 * message in them or are part of one, or that have a name in them, letter by letter ("RuntimeError:
 * cuDNN error: CUDNN_STATUS_EXECUTION_FAILED"; of several that of the first list). */
struct manifest_error_hits {
    const struct manifest_error *rows[ERROR_LISTS]; /* NULL: none */
    size_t count;
    bool is_number; /* words stand for a number, listed or not, */
    uint64_t number;
    enum manifest_error_list list; /* of this list; ERROR_LISTS: of any */
};
struct manifest_error_hits manifest_error_find(struct manifest *manifest, const char *words);
/* The same for words that are a number or a name, and nothing else: "802", "Xid 79". */
struct manifest_error_hits manifest_error_find_code(struct manifest *manifest, const char *words);

/* One of the words that NVIDIA says with an Xid. */
struct manifest_error_action {
    const char *id;
    const char *action;  /* RESET_GPU */
    const char *meaning; /* a clause */
    const char *source;
    const char *confidence;
    const char *notes;
};
/* By the word, or by a text that begins with it ("IGNORE (sympathetic)"). NULL: not listed. */
const struct manifest_error_action *manifest_error_action(struct manifest *manifest,
                                                          const char *action);

#endif
