/* SPDX-License-Identifier: MIT */
#ifndef CODE_LISTING_H
#define CODE_LISTING_H

/* Private to code/: how a listing is filled. */
#include "code/code.h"

/* Adds entry->count entries that say what entry says. False with ERROR_DATA beyond
 * CODE_DIFFERENT_MAX. */
bool listing_add(struct code_listing *listing, const struct code_entry *entry, struct error *error);

#endif
