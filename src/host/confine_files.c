/* SPDX-License-Identifier: MIT */
#include "host/confine.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/memory.h"

/* linux/landlock.h (since Linux 5.13), of which an older system's headers know nothing. The numbers
 * are the same on every architecture. */
#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#define SYS_landlock_add_rule       445
#define SYS_landlock_restrict_self  446
#endif
#define CREATE_RULESET_VERSION 1u
#define RULE_PATH_BENEATH      1

enum access {
    ACCESS_WRITE_FILE = 1u << 1,
    ACCESS_REMOVE_DIR = 1u << 4,
    ACCESS_REMOVE_FILE = 1u << 5,
    ACCESS_MAKE = 0x7fu << 6,   /* CHAR, DIR, REG, SOCK, FIFO, BLOCK, SYM */
    ACCESS_REFER = 1u << 13,    /* second version */
    ACCESS_TRUNCATE = 1u << 14, /* third version */
};

struct ruleset_attribute {
    uint64_t handled_access_fs;
};

struct path_beneath {
    uint64_t allowed_access;
    int32_t parent_fd;
} __attribute__((packed));

static uint64_t handled_access(long version)
{
    uint64_t handled = ACCESS_WRITE_FILE | ACCESS_REMOVE_DIR | ACCESS_REMOVE_FILE | ACCESS_MAKE;
    if (version >= 2)
        handled |= ACCESS_REFER;
    if (version >= 3)
        handled |= ACCESS_TRUNCATE;
    return handled;
}

/* Lets existing files below directory be written to. A directory that is not there needs no rule.
 */
static bool allow_writing(int ruleset, const char *directory)
{
    AUTO_CLOSE int parent = open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (parent < 0)
        return true;
    struct path_beneath rule = {.allowed_access = ACCESS_WRITE_FILE, .parent_fd = parent};
    return syscall(SYS_landlock_add_rule, ruleset, RULE_PATH_BENEATH, &rule, 0) == 0;
}

/* Device nodes are written to, and so are the pipes through which CUDA talks to a running MPS
 * server (NVIDIA's MPS guide: CUDA_MPS_PIPE_DIRECTORY, /tmp/nvidia-mps when it is not set). */
bool confine_files(void)
{
    long version = syscall(SYS_landlock_create_ruleset, NULL, 0, CREATE_RULESET_VERSION);
    if (version < 1)
        return false;
    struct ruleset_attribute attribute = {.handled_access_fs = handled_access(version)};
    AUTO_CLOSE int ruleset =
        (int)syscall(SYS_landlock_create_ruleset, &attribute, sizeof(attribute), 0);
    const char *mps = getenv("CUDA_MPS_PIPE_DIRECTORY");
    return ruleset >= 0 && allow_writing(ruleset, "/dev") &&
           allow_writing(ruleset, mps && mps[0] ? mps : "/tmp/nvidia-mps") &&
           syscall(SYS_landlock_restrict_self, ruleset, 0) == 0;
}
