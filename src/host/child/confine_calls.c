/* SPDX-License-Identifier: MIT */
#include "host/child/confine.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "host/child/confine_filter.h"
#include "host/child/confinement.h"

/* Of a kernel newer than the headers; the same numbers on every architecture. */
enum call_number {
    CALL_PIDFD_SEND_SIGNAL = 424,
    CALL_IO_URING_SETUP = 425, /* its requests pass by every filter */
    CALL_OPEN_TREE = 428,
    CALL_MOVE_MOUNT = 429,
    CALL_FSOPEN = 430,
    CALL_FSMOUNT = 432,
    CALL_CLONE3 = 435,
    CALL_MOUNT_SETATTR = 442,
    CALL_FCHMODAT2 = 452,
};

#ifdef FILTER_ARCHITECTURE

#define REFUSE(number) (SECCOMP_RET_ERRNO | (number))
#define X32_BIT        0x40000000u

/* What no question to a library needs, and what changes the machine or leaves the cage. */
static const struct {
    int number;
    int refusal;
} refused[] = {
#ifdef SYS_fork
    {.number = SYS_fork, .refusal = EPERM},
    {.number = SYS_vfork, .refusal = EPERM},
    {.number = SYS_mknod, .refusal = EPERM},
    {.number = SYS_chmod, .refusal = EPERM},
    {.number = SYS_chown, .refusal = EPERM},
    {.number = SYS_lchown, .refusal = EPERM},
#endif
    {.number = CALL_CLONE3, .refusal = ENOSYS}, /* its flags cannot be seen: clone(2) is used then
                                                 */
    {.number = SYS_execve, .refusal = EPERM},
    {.number = SYS_execveat, .refusal = EPERM},
    {.number = SYS_setsid, .refusal = EPERM},
    {.number = SYS_setpgid, .refusal = EPERM},
    {.number = SYS_unshare, .refusal = EPERM},
    {.number = SYS_setns, .refusal = EPERM},
    {.number = SYS_ptrace, .refusal = EPERM},
    {.number = SYS_process_vm_writev, .refusal = EPERM},
    {.number = SYS_bpf, .refusal = EPERM},
    {.number = CALL_IO_URING_SETUP, .refusal = EPERM},
    {.number = SYS_mknodat, .refusal = EPERM},
    {.number = SYS_fchmod, .refusal = EPERM}, /* Landlock says nothing of modes and owners */
    {.number = SYS_fchmodat, .refusal = EPERM},
    {.number = CALL_FCHMODAT2, .refusal = EPERM},
    {.number = SYS_fchown, .refusal = EPERM},
    {.number = SYS_fchownat, .refusal = EPERM},
    {.number = SYS_setxattr, .refusal = EPERM},
    {.number = SYS_lsetxattr, .refusal = EPERM},
    {.number = SYS_fsetxattr, .refusal = EPERM},
    {.number = SYS_truncate, .refusal = EPERM}, /* and its first versions not of this */
    {.number = SYS_init_module, .refusal = EPERM},
    {.number = SYS_finit_module, .refusal = EPERM},
    {.number = SYS_delete_module, .refusal = EPERM},
    {.number = SYS_kexec_load, .refusal = EPERM},
    {.number = SYS_kexec_file_load, .refusal = EPERM},
    {.number = SYS_reboot, .refusal = EPERM},
    {.number = SYS_mount, .refusal = EPERM},
    {.number = SYS_umount2, .refusal = EPERM},
    {.number = SYS_pivot_root, .refusal = EPERM},
    {.number = SYS_chroot, .refusal = EPERM},
    {.number = CALL_OPEN_TREE, .refusal = EPERM},
    {.number = CALL_MOVE_MOUNT, .refusal = EPERM},
    {.number = CALL_FSOPEN, .refusal = EPERM},
    {.number = CALL_FSMOUNT, .refusal = EPERM},
    {.number = CALL_MOUNT_SETATTR, .refusal = EPERM},
    {.number = SYS_swapon, .refusal = EPERM},
    {.number = SYS_swapoff, .refusal = EPERM},
    {.number = SYS_sethostname, .refusal = EPERM},
    {.number = SYS_setdomainname, .refusal = EPERM},
    {.number = SYS_settimeofday, .refusal = EPERM},
    {.number = SYS_clock_settime, .refusal = EPERM},
};

