/* SPDX-License-Identifier: MIT */
#ifndef TESTS_UNIT_HOST_TREE_H
#define TESTS_UNIT_HOST_TREE_H

/* A temporary directory that a test fills by shell, and what a test needs to act as someone else.
 * Its state is *state; make_tree and remove_tree are the setup and teardown. */

#include "test.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"

#define NOBODY 65534

static int make_tree(void **state)
{
    char *root = mem_string("/tmp/gpuenv-host-XXXXXX");
    *state = root;
    return mkdtemp(root) == NULL || chmod(root, 0755) != 0;
}

static int remove_tree(void **state)
{
    AUTO_FREE char *root = *state;
    AUTO_FREE char *command = mem_printf("rm -rf '%s'", root);
    return system(command);
}

static inline void run_in(const char *root, const char *script)
{
    AUTO_FREE char *command = mem_printf("set -e; cd '%s'; %s", root, script);
    assert_int_equal(system(command), 0);
}

/* Runs check in a process of its own (which may chroot, unshare or change its user) and returns
 * what it returned. What it asserts counts too: the status is then not its own. */
static inline int run_apart(int (*check)(const char *root), const char *root)
{
    fflush(NULL);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0)
        _exit(check(root));
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

/* For checks in run_apart(): the line that did not hold, modulo what an exit status holds. */
#define APART_SKIP 77
#define apart(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            print_message("%s:%d: %s\n", __FILE__, __LINE__, #condition);                          \
            fflush(NULL);                                                                          \
            return 1;                                                                              \
        }                                                                                          \
    } while (0)

static inline int open_descriptors(void)
{
    int count = 0;
    for (int fd = 0; fd < 1024; fd++)
        if (fcntl(fd, F_GETFD) >= 0)
            count++;
    return count;
}

#endif
