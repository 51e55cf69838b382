/* SPDX-License-Identifier: MIT */
#ifndef INSTALL_PREFIX_VERIFY_H
#define INSTALL_PREFIX_VERIFY_H

#include "install/prefix/prefix.h"

struct error;

/* A prefix against its ledger. */
struct verify_row {
    char *path;
    char *why;         /* of what changed: "mode 0755, was 0644"; NULL: missing or added */
    char *detail;      /* its digests, where the bytes differ; else NULL */
    bool is_other;     /* something else has its name: a link instead of a file … */
    bool is_directory; /* what is there now */
};
struct verify_rows {
    struct verify_row *items;
    size_t count, capacity;
};
struct verification {
    struct verify_rows changed, missing, added; /* sorted by path */
    size_t files;                               /* that were looked at */
};
#define AUTO_VERIFICATION AUTO(verification_free)

/* Every file of the ledger by type, mode, size and digest, and what else is there. False only when
 * it could not be done. *ret_verification must be {0}. */
bool verify_prefix(const struct prefix *prefix, struct verification *ret_verification,
                   struct error *error);
enum verify_depth {
    VERIFY_STATUS, /* type, mode, size, where a link leads */
    VERIFY_BYTES,  /* the digest as well */
};
/* The same for one file of the ledger, in the prefix that fd is of; where is its path. */
bool verify_file(int fd, const char *where, const struct ledger_file *file, enum verify_depth depth,
                 struct verification *verification, struct error *error);
void verification_free(struct verification *verification);

#endif
