/* SPDX-License-Identifier: MIT */
#include "host/local/anonymous_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#define CLOSE_ON_EXEC 1U /* MFD_CLOEXEC of linux/memfd.h */

static int create_unlinked(char *name)
{
    int fd = mkostemp(name, O_CLOEXEC);
    if (fd >= 0)
        unlink(name);
    return fd;
}

int anonymous_file_new(void)
{
    char places[][sizeof("/var/tmp/gpuenv-XXXXXX")] = {
        "/dev/shm/gpuenv-XXXXXX", "/tmp/gpuenv-XXXXXX", "/var/tmp/gpuenv-XXXXXX"};
    int fd = (int)syscall(SYS_memfd_create, "gpuenv", CLOSE_ON_EXEC);
    if (fd >= 0 || errno != ENOSYS)
        return fd;
    for (size_t i = 0; fd < 0 && i < sizeof(places) / sizeof(places[0]); i++)
        fd = create_unlinked(places[i]);
    return fd;
}
