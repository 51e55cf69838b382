/* SPDX-License-Identifier: MIT */
#include "install/update/trust.h"

#include <string.h>

#include "base/error.h"
#include "install/update/ed25519.h"

#define BUILT_IN "the built-in root"

void update_trust_free(struct update_trust *trust)
{
    strlist_free(&trust->documents);
}

/* Whether the key has signed: of several signatures of one key, one that is valid is enough. */
static bool has_signed(const struct update_key *key, const struct update_signed *document,
                       bool *ret_signed, struct error *error)
{
    *ret_signed = false;
    for (size_t i = 0; i < document->signature_count && !*ret_signed; i++) {
        const struct update_signature *signature = &document->signatures[i];
        if (update_key_equal(&signature->key, key) &&
            !ed25519_verify(signature, document->text, document->size, ret_signed, error))
            return false;
    }
    return true;
}

bool update_trust_verify(const struct update_role *role, const struct update_signed *document,
                         const char *name, struct error *error)
{
    unsigned count = 0;
    for (size_t i = 0; i < role->key_count; i++) {
        bool is_signed;
        if (!has_signed(&role->keys[i], document, &is_signed, error))
            return false;
        count += is_signed;
    }
    if (count >= role->threshold)
        return true;
    error_set(error, ERROR_DATA, "too few trusted keys have signed this");
    error_where(error, "%s", name);
    error_why(error, "%u valid signature%s, %u needed", count, count == 1 ? "" : "s",
              role->threshold);
    return error_next(error, "it was changed, or it is not from the publisher that this build of "
                             "gpuenv trusts: use another source");
}

static bool read_root(const char *text, const char *name, struct update_signed *document,
                      struct update_root *root, struct error *error)
{
    return update_signed_parse(text, strlen(text), name, "gpuenv-root", document, error) &&
           update_root_read(document, name, root, error);
}

bool update_trust_begin(const char *roots, size_t size, struct update_trust *ret_trust,
                        struct error *error)
{
    AUTO_TRUST struct update_trust trust = {.root = {.version = 0}};
    AUTO_STRLIST struct strlist documents = {0};
    AUTO_SIGNED struct update_signed document = {.text = NULL};
    bool ok = update_roots_split(roots, size, BUILT_IN, &documents, error) &&
              read_root(documents.items[0], BUILT_IN, &document, &trust.root, error) &&
              update_trust_verify(&trust.root.root, &document, BUILT_IN, error);
    if (ok) {
        strlist_add(&trust.documents, documents.items[0]);
        ok = update_trust_walk(&trust, roots, size, BUILT_IN, error);
    }
    if (!ok) {
        if (error)
            error->kind = ERROR_INTERNAL;
        return error_next(error, "build gpuenv with a valid GPUENV_UPDATE_KEYS");
    }
    *ret_trust = trust;
    trust = (struct update_trust){.root = {.version = 0}};
    return true;
}

static bool refuse_gap(const struct update_trust *trust, const struct update_root *root,
                       const char *name, struct error *error)
{
    error_set(error, ERROR_DATA, "a root is missing between the trusted one and the next");
    error_where(error, "%s", name);
    error_why(error, "root %u is trusted, and root %u follows", trust->root.version, root->version);
    return error_next(error, "use another source, or install a newer gpuenv");
}

/* One that is not newer changes nothing, whoever signed it. */
static bool take_root(struct update_trust *trust, const char *text, const char *name,
                      struct error *error)
{
    AUTO_SIGNED struct update_signed document = {.text = NULL};
    struct update_root root;
    if (!read_root(text, name, &document, &root, error))
        return false;
    if (root.version <= trust->root.version)
        return true;
    if (root.version != trust->root.version + 1)
        return refuse_gap(trust, &root, name, error);
    if (!update_trust_verify(&trust->root.root, &document, name, error) ||
        !update_trust_verify(&root.root, &document, name, error))
        return false;
    trust->root = root;
    strlist_add(&trust->documents, text);
    return true;
}

bool update_trust_walk(struct update_trust *trust, const char *roots, size_t size, const char *name,
                       struct error *error)
{
    AUTO_STRLIST struct strlist documents = {0};
    if (!update_roots_split(roots, size, name, &documents, error))
        return false;
    for (size_t i = 0; i < documents.count; i++) {
        AUTO_FREE char *place = mem_printf("%s[%zu]", name, i);
        if (!take_root(trust, documents.items[i], place, error))
            return false;
    }
    return true;
}

void update_trust_append(const struct update_trust *trust, struct text *output)
{
    AUTO_FREE char *joined = strlist_join(&trust->documents, ",\n");
    text_printf(output, "[%s]", joined);
}
