/* SPDX-License-Identifier: MIT */
#ifndef HOST_ELF_SEALED_H
#define HOST_ELF_SEALED_H

#include "base/error.h"
#include "host/root/file.h"

/* Whether a program is the whole file that was built, by the 16 bytes that cmake/seal appends. */
enum sealed {
    SEALED_WHOLE,
    SEALED_DAMAGED, /* other bytes, or more of them */
    SEALED_CUT,     /* the end is missing */
    SEALED_NONE,    /* carries no checksum: it was stripped after it was built */
    SEALED_UNKNOWN, /* this build has no zlib to compute it with */
};

/* Reads path to its end. ret_sealed is set only on HOST_OK; HOST_FAILED with ERROR_DATA where it is
 * not an ELF file. */
enum host_status sealed_check(const struct host *host, const char *path, enum sealed *ret_sealed,
                              struct error *error);

#endif
