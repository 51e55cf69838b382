/* SPDX-License-Identifier: MIT */
#ifndef INSTALL_RUN_RUN_CHANGE_H
#define INSTALL_RUN_RUN_CHANGE_H

#include "install/run/run.h"
#include "base/strlist.h"

struct error;

/* How the prefix is to be changed, tried before anything is fetched. */
bool run_find_way(struct run *run, struct error *error);
/* The prefix becomes next, of which the products are filled. What was changed by hand: stays (it is
 * nobody's from now on), replaced (it is as it came). */
struct changed_files {
    struct strlist stays, replaced;
};
bool run_change(struct run *run, struct ledger *next, struct changed_files *ret_files,
                struct error *error);
void changed_files_free(struct changed_files *files);

#endif
