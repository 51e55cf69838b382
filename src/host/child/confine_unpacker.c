/* SPDX-License-Identifier: MIT */
#include "host/child/confine_unpacker.h"

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "host/child/confine_filter.h"
#include "host/child/confine_private.h"

/* All that Landlock knows is forbidden, and this allowed in the one directory: REFER is for hard
 * links between its directories. */
static bool lock_files(int directory_fd)
{
    AUTO_RULESET struct ruleset ruleset = {.fd = -1};
    return ruleset_open(UINT64_MAX, &ruleset) &&
           ruleset_allow(&ruleset, directory_fd,
                         ACCESS_WRITE_FILE | ACCESS_READ_FILE | ACCESS_READ_DIR | ACCESS_MAKE_DIR |
                             ACCESS_MAKE_REG | ACCESS_MAKE_SYM | ACCESS_REFER | ACCESS_TRUNCATE) &&
           ruleset_enforce(&ruleset);
}

/* Only with CAP_SYS_CHROOT, which is dropped afterwards: there is no way out. */
static bool lock_root(int directory_fd)
{
    return fchdir(directory_fd) == 0 && chroot(".") == 0;
}

#ifdef FILTER_ARCHITECTURE

/* What libc, libarchive, libcrypto and the unpacker call. All else fails with EPERM. */
static const int allowed[] = {
    SYS_read,           SYS_pread64,         SYS_write,
    SYS_pwrite64,       SYS_lseek,           SYS_openat,
    SYS_close,          SYS_mkdirat,         SYS_symlinkat,
    SYS_linkat,         SYS_fchmod,          SYS_ftruncate,
    SYS_fstat,          SYS_newfstatat,      SYS_sync_file_range,
    SYS_munmap,         SYS_mremap,          SYS_brk,
    SYS_madvise,        SYS_futex,           SYS_rt_sigaction,
    SYS_rt_sigprocmask, SYS_rt_sigreturn,    SYS_sigaltstack,
    SYS_getpid,         SYS_gettid,          SYS_clock_gettime,
    SYS_sched_yield,    SYS_restart_syscall, SYS_getrandom,
    SYS_exit,           SYS_exit_group,
};

static bool lock_calls(void)
{
    static const int mapping[] = {SYS_mmap, SYS_mprotect};
    struct filter filter = {0};
    filter_begin(&filter, FILTER_ARCHITECTURE);
    for (size_t i = 0; i < sizeof(allowed) / sizeof(allowed[0]); i++)
        filter_return_if(&filter, (uint32_t)allowed[i], SECCOMP_RET_ALLOW);
    for (size_t i = 0; i < sizeof(mapping) / sizeof(mapping[0]); i++) {
        filter_call(&filter, mapping[i]);
        filter_argument(&filter, 2);
        filter_return_if_set(&filter, PROT_EXEC, SECCOMP_RET_ERRNO | EPERM);
        filter_return(&filter, SECCOMP_RET_ALLOW);
    }
    filter_call(&filter, SYS_tgkill); /* abort(3) */
    filter_argument(&filter, 0);
    filter_return_if(&filter, (uint32_t)getpid(), SECCOMP_RET_ALLOW);
    filter_return(&filter, SECCOMP_RET_ERRNO | EPERM);
    return filter_end(&filter, SECCOMP_RET_ERRNO | EPERM);
}

#else

static bool lock_calls(void)
{
    return false;
}

#endif

bool confine_unpacker(int directory_fd, struct unpacker_cage *ret_cage, struct error *error)
{
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return error_set_errno(error, ERROR_INTERNAL, errno, NULL, "cannot set no_new_privs");
    ret_cage->files = lock_files(directory_fd) || lock_root(directory_fd);
    if (!capabilities_drop(UINT64_MAX, error))
        return false;
    ret_cage->calls = lock_calls();
    return true;
}
