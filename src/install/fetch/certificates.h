/* SPDX-License-Identifier: MIT */
#ifndef INSTALL_FETCH_CERTIFICATES_H
#define INSTALL_FETCH_CERTIFICATES_H

#include <stdbool.h>

struct error;

/* Where the certificates of the authorities (CA) are that a server's certificate is checked by. */
struct certificates {
    const char *file;      /* PEM, many in one; NULL: libcurl's own default */
    const char *directory; /* one each, named by hash; NULL: libcurl's own default */
    const char *origin;    /* "--cacert", or the variable that names file; NULL: neither does */
};

/* Which ones are used, as the curl tool chooses: given (--cacert, may be NULL), CURL_CA_BUNDLE,
 * SSL_CERT_FILE with SSL_CERT_DIR. Where none is set and libcurl was built without a default
 * (has_default false), the places where distributions keep them below root ("" but in tests).
 * The strings are the caller's, the environment's or static. */
struct certificates certificates_choose(const char *given, bool has_default, const char *root);
/* Whether a connection that is encrypted can be checked by them. False: what was named is not a
 * file (ERROR_NO_INPUT), or there are none at all (ERROR_UNAVAILABLE); error names the places. */
bool certificates_usable(const struct certificates *certificates, bool has_default,
                         struct error *error);

#endif
