/* SPDX-License-Identifier: MIT */
#ifndef INSTALL_LEDGER_LEDGER_H
#define INSTALL_LEDGER_LEDGER_H

#include "base/strlist.h"
#include "base/text.h"
#include "install/io/digest.h"

struct error;

/* PREFIX/.gpuenv/ledger.json: whose each file of the prefix is. Written sorted, with no host name
 * and no clock but the date of the request: the same install gives the same bytes. Format:
 * docs/reference/ledger.md. */
#define LEDGER_DIRECTORY ".gpuenv"
#define LEDGER_NAME      "ledger.json"
#define LEDGER_LEAVING   "uninstalling.json" /* its name while files are removed one by one */
#define LEDGER_PENDING   "pending.json"      /* what is to be, while files are changed one by one */
#define LEDGER_STAGE     "stage"             /* beside it: what is still to get its place */
#define LEDGER_OWN       "gpuenv"            /* the owner of what gpuenv adds itself */
#define LEDGER_MAX       (64u << 20)
#define LEDGER_SCHEMA    1
#define LEDGER_PATH_MAX  2048

struct ledger_component {
    char *name, *version, *platform, *variant; /* variant may be NULL */
    char *archive;                             /* path below a mirror */
    uint64_t size;
    struct digest sha256;
    char *licence; /* may be NULL */
};
#define LEDGER_PREVIOUS_MAX 4 /* how many steps a product can go back */
struct ledger_product {
    char *product, *version;
    char *variant; /* "cuda12"; NULL: none */
    char *spec;    /* as it was asked for */
    char *extent;
    struct strlist wishes; /* words of --component */
    char *pin;             /* file, content, none */
    struct digest catalog; /* of the redistrib file, as it was used */
    char *accepted;        /* date on which the licence was accepted: 2026-11-21 */
    struct ledger_component *components;
    size_t component_count, component_capacity;
    struct ledger_product *previous; /* what this one replaced, the last first; without its own */
    size_t previous_count, previous_capacity;
    unsigned change; /* of a previous one: the number of the change that replaced it, from 1 on */
};
enum ledger_type { LEDGER_FILE, LEDGER_DIRECTORY_ENTRY, LEDGER_LINK };
/* file, directory, link */
const char *ledger_type_word(enum ledger_type type);
struct ledger_file {
    char *path; /* relative to the prefix */
    enum ledger_type type;
    unsigned mode;
    uint64_t size;
    struct digest sha256;
    char *target;          /* of a link */
    struct strlist owners; /* "cuda/cuda_cudart", "gpuenv" for what the layout adds; sorted */
    bool is_there;         /* not written: while a prefix is changed, it stays as it is */
};
struct ledger {
    char *gpuenv; /* version that wrote it */
    struct ledger_product *products;
    size_t product_count, product_capacity;
    struct ledger_file *files; /* sorted by path */
    size_t file_count, file_capacity;
    struct strlist remove; /* of LEDGER_PENDING: paths that are not to stay */
    unsigned undoes;       /* likewise: the change that use --previous takes back; 0: it is none */
};
#define AUTO_LEDGER AUTO(ledger_free)
void ledger_free(struct ledger *ledger);

/* Strict, as untrusted: ERROR_DATA with file and key. A newer schema says to update gpuenv. */
bool ledger_parse(const char *text, size_t size, const char *name, struct ledger *ret_ledger,
                  struct error *error);
void ledger_append(const struct ledger *ledger, struct text *output);
/* NULL when it is not there. */
const struct ledger_product *ledger_product_find(const struct ledger *ledger, const char *product);
const struct ledger_file *ledger_find(const struct ledger *ledger, const char *path);
/* Adds a copy of product to ledger, without its previous ones. */
struct ledger_product *ledger_product_add(struct ledger *ledger,
                                          const struct ledger_product *product);
/* Lets product remember what it replaces, and what that one remembered. What it goes back to is
 * remembered no more. */
void ledger_product_replace(struct ledger_product *product, const struct ledger_product *replaced,
                            unsigned change);
/* Lets product remember what there, another state of the same version, remembers. */
void ledger_product_remember(struct ledger_product *product, const struct ledger_product *there);
/* The same bytes, by whatever words they were asked for. */
bool ledger_is_same_state(const struct ledger_product *a, const struct ledger_product *b);
/* The number of the last change that replaced something; 0: none did. */
unsigned ledger_last_change(const struct ledger *ledger);
/* cuda first, then by name. */
void ledger_sort_products(struct ledger *ledger);

#endif
