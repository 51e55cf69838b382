/* SPDX-License-Identifier: MIT */
#ifndef MANIFEST_UPDATE_STATEMENT_H
#define MANIFEST_UPDATE_STATEMENT_H

#include "manifest/update/signed.h"

/* What the keys for manifests sign: which manifest is the newest, and until when that is said. */
struct update_statement {
    unsigned version; /* of the statement: each one has a greater number */
    int64_t expires;
    unsigned format;           /* of the manifest: "schema" of its subjects */
    unsigned manifest_version; /* as in the manifest itself */
    char *manifest_date;
    uint64_t length; /* bytes of the manifest */
    char *sha256;    /* of the manifest: 64 small hexadecimal digits */
};
#define AUTO_STATEMENT AUTO(update_statement_free)

/* Reads what was signed. ERROR_DATA where it is not a statement, and where its manifest has a
 * format that this gpuenv does not read: then next says what to do. */
bool update_statement_read(const struct update_signed *document, const char *name,
                           struct update_statement *ret_statement, struct error *error);
void update_statement_free(struct update_statement *statement);

/* The same of the whole document. ret_signed may be NULL. */
bool update_statement_parse(const char *text, size_t size, const char *name,
                            struct update_signed *ret_signed,
                            struct update_statement *ret_statement, struct error *error);

/* The name of its manifest beside it: "manifest-7.json"; a new string. */
char *update_statement_file(const struct update_statement *statement);

#endif
