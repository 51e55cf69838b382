/* SPDX-License-Identifier: MIT */
#ifndef RESOLVE_ENGINE_REQUEST_H
#define RESOLVE_ENGINE_REQUEST_H

#include <stdbool.h>
#include <stddef.h>

#include "base/version.h"
#include "manifest/reader/range.h"
#include "resolve/engine/context.h"

struct resolve_candidate;
struct resolve_spec;

/* What is asked of one product: by a SPEC, or by a framework's build. */
struct request {
    const char *asked;           /* the SPEC, or "cuda for pytorch 2.5.1 (cu124)" */
    struct version within;       /* count 0: any */
    struct manifest_range range; /* of a build; bounds with count 0: none */
    const struct resolve_spec *spec;
    bool wanted; /* by a build: a version without a pin will do where there is none with */
    bool full;   /* one version by its whole number: unpinned, early and unknown ones count */
};

/* full_parts: how many numbers make a whole version of the product. */
struct request request_of(const struct resolve_spec *spec, unsigned full_parts);
bool request_has(const struct request *request, const struct version *version);
/* No version that is listed is what the request asks for: fails, with the answer that this is newer
 * than the manifest, or is not in it. title is the product in words, newest the newest version of
 * it that is listed. Returns false. */
bool request_fail_unlisted(struct resolve_context *context, const struct request *request,
                           const char *product, const char *title, const struct version *newest);

/* The product's candidates, in the resolution from first on, newest first. */
struct listing {
    size_t first, count;
};
struct resolve_candidate *listing_at(const struct resolve_context *context,
                                     const struct listing *listing, size_t index);
/* Marks all newer than chosen that have no slug yet by what their fit says. chosen is count when
 * nothing was. */
void listing_turn_down(const struct resolve_context *context, const struct listing *listing,
                       size_t chosen);
/* The GPU that kept the next newer version out, in words; NULL: none did, or it was not asked for.
 * The caller owns it. */
char *listing_limit_gpu(const struct resolve_context *context, const struct listing *listing,
                        size_t chosen);
/* Nothing of the listing fits: says the reason of the newest that tells best (what the machine
 * refuses first), and what to do about it, or, where nothing listed was asked for, what
 * request_fail_unlisted() says. Returns false. */
bool listing_fail(struct resolve_context *context, const struct listing *listing,
                  const struct request *request, const char *product, const char *title,
                  const struct version *newest);

#endif
