/* SPDX-License-Identifier: MIT */
#ifndef RESOLVE_FRAMEWORK_ENTRIES_H
#define RESOLVE_FRAMEWORK_ENTRIES_H

#include "resolve/engine/resolution.h"
#include "resolve/framework/framework.h"

/* A build that was listed, and how it stands. */
struct entry {
    const struct manifest_build *build;
    struct build_fit fit; /* without its words: the candidate has them */
};
struct entries {
    struct entry *items;
    size_t count, capacity;
    struct listing listing;
};

/* Whether its developers call the build experimental. */
bool entries_is_experimental(const struct manifest_build *build);

/* Whether the candidate was turned down for the Python or the C library. */
bool entries_is_unsuited(const struct resolve_candidate *candidate);

/* A release newer than the chosen one, of which too little is known; entries->count: none. */
size_t entries_newer_unknown(const struct resolve_context *context, const struct entries *entries,
                             size_t chosen);

/* Adds entry `chosen` to the answer: its words, limits and commands, and other builds that run. */
void entries_choose(struct resolve_context *context, const struct entries *entries, size_t chosen);

#endif
