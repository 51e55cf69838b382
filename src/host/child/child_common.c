/* SPDX-License-Identifier: MIT */
#include "host/child/child_process.h"

#include <errno.h>
#include <string.h>
#include <sys/wait.h>

#include "base/exit.h"
#include "base/memory.h"

static void add_variable(const struct host *host, const char *name, struct strlist *variables)
{
    const char *value = host_environment(host, name);
    if (value)
        strlist_take(variables, mem_printf("%s=%s", name, value));
}

static void add_fixed(struct strlist *variables)
{
    strlist_add(variables, "PATH=/usr/sbin:/usr/bin:/sbin:/bin");
    strlist_add(variables, "HOME=/");
    strlist_add(variables, "LANG=C.UTF-8");
}

void child_environment_fixed(struct strlist *variables)
{
    add_fixed(variables);
    strlist_take(variables, NULL);
}

void child_environment(const struct host *host, struct strlist *variables)
{
    AUTO_STRLIST struct strlist names = {0};
    add_fixed(variables);
    host_environment_names(host, "CUDA_", &names);
    host_environment_names(host, "NVIDIA_", &names);
    for (size_t i = 0; i < names.count; i++)
        add_variable(host, names.items[i], variables);
    add_variable(host, "LD_LIBRARY_PATH", variables);
    strlist_take(variables, NULL);
}

size_t child_read(int *pipe, char *buffer, size_t size)
{
    ssize_t count = *pipe >= 0 ? read(*pipe, buffer, size) : 0;
    if (count < 0 && (errno == EAGAIN || errno == EINTR))
        return 0;
    if (count <= 0) {
        int end = fd_steal(pipe);
        fd_close_at(&end);
        return 0;
    }
    return (size_t)count;
}

void child_signal_take(struct sigaction *ret_before)
{
    struct sigaction by_default = {.sa_handler = SIG_DFL};
    sigaction(SIGCHLD, &by_default, ret_before);
}

void child_signal_restore(const struct sigaction *before)
{
    sigaction(SIGCHLD, before, NULL);
}

bool child_exhausted(int wait_status, const char *said)
{
    return WIFEXITED(wait_status) && WEXITSTATUS(wait_status) == EXIT_INTERNAL &&
           strstr(said, MEM_EXHAUSTED) != NULL;
}

char *child_signal_name(int number)
{
    return mem_printf("signal %d (%s)", number, strsignal(number));
}
