/* SPDX-License-Identifier: MIT */
#include "install/prefix/verify.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "install/io/tree.h"

static void rows_free(struct verify_rows *rows)
{
    for (size_t i = 0; i < rows->count; i++) {
        free(rows->items[i].path);
        free(rows->items[i].why);
        free(rows->items[i].detail);
    }
    free(rows->items);
}

void verification_free(struct verification *verification)
{
    rows_free(&verification->changed);
    rows_free(&verification->missing);
    rows_free(&verification->added);
    *verification = (struct verification){.files = 0};
}

static struct verify_row *rows_add(struct verify_rows *rows, const char *path)
{
    struct verify_row *row = vec_push(rows->items, rows->count, rows->capacity);
    row->path = mem_string(path);
    return row;
}

static const char *type_word(mode_t mode)
{
    if (S_ISREG(mode))
        return "a file";
    if (S_ISDIR(mode))
        return "a directory";
    return S_ISLNK(mode) ? "a link" : "a special file";
}

static const mode_t types[] = {
    [LEDGER_FILE] = S_IFREG, [LEDGER_DIRECTORY_ENTRY] = S_IFDIR, [LEDGER_LINK] = S_IFLNK};

/* The new clause for how the file differs, NULL when it does not. */
static char *compare_link(int parent, const char *name, const struct ledger_file *file)
{
    char target[PATH_MAX];
    ssize_t size = readlinkat(parent, name, target, sizeof(target) - 1);
    if (size < 0)
        return mem_printf("cannot be read: %s", strerror(errno));
    target[size] = '\0';
    if (string_equal(target, file->target))
        return NULL;
    AUTO_FREE char *safe = string_safe(target);
    return mem_printf("leads to %s, was %s", safe, file->target);
}

static char *compare_bytes(int parent, const char *name, const struct ledger_file *file,
                           char **ret_detail)
{
    AUTO_CLOSE int fd = openat(parent, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    AUTO_ERROR struct error error = {0};
    struct digest found;
    uint64_t size;
    char hex[DIGEST_HEX_SIZE], expected[DIGEST_HEX_SIZE];
    if (fd < 0)
        return mem_printf("cannot be opened: %s", strerror(errno));
    if (!digest_of_file(fd, UINT64_MAX, file->path, &found, &size, &error))
        return mem_printf("cannot be read: %s", error.why ? error.why : error.what);
    if (digest_equal(&found, &file->sha256))
        return NULL;
    *ret_detail = mem_printf("sha256 %s, was %s", digest_hex(&found, hex),
                             digest_hex(&file->sha256, expected));
    return mem_string("different bytes, same size");
}

static char *compare(int parent, const char *name, const struct ledger_file *file,
                     const struct stat *status, enum verify_depth depth, char **ret_detail)
{
    if ((status->st_mode & S_IFMT) != types[file->type])
        return mem_printf("%s, was %s", type_word(status->st_mode), type_word(types[file->type]));
    if (file->type == LEDGER_LINK)
        return compare_link(parent, name, file);
    if ((status->st_mode & 07777) != file->mode)
        return mem_printf("mode %04o, was %04o", status->st_mode & 07777, file->mode);
    if (file->type != LEDGER_FILE)
        return NULL;
    if ((uint64_t)status->st_size != file->size)
        return mem_printf("%" PRIu64 " bytes, was %" PRIu64, (uint64_t)status->st_size, file->size);
    return depth == VERIFY_STATUS ? NULL : compare_bytes(parent, name, file, ret_detail);
}

/* A directory on the way may have become a link, or be gone. */
bool verify_file(int fd, const char *where, const struct ledger_file *file, enum verify_depth depth,
                 struct verification *verification, struct error *error)
{
    AUTO_ERROR struct error lost = {0};
    const char *name;
    struct stat status;
    AUTO_CLOSE int parent = tree_open_parent(fd, file->path, false, where, &name, &lost);
    verification->files++;
    if (parent < 0 || fstatat(parent, name, &status, AT_SYMLINK_NOFOLLOW) != 0) {
        if (!tree_is_gone(errno, parent))
            return error_set_errno(error, ERROR_NO_INPUT, errno, file->path, "cannot access it");
        rows_add(&verification->missing, file->path);
        return true;
    }
    char *detail = NULL;
    char *why = compare(parent, name, file, &status, depth, &detail);
    if (why == NULL)
        return true;
    struct verify_row *row = rows_add(&verification->changed, file->path);
    row->why = why;
    row->detail = detail;
    row->is_other = (status.st_mode & S_IFMT) != types[file->type];
    row->is_directory = S_ISDIR(status.st_mode);
    return true;
}

/* What the ledger does not have. A directory that is not in it stands for all below it. */
static bool look_for_added(int fd, const struct prefix *prefix, const char *path,
                           struct verification *verification, struct error *error)
{
    AUTO_STRLIST struct strlist names = {0};
    if (!tree_list(fd, *path ? path : prefix->path, &names, error))
        return false;
    for (size_t i = 0; i < names.count; i++) {
        AUTO_FREE char *below =
            *path ? mem_printf("%s/%s", path, names.items[i]) : mem_string(names.items[i]);
        const struct ledger_file *file = ledger_find(&prefix->ledger, below);
        if (*path == '\0' && string_equal(below, LEDGER_DIRECTORY))
            continue;
        if (file == NULL) {
            rows_add(&verification->added, below);
            continue;
        }
        AUTO_CLOSE int next =
            file->type == LEDGER_DIRECTORY_ENTRY
                ? openat(fd, names.items[i], O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
                : -1;
        if (next >= 0 && !look_for_added(next, prefix, below, verification, error))
            return false;
    }
    return true;
}

bool verify_prefix(const struct prefix *prefix, struct verification *ret_verification,
                   struct error *error)
{
    AUTO_CLOSE int fd =
        openat(prefix->parent_fd, prefix->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return error_set_errno(error, ERROR_NO_INPUT, errno, prefix->path,
                               "cannot open the prefix");
    for (size_t i = 0; i < prefix->ledger.file_count; i++)
        if (!verify_file(fd, prefix->path, &prefix->ledger.files[i], VERIFY_BYTES, ret_verification,
                         error))
            return false;
    return look_for_added(fd, prefix, "", ret_verification, error);
}
