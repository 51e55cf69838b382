/* SPDX-License-Identifier: MIT */
#ifndef HOST_CHILD_CONFINE_PRIVATE_H
#define HOST_CHILD_CONFINE_PRIVATE_H

/* Private to host/confine*.c: what the confinement of a vendor library and that of the unpacker
 * share. */

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/memory.h"

/* What linux/landlock.h calls LANDLOCK_ACCESS_FS_…, the same on every architecture. */
enum landlock_access {
    ACCESS_EXECUTE = 1u << 0,
    ACCESS_WRITE_FILE = 1u << 1,
    ACCESS_READ_FILE = 1u << 2,
    ACCESS_READ_DIR = 1u << 3,
    ACCESS_REMOVE_DIR = 1u << 4,
    ACCESS_REMOVE_FILE = 1u << 5,
    ACCESS_MAKE = 0x7fu << 6, /* CHAR, DIR, REG, SOCK, FIFO, BLOCK, SYM */
    ACCESS_MAKE_DIR = 1u << 7,
    ACCESS_MAKE_REG = 1u << 8,
    ACCESS_MAKE_SYM = 1u << 12,
    ACCESS_REFER = 1u << 13,     /* second version */
    ACCESS_TRUNCATE = 1u << 14,  /* third version */
    ACCESS_IOCTL_DEV = 1u << 15, /* fifth version */
};

/* A Landlock ruleset being made. Start with {.fd = -1}. */
struct ruleset {
    int fd;
    uint64_t handled;
};
#define AUTO_RULESET AUTO(ruleset_close)
void ruleset_close(const struct ruleset *ruleset);

/* Forbids what is in handled and known to the kernel's version of Landlock. False: it has none. */
bool ruleset_open(uint64_t handled, struct ruleset *ret_ruleset);
/* Allows access, as far as it is handled, to all below the open directory. */
bool ruleset_allow(const struct ruleset *ruleset, int directory_fd, uint64_t access);
/* Puts it in force for this process, for good. no_new_privs must be set. */
bool ruleset_enforce(const struct ruleset *ruleset);

/* Capabilities out of every set: those of the mask (bit n is capability n). False and
 * ERROR_INTERNAL when one is still there. */
bool capabilities_drop(uint64_t mask, struct error *error);

#endif
