/* SPDX-License-Identifier: MIT */
#ifndef MANIFEST_ERROR_ERROR_WORDS_H
#define MANIFEST_ERROR_ERROR_WORDS_H

#include "manifest/error/error.h"

struct manifest;

/* The row that words mean by what they say: by a message, or by what the function that names an
 * error says of it ("CUDA error: misaligned address"); of several the longest. NULL: none. */
const struct manifest_error *error_find_words(struct manifest *manifest, const char *words,
                                              enum manifest_error_list *ret_list);

#endif
