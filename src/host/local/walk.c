/* SPDX-License-Identifier: MIT */
#include "host/local/walk.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/vfs.h>

#include <linux/magic.h>
#include "host/local/owner.h"

#define LINKS_MAX 40
#define STEP      (O_PATH | O_NOFOLLOW | O_CLOEXEC)

struct walk {
    const struct walk_rules *rules;
    struct walk_end at;
    struct stat status; /* of at.fd */
    char *passed;       /* the way that was gone, for messages */
    char *rest;         /* steps that are left; links put theirs before them */
    unsigned links;
};

static void walk_clear(struct walk *walk)
{
    fd_close_at(&walk->at.fd);
    free(walk->passed);
    free(walk->rest);
}

/* Whether nobody but root can put something else in the place of an entry. */
static bool is_fixed(const struct stat *directory, const struct stat *entry)
{
    return directory->st_uid == 0 && entry->st_uid == 0 &&
           (!owner_lets_others_write(directory) || (directory->st_mode & S_ISVTX) != 0);
}

/* As fs.protected_symlinks has it. */
static bool is_trap(const struct stat *directory, const struct stat *link)
{
    const mode_t shared = S_ISVTX | S_IWOTH;
    return (directory->st_mode & shared) == shared && link->st_uid != geteuid() &&
           link->st_uid != directory->st_uid;
}

static const char *why_not(const struct stat *directory, bool is_confined, const struct stat *link)
{
    if (geteuid() == 0 && (is_confined || !is_fixed(directory, link)))
        return owner_is_ours(link) ? "root does not follow a link that another user can change"
                                   : "root does not follow another user's link";
    if (is_trap(directory, link))
        return "another user's link in a world-writable directory is not followed";
    return NULL;
}

const char *walk_why_not(const struct walk_end *end, const struct stat *link)
{
    struct stat directory;
    if (fstat(end->fd, &directory) != 0)
        return strerror(errno);
    return why_not(&directory, end->is_confined, link);
}

static bool failed(struct walk *walk, const char *step, int number, const char *what,
                   struct error *error)
{
    bool refused_by_system = number == EACCES || number == EPERM;
    AUTO_FREE char *where = mem_printf("%s%s", walk->passed, step);
    walk->at.number = number;
    return error_set_errno(error, refused_by_system ? ERROR_PERMISSION : ERROR_CANNOT_WRITE, number,
                           where, "%s", what);
}

static bool refused(struct walk *walk, const char *step, const char *why, struct error *error)
{
    walk->at.number = EPERM;
    walk->at.is_refused = true;
    error_set(error, ERROR_CANNOT_WRITE, "%s", why);
    error_where(error, "%s%s", walk->passed, step);
    return error_next(error, "name the directory itself, with a path that does not use that link");
}

static bool may_make(const struct walk *walk)
{
    return walk->rules->making == WALK_MAKES || (walk->rules->making == WALK_MAKES_OWN_ONLY &&
                                                 (geteuid() != 0 || walk->status.st_uid == 0));
}

/* The entry as it is, a link not followed; made when it is missing. */
static bool open_step(struct walk *walk, const char *step, int *ret_fd, struct error *error)
{
    *ret_fd = openat(walk->at.fd, step, STEP);
    if (*ret_fd >= 0)
        return true;
    if (errno != ENOENT || walk->rules->making == WALK_MAKES_NOTHING)
        return failed(walk, step, errno, "cannot open the directory", error);
    if (!may_make(walk))
        return refused(walk, step, "root creates nothing in another user's directory", error);
    if (mkdirat(walk->at.fd, step, walk->rules->mode) != 0 && errno != EEXIST)
        return failed(walk, step, errno, "cannot create the directory", error);
    *ret_fd = openat(walk->at.fd, step, STEP);
    return *ret_fd >= 0 || failed(walk, step, errno, "cannot open the directory", error);
}

static void enter(struct walk *walk, const char *step, int *fd, const struct stat *status)
{
    if (geteuid() == 0 && !is_fixed(&walk->status, status))
        walk->at.is_confined = true;
    close(walk->at.fd);
    walk->at.fd = fd_steal(fd);
    walk->status = *status;
    char *passed = mem_printf("%s%s/", walk->passed, step);
    free(walk->passed);
    walk->passed = passed;
}

static bool start_at(struct walk *walk, const char *path, struct error *error)
{
    const char *start = path[0] == '/' ? "/" : ".";
    fd_close_at(&walk->at.fd);
    walk->at.fd = open(start, O_PATH | O_DIRECTORY | O_CLOEXEC);
    free(walk->passed);
    walk->passed = mem_string(path[0] == '/' ? "/" : "");
    if (walk->at.fd < 0 || fstat(walk->at.fd, &walk->status) != 0)
        return failed(walk, "", errno, "cannot open the directory", error);
    return true;
}

