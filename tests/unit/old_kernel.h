/* SPDX-License-Identifier: MIT */
/* A process on an older kernel: system calls that came later end with ENOSYS, as they do there. */
#ifndef TESTS_OLD_KERNEL_H
#define TESTS_OLD_KERNEL_H

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* The first system call that a release of Linux does not have; 424 and above are the same on every
 * architecture. From the tables arch/x86/entry/syscalls/syscall_64.tbl and
 * include/uapi/asm-generic/unistd.h of the releases. */
struct old_kernel {
    const char *release;
    uint32_t x86_64;
    uint32_t generic;
};
static const struct old_kernel old_kernels[] = {
    {"3.10", 314, 274}, /* RHEL 7: no renameat2, getrandom, memfd_create, seccomp, statx */
    {"4.4", 326, 285},  /* Ubuntu 16.04: no copy_file_range, statx */
    {"4.14", 333, 292}, /* Amazon Linux 2: no pidfd_open, openat2 */
    {"4.18", 335, 294}, /* RHEL 8 */
    {"5.4", 436, 436},  /* Ubuntu 20.04: no close_range, openat2, faccessat2, Landlock */
    {"5.10", 441, 441}, /* Debian 11: no Landlock */
};

/* This process and its children, from here on. False: an unknown release, or no seccomp(2) here. */
static inline bool old_kernel_begin(const char *release)
{
    for (size_t i = 0; i < sizeof(old_kernels) / sizeof(old_kernels[0]); i++) {
        if (strcmp(old_kernels[i].release, release) != 0)
            continue;
#ifdef __x86_64__
        uint32_t first = old_kernels[i].x86_64;
#else
        uint32_t first = old_kernels[i].generic;
#endif
        struct sock_filter code[] = {
            BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
            BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, first, 0, 1),
            BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
            BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        };
        struct sock_fprog program = {.len = sizeof(code) / sizeof(code[0]), .filter = code};
        return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
               prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
    }
    errno = EINVAL;
    return false;
}

/* What work says in a child process on that release: 1 or 0; -1 where that cannot be tried here. */
static inline int old_kernel_try(const char *release, bool (*work)(void *data), void *data)
{
    int status = 0;
    pid_t pid = fork();
    if (pid == 0)
        _exit(!old_kernel_begin(release) ? 77 : work(data) ? 0 : 1);
    if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
        return 0;
    return WEXITSTATUS(status) == 77 ? -1 : WEXITSTATUS(status) == 0;
}

#endif
