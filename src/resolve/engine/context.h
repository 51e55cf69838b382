/* SPDX-License-Identifier: MIT */
#ifndef RESOLVE_ENGINE_CONTEXT_H
#define RESOLVE_ENGINE_CONTEXT_H

#include <stdbool.h>

#include "base/version.h"
#include "manifest/toolkit/pin.h"
#include "resolve/engine/resolution.h"

struct error;
struct manifest;

/* What the files of this room share. */

/* One call of resolve(). */
struct resolve_context {
    struct manifest *manifest;
    struct resolve_machine machine; /* without its driver where a driver is what is asked for */
    struct resolution *resolution;
    bool asks_driver;            /* a driver is what is asked for too */
    struct version cuda;         /* that was chosen; count 0: none */
    struct version cudnn_driver; /* the lowest driver of the chosen cuDNN; count 0: none */
    struct error *error;         /* of the first product of which nothing fits */
};

/* How one version stands to the machine. why belongs to the verdict until it is taken. */
struct verdict {
    enum fit fit;
    const char *reason;
    char *why;
    const char *row, *source, *confidence, *notes;
    const struct resolve_gpu *gpu; /* that decided; NULL: none did */
};
#define VERDICT_ROW(verdict, manifest_row)                                                         \
    ((verdict)->row = (manifest_row)->id, (verdict)->source = (manifest_row)->source,              \
     (verdict)->confidence = (manifest_row)->confidence, (verdict)->notes = (manifest_row)->notes)

/* Adds a candidate that takes the verdict's why; version and build are copied. The pointer is good
 * until the next one is added: its index is candidate_count - 1. */
struct resolve_candidate *candidate_add(struct resolve_context *context, const char *product,
                                        const char *version, const char *build,
                                        struct verdict *verdict);
/* Says why a candidate was not chosen; format NULL: its own why says it. */
void candidate_turn_down(struct resolve_candidate *candidate, const char *slug, const char *format,
                         ...) __attribute__((format(printf, 3, 4)));
/* True when the candidate may be chosen as far as the machine goes: it is known to run, or there is
 * no driver to measure it by. */
bool candidate_runs(const struct resolve_candidate *candidate);
/* Adds a choice made of the candidate, with its rule by fit. */
struct resolve_choice *choice_add(struct resolve_context *context,
                                  const struct resolve_candidate *candidate);

/* Adds a note unless it is there. */
void context_note(struct resolve_context *context, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Nothing of the product fits. Keeps the first error; returns false. why and next may be NULL. */
bool context_fail(struct resolve_context *context, const char *product, const char *asked,
                  const char *why, const char *next);

/* The slug of a version's pin: file, content, none; NULL when the product has no pins at all. */
const char *pin_name(struct manifest *manifest, const char *product, const struct version *version,
                     const struct manifest_pin **ret_pin);
bool pin_is_pinned(const char *pin);
/* True unless the pinned file is known to have nothing for the machine's architecture. pin may be
 * NULL. */
bool pin_has_platform(const struct resolve_context *context, const struct manifest_pin *pin);

#endif
