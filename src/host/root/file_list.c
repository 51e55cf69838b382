/* SPDX-License-Identifier: MIT */
/* What a directory holds. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "host/root/root.h"

static void close_directory_at(DIR **directory)
{
    if (*directory)
        closedir(*directory);
}

static bool is_dots(const char *name)
{
    return string_equal(name, ".") || string_equal(name, "..");
}

static enum host_status read_names(DIR *directory, const char *path, struct strlist *names,
                                   struct error *error)
{
    for (;;) {
        errno = 0;
        const struct dirent *entry = readdir(directory);
        if (entry == NULL && errno != 0)
            return root_fail(error, errno, "list", path);
        if (entry == NULL)
            return HOST_OK;
        if (is_dots(entry->d_name))
            continue;
        if (names->count >= HOST_LIST_MAX)
            return root_refuse(error, "list", path, "the directory has more than %d entries",
                               HOST_LIST_MAX);
        strlist_add(names, entry->d_name);
    }
}

static void move_all(struct strlist *target, struct strlist *source)
{
    for (size_t i = 0; i < source->count; i++)
        strlist_take(target, mem_steal(&source->items[i]));
}

/* "." wants permission to search the directory besides that to read it, /proc does not. */
static int reopen_directory(int object)
{
    char name[ROOT_SELF_FD_SIZE];
    int fd = open(root_self_fd(object, name), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return fd < 0 && errno == ENOENT ? openat(object, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) : fd;
}

static enum host_status open_directory(const struct host *host, const char *path,
                                       DIR **ret_directory, struct error *error)
{
    AUTO_OBJECT struct root_object object = {.fd = -1};
    enum host_status status = root_find(host, path, true, "list", &object, error);
    if (status != HOST_OK)
        return status;
    if (!S_ISDIR(object.stat.st_mode))
        return root_refuse(error, "list", path, "not a directory");
    AUTO_CLOSE int fd = reopen_directory(object.fd);
    if (fd < 0)
        return root_fail(error, errno, "list", path);
    *ret_directory = fdopendir(fd);
    if (*ret_directory == NULL)
        return root_fail(error, errno, "list", path);
    fd_steal(&fd);
    return HOST_OK;
}

enum host_status host_list(const struct host *host, const char *path, struct strlist *names,
                           struct error *error)
{
    AUTO(close_directory_at) DIR *directory = NULL;
    AUTO_STRLIST struct strlist found = {0};
    enum host_status status = open_directory(host, path, &directory, error);
    if (directory == NULL)
        return status;
    status = read_names(directory, path, &found, error);
    if (status != HOST_OK)
        return status;
    strlist_sort(&found);
    move_all(names, &found);
    return HOST_OK;
}

enum host_status host_each_link(const struct host *host, const char *path,
                                bool (*visit)(const char *target, void *data), void *data,
                                struct error *error)
{
    AUTO(close_directory_at) DIR *directory = NULL;
    enum host_status status = open_directory(host, path, &directory, error);
    if (directory == NULL)
        return status;
    const struct dirent *entry;
    while ((entry = readdir(directory)) != NULL) {
        char target[PATH_MAX];
        ssize_t length = readlinkat(dirfd(directory), entry->d_name, target, sizeof(target));
        if (length < 0 || length >= (ssize_t)sizeof(target))
            continue;
        target[length] = '\0';
        if (!visit(target, data))
            break;
    }
    return HOST_OK;
}

/* Paths that fit the pattern's components so far become those that fit one component more. */
static void glob_wild(const struct host *host, const struct strlist *paths, const char *component,
                      struct strlist *ret_paths)
{
    for (size_t i = 0; i < paths->count; i++) {
        AUTO_STRLIST struct strlist names = {0};
        const char *directory = paths->items[i];
        if (host_list(host, directory[0] ? directory : "/", &names, NULL) != HOST_OK)
            continue;
        for (size_t j = 0; j < names.count && ret_paths->count < HOST_LIST_MAX; j++)
            if (fnmatch(component, names.items[j], FNM_PERIOD) == 0)
                strlist_take(ret_paths, mem_printf("%s/%s", directory, names.items[j]));
    }
}

static void glob_literal(const struct strlist *paths, const char *component,
                         struct strlist *ret_paths)
{
    for (size_t i = 0; i < paths->count; i++)
        strlist_take(ret_paths, mem_printf("%s/%s", paths->items[i], component));
}

void host_glob(const struct host *host, const char *pattern, struct strlist *paths)
{
    AUTO_STRLIST struct strlist components = {0};
    AUTO_STRLIST struct strlist matches = {0};
    strlist_split(&components, pattern, '/');
    strlist_add(&matches, "");
    for (size_t i = 0; i < components.count; i++) {
        const char *component = components.items[i];
        if (component[0] == '\0')
            continue;
        struct strlist next = {0};
        if (strpbrk(component, "*?["))
            glob_wild(host, &matches, component, &next);
        else
            glob_literal(&matches, component, &next);
        strlist_free(&matches);
        matches = next;
    }
    strlist_sort(&matches);
    struct host_stat stat;
    for (size_t i = 0; i < matches.count; i++)
        if (host_lstat(host, matches.items[i], &stat, NULL) == HOST_OK)
            strlist_take(paths, mem_steal(&matches.items[i]));
}
