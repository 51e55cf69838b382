/* SPDX-License-Identifier: MIT */
#ifndef INSTALL_UPDATE_ED25519_H
#define INSTALL_UPDATE_ED25519_H

#include "manifest/update/signed.h"

struct error;

/* Whether the signature of its key is one of these bytes: Ed25519 (RFC 8032), by libcrypto.
 * *ret_valid is false too for what is not a key. False: ERROR_INTERNAL, libcrypto does not do
 * Ed25519 here. */
bool ed25519_verify(const struct update_signature *signature, const void *bytes, size_t size,
                    bool *ret_valid, struct error *error);

#endif
