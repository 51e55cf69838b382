/* SPDX-License-Identifier: MIT */
#include "install/prefix/layout.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <search.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "install/io/search.h"
#include "install/io/tree.h"
#include "install/prefix/layout_private.h"
#include "manifest/toolkit/legacy.h"

static int compare(const void *a, const void *b)
{
    return strcmp(((const struct ledger_file *)a)->path, ((const struct ledger_file *)b)->path);
}

struct layout *layout_new(int tree_fd, const char *final_path)
{
    struct layout *layout = mem_alloc(sizeof(*layout));
    layout->fd = tree_fd;
    layout->to = (struct tree_cursor){.root = tree_fd, .fd = -1};
    layout->path = mem_string(final_path);
    layout->include = mem_string("include");
    layout->lib = mem_string("lib");
    return layout;
}

static void file_free(void *node)
{
    struct ledger_file *file = node;
    free(file->path);
    free(file->target);
    strlist_free(&file->owners);
    free(file);
}

void layout_free(struct layout *layout)
{
    if (layout == NULL)
        return;
    tdestroy(layout->files, file_free);
    tree_cursor_close(&layout->to);
    free(layout->path);
    free(layout->include);
    free(layout->lib);
    free(layout);
}

struct ledger_file *layout_file(struct layout *layout, const char *path)
{
    const struct ledger_file key = {.path = (char *)(uintptr_t)path};
    void *node = tfind(&key, &layout->files, compare);
    return node ? *(struct ledger_file **)node : NULL;
}

struct ledger_file *layout_file_add(struct layout *layout, const char *path, enum ledger_type type,
                                    const char *owner)
{
    struct ledger_file *file = mem_alloc(sizeof(*file));
    file->path = mem_string(path);
    file->type = type;
    file->mode = type == LEDGER_DIRECTORY_ENTRY ? 0755 : 0;
    strlist_add(&file->owners, owner);
    if (tsearch(file, &layout->files, compare) == NULL)
        mem_exhausted();
    return file;
}

void layout_file_drop(struct layout *layout, const char *path)
{
    struct ledger_file *file = layout_file(layout, path);
    tdelete(file, &layout->files, compare);
    file_free(file);
}

#define PKGCONFIG "pkg-config/"

/* Of lib/11, lib/12 or lib/10.2 with libraries for one CUDA each, that of the CUDA beside it: what
 * is left of path behind it. NULL: it is none of these. */
static const char *behind_cuda(const struct plan_item *item, const char *path)
{
    static const char lib[] = "lib/";
    const char *step = path + strlen(lib);
    size_t major = item->cuda ? strcspn(item->cuda, ".") : 0;
    if (major == 0 || string_equal(item->product, "cuda") || !string_starts(path, lib))
        return NULL;
    size_t size = strcspn(step, "/");
    bool fits =
        strncmp(step, item->cuda, size) == 0 && (size == major || size == strlen(item->cuda));
    return fits ? step + size : NULL;
}

/* Where a member of an archive goes in a tree of its own. */
static char *place_alone(const struct plan_item *item, const char *path)
{
    if (item->layout)
        return mem_string(path);
    if (strchr(path, '/') == NULL && string_starts(path, "LICENSE"))
        return mem_printf("share/licenses/%s/%s", item->component, path);
    const char *behind = behind_cuda(item, path);
    if (behind)
        return mem_printf("lib%s", behind);
    if (string_equal(path, "pkg-config"))
        return mem_string("lib/pkgconfig");
    if (string_starts(path, PKGCONFIG))
        return mem_printf("lib/pkgconfig/%s", path + strlen(PKGCONFIG));
    return mem_string(path);
}

static char *place_of(const struct layout *layout, const struct plan_item *item, const char *path)
{
    AUTO_FREE char *alone = place_alone(item, path);
    return layout_led(layout, item, alone);
}

/* Two prefixes help two products; a product stays in one. */
static bool next_of_collision(const struct ledger_file *there, const char *owner,
                              struct error *error)
{
    const char *component = strchr(owner, '/') + 1;
    for (size_t i = 0; i < there->owners.count; i++)
        if (strncmp(there->owners.items[i], owner, (size_t)(component - owner)) == 0)
            return error_next(
                error, "leave one of the two components out, for example with --component=-%s",
                component);
    return error_next(error, "install them into separate prefixes");
}

static bool refuse_collision(const struct layout *layout, const struct ledger_file *there,
                             const char *owner, struct error *error)
{
    AUTO_FREE char *owners = strlist_join(&there->owners, ", ");
    bool is_alone = string_equal(owners, owner);
    error_set(error, ERROR_DATA, "two %s have a file of the same name with different contents",
              is_alone ? "members of one archive" : "components");
    error_where(error, "%s/%s", layout->path, there->path);
    if (is_alone)
        return error_why(error, "the file is in %s twice", owner) ||
               error_next(error, "leave this component out: --component=-%s",
                          strchr(owner, '/') + 1);
    error_why(error, "the file is in %s and in %s", owners, owner);
    return next_of_collision(there, owner, error);
}

