/* SPDX-License-Identifier: MIT */
#ifndef INSTALL_RUN_H
#define INSTALL_RUN_H

#include "base/text.h"
#include "install/cache.h"
#include "install/interrupt.h"
#include "install/ledger.h"
#include "install/plan.h"
#include "install/prefix.h"
#include "install/progress.h"
#include "install/request.h"
#include "install/source.h"

/* One call of gpuenv-install, and what it holds. Start with {0}. */
struct run {
    const struct request *request;
    struct manifest *manifest;
    struct prefix prefix;
    struct source *sources;
    size_t source_count, source_capacity;
    struct cache *cache;
    struct progress *progress;
    struct catalog *catalogs; /* one for each product of the request */
    struct digest *catalog_digests;
    const char **pins; /* file, content, none */
    struct plan plan;
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
/* "cuda12", NULL for what has no variants; the caller owns it (run_ledger.c). */
char *run_variant(const struct request_product *product);
/* What the ledger says before the first file, and its file in the staged tree (run_ledger.c). */
void run_ledger_begin(const struct run *run, struct ledger *ledger);
bool run_ledger_write(const struct stage *stage, const struct ledger *ledger, struct error *error);
/* The redistrib files of all products, proved by their pins (run_catalog.c). ERROR_UNSATISFIABLE:
 * no pin and not --allow-unpinned; ERROR_DATA: not what the pin says. */
bool run_catalogs(struct run *run, struct error *error);
/* Archives, fetched, verified and unpacked side by side, become tree (run_unpack.c). */
bool run_unpack(struct run *run, struct stage *stage, struct ledger *ledger, struct error *error);
/* Verified archives given by --archive (run_archive.c). */
bool run_take_archives(struct run *run, struct error *error);

#endif
