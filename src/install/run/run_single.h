/* SPDX-License-Identifier: MIT */
#ifndef INSTALL_RUN_RUN_SINGLE_H
#define INSTALL_RUN_RUN_SINGLE_H

#include "install/run/run.h"

struct manifest_single;

/* Releases that are one archive with a layout (manifest/toolkit/single.h): it comes by --archive,
 * from a mirror that was named, or from the cache. */

/* Whether the product is to be installed so: no list of its archives can be proved, and there is a
 * layout for it. What is known of its archive is in *ret_single. */
bool run_is_single(const struct run *run, const struct request_product *product,
                   struct manifest_single *ret_single);
/* The catalog of product index, its digest and its pin. ERROR_UNSATISFIABLE: no digest of the
 * archive is known, and --allow-unpinned does not let one pass. */
bool run_get_single(struct run *run, size_t index, const struct manifest_single *single,
                    struct error *error);
/* Bytes of an archive, of the cache or of a mirror that is a directory; 0: they cannot be told
 * before it has come. */
uint64_t run_single_size(const struct run *run, const struct plan_item *item);
/* After run_take_archives(): the sizes that can be told now, and by_hand of each archive that is
 * not at hand. ERROR_UNAVAILABLE: there are some and this is not a plan; with their addresses and
 * the line to type. */
bool run_check_singles(struct run *run, struct error *error);
/* Whether all archives are at hand, or this is a plan: ERROR_UNAVAILABLE as above. */
bool run_singles_are_here(const struct run *run, struct error *error);
/* "gpuenv install cuda@9.0.176 cudnn@7.6.5 --archive …", with an --archive for each archive that is
 * to be got by hand. free() it; NULL: there is none. */
char *run_singles_command(const struct run *run);
/* Whether the archive of this item is to be got by hand, and no item before has the same. */
bool run_is_single_to_get(const struct run *run, size_t item);

#endif
