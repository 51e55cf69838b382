/* SPDX-License-Identifier: MIT */
#ifndef HOST_LOCAL_TEMPORARY_H
#define HOST_LOCAL_TEMPORARY_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/memory.h"

/* A file beside the one that it is to replace: ".NAME.gpuenv-0123456789abcdef", locked for as long
 * as it is open. Start with {.fd = -1, .directory = …}. */
#define TEMPORARY_BYTES 256
struct temporary {
    int fd;
    int directory; /* the caller's; O_PATH will do */
    bool there;    /* it has its name, and goes with it unless that is taken away */
    char name[TEMPORARY_BYTES];
};
#define AUTO_TEMPORARY AUTO(temporary_remove)

/* Makes it, for the file called name in temporary->directory, and removes those that killed runs of
 * this user left for that file. Returns 0 or an errno. */
int temporary_create(struct temporary *temporary, const char *name, mode_t mode);
/* Closes it, and removes it where it is still there. */
void temporary_remove(struct temporary *temporary);

#endif
