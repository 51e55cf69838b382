/* SPDX-License-Identifier: MIT */
#include "host/child/asking_private.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host/child/child_process.h"
#include "host/root/clock.h"

/* proc_pid_stat(5): what follows the name in parentheses. */
#define FIELD_PARENT 4
#define FIELD_START  22

struct process_stat {
    pid_t parent;
    uint64_t start; /* ticks since boot */
};

static const char *skip_fields(const char *text, unsigned count)
{
    for (unsigned i = 0; text && i < count; i++) {
        text = strchr(text, ' ');
        text = text ? text + 1 : NULL;
    }
    return text;
}

static bool read_stat(const char *pid, struct process_stat *ret_stat)
{
    char buffer[1024];
    AUTO_FREE char *path = mem_printf("/proc/%s/stat", pid);
    AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t size = fd >= 0 ? read(fd, buffer, sizeof(buffer) - 1) : -1;
    if (size <= 0)
        return false;
    buffer[size] = '\0';
    const char *state = strrchr(buffer, ')'); /* the name may hold anything */
    state = state ? strchr(state, ' ') : NULL;
    if (state == NULL)
        return false;
    const char *parent = skip_fields(state + 1, FIELD_PARENT - 3);
    const char *start = skip_fields(state + 1, FIELD_START - 3);
    if (parent == NULL || start == NULL)
        return false;
    ret_stat->parent = (pid_t)strtol(parent, NULL, 10);
    ret_stat->start = strtoull(start, NULL, 10);
    return true;
}

static bool was_before(const struct strays *strays, pid_t pid)
{
    for (size_t i = 0; i < strays->before_count; i++)
        if (strays->before[i] == pid)
            return true;
    return false;
}

/* A child of gpuenv's that came after the first question and carries the mark of those, no core,
 * which no ordinary user can take off. */
static bool is_stray(const struct strays *strays, pid_t pid, const struct process_stat *stat)
{
    struct rlimit core;
    return stat->start >= strays->since && !was_before(strays, pid) &&
           (prlimit(pid, RLIMIT_CORE, NULL, &core) != 0 || core.rlim_max <= 1);
}

/* Calls visit for each child of gpuenv's; returns how often that was true. */
static unsigned visit_children(struct strays *strays,
                               bool (*visit)(struct strays *strays, pid_t pid,
                                             const struct process_stat *stat))
{
    unsigned count = 0;
    DIR *processes = opendir("/proc");
    if (processes == NULL)
        return 0;
    for (struct dirent *entry; (entry = readdir(processes)) != NULL;) {
        struct process_stat stat;
        if (entry->d_name[0] < '1' || entry->d_name[0] > '9' || !read_stat(entry->d_name, &stat) ||
            stat.parent != getpid())
            continue;
        count += visit(strays, (pid_t)strtol(entry->d_name, NULL, 10), &stat);
    }
    closedir(processes);
    return count;
}

static bool note_before(struct strays *strays, pid_t pid, const struct process_stat *stat)
{
    (void)stat;
    *vec_push(strays->before, strays->before_count, strays->before_capacity) = pid;
    return true;
}

static bool kill_stray(struct strays *strays, pid_t pid, const struct process_stat *stat)
{
    if (!is_stray(strays, pid, stat))
        return false;
    struct child_process stray = child_process_adopt(pid);
    uint64_t now = clock_ms();
    int wait_status;
    kill(pid, SIGKILL);
    child_process_reap(&stray,
                       now < strays->deadline_ms ? (unsigned)(strays->deadline_ms - now) : 0,
                       &wait_status);
    child_process_close(&stray);
    return true;
}

/* Cheap, and mostly the answer is no. */
static bool has_children(void)
{
    siginfo_t info;
    return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 || errno != ECHILD;
}

void strays_begin(struct strays *strays)
{
    *strays = (struct strays){0};
    if (has_children())
        visit_children(strays, note_before);
    prctl(PR_GET_CHILD_SUBREAPER, &strays->subreaper, 0, 0, 0);
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
}

void strays_note_child(struct strays *strays, pid_t pid)
{
    struct process_stat stat;
    AUTO_FREE char *name = mem_printf("%ld", (long)pid);
    if (strays->since == 0 && read_stat(name, &stat))
        strays->since = stat.start;
}

void strays_end(struct strays *strays, uint64_t deadline_ms)
{
    strays->deadline_ms = deadline_ms;
    while (strays->since != 0 && has_children() && visit_children(strays, kill_stray) > 0 &&
           clock_ms() < deadline_ms)
        continue;
    prctl(PR_SET_CHILD_SUBREAPER, strays->subreaper, 0, 0, 0);
    free(strays->before);
    *strays = (struct strays){0};
}
