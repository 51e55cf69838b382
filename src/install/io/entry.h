/* SPDX-License-Identifier: MIT */
#ifndef INSTALL_IO_ENTRY_H
#define INSTALL_IO_ENTRY_H

#include <stdbool.h>
#include <sys/types.h>

/* What lstat(2) tells of a directory's entry, and what it does not: a mount, and what chattr(1)
 * set. */
struct entry {
    mode_t mode;
    uid_t owner;
    dev_t device;
    bool is_mount;     /* something is mounted there */
    bool is_immutable; /* chattr +i */
    bool is_append;    /* chattr +a */
};

/* Looks at the entry; "" is the directory itself. No link is followed and nothing is mounted for
 * it. By statx(2) where the kernel has it (Linux 4.11; mounts of the same device since 5.8), else
 * by fstatat(2), mount ids, and FS_IOC_GETFLAGS of what can be opened. False: errno tells. */
bool entry_look(int fd, const char *name, struct entry *ret_entry);

#endif
