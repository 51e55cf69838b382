/* SPDX-License-Identifier: MIT */
#ifndef HOST_LOCAL_TRUSTED_H
#define HOST_LOCAL_TRUSTED_H

#include <stddef.h>

#include "base/error.h"
#include "base/text.h"

/* A file that decides what gpuenv says, and that nobody else may have written: for root one of
 * root's in a directory of root's, for a user one of the user's or of root's; and that no other
 * user can change. */
enum trusted_result {
    TRUSTED_READ,
    TRUSTED_ABSENT,  /* there is none that this user could read: one open(2) */
    TRUSTED_REFUSED, /* it is not used: error (which may be NULL) says why */
};

/* Reads it whole. No link is followed at the end of path. More than max bytes are refused. */
enum trusted_result local_read_trusted(const char *path, size_t max, struct text *ret_text,
                                       struct error *error);

#endif
