/* SPDX-License-Identifier: MIT */
#ifndef TESTS_UNIT_HOST_CAN_H
#define TESTS_UNIT_HOST_CAN_H

/* What the kernel that a test runs on can do: where it cannot, the test is skipped and says so. */

#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/memory.h"

/* Neither does qemu-user, in which the tests for aarch64 run. */
static inline bool can_filter(void)
{
#if defined(__x86_64__) || defined(__aarch64__)
    return prctl(PR_GET_SECCOMP) >= 0;
#else
    return false;
#endif
}

static inline bool can_landlock(void)
{
    return syscall(444, NULL, 0, 1) > 0; /* landlock_create_ruleset(2): its version */
}

/* Whether orphans become children of this process; they do from then on. Not in qemu-user. */
static inline bool can_adopt(void)
{
    return prctl(PR_SET_CHILD_SUBREAPER, 1) == 0;
}

/* qemu-user gives the program's path to who asks for this link by its whole name, and to others
 * that of qemu. */
static inline bool can_see_own_file(void)
{
    char by_name[4096] = "", in_directory[4096] = "";
    int directory = open("/proc/self", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool both = readlink("/proc/self/exe", by_name, sizeof(by_name) - 1) > 0 &&
                readlinkat(directory, "exe", in_directory, sizeof(in_directory) - 1) > 0;
    if (directory >= 0)
        close(directory);
    return both && strcmp(by_name, in_directory) == 0;
}

/* A chroot often has no /sys. */
static inline bool can_see_sys(void)
{
    return access("/sys/kernel", F_OK) == 0;
}

#endif
