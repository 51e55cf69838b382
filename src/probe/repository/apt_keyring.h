/* SPDX-License-Identifier: MIT */
#ifndef PROBE_REPOSITORY_APT_KEYRING_H
#define PROBE_REPOSITORY_APT_KEYRING_H

#include "probe/repository/apt_sources.h"
#include "probe/repository/openpgp.h"

/* The keys that apt checks an entry with. */
struct apt_keyrings {
    struct openpgp_keys keys;
    struct strlist files;   /* that were read */
    struct strlist missing; /* that Signed-By names and that are not there */
    struct strlist unread;  /* that are there and could not be read, or not wholly */
};
void apt_keyrings_free(struct apt_keyrings *keyrings);
#define AUTO_APT_KEYRINGS AUTO(apt_keyrings_free)

/* Adds those that apt uses where an entry names none: /etc/apt/trusted.gpg and trusted.gpg.d. */
void apt_keyrings_trusted(const struct host *host, struct apt_keyrings *keyrings);
/* Adds those of an entry; trusted are those of the function above. */
void apt_keyrings_of(const struct host *host, const struct apt_source *source,
                     const struct apt_keyrings *trusted, struct apt_keyrings *keyrings);

#endif
