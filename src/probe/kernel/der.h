/* SPDX-License-Identifier: MIT */
#ifndef PROBE_KERNEL_DER_H
#define PROBE_KERNEL_DER_H

#include <stdbool.h>
#include <stddef.h>

/* Names of signers: as much of DER (X.690) as finds them. Untrusted bytes; nothing is verified. */

/* Whose key: the strings are the caller's. A serial number is unique only among those of one
 * issuer. */
struct der_key {
    char *name;   /* the common name (or organisation) of issuer or subject: "DKMS module signing
                     key" */
    char *serial; /* of the certificate, in hex digits: "11223344"; NULL when there is none */
    char *issuer; /* of a certificate: who issued it, named in the same way; NULL: not known */
};

#define AUTO_KEY AUTO(der_key_free)

/* The key a PKCS #7 message (RFC 2315) was signed with: issuer and serial number of its first
 * signer. */
bool der_signer(const void *bytes, size_t size, struct der_key *ret_key);

/* The subject, serial number and issuer of a certificate (RFC 5280). */
bool der_certificate(const void *bytes, size_t size, struct der_key *ret_key);
void der_key_free(struct der_key *key);

/* The same for the end of a kernel module, signature and all (include/linux/module_signature.h of
 * the kernel). False when it is not signed; *ret_key stays empty when the signature has another
 * form. */
bool der_module_signer(const void *bytes, size_t size, struct der_key *ret_key);

#endif
