/* SPDX-License-Identifier: MIT */
#include "install/prefix/survey.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "install/io/entry.h"
#include "install/io/tree.h"

void survey_free(struct survey *survey)
{
    strlist_free(&survey->foreign);
    free(survey->not_linked);
    *survey = (struct survey){.not_linked = NULL};
}

bool survey_has_below(const struct strlist *paths, const char *path)
{
    size_t length = strlen(path);
    for (size_t i = 0; i < paths->count; i++) {
        const char *there = paths->items[i];
        if (strncmp(there, path, length) == 0 && (there[length] == '\0' || there[length] == '/'))
            return true;
    }
    return false;
}

/* What a hard link, or a directory of the same kind, cannot stand for. */
static const char *why_not_linked(const struct entry *entry, const struct entry *root)
{
    unsigned type = entry->mode & S_IFMT;
    if (type != S_IFREG && type != S_IFDIR && type != S_IFLNK)
        return "it is a special file";
    if (entry->device != root->device)
        return type == S_IFDIR ? "something is mounted there" : NULL;
    if (entry->is_mount)
        return "something is mounted there";
    if (entry->is_immutable || entry->is_append)
        return "the file is marked as immutable (chattr)";
    if (geteuid() != 0 && entry->owner != geteuid())
        return "it belongs to another user";
    return NULL;
}

struct walk {
    const struct prefix *prefix;
    struct entry root;
    struct survey *survey;
};

static bool visit_directory(struct walk *walk, int fd, const char *path, struct error *error);

static bool visit(struct walk *walk, int fd, const char *name, const char *path,
                  struct error *error)
{
    struct entry entry;
    if (!entry_look(fd, name, &entry))
        return errno == ENOENT ||
               error_set_errno(error, ERROR_NO_INPUT, errno, path, "cannot access it");
    if (ledger_find(&walk->prefix->ledger, path) == NULL)
        strlist_add(&walk->survey->foreign, path);
    const char *why = why_not_linked(&entry, &walk->root);
    if (why && walk->survey->not_linked == NULL)
        walk->survey->not_linked = mem_printf("%s: %s", path, why);
    if (!S_ISDIR(entry.mode))
        return true;
    AUTO_CLOSE int next = openat(fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (next < 0) {
        if (walk->survey->not_linked == NULL)
            walk->survey->not_linked = mem_printf("%s: %s", path, strerror(errno));
        return true;
    }
    return visit_directory(walk, next, path, error);
}

static bool visit_directory(struct walk *walk, int fd, const char *path, struct error *error)
{
    AUTO_STRLIST struct strlist names = {0};
    if (!tree_list(fd, *path ? path : walk->prefix->path, &names, error))
        return false;
    for (size_t i = 0; i < names.count; i++) {
        AUTO_FREE char *below =
            *path ? mem_printf("%s/%s", path, names.items[i]) : mem_string(names.items[i]);
        if (!string_equal(below, LEDGER_DIRECTORY) &&
            !visit(walk, fd, names.items[i], below, error))
            return false;
    }
    return true;
}

bool survey_prefix(const struct prefix *prefix, struct survey *ret_survey, struct error *error)
{
    struct walk walk = {.prefix = prefix, .survey = ret_survey};
    AUTO_CLOSE int fd =
        openat(prefix->parent_fd, prefix->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0 || !entry_look(fd, "", &walk.root))
        return error_set_errno(error, ERROR_NO_INPUT, errno, prefix->path,
                               "cannot open the prefix");
    if (prefix->is_mount)
        ret_survey->not_linked = mem_string("something is mounted on the prefix");
    return visit_directory(&walk, fd, "", error);
}
