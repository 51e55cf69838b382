/* SPDX-License-Identifier: MIT */
#ifndef INSTALL_LEDGER_REQUEST_H
#define INSTALL_LEDGER_REQUEST_H

#include "base/error.h"
#include "base/strlist.h"
#include "base/version.h"

/* What gpuenv hands to gpuenv-install: options parsed, versions resolved. It comes as JSON through
 * a descriptor (docs/background/architecture.md), so that nothing of it stands on a command line.
 * At most a manifest, of which every byte may take six, and a few words. */
#define REQUEST_MAX (100u << 20)
enum action {
    ACTION_PLAN,
    ACTION_INSTALL,
    ACTION_VERIFY,
    ACTION_LIST,
    ACTION_UNINSTALL,
    ACTION_USE,
    ACTION_MIRROR,
    ACTION_LINK,
    ACTION_CACHE_SHOW,
    ACTION_CACHE_PRUNE,
    ACTION_MANIFEST_UPDATE
};
enum extent { EXTENT_FULL, EXTENT_RUNTIME, EXTENT_BUILD };

struct request_product {
    char *spec;             /* as the user wrote it: "cuda@12.8" */
    char *product;          /* "cuda" */
    struct version version; /* exact: 12.8.1 */
    struct version cuda;    /* its CUDA variant: 12 or 13.1; count 0: it has none */
    struct version asked;   /* what the user wrote after the @; count 0: nothing, or auto */
    char *rule, *why;       /* of the resolver; may be NULL */
    struct strlist limits;  /* what does not work then, one sentence each */
    char *exact;            /* the newest version without these limits; may be NULL */
};
struct request {
    enum action action;
    struct request_product *products;
    size_t product_count, product_capacity;
    struct strlist notes; /* of the resolver, one sentence each */
    char *root;           /* --root DIR: all paths of the installation are within it; NULL: / */
    struct strlist then;  /* what is left to be done, one sentence each */
    struct strlist then_commands; /* the command of each; "": it has none */
    char *prefix;                 /* absolute; NULL for list: all known places; of mirror its DIR */
    char *usual_prefix;           /* where it would go without --prefix; NULL: not known */
    char *link;     /* what names the installation in use: /usr/local/cuda; NULL: none */
    bool use;       /* it is to lead to the prefix */
    bool ldconfig;  /* the loader is to know the prefix */
    char *platform; /* linux-x86_64, linux-sbsa */
    enum extent extent;
    bool extent_given;         /* else it is what stands for none */
    struct strlist components; /* --component */
    struct strlist mirrors;    /* in the order they are tried; empty: NVIDIA's */
    struct strlist archives;   /* --archive FILE */
    struct strlist indexes;    /* Python indexes, in the order they are asked; empty: none known */
    char *manifest_path;       /* of --manifest, or updated; NULL: built in */
    char *manifest_text;       /* what stands in it, read by gpuenv */
    char *manifest_origin;     /* "updated", "file"; NULL: built in */
    char *update_from;         /* of manifest_update: URL, directory or file */
    char *update_directory;    /* where the update is kept */
    char *update_path;         /* the file there */
    char *format;              /* text, json */
    char *progress;            /* auto, bar, plain, json, none */
    char *output;              /* -o FILE; NULL: stdout */
    bool accept_eula, allow_unpinned, offline, no_cache, force, quiet, verbose;
    bool prune_all, prune_by_age, prune_by_size; /* of cache_prune */
    unsigned older_than_days;
    uint64_t max_size;
    bool only;          /* uninstall: the products alone, not all that the prefix holds */
    bool previous;      /* use: what the last change replaced */
    unsigned jobs;      /* 0: as many as there are cores */
    unsigned timeout_s; /* the stall of one transfer; 0: 30 */
    unsigned lock_timeout_s;
    char *cacert;               /* --cacert FILE; NULL: not given */
    char *lock_path;            /* --lock FILE; NULL: none */
    char *lock_text;            /* what it says, where it is used; NULL: it is written */
    bool lock_extends;          /* it is used, and lacks a platform */
    struct strlist asked_specs; /* for the lock file: words of the command line, sorted */
    struct strlist asked_assume_gpus;
    struct strlist asked_platforms; /* of mirror all, sorted; else the one */
    char *asked_assume_driver, *asked_framework;
    bool dry_run; /* of mirror and cache_prune */
    int64_t date; /* seconds since 1970: SOURCE_DATE_EPOCH, else now */
};
#define AUTO_REQUEST AUTO(request_free)

/* Strict: an unknown key is ERROR_INTERNAL, both programs are of one build. */
bool request_parse(const char *text, size_t size, struct request *ret_request, struct error *error);
void request_free(struct request *request);
const char *extent_word(enum extent extent);
/* All of them, by enum extent; ends with NULL. */
extern const char *const extent_words[];
/* "cuda12", as catalogs and ledgers name it; NULL: it has none. free() it. */
char *request_variant(const struct request_product *product);

#endif
