/* SPDX-License-Identifier: MIT */
#ifndef TESTS_UNIT_HOST_CAN_H
#define TESTS_UNIT_HOST_CAN_H

/* What the kernel that a test runs on can do: where it cannot, the test is skipped and says so. */

#include <stdbool.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

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

#endif
