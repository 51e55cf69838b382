/* SPDX-License-Identifier: MIT */
#ifndef INSTALL_PLAN_CHANGE_H
#define INSTALL_PLAN_CHANGE_H

#include "base/strlist.h"
#include "base/version.h"
#include "install/ledger/ledger.h"
#include "install/ledger/request.h"

struct error;

/* What a request means for a prefix that has a ledger: pure. Installing takes nothing away but the
 * version that another one replaces. A prefix that is not there is an empty ledger. */

/* How a prefix becomes what it is to be. */
enum way {
    WAY_RENAME,   /* it is not there: a tree gets its name */
    WAY_EXCHANGE, /* two trees change names */
    WAY_FILES,    /* file by file (pending.h) */
};
/* rename, exchange, file by file: words of JSON, likewise. */
const char *way_word(enum way way);

enum change_kind {
    CHANGE_NONE,    /* the product is there as it is wanted */
    CHANGE_ADD,     /* it is not there */
    CHANGE_REPLACE, /* another version or variant of it is there */
    CHANGE_WIDEN,   /* it is there, perhaps without all that is wanted of it */
};
/* unchanged, added, replaced, widened: words of JSON, which never change meaning. */
const char *change_word(enum change_kind kind);

struct change_product {
    enum change_kind kind;
    struct version version;             /* what it will have: a newer one that is there stays */
    enum extent extent;                 /* likewise */
    struct strlist wishes;              /* words of --component: those there, and the request's */
    const struct ledger_product *there; /* within the ledger; NULL: none */
    char *was;                          /* the version there; NULL: none */
};
struct change {
    struct change_product *products; /* in the order of the request's */
    size_t count;
};
#define AUTO_CHANGE AUTO(change_free)
void change_free(struct change *change);

/* False, with *ret_change untouched:
 * - ERROR_CANNOT_WRITE: another CUDA X.Y is there (but for force), or another platform;
 * - ERROR_USAGE: two extents that no extent holds both of; a component is there that is to be
 *   left out;
 * - ERROR_UNSATISFIABLE: products would be left that are for different CUDA versions.
 * where is what errors call the prefix. */
bool change_of(const struct ledger *ledger, const struct request *request, const char *where,
               struct change *ret_change, struct error *error);
/* Whether a product that is there has been given this word of --component already. */
bool change_component_is_installed(const struct change *change, const char *word);
bool change_is_needed(const struct change *change);

/* The smallest extent that has both; false: none has. */
bool change_extents(enum extent one, enum extent other, enum extent *ret_both);
/* Of a word of the ledger; false: it is none. */
bool change_extent_of(const char *word, enum extent *ret_extent);

/* Whether products fit together: what is built for a CUDA version, and the CUDA there.
 * ERROR_UNSATISFIABLE naming both. */
bool change_is_sound(const struct ledger *ledger, const char *where, struct error *error);

/* Whether what product has of a component is there already: the same archive, unpacked alike. */
bool change_has(const struct ledger *ledger, const struct ledger_product *product,
                const struct ledger_component *component);

/* From one state to the next: files that no component of next brings again. Those of both stay,
 * with the owners that stay. version.json is made again where CUDA changes. */
void change_keep_files(const struct ledger *ledger, const struct ledger *next,
                       struct ledger *ret_kept);

#endif
