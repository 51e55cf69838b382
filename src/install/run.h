/* SPDX-License-Identifier: MIT */
#ifndef INSTALL_RUN_H
#define INSTALL_RUN_H

#include "base/text.h"
#include "install/cache.h"
#include "install/interrupt.h"
#include "install/ledger.h"
#include "install/link.h"
#include "install/loader_conf.h"
#include "install/plan.h"
#include "install/prefix.h"
#include "install/progress.h"
#include "install/request.h"
#include "install/source.h"
#include "resolve/lockfile.h"

/* One call of gpuenv-install, and what it holds. Start with {0}. */
struct run {
    const struct request *request;
    struct manifest *manifest;
    struct image image;
    struct prefix prefix;
    struct link_change link;        /* of --use: what was, or would be, done */
    struct loader_conf loader_conf; /* of --ldconfig, likewise */
    struct source *sources;
    size_t source_count, source_capacity;
    struct cache *cache;
    struct progress *progress;
    struct catalog *catalogs; /* one for each product of the request */
    struct digest *catalog_digests;
    const char **pins; /* file, content, none */
    bool keeps_catalogs;
    struct text *catalog_texts; /* their bytes, where they are kept */
    struct plan plan;
    struct lockfile lock;   /* what --lock FILE says, where it is used */
    const char *lock_name;  /* of that file; NULL: none is used */
    const char *lock_state; /* used, written, updated; NULL: there is none */
    struct interrupt interrupt;
};

/* Does what the request asks. Results are appended to output, talk goes to stderr.
 * *ret_exit_code: 0, 1 where verify found something, or with ERROR_INTERRUPTED 128 and the number
 * of the signal; otherwise error is filled. */
bool run_request(const struct request *request, struct text *output, int *ret_exit_code,
                 struct error *error);

/* The parts, each in a file of its own. */

/* plan and install (run_install.c). */
bool run_plan(struct run *run, struct text *output, struct error *error);
bool run_install(struct run *run, struct text *output, struct error *error);
/* Theirs and mirror's: --mirror, and whether --accept-eula was given. */
bool run_open_sources(struct run *run, struct error *error);
bool run_licences_accepted(const struct run *run, struct error *error);
/* mirror (run_mirror.c). */
bool run_mirror(struct run *run, struct text *output, struct error *error);
/* "cuda12", NULL for what has no variants; the caller owns it (run_ledger.c). */
char *run_variant(const struct request_product *product);
/* What the ledger says before the first file, and its file in the staged tree (run_ledger.c). */
void run_ledger_begin(const struct run *run, struct ledger *ledger);
bool run_ledger_write(const struct stage *stage, const struct ledger *ledger, struct error *error);
/* The redistrib files of all products, proved by their pins (run_catalog.c). ERROR_UNSATISFIABLE:
 * no pin and not --allow-unpinned; ERROR_DATA: not what the pin says. */
bool run_catalogs(struct run *run, struct error *error);
char *run_catalog_path(const struct request_product *product); /* below a mirror; free() it */
/* --lock FILE (lockfile.c): what it says is read into run->lock; the row of a product, NULL where
 * it is not used. */
bool run_lock_read(struct run *run, struct error *error);
const struct lockfile_product *run_locked(const struct run *run, const char *product);
/* True when it is used for all that it is asked for: run_plan_locked() then stands for plan_add().
 */
bool run_is_locked(const struct run *run);
/* The archives that it names for a platform. ERROR_DATA: the proved list of archives says otherwise
 * (lockfile_plan.c). */
bool run_plan_locked(struct run *run, size_t product, const char *platform, struct error *error);
/* Whether the ledger has these archives and no others (lockfile_plan.c). */
bool run_lock_is_installed(const struct run *run);
/* Writes it from run->plan, unless it says the same already (lockfile.c). */
bool run_lock_write(struct run *run, struct error *error);
/* Archives, fetched, verified and unpacked side by side, become tree (run_unpack.c). */
bool run_unpack(struct run *run, struct stage *stage, struct ledger *ledger, struct error *error);
/* Verified archives given by --archive (run_archive.c). */
bool run_take_archives(struct run *run, struct error *error);

#endif
