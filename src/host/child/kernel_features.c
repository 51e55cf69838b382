/* SPDX-License-Identifier: MIT */
#include "host/child/kernel_features.h"

#include <errno.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "host/child/confinement.h"

/* Since Linux 5.3 a new system call has one number on every architecture; older headers lack them.
 */
#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif
#ifndef SYS_close_range
#define SYS_close_range 436
#endif
#ifndef SYS_openat2
#define SYS_openat2 437
#endif
#ifndef SYS_faccessat2
#define SYS_faccessat2 439
#endif

#define NO_FLAGS 0xffffffffUL /* flags that no call knows: it refuses, and does nothing */

/* Each is asked for something that cannot be done: a kernel that has the call says why, one that
 * has not says ENOSYS, and a container's filter that does not know it EPERM. */
static bool is_known(long answer)
{
    return answer >= 0 || (errno != ENOSYS && errno != EPERM);
}

static bool has_renameat2(void)
{
    return is_known(syscall(SYS_renameat2, -1, "", -1, "", NO_FLAGS));
}

static bool has_getrandom(void)
{
    return is_known(syscall(SYS_getrandom, NULL, 0UL, NO_FLAGS));
}

static bool has_memfd_create(void)
{
    return is_known(syscall(SYS_memfd_create, "", NO_FLAGS));
}

static bool has_statx(void)
{
    return is_known(syscall(SYS_statx, -1, "", NO_FLAGS, 0UL, NULL));
}

static bool has_pidfd_open(void)
{
    return is_known(syscall(SYS_pidfd_open, -1, NO_FLAGS));
}

static bool has_close_range(void)
{
    return is_known(syscall(SYS_close_range, 0UL, 0UL, NO_FLAGS));
}

static bool has_openat2(void)
{
    return is_known(syscall(SYS_openat2, -1, "", NULL, 0UL));
}

static bool has_faccessat2(void)
{
    return is_known(syscall(SYS_faccessat2, -1, "", 0UL, NO_FLAGS));
}

/* Releases: man-pages 6.9, section 2, "HISTORY" of each. */
const struct kernel_feature kernel_features[] = {
    {"seccomp filters", "3.5",
     "a vendor library that gpuenv calls, or a program that unpacks archives, can start programs "
     "and open sockets",
     confinement_has_seccomp},
    {"renameat2", "3.15",
     "an installation is changed file by file instead of being exchanged in one step",
     has_renameat2},
    {"getrandom", "3.17", "random names come from /dev/urandom", has_getrandom},
    {"memfd_create", "3.17",
     "the request to gpuenv-install is passed in a temporary file whose name is removed at once",
     has_memfd_create},
    {"statx", "4.11", "mounts and file attributes are read with older system calls", has_statx},
    {"pidfd_open", "5.3", "gpuenv checks 100 times a second whether a child process has ended",
     has_pidfd_open},
    {"openat2", "5.6", "paths below --root are opened step by step", has_openat2},
    {"faccessat2", "5.8", "read access to a file is checked by its name", has_faccessat2},
    {"close_range", "5.9", "open files are closed one by one", has_close_range},
    {"Landlock", "5.13",
     "a vendor library that gpuenv calls, or a program that unpacks archives, can write wherever "
     "the user can",
     confinement_has_landlock},
};
const size_t kernel_feature_count = sizeof(kernel_features) / sizeof(kernel_features[0]);
