/* SPDX-License-Identifier: MIT */
#ifndef INSTALL_RUN_H
#define INSTALL_RUN_H

#include "base/text.h"
#include "host/confine_unpacker.h"
#include "install/cache.h"
#include "install/change.h"
#include "install/interrupt.h"
#include "install/ledger.h"
#include "install/link.h"
#include "install/loader_conf.h"
#include "install/plan.h"
#include "install/prefix.h"
#include "install/progress.h"
#include "install/request.h"
#include "install/source.h"
#include "install/survey.h"
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
    struct change change;      /* one for each product of the request */
    bool knows_cage;           /* something was unpacked */
    struct unpacker_cage cage; /* what confined every unpacker */
    enum way way;
    bool has_ended;         /* a change that was pending was ended by this call */
    unsigned undoes;        /* the change that use --previous takes back */
    char *way_why;          /* why it is not another; NULL: nothing to say */
    char *taken;            /* why the plan is for some other prefix; NULL: it is for this one */
    struct survey survey;   /* of a prefix that is to be changed */
    struct request own;     /* what request became by what is there; shares its strings */
    struct lockfile lock;   /* what --lock FILE says, where it is used */
    const char *lock_name;  /* of that file; NULL: none is used */
    const char *lock_state; /* used, written, updated; NULL: there is none */
    struct plan lock_plan;  /* what it is to say of products that change; none where it is used */
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
/* Going back to what was replaced (run_use.c), and taking away (run_uninstall.c). */
bool run_use(struct run *run, struct text *output, struct error *error);
bool run_uninstall(struct run *run, struct text *output, struct error *error);
/* mirror (run_mirror.c). */
bool run_mirror(struct run *run, struct text *output, struct error *error);
/* Parts of a plan: sources and cache, sums, room, --accept-eula (run_install.c). */
bool run_open_sources(struct run *run, struct error *error);
bool run_open_cache(struct run *run, struct error *error);
bool run_sum_plan(struct run *run, struct error *error);
bool run_licences_accepted(const struct run *run, struct error *error);
/* The versions, and what of each product is in the prefix already (run_plan.c). */
bool run_find_change(struct run *run, struct error *error);
bool run_plan_product(struct run *run, size_t index, struct error *error);
bool run_plan_products(struct run *run, struct error *error);
/* The profile of what changes. */
enum profile run_profile(const struct run *run);
/* How the prefix is to be changed, tried before anything is fetched (run_change.c). */
bool run_find_way(struct run *run, struct error *error);
/* The prefix becomes next, of which the products are filled. What was changed by hand: stays (it is
 * nobody's from now on), replaced (it is as it came) (run_change.c). */
struct changed_files {
    struct strlist stays, replaced;
};
bool run_change(struct run *run, struct ledger *next, struct changed_files *ret_files,
                struct error *error);
void changed_files_free(struct changed_files *files);
/* ERROR_NO_INPUT where the prefix is not gpuenv's, or has not what the request names (run.c). */
bool run_needs_ours(const struct run *run, struct error *error);
/* What the ledger says before the first file, and its file in the staged tree (run_ledger.c). */
void run_ledger_begin(const struct run *run, struct ledger *ledger);
bool run_ledger_write(const struct stage *stage, const char *tree, const struct ledger *ledger,
                      struct error *error);
bool run_ledger_can_be_read(const struct ledger *ledger, struct error *error);
/* file, content, none: the same word, that does not go away with a ledger. */
const char *pin_word(const char *word);
/* The redistrib files of the products that change, proved by their pins (run_catalog.c).
 * ERROR_UNSATISFIABLE: no pin and not --allow-unpinned; ERROR_DATA: not what the pin says. */
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
/* Writes it from the plan, unless it says the same already (lockfile.c). */
bool run_lock_write(struct run *run, struct error *error);
/* Archives, fetched, verified and unpacked side by side, become the directory name of the stage, to
 * join what is kept, which may be NULL (run_unpack.c). */
bool run_unpack(struct run *run, struct stage *stage, const char *name, struct ledger *kept,
                struct ledger *ledger, struct error *error);
/* Verified archives given by --archive (run_archive.c). */
bool run_take_archives(struct run *run, struct error *error);

#endif
