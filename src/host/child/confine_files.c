/* SPDX-License-Identifier: MIT */
#include "host/child/confine.h"

#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/memory.h"
#include "host/child/confine_private.h"
#include "host/child/confinement.h"

/* linux/landlock.h (since Linux 5.13), of which an older system's headers know nothing. The numbers
 * are the same on every architecture. */
#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#define SYS_landlock_add_rule       445
#define SYS_landlock_restrict_self  446
#endif
#define CREATE_RULESET_VERSION 1u
#define RULE_PATH_BENEATH      1

struct ruleset_attribute {
    uint64_t handled_access_fs;
};

struct path_beneath {
    uint64_t allowed_access;
    int32_t parent_fd;
} __attribute__((packed));

static uint64_t known_access(long version)
{
    uint64_t known = ACCESS_REFER - 1;
    if (version >= 2)
        known |= ACCESS_REFER;
    if (version >= 3)
        known |= ACCESS_TRUNCATE;
    if (version >= 5)
        known |= ACCESS_IOCTL_DEV;
    return known;
}

static long landlock_version(void)
{
    return syscall(SYS_landlock_create_ruleset, NULL, 0, CREATE_RULESET_VERSION);
}

bool confinement_has_landlock(void)
{
    return landlock_version() >= 1;
}

bool ruleset_open(uint64_t handled, struct ruleset *ret_ruleset)
{
    long version = landlock_version();
    if (version < 1)
        return false;
    struct ruleset_attribute attribute = {.handled_access_fs = handled & known_access(version)};
    ret_ruleset->handled = attribute.handled_access_fs;
    ret_ruleset->fd = (int)syscall(SYS_landlock_create_ruleset, &attribute, sizeof(attribute), 0);
    return ret_ruleset->fd >= 0;
}

void ruleset_close(const struct ruleset *ruleset)
{
    fd_close_at(&ruleset->fd);
}

bool ruleset_allow(const struct ruleset *ruleset, int directory_fd, uint64_t access)
{
    struct path_beneath rule = {.allowed_access = access & ruleset->handled,
                                .parent_fd = directory_fd};
    return syscall(SYS_landlock_add_rule, ruleset->fd, RULE_PATH_BENEATH, &rule, 0) == 0;
}

bool ruleset_enforce(const struct ruleset *ruleset)
{
    return syscall(SYS_landlock_restrict_self, ruleset->fd, 0) == 0;
}

/* Lets existing files below directory be written to. A directory that is not there needs no rule.
 */
static bool allow_writing(const struct ruleset *ruleset, const char *directory)
{
    AUTO_CLOSE int parent = open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC);
    return parent < 0 || ruleset_allow(ruleset, parent, ACCESS_WRITE_FILE);
}

/* A driver of the 570 series and later names the threads that it makes, in /proc/self/task/N/comm
 * (pthread_setname_np(3)), and its cuInit ends with 304 where it may not: public reports of other
 * sandboxes, github.com/nolabs-ai/nono/pull/673 and NVIDIA/OpenShell/pull/710. The rule holds for
 * this inode of proc, so the directory stays open: nothing then makes the kernel forget it. */
static bool allow_naming_threads(const struct ruleset *ruleset)
{
    int threads = open("/proc/self/task", O_PATH | O_DIRECTORY | O_CLOEXEC);
    return threads < 0 || ruleset_allow(ruleset, threads, ACCESS_WRITE_FILE);
}

/* Device nodes are written to, and so are the pipes through which CUDA talks to a running MPS
 * server (NVIDIA's MPS guide: CUDA_MPS_PIPE_DIRECTORY, /tmp/nvidia-mps when it is not set). */
bool confine_files(void)
{
    AUTO_RULESET struct ruleset ruleset = {.fd = -1};
    if (!ruleset_open(ACCESS_WRITE_FILE | ACCESS_REMOVE_DIR | ACCESS_REMOVE_FILE | ACCESS_MAKE |
                          ACCESS_REFER | ACCESS_TRUNCATE,
                      &ruleset))
        return false;
    const char *mps = getenv("CUDA_MPS_PIPE_DIRECTORY");
    return allow_writing(&ruleset, "/dev") &&
           allow_writing(&ruleset, mps && mps[0] ? mps : "/tmp/nvidia-mps") &&
           allow_naming_threads(&ruleset) && ruleset_enforce(&ruleset);
}
