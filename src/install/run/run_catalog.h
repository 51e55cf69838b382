/* SPDX-License-Identifier: MIT */
#ifndef INSTALL_RUN_RUN_CATALOG_H
#define INSTALL_RUN_RUN_CATALOG_H

#include "install/run/run.h"

struct error;

/* file, content, none: the same word, that does not go away with a ledger. */
const char *pin_word(const char *word);
/* The redistrib files of the products that change, proved by their pins.
 * ERROR_UNSATISFIABLE: no pin and not --allow-unpinned; ERROR_DATA: not what the pin says. */
bool run_catalogs(struct run *run, struct error *error);
char *run_catalog_path(const struct request_product *product); /* below a mirror; free() it */

#endif
