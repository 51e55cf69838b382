/* SPDX-License-Identifier: MIT */
#ifndef INSTALL_PLAN_PLAN_H
#define INSTALL_PLAN_PLAN_H

#include "base/strlist.h"
#include "install/plan/catalog.h"
#include "install/ledger/ledger.h"
#include "install/ledger/request.h"

struct error;
struct manifest;
struct manifest_component;

/* What an install would do. */

/* One archive to fetch and unpack. */
struct plan_item {
    char *product;   /* cuda */
    char *release;   /* 12.8.1: of the product */
    char *component; /* cuda_nvcc */
    char *version;   /* 12.8.93: of the component */
    char *platform, *variant;
    const struct manifest_layout *layout; /* where its files go; NULL: it is made for a prefix */
    char *path;    /* "compute/cuda/redist/cuda_nvcc/linux-x86_64/….tar.xz": below a mirror */
    char *url;     /* NVIDIA's own address, where it does not follow from path; else NULL */
    uint64_t size; /* 0: not known */
    struct digest sha256;
    bool cached;                  /* it need not be fetched */
    bool by_hand;                 /* it is not at hand, and gpuenv does not fetch it by itself */
    bool there;                   /* the prefix has it: neither fetched nor unpacked */
    enum extent extent;           /* what is unpacked of it */
    uint64_t installed_size;      /* bytes in the prefix after the extent's filter */
    bool estimated;               /* installed_size is an estimate, not less than it takes */
    char *licence, *licence_path; /* licence_path below a mirror; each may be NULL */
    char *cuda; /* beside it, of which an archive may have a directory of libraries: "12.8" */
    const struct manifest_component *row; /* of the component, once it is unpacked; NULL: none */
};
struct plan_excluded {
    char *product, *component;
    char *reason; /* "driver", "nsight", "not in profile runtime", "not for linux-x86_64" */
    uint64_t size;
};
struct plan {
    struct plan_item *items; /* by product in the request's order, then by component */
    size_t item_count, item_capacity;
    struct plan_excluded *excluded;
    size_t excluded_count, excluded_capacity;
    struct strlist licences; /* each once, sorted */
    uint64_t download;       /* bytes still to be fetched: not in the cache */
    uint64_t unpacked;       /* bytes of the finished tree */
    size_t files;            /* in it; 0: not known */
    uint64_t staging;        /* the most that is needed on the prefix's file system at a time */
    uint64_t saved;          /* bytes of archives that the extent leaves out */
    uint64_t free_prefix;    /* bytes free where the prefix is */
    uint64_t free_cache;     /* where the cache is */
    const char *cache_path;  /* not owned; NULL: not known */
    bool knows_free_prefix, knows_free_cache;
    bool one_file_system; /* both are on one */
    struct strlist named; /* words of --component that some release has */
};
#define AUTO_PLAN AUTO(plan_free)
void plan_free(struct plan *plan);
void plan_item_clear(struct plan_item *item); /* what it holds */
/* "x86_64-linux" of an item for linux-x86_64: what {target} stands for in layouts. free() it. */
char *plan_item_target(const struct plan_item *item);
/* An item that is not there yet has a size that is not known. */
bool plan_lacks_size(const struct plan *plan);

/* Adds the archives of one product: those of the extent and of --component, for the platform and
 * variant of product. ERROR_UNSATISFIABLE: nothing for that platform or variant, a component that
 * is indispensable is not there; ERROR_DATA: an entry that may not be used. */
bool plan_add(struct plan *plan, const struct catalog *catalog, const struct request *request,
              const struct request_product *product, struct manifest *manifest,
              struct error *error);

/* Whether a release has what a word of --component speaks of. */
bool plan_knows(const struct catalog *catalog, const struct request_product *product,
                struct manifest *manifest, const char *word);
/* Adds one archive of a product as a ledger has it. */
struct plan_item *plan_add_component(struct plan *plan, const struct ledger_product *product,
                                     const struct ledger_component *component);
/* Whether the plan has this component of product. */
bool plan_has(const struct plan *plan, const char *product, const char *component);
/* Archives that are to be unpacked. */
size_t plan_missing(const struct plan *plan);
/* One archive of a product, that of entry, and what is left out; reason becomes the plan's. entry
 * may be NULL there. */
void plan_take(struct plan *plan, const struct request_product *product,
               const struct catalog_component *component, const struct catalog_entry *entry);
void plan_leave(struct plan *plan, const struct request_product *product,
                const struct catalog_component *component, const struct catalog_entry *entry,
                char *reason);

/* After every plan_add(): ERROR_USAGE for a --component that no release has. */
bool plan_components_known(const struct plan *plan, const struct request *request,
                           struct error *error);

/* The true sizes, once it was carried out. A file of two components counts for each of them. */
void plan_measure(struct plan *plan, const struct ledger *ledger);
/* Into an empty plan: what the prefix has of the products of the request, with true sizes. */
void plan_of_ledger(struct plan *plan, const struct ledger *ledger, const struct request *request);

/* Totals of all items; cached(digest) tells which archives are at hand. */
void plan_sum(struct plan *plan, bool (*cached)(const void *context, const struct digest *digest),
              const void *context);
/* ERROR_CANNOT_WRITE when it does not fit: what is needed where, and what is free. */
bool plan_fits(const struct plan *plan, const struct request *request, struct error *error);

/* True when the extent keeps this member: path within the component's own tree ("lib/libx.so.1").
 */
bool plan_keeps(enum extent extent, const char *path, bool is_directory);

#endif
