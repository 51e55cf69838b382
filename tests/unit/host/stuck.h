/* SPDX-License-Identifier: MIT */
#ifndef TESTS_UNIT_HOST_STUCK_H
#define TESTS_UNIT_HOST_STUCK_H

/* A directory in which every open(2) hangs where no signal reaches: what a driver can do to those
 * who ask it. */

#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <sched.h>
#include <stdbool.h>
#include <sys/mount.h>
#include <unistd.h>

#include "base/memory.h"

/* A file system whose server takes requests and never answers. */
static inline void serve_nothing(int fuse)
{
    char request[65536];
    struct {
        struct fuse_out_header header;
        struct fuse_init_out init;
    } answer = {
        .header = {.len = sizeof(answer)},
        .init = {.major = FUSE_KERNEL_VERSION, .minor = 31, .max_write = 4096},
    };
    struct fuse_in_header header;
    if (read(fuse, request, sizeof(request)) < (ssize_t)sizeof(header))
        _exit(1);
    memcpy(&header, request, sizeof(header));
    answer.header.unique = header.unique;
    if (header.opcode != FUSE_INIT)
        _exit(1);
    if (write(fuse, &answer, sizeof(answer)) != (ssize_t)sizeof(answer))
        _exit(1);
    for (;;)
        if (read(fuse, request, sizeof(request)) < 0 && errno != EINTR)
            _exit(1);
}

static inline bool mount_nothing(const char *root, int fuse)
{
    AUTO_FREE char *options = mem_printf("fd=%d,rootmode=40000,user_id=0,group_id=0", fuse);
    return fuse >= 0 && unshare(CLONE_NEWNS) == 0 &&
           mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
           mount("nothing", root, "fuse", MS_NOSUID | MS_NODEV, options) == 0;
}

/* Mounts it at root, in a mount namespace of this process's own. False where that cannot be done.
 * When *ret_server, a child, is killed, the file system lets go. */
static inline bool mount_stuck(const char *root, pid_t *ret_server)
{
    AUTO_CLOSE int fuse = open("/dev/fuse", O_RDWR | O_CLOEXEC);
    if (!mount_nothing(root, fuse))
        return false;
    pid_t server = fork();
    if (server == 0)
        serve_nothing(fuse);
    *ret_server = server;
    return true;
}

#endif
