/* SPDX-License-Identifier: MIT */
#ifndef INSTALL_PLAN_OWN_CATALOG_H
#define INSTALL_PLAN_OWN_CATALOG_H

#include <stdbool.h>

#include "install/io/digest.h"
#include "install/ledger/request.h"

struct catalog;
struct manifest;
struct manifest_layout;
struct text;

/* A list of archives as NVIDIA's redistrib files are, made of the manifest's rows for products that
 * NVIDIA has none for (manifest/toolkit/download.h). The same rows give the same bytes. False: the
 * manifest has no row of this version. */
bool own_catalog(struct manifest *manifest, const struct request_product *product,
                 struct text *ret_text);

/* Where the files of an archive go; NULL: it is not in the manifest's rows of single archives. */
const struct manifest_layout *own_layout(struct manifest *manifest, const struct digest *sha256);
/* Once a list has been proved: gives the archives of such rows their layouts, and their paths below
 * a mirror. */
void own_catalog_layouts(struct manifest *manifest, struct catalog *catalog);

#endif
