/* SPDX-License-Identifier: MIT */
#ifndef INSTALL_PRINT_PRINT_PREFIX_H
#define INSTALL_PRINT_PRINT_PREFIX_H

#include "install/run/run.h"
#include "install/prefix/verify.h"

struct changed_files;
struct strlist;
struct text;

void print_verification(const struct run *run, const struct verification *found,
                        struct text *output);
/* gone: the products; kept: paths in the prefix. */
void print_uninstalled(const struct run *run, const struct ledger *gone, const struct strlist *kept,
                       struct text *output);
/* What was changed by hand, as notes on stderr. */
void print_changed_files(const struct run *run, const struct changed_files *files);
/* Of a prefix with an uninstall or a change that was begun and not ended: that, and what ends it.
 */
void print_unfinished(const struct prefix *prefix, struct text *output);

#endif
