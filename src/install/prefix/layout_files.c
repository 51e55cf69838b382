/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json.h"
#include "host/root/bytes.h"
#include "install/io/fd.h"
#include "install/prefix/layout_private.h"
#include "manifest/toolkit/legacy.h"

/* What no archive has and every toolkit on disk needs. */

/* nvcc.profile looks for lib$(_TARGET_SIZE_), which is lib64 (docs/background/redist.md). */
bool layout_add_lib64(struct layout *layout, struct error *error)
{
    const struct ledger_file *there = layout_file(layout, "lib64");
    if (layout_file(layout, "lib") == NULL && there && there->is_there &&
        strlist_has(&there->owners, LAYOUT_OWNER))
        layout_file_drop(layout, "lib64");
    if (layout_file(layout, "lib") == NULL || there)
        return true;
    if (symlinkat("lib", layout->fd, "lib64") != 0)
        return error_set_errno(error, ERROR_CANNOT_WRITE, errno, layout->path,
                               "cannot create the link lib64");
    layout_file_add(layout, "lib64", LEDGER_LINK, LAYOUT_OWNER)->target = mem_string("lib");
    return true;
}

/* A file with these bytes, in the place of one that is there. */
static bool write_file(int parent, const char *name, const char *path, const struct text *text,
                       struct digest *ret_sha256, struct error *error)
{
    if (unlinkat(parent, name, 0) != 0 && errno != ENOENT)
        return error_set_errno(error, ERROR_CANNOT_WRITE, errno, path, "cannot replace the file");
    AUTO_CLOSE int fd =
        openat(parent, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
    if (fd < 0 || fchmod(fd, 0644) != 0 || !bytes_write(fd, text_string(text), text->size) ||
        close(fd_steal(&fd)) != 0)
        return error_set_errno(error, ERROR_CANNOT_WRITE, errno, path, "cannot write the file");
    return digest_of_bytes(text_string(text), text->size, ret_sha256, error);
}

bool layout_write(struct layout *layout, const char *path, const char *owner,
                  const struct text *text, struct error *error)
{
    const char *name;
    if (!layout_add_parents(layout, path, owner, error))
        return false;
    int parent = tree_cursor_open(&layout->to, path, true, layout->path, &name, error);
    if (parent < 0)
        return false;
    struct ledger_file *file = layout_file_add(layout, path, LEDGER_FILE, owner);
    file->mode = 0644;
    file->size = text->size;
    return write_file(parent, name, path, text, &file->sha256, error);
}

/* As NVIDIA's installers up to CUDA 11.0 write it. */
static bool add_version_text(struct layout *layout, const struct plan_item *item,
                             struct error *error)
{
    AUTO_TEXT struct text text = {0};
    text_printf(&text, "CUDA Version %s\n", item->release);
    return layout_file(layout, "version.txt") || layout_file(layout, "version.json") ||
           layout_write(layout, "version.txt", LAYOUT_OWNER, &text, error);
}

/* As NVIDIA's installers write it: {"cuda": {"name": …, "version": …}, "cuda_nvcc": {…}}. */
static bool add_version_json(struct layout *layout, const struct plan *plan, struct error *error)
{
    static const char name[] = "version.json";
    AUTO_JSON json_t *json = json_object();
    AUTO_TEXT struct text text = {0};
    for (size_t i = 0; i < plan->item_count; i++) {
        const struct plan_item *item = &plan->items[i];
        if (!string_equal(item->product, "cuda"))
            continue;
        if (json_object_get(json, "cuda") == NULL)
            json_object_set_new(
                json, "cuda",
                json_pack("{s:s, s:s}", "name", "CUDA SDK", "version", item->release));
        json_t *component = json_object();
        json_object_set_new(component, "name", json_from_string(item->component));
        if (item->version)
            json_object_set_new(component, "version", json_from_string(item->version));
        json_object_set_new(json, item->component, component);
    }
    if (json_object_size(json) == 0 || layout_file(layout, name))
        return true;
    json_append_text(json, &text);
    return layout_write(layout, name, LAYOUT_OWNER, &text, error);
}

bool layout_add_version(struct layout *layout, const struct plan *plan, struct error *error)
{
    for (size_t i = 0; i < plan->item_count; i++)
        if (plan->items[i].layout && string_equal(plan->items[i].product, "cuda"))
            return add_version_text(layout, &plan->items[i], error);
    return add_version_json(layout, plan, error);
}

/* "lib64 -> targets/{target}/lib", where there is what it leads to, from where the link lies. */
static bool add_link(struct layout *layout, const char *row, const char *machine, const char *owner,
                     struct error *error)
{
    const char *at = strstr(row, MANIFEST_LAYOUT_ARROW);
    if (at == NULL)
        return true;
    AUTO_FREE char *name = mem_string_n(row, (size_t)(at - row));
    AUTO_FREE char *target =
        string_fill(at + strlen(MANIFEST_LAYOUT_ARROW), MANIFEST_LAYOUT_TARGET, machine);
    const char *slash = strrchr(name, '/');
    AUTO_FREE char *there =
        slash ? mem_printf("%.*s/%s", (int)(slash - name), name, target) : mem_string(target);
    if (layout_file(layout, name) || layout_file(layout, there) == NULL)
        return true;
    if (symlinkat(target, layout->fd, name) != 0)
        return error_set_errno(error, ERROR_CANNOT_WRITE, errno, layout->path,
                               "cannot create the link %s", name);
    layout_file_add(layout, name, LEDGER_LINK, owner)->target = mem_string(target);
    return true;
}

bool layout_add_links(struct layout *layout, const struct plan_item *item, const char *owner,
                      struct error *error)
{
    AUTO_FREE char *machine = plan_item_target(item);
    for (size_t i = 0; i < item->layout->links.count; i++)
        if (!add_link(layout, item->layout->links.items[i], machine, owner, error))
            return false;
    return true;
}

#define PC_MAX (1u << 20)

/* "cudaroot=/usr/local/cuda-12.8" and "prefix=…" are made to say where the tree will be. */
static bool rewrite_lines(const struct text *from, const char *prefix, struct text *to)
{
    static const char *const keys[] = {"cudaroot=", "prefix="};
    AUTO_FREE char *copy = mem_string_n(text_string(from), from->size);
    bool changed = false;
    char *cursor = copy, *line;
    while ((line = string_next_line(&cursor)) != NULL) {
        const char *key = NULL;
        for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
            if (string_starts(line, keys[i]))
                key = keys[i];
        if (key)
            text_printf(to, "%s%s\n", key, prefix);
        else
            text_printf(to, "%s\n", line);
        changed = changed || (key && !string_equal(line + strlen(key), prefix));
    }
    return changed;
}

bool layout_is_pc(const char *path)
{
    return string_starts(path, "lib/pkgconfig/") && string_ends(path, ".pc");
}

bool layout_rewrite_pc(const struct layout *layout, int parent_fd, const char *name,
                       struct unpack_member *member, struct error *error)
{
    AUTO_TEXT struct text from = {0};
    AUTO_TEXT struct text to = {0};
    AUTO_CLOSE int fd = openat(parent_fd, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return error_set_errno(error, ERROR_CANNOT_WRITE, errno, member->path,
                               "cannot read the file");
    if (!fd_read_all(fd, PC_MAX, member->path, &from, error))
        return false;
    if (!rewrite_lines(&from, layout->path, &to))
        return true;
    member->mode = 0644;
    member->size = to.size;
    return write_file(parent_fd, name, member->path, &to, &member->sha256, error);
}

bool layout_rewrite_link(int parent_fd, const char *name, const char *target, const char *path,
                         struct error *error)
{
    return (unlinkat(parent_fd, name, 0) == 0 && symlinkat(target, parent_fd, name) == 0) ||
           error_set_errno(error, ERROR_CANNOT_WRITE, errno, path, "cannot replace the link");
}
