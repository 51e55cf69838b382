/* SPDX-License-Identifier: MIT */
#ifndef RULES_ENGINE_RULE_H
#define RULES_ENGINE_RULE_H

#include <stdbool.h>

#include "facts/facts.h"

struct rule_context;

/* The blocks of the report, in its order. */
enum block {
    BLOCK_DRIVER,
    BLOCK_GPU,
    BLOCK_CUDA,
    BLOCK_CUDNN,
    BLOCK_LIBRARIES,
    BLOCK_FRAMEWORKS,
    BLOCK_CONTAINER,
    BLOCK_HOST,
    BLOCK_COUNT
};
const char *block_name(enum block block); /* "Driver" */

/* One cause the doctor can name. Codes and causes never change meaning. The texts are what
 * `gpuenv explain` prints. */
struct rule {
    const char *code;
    const char *cause; /* slug */
    const char *title; /* a clause: "the GPU is not on the PCI bus" */
    enum block block;
    /* Which severities its findings have with --for run, build and container: 1u << SEVERITY_…; 0:
     * it finds nothing there. Of a consequence they are those of its own rule. */
    unsigned severities[3];
    bool symptom;         /* it follows from what its error number lists (manifests/error.json) */
    const char *follows;  /* causes that it may follow from, with blanks between; NULL: none */
    const char *decides;  /* a clause: the fact that tells it from others with the same symptom */
    const char *meaning;  /* what it means for the user, two or three sentences */
    const char *detected; /* which facts decide */
    const char *by_hand;  /* commands that show them, a line each; "    # …" is a remark */
    const char *fix;      /* in general; the finding has the commands for this machine */
    const char *mistaken; /* what it is often mistaken for */
    void (*judge)(struct rule_context *context);
};

#endif
