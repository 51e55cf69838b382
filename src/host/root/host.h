/* SPDX-License-Identifier: MIT */
#ifndef HOST_ROOT_HOST_H
#define HOST_ROOT_HOST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/strlist.h"

/* The machine behind one handle: a root directory, and what is live around it. All paths given to
 * host/ functions are absolute within the root ("/etc/os-release"), whatever the root is. */
struct host;

/* Opens the root. root NULL or "/" is the live machine; any other directory is a tree, of which
 * nothing is executed and beside which nothing live is read (environment, uname, limits).
 * NULL and a filled error (ERROR_NO_INPUT) when root cannot be opened. */
struct host *host_new(const char *root, struct error *error);
void host_free(struct host *host);
#define AUTO_HOST AUTO(host_free_at)
static inline void host_free_at(struct host **host)
{
    host_free(*host);
}

/* From deadline_ms on (CLOCK_MONOTONIC; 0: never) nothing is looked at any more: every look at a
 * path is HOST_FAILED, with "no time left". Ends the walk through a tree that is made to have none.
 */
void host_set_deadline(struct host *host, uint64_t deadline_ms);
bool host_is_late(const struct host *host);

/* True for the live machine, false for a tree. */
bool host_is_live(const struct host *host);

/* The root as the user gave it, "/" for the live machine. For messages. */
const char *host_root(const struct host *host);

/* The environment: the process's own on the live machine; on a tree empty until
 * host_set_environment() fills it (from a record made on the machine the tree was taken from).
 * NULL when the variable is not set. */
const char *host_environment(const struct host *host, const char *name);
void host_set_environment(struct host *host, const char *name, const char *value);

/* Adds the names of all set variables that begin with prefix, sorted. */
void host_environment_names(const struct host *host, const char *prefix, struct strlist *names);

/* uname(2) and friends of the live machine. Not to be called on a tree (returns false). */
struct host_kernel {
    char release[65]; /* "6.1.0-18-amd64" */
    char version[65];
    char machine[65]; /* "x86_64" */
    char node[65];    /* the host's name */
};
bool host_kernel(const struct host *host, struct host_kernel *ret_kernel);

/* The C library version the live process runs on ("2.36"); NULL on a tree or when it is not glibc.
 */
const char *host_libc_version(const struct host *host);

/* The user gpuenv runs as, real ids. On a tree too: it decides what can be read. */
unsigned host_user_id(const struct host *host);

/* The groups gpuenv runs in, the real and the supplementary ones: adds their ids as decimal
 * numbers, each once. False when the kernel gave no answer, and on a tree. */
bool host_groups(const struct host *host, struct strlist *ids);

/* RLIMIT_MEMLOCK of the live process in bytes, UINT64_MAX when unlimited. */
bool host_memlock_limit(const struct host *host, unsigned long long *ret_soft,
                        unsigned long long *ret_hard);

/* RLIMIT_NOFILE of the live process, the same way. */
bool host_files_limit(const struct host *host, unsigned long long *ret_soft,
                      unsigned long long *ret_hard);

#endif
