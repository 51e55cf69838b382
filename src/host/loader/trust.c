/* SPDX-License-Identifier: MIT */
#include "host/loader/trust_private.h"

#include <string.h>

#include "base/memory.h"

/* As many links as the kernel follows. */
#define LINKS_MAX 40

/* Where a walk from the root along a path has come. */
struct walk {
    const struct host *host;
    const char *path; /* as it was given, for messages */
    char *at;         /* free of links and trusted */
    char *rest;       /* still to go */
    unsigned links;
    bool shared; /* others may add entries to at: it is sticky */
    bool root_shared;
    bool absent; /* the walk ended before its end, where only root can make what is missing */
};

#define AUTO_WALK AUTO(walk_free)

static void walk_free(struct walk *walk)
{
    free(walk->at);
    free(walk->rest);
}

static bool distrust(char **ret_reason, const struct walk *walk, const char *what,
                     const char *where)
{
    const char *via = string_equal(where, walk->path) ? "" : ", on the way to ";
    *ret_reason = mem_printf("%s %s%s%s", what, where, via, *via ? walk->path : "");
    return false;
}

/* Nobody but root can put something else in its place. A sticky directory keeps root's entries from
 * being renamed or removed by others. A link has no permissions of its own. */
static bool only_root_writes(const struct host_stat *stat)
{
    bool sticky = stat->type == HOST_DIRECTORY && (stat->mode & 01000) != 0;
    bool others_write = (stat->mode & 022) != 0;
    return stat->user == 0 && (stat->type == HOST_LINK || !others_write || sticky);
}

/* Cuts the next component off the rest; NULL at the end. */
static char *next_component(struct walk *walk)
{
    char *start = walk->rest + strspn(walk->rest, "/");
    if (*start == '\0')
        return NULL;
    size_t length = strcspn(start, "/");
    char *component = mem_string_n(start, length);
    memmove(walk->rest, start + length, strlen(start + length) + 1);
    return component;
}

/* "" stands for the root, and is its own parent. */
static void go_up(struct walk *walk)
{
    char *slash = strrchr(walk->at, '/');
    if (slash)
        *slash = '\0';
}

static bool follow(struct walk *walk, const char *link, char **ret_reason)
{
    AUTO_FREE char *target = NULL;
    if (++walk->links > LINKS_MAX)
        return distrust(ret_reason, walk, "too many links:", link);
    if (host_read_link(walk->host, link, &target, NULL) != HOST_OK)
        return distrust(ret_reason, walk, "cannot read the link", link);
    char *rest = mem_printf("%s/%s", target, walk->rest);
    free(walk->rest);
    walk->rest = rest;
    if (target[0] != '/')
        return true;
    walk->at[0] = '\0';
    walk->shared = walk->root_shared;
    return true;
}

/* What is not there is no danger where only root can make it. */
static bool judge_absent(struct walk *walk, const char *path, char **ret_reason)
{
    if (walk->shared)
        return distrust(ret_reason, walk, "users other than root can create", path);
    walk->absent = true;
    return true;
}

static bool enter(struct walk *walk, const struct host_stat *stat, char *path, char **ret_reason)
{
    AUTO_FREE char *next = path;
    if (!only_root_writes(stat))
        return distrust(ret_reason, walk, "users other than root can change",
                        next[0] == '\0' ? "/" : next);
    if (stat->type == HOST_LINK)
        return follow(walk, next, ret_reason);
    free(walk->at);
    walk->at = mem_steal(&next);
    walk->shared = (stat->mode & 022) != 0;
    return true;
}

static bool step(struct walk *walk, const char *component, char **ret_reason)
{
    struct host_stat stat;
    if (string_equal(component, "."))
        return true;
    if (string_equal(component, ".."))
        go_up(walk);
    AUTO_FREE char *next = string_equal(component, "..") ? mem_string(walk->at)
                                                         : mem_printf("%s/%s", walk->at, component);
    enum host_status status = host_lstat(walk->host, next[0] == '\0' ? "/" : next, &stat, NULL);
    if (status == HOST_ABSENT)
        return judge_absent(walk, next, ret_reason);
    if (status != HOST_OK)
        return distrust(ret_reason, walk, "cannot access", next);
    return enter(walk, &stat, mem_steal(&next), ret_reason);
}

bool trust_walk(const struct host *host, const char *path, bool *ret_absent, char **ret_reason)
{
    AUTO_WALK struct walk walk = {
        .host = host, .path = path, .at = mem_string(""), .rest = mem_string(path)};
    bool trusted = step(&walk, "..", ret_reason); /* the root itself */
    walk.root_shared = walk.shared;
    while (trusted && !walk.absent) {
        AUTO_FREE char *component = next_component(&walk);
        if (component == NULL)
            break;
        trusted = step(&walk, component, ret_reason);
    }
    *ret_absent = walk.absent;
    return trusted;
}

bool trust_file(const struct host *host, const char *path, char **ret_reason)
{
    bool absent;
    if (host_user_id(host) != 0)
        return true;
    if (!trust_walk(host, path, &absent, ret_reason))
        return false;
    if (absent)
        *ret_reason = mem_printf("%s does not exist", path);
    return !absent;
}