bool layout_add_parents(struct layout *layout, const char *path, const char *owner,
                        struct error *error)
{
    for (const char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
        AUTO_FREE char *parent = mem_string_n(path, (size_t)(slash - path));
        struct ledger_file *file = layout_file(layout, parent);
        if (file && file->type != LEDGER_DIRECTORY_ENTRY)
            return refuse_collision(layout, file, owner, error);
        if (file)
            strlist_add_new(&file->owners, owner);
        else
            layout_file_add(layout, parent, LEDGER_DIRECTORY_ENTRY, owner);
    }
    return true;
}

static bool is_same(const struct ledger_file *file, const struct unpack_member *member)
{
    if (member->type == UNPACK_DIRECTORY)
        return file->type == LEDGER_DIRECTORY_ENTRY;
    if (member->type == UNPACK_LINK)
        return file->type == LEDGER_LINK && string_equal(file->target, member->target);
    return file->type == LEDGER_FILE && file->mode == member->mode && file->size == member->size &&
           digest_equal(&file->sha256, &member->sha256);
}

/* The unpacker is believed as far as it can be seen: it may have been taken over by what it read.
 */
static bool is_as_said(int fd, const char *name, const struct unpack_member *member)
{
    struct stat status;
    char target[PATH_MAX];
    if (fstatat(fd, name, &status, AT_SYMLINK_NOFOLLOW) != 0)
        return false;
    if (member->type == UNPACK_FILE)
        return S_ISREG(status.st_mode) && (status.st_mode & 07777) == member->mode &&
               (uint64_t)status.st_size == member->size;
    ssize_t size = readlinkat(fd, name, target, sizeof(target) - 1);
    return size >= 0 && (size_t)size == strlen(member->target) &&
           memcmp(target, member->target, (size_t)size) == 0;
}

static bool refuse_unpacked(const struct plan_item *item, const struct unpack_member *member,
                            struct error *error)
{
    error_set(error, ERROR_DATA, "the unpacked files differ from the unpacker's report");
    error_where(error, "%s: %s", item->path, member->path);
    return error_next(error, "report this archive: it may be an attack on the unpacker");
}

/* What was unpacked, as it is to lie in the tree at path. */
static int open_unpacked(struct layout *layout, struct tree_cursor *from,
                         const struct plan_item *item, struct unpack_member *member,
                         const char *path, const char *climbing, const char **ret_name,
                         struct error *error)
{
    int fd = tree_cursor_open(from, member->path, false, layout->path, ret_name, error);
    if (fd < 0 && !tree_is_gone(errno, -1))
        return -1;
    if (fd < 0 || !is_as_said(fd, *ret_name, member)) {
        refuse_unpacked(item, member, error);
        return -1;
    }
    bool rewritten = true;
    if (member->type == UNPACK_FILE && layout_is_pc(path))
        rewritten = layout_rewrite_pc(layout, fd, *ret_name, member, error);
    if (climbing)
        rewritten = layout_rewrite_link(fd, *ret_name, climbing, path, error);
    return rewritten ? fd : -1;
}

/* From lib/pkgconfig a link that climbs out of pkg-config/ has one step more to go; NULL: it is no
 * such link. */
static char *climbing_target(const struct plan_item *item, const struct unpack_member *member)
{
    bool climbs = item->layout == NULL && member->type == UNPACK_LINK &&
                  string_starts(member->path, PKGCONFIG) && string_starts(member->target, "../");
    return climbs ? mem_printf("../%s", member->target) : NULL;
}

static bool move(struct layout *layout, int from_fd, const char *from_name, const char *to,
                 struct error *error)
{
    const char *to_name;
    int to_fd = tree_cursor_open(&layout->to, to, true, layout->path, &to_name, error);
    if (to_fd < 0)
        return false;
    return renameat(from_fd, from_name, to_fd, to_name) == 0 ||
           error_set_errno(error, ERROR_CANNOT_WRITE, errno, to,
                           "cannot move a file into the tree");
}

static bool make_directory(struct layout *layout, const char *path, struct error *error)
{
    AUTO_CLOSE int fd = tree_open(layout->fd, path, true, layout->path, error);
    return fd >= 0;
}

/* Where the ledger is. */
static bool is_reserved(const char *path)
{
    return string_equal(path, LEDGER_DIRECTORY) || string_starts(path, LEDGER_DIRECTORY "/");
}

