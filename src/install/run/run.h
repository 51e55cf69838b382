/* SPDX-License-Identifier: MIT */
#ifndef INSTALL_RUN_RUN_H
#define INSTALL_RUN_RUN_H

#include "base/text.h"
#include "host/child/confine_unpacker.h"
#include "install/cache/cache.h"
#include "install/plan/change.h"
#include "install/io/interrupt.h"
#include "install/ledger/ledger.h"
#include "install/outside/link.h"
#include "install/outside/loader_conf.h"
#include "install/plan/plan.h"
#include "install/prefix/prefix.h"
#include "install/output/progress.h"
#include "install/ledger/request.h"
#include "install/fetch/mirror.h"
#include "install/prefix/survey.h"
#include "resolve/lockfile/lockfile.h"

struct manifest;

/* One call of gpuenv-install, and what it holds. Start with {0}. */
struct run {
    const struct request *request;
    struct manifest *manifest;
    struct image image;
    struct prefix prefix;
    struct link_change link;        /* of --use: what was, or would be, done */
    struct loader_conf loader_conf; /* of --ldconfig, likewise */
    struct mirror *mirrors;
    size_t mirror_count, mirror_capacity;
    struct mirror **addresses; /* of archives that Python indexes have */
    size_t address_count, address_capacity;
    struct cache *cache;
    struct progress *progress;
    struct catalog *catalogs; /* one for each product of the request */
    struct digest *catalog_digests;
    const char **pins; /* file, content, none */
    bool keeps_catalogs;
    struct text *catalog_texts; /* their bytes, where they are kept */
    struct plan plan;
    struct change change;      /* one for each product of the request */
    bool cage_valid;           /* something was unpacked, so that cage is set */
    struct unpacker_cage cage; /* what confined every unpacker */
    enum way way;
    bool has_ended;            /* a change that was pending was ended by this call */
    unsigned undoes;           /* the change that use --previous takes back */
    char *way_why;             /* why it is not another; NULL: nothing to say */
    char *other_prefix_reason; /* why the plan is for some other prefix; NULL: it is for this one */
    struct survey survey;      /* of a prefix that is to be changed */
    struct request effective_request; /* what request became by what is there; shares its strings */
    struct lockfile lock;             /* what --lock FILE says, where it is used */
    const char *lock_name;            /* of that file; NULL: none is used */
    const char *lock_state;           /* used, written, updated; NULL: there is none */
    struct plan lock_plan; /* what it is to say of products that change; none where it is used */
    struct interrupt interrupt;
};

/* interrupt_came(), and the user is told at once: removing what was begun can take seconds. */
bool run_interrupted(struct run *run, struct error *error);

#endif