/* Calls that send a signal, and which argument is the signal. The first says to whom. */
static const struct {
    int number;
    unsigned signal;
} signalling[] = {
    {.number = SYS_kill, .signal = 1},
    {.number = SYS_tkill, .signal = 1},
    {.number = SYS_tgkill, .signal = 2},
    {.number = SYS_rt_sigqueueinfo, .signal = 1},
    {.number = SYS_rt_tgsigqueueinfo, .signal = 2},
    {.number = CALL_PIDFD_SEND_SIGNAL, .signal = 1},
};

/* Signal 0 only asks. Process 0 is the own group, which is this process alone; so is -pid. */
static void add_signalling(struct filter *filter, pid_t pid)
{
    for (size_t i = 0; i < sizeof(signalling) / sizeof(signalling[0]); i++) {
        filter_call(filter, signalling[i].number);
        filter_argument(filter, signalling[i].signal);
        filter_return_if(filter, 0, SECCOMP_RET_ALLOW);
        if (signalling[i].number != CALL_PIDFD_SEND_SIGNAL) {
            filter_argument(filter, 0);
            filter_return_if(filter, 0, SECCOMP_RET_ALLOW);
            filter_return_if(filter, (uint32_t)pid, SECCOMP_RET_ALLOW);
            filter_return_if(filter, (uint32_t)-pid, SECCOMP_RET_ALLOW);
        }
        filter_return(filter, SECCOMP_RET_KILL_PROCESS);
    }
}

static void add_processes(struct filter *filter, pid_t pid)
{
    filter_call(filter, SYS_clone);
    filter_argument(filter, 0);
    filter_return_if_set(filter, CLONE_THREAD, SECCOMP_RET_ALLOW);
    filter_return(filter, REFUSE(EPERM));

    filter_call(filter, SYS_prlimit64);
    filter_argument(filter, 0);
    filter_return_if(filter, 0, SECCOMP_RET_ALLOW);
    filter_return_if(filter, (uint32_t)pid, SECCOMP_RET_ALLOW);
    filter_return(filter, REFUSE(EPERM));

    /* What arrives at a descriptor can be made to signal any process of the user's. */
    filter_call(filter, SYS_fcntl);
    filter_argument(filter, 1);
    filter_return_if(filter, F_SETOWN, REFUSE(EPERM));
    filter_return_if(filter, F_SETOWN_EX, REFUSE(EPERM));
    filter_return(filter, SECCOMP_RET_ALLOW);
    filter_call(filter, SYS_ioctl);
    filter_argument(filter, 1);
    filter_return_if(filter, FIOSETOWN, REFUSE(EPERM));
    filter_return_if(filter, SIOCSPGRP, REFUSE(EPERM));
    filter_return_if(filter, TIOCSTI, REFUSE(EPERM));
    filter_return(filter, SECCOMP_RET_ALLOW);
}

static void add_sockets(struct filter *filter)
{
    static const int calls[] = {SYS_socket, SYS_socketpair};
    for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
        filter_call(filter, calls[i]);
        filter_argument(filter, 0);
        filter_return_if(filter, AF_UNIX, SECCOMP_RET_ALLOW);
        filter_return_if(filter, AF_NETLINK, SECCOMP_RET_ALLOW);
        filter_return(filter, REFUSE(EACCES));
    }
}

bool confine_calls(void)
{
    struct filter filter = {0};
    filter_begin(&filter, FILTER_ARCHITECTURE);
#ifdef __x86_64__
    filter_return_from(&filter, X32_BIT, SECCOMP_RET_KILL_PROCESS);
#endif
    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
        filter_return_if(&filter, (uint32_t)refused[i].number,
                         REFUSE((uint32_t)refused[i].refusal));
    add_sockets(&filter);
    add_processes(&filter, getpid());
    add_signalling(&filter, getpid());
    return filter_end(&filter, SECCOMP_RET_ALLOW);
}

/* A filter at no address: a kernel that has filters says EFAULT, another one EINVAL (prctl(2)). */
bool confinement_has_seccomp(void)
{
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, NULL, 0, 0) != 0 && errno == EFAULT;
}

#else

bool confine_calls(void)
{
    return false;
}

bool confinement_has_seccomp(void)
{
    return false;
}

#endif