static bool refuse_reserved(const struct plan_item *item, const struct unpack_member *member,
                            struct error *error)
{
    error_set(error, ERROR_DATA, "the archive has files where gpuenv keeps its ledger");
    error_where(error, "%s: %s", item->path, member->path);
    return error_next(error, "leave the component out: --component=-%s", item->component);
}

static void add_row(struct layout *layout, const char *path, const char *owner,
                    const struct unpack_member *member)
{
    struct ledger_file *file = layout_file_add(
        layout, path, member->type == UNPACK_LINK ? LEDGER_LINK : LEDGER_FILE, owner);
    file->mode = member->mode;
    file->size = member->size;
    file->sha256 = member->sha256;
    file->target = mem_string(member->target);
}

/* member is a copy whose strings are another's. */
static bool add_member(struct layout *layout, struct tree_cursor *from,
                       const struct plan_item *item, struct unpack_member member, const char *owner,
                       struct error *error)
{
    AUTO_FREE char *path = place_of(layout, item, member.path);
    AUTO_FREE char *climbing = climbing_target(item, &member);
    struct ledger_file *file = layout_file(layout, path);
    const char *name = NULL;
    int fd = -1;
    if (is_reserved(path))
        return refuse_reserved(item, &member, error);
    if (member.type != UNPACK_DIRECTORY &&
        (fd = open_unpacked(layout, from, item, &member, path, climbing, &name, error)) < 0)
        return false;
    if (climbing)
        member.target = climbing;
    if (file && !is_same(file, &member))
        return refuse_collision(layout, file, owner, error);
    if (file)
        strlist_add_new(&file->owners, owner);
    if (!layout_add_parents(layout, path, owner, error))
        return false;
    if (file)
        return true;
    if (member.type == UNPACK_DIRECTORY) {
        layout_file_add(layout, path, LEDGER_DIRECTORY_ENTRY, owner);
        return make_directory(layout, path, error);
    }
    add_row(layout, path, owner, &member);
    return move(layout, fd, name, path, error);
}

/* Another archive than the layout was made for. */
static bool has_needed(struct layout *layout, const struct plan_item *item, struct error *error)
{
    const struct strlist *needed = &item->layout->needed;
    for (size_t i = 0; item->extent != EXTENT_RUNTIME && i < needed->count; i++) {
        AUTO_FREE char *path = layout_led(layout, item, needed->items[i]);
        if (layout_file(layout, path))
            continue;
        error_set(error, ERROR_DATA, "the archive is not laid out as gpuenv knows it");
        error_where(error, "%s", item->path);
        error_why(error, "it has no %s of the component %s", needed->items[i], item->component);
        return error_next(error,
                          "report what differs: gpuenv's table (gpuenv manifest show %s) "
                          "was made from public recipes",
                          item->layout->id);
    }
    return true;
}

static bool finish_placed(struct layout *layout, const struct plan_item *item, const char *owner,
                          struct error *error)
{
    return item->layout == NULL ||
           (layout_add_links(layout, item, owner, error) && has_needed(layout, item, error));
}

bool layout_add(struct layout *layout, int from_fd, const struct plan_item *item,
                const struct unpack_result *result, struct error *error)
{
    AUTO_FREE char *owner = mem_printf("%s/%s", item->product, item->component);
    struct tree_cursor from = {.root = from_fd, .fd = -1};
    bool ok = true;
    for (size_t i = 0; ok && i < result->count; i++)
        ok = add_member(layout, &from, item, result->members[i], owner, error);
    tree_cursor_close(&from);
    return ok && finish_placed(layout, item, owner, error) &&
           layout_add_pc(layout, item, owner, error);
}

void layout_keep(struct layout *layout, struct ledger *kept)
{
    for (size_t i = 0; i < kept->file_count; i++) {
        struct ledger_file *file = mem_alloc(sizeof(*file));
        *file = kept->files[i];
        kept->files[i] = (struct ledger_file){.path = NULL};
        if (tsearch(file, &layout->files, compare) == NULL)
            mem_exhausted();
    }
    kept->file_count = 0;
}

static void take_file(void *item, void *data)
{
    struct ledger *ledger = data;
    struct ledger_file *from = item;
    struct ledger_file *file = vec_push(ledger->files, ledger->file_count, ledger->file_capacity);
    strlist_sort(&from->owners);
    *file = *from;
    *from = (struct ledger_file){.path = NULL};
}

bool layout_finish(struct layout *layout, const struct plan *plan, struct ledger *ledger,
                   struct error *error)
{
    if (!layout_add_lib64(layout, error) || !layout_add_version(layout, plan, error))
        return false;
    search_walk(&layout->files, compare, take_file, ledger);
    tdestroy(layout->files, file_free);
    layout->files = NULL;
    return true;
}