/* What the kernel shows as a link in /proc may lead where no path does. */
static bool enter_by_kernel(struct walk *walk, const char *step, struct error *error)
{
    struct stat status;
    AUTO_CLOSE int fd = openat(walk->at.fd, step, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &status) != 0)
        return failed(walk, step, errno, "cannot open the directory", error);
    enter(walk, step, &fd, &status);
    return true;
}

static bool follow(struct walk *walk, const char *step, int link, const struct stat *status,
                   struct error *error)
{
    char target[PATH_MAX];
    struct statfs system;
    const char *why = why_not(&walk->status, walk->at.is_confined, status);
    if (why == NULL && walk->rules->own_links && !owner_is_ours(status))
        why = "a link in the path belongs to another user";
    if (why)
        return refused(walk, step, why, error);
    if (fstatfs(walk->at.fd, &system) == 0 && system.f_type == PROC_SUPER_MAGIC)
        return enter_by_kernel(walk, step, error);
    if (++walk->links > LINKS_MAX)
        return failed(walk, step, ELOOP, "cannot open the directory", error);
    ssize_t size = readlinkat(link, "", target, sizeof(target));
    if (size < 0 || (size_t)size == sizeof(target))
        return failed(walk, step, size < 0 ? errno : ENAMETOOLONG, "cannot read the link", error);
    char *rest = mem_printf("%.*s/%s", (int)size, target, walk->rest);
    free(walk->rest);
    walk->rest = rest;
    return rest[0] != '/' || start_at(walk, rest, error);
}

/* Above a directory that another user can move there may be another one than before. */
static bool climb(struct walk *walk, struct error *error)
{
    struct stat status;
    if (walk->at.is_confined)
        return refused(walk, "..", "root does not follow \"..\" below another user's directory",
                       error);
    AUTO_CLOSE int fd = openat(walk->at.fd, "..", STEP);
    if (fd < 0 || fstat(fd, &status) != 0)
        return failed(walk, "..", errno, "cannot open the directory", error);
    enter(walk, "..", &fd, &status);
    walk->at.is_confined = false; /* what is above cannot be exchanged from below */
    return true;
}

static bool take_step(struct walk *walk, const char *step, struct error *error)
{
    AUTO_CLOSE int fd = -1;
    struct stat status;
    if (string_equal(step, "."))
        return true;
    if (string_equal(step, ".."))
        return climb(walk, error);
    if (!open_step(walk, step, &fd, error))
        return false;
    if (fstat(fd, &status) != 0)
        return failed(walk, step, errno, "cannot access it", error);
    if (S_ISLNK(status.st_mode))
        return follow(walk, step, fd, &status, error);
    if (!S_ISDIR(status.st_mode))
        return failed(walk, step, ENOTDIR, "cannot open the directory", error);
    enter(walk, step, &fd, &status);
    return true;
}

static bool walk_all(struct walk *walk, struct error *error)
{
    if (!start_at(walk, walk->rest, error))
        return false;
    while (walk->rest[strspn(walk->rest, "/")] != '\0') {
        const char *start = walk->rest + strspn(walk->rest, "/");
        size_t size = strcspn(start, "/");
        AUTO_FREE char *step = mem_string_n(start, size);
        char *rest = mem_string(start + size);
        free(walk->rest);
        walk->rest = rest;
        if (!take_step(walk, step, error))
            return false;
    }
    return true;
}

bool walk_to(const char *path, const struct walk_rules *rules, struct walk_end *ret_end,
             struct error *error)
{
    AUTO(walk_clear)
    struct walk walk = {
        .rules = rules, .at = {.fd = -1}, .passed = mem_string(""), .rest = mem_string(path)};
    bool ok = walk_all(&walk, error);
    *ret_end = walk.at;
    ret_end->fd = ok ? fd_steal(&walk.at.fd) : -1;
    errno = walk.at.number;
    return ok;
}

int walk_open(const char *path, const struct walk_rules *rules, struct error *error)
{
    struct walk_end end;
    if (!walk_to(path, rules, &end, error))
        return -1;
    AUTO_CLOSE int fd = end.fd;
    int opened = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (opened < 0) {
        int number = errno;
        error_set_errno(error,
                        number == EACCES || number == EPERM ? ERROR_PERMISSION : ERROR_CANNOT_WRITE,
                        number, path, "cannot open the directory");
        errno = number;
    }
    return opened;
}
