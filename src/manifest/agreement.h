/* SPDX-License-Identifier: MIT */
#ifndef MANIFEST_AGREEMENT_H
#define MANIFEST_AGREEMENT_H

#include <stdbool.h>

struct manifest;
struct manifest_document;
struct manifest_problems;
struct manifest_subject;

/* All subjects there are; ends with NULL. */
extern const struct manifest_subject *const manifest_subjects[];

/* Checks the subjects against one another. False: there are problems. What cannot be told because a
 * subject has problems itself is left out. document is that of all subjects, or NULL: each one has
 * a file of its own, built in. */
bool manifest_agrees(struct manifest *manifest, struct manifest_document *document,
                     struct manifest_problems *problems);

#endif
