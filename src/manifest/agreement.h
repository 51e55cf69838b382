/* SPDX-License-Identifier: MIT */
#ifndef MANIFEST_AGREEMENT_H
#define MANIFEST_AGREEMENT_H

#include <stdbool.h>

struct manifest;
struct manifest_document;
struct manifest_subject;

/* All subjects there are; ends with NULL. */
extern const struct manifest_subject *const manifest_subjects[];

/* Checks the subjects of a joined document against one another. False: there are problems, added to
 * those of document. What cannot be told because a subject has problems itself is left out. */
bool manifest_agrees(struct manifest *manifest, struct manifest_document *document);

#endif
