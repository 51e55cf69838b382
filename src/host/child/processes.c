/* SPDX-License-Identifier: MIT */
#include "host/child/processes.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"
#include "host/root/root.h"

#define PROC      "/proc"
#define NAME_SIZE 64

/* The kernel's own, where a path can lead to no device and to no FIFO; -1: it is not. */
static int open_proc(const struct host *host)
{
    struct statfs about;
    AUTO_CLOSE int fd = host_is_live(host) ? open(PROC, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (fd < 0 || fstatfs(fd, &about) != 0 || about.f_type != PROC_SUPER_MAGIC)
        return -1;
    return fd_steal(&fd);
}

static const char *read_name(int proc, const char *pid, char buffer[static NAME_SIZE])
{
    snprintf(buffer, NAME_SIZE, "%s/comm", pid);
    AUTO_CLOSE int fd = openat(proc, buffer, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    ssize_t length = fd < 0 ? -1 : read(fd, buffer, NAME_SIZE - 1);
    if (length <= 0)
        return NULL;
    buffer[length] = '\0';
    return string_trim(buffer);
}

static bool visit_one(const struct host *host, int proc, const char *pid,
                      bool (*visit)(const char *pid, const char *name, void *data), void *data)
{
    char buffer[NAME_SIZE];
    if (proc >= 0)
        return visit(pid, read_name(proc, pid, buffer), data);
    AUTO_FREE char *path = mem_printf(PROC "/%s/comm", pid);
    AUTO_FREE char *name = NULL;
    host_read_line(host, path, &name, NULL);
    return visit(pid, name, data);
}

enum host_status host_each_process(const struct host *host,
                                   bool (*visit)(const char *pid, const char *name, void *data),
                                   void *data, struct error *error)
{
    AUTO_STRLIST struct strlist names = {0};
    enum host_status status = host_list(host, PROC, &names, error);
    if (status != HOST_OK)
        return status;
    AUTO_CLOSE int proc = open_proc(host);
    for (size_t i = 0; i < names.count && !host_is_late(host); i++) {
        const char *pid = names.items[i];
        if (strspn(pid, "0123456789") == strlen(pid) && !visit_one(host, proc, pid, visit, data))
            break;
    }
    return HOST_OK;
}
