/* SPDX-License-Identifier: MIT */
#include "host/local/random_bytes.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/memory.h"

static bool is_filled(ssize_t result, size_t size)
{
    if (result >= 0 && (size_t)result != size)
        errno = EIO;
    return result >= 0 && (size_t)result == size;
}

bool random_bytes(void *bytes, size_t size)
{
    ssize_t result = syscall(SYS_getrandom, bytes, size, 0U);
    if (result >= 0 || errno != ENOSYS)
        return is_filled(result, size);
    AUTO_CLOSE int device = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
    return device >= 0 && is_filled(read(device, bytes, size), size);
}
