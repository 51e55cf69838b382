/* SPDX-License-Identifier: MIT */
#ifndef INSTALL_RUN_RUN_INDEX_H
#define INSTALL_RUN_RUN_INDEX_H

#include "install/fetch/fetch.h"
#include "install/run/run.h"

struct error;

/* Python indexes: where files are that NVIDIA's server and its mirrors may not have. */

/* The package of a Python index that has the archive; NULL: NVIDIA's server has it. */
const char *run_package_of(const struct run *run, const struct plan_item *item);
/* Where an archive comes from first: the first mirror; where none is given NVIDIA's own address, or
 * of its package the page on the first index. NULL: not known. free() it. */
char *run_item_url(const struct run *run, const struct plan_item *item);

/* Gives each item that an index has its address, and asks the indexes for that. What is cached or
 * in a directory is not asked for. False: ERROR_UNAVAILABLE, or what ended the search. */
bool run_find_addresses(struct run *run, struct fetch_item *items, size_t count,
                        struct error *error);

#endif
