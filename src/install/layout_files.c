/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <search.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json.h"
#include "install/fd.h"
#include "install/layout_parts.h"
#include "install/tree.h"

/* What no archive has and every toolkit on disk needs. */

/* nvcc.profile looks for lib$(_TARGET_SIZE_), which is lib64 (docs/redist.md). */
bool layout_add_lib64(struct layout *layout, struct error *error)
{
    if (layout_file(layout, "lib") == NULL || layout_file(layout, "lib64"))
        return true;
    if (symlinkat("lib", layout->fd, "lib64") != 0)
        return error_set_errno(error, ERROR_CANNOT_WRITE, errno, layout->path,
                               "cannot make the link lib64");
    layout_file_add(layout, "lib64", LEDGER_LINK, LAYOUT_OWNER)->target = mem_string("lib");
    return true;
}

/* A file of the tree with these bytes, in the place of one that is there. file gets what it is. */
static bool write_file(struct layout *layout, const char *path, const struct text *text,
                       struct ledger_file *file, struct error *error)
{
    const char *name;
    AUTO_CLOSE int parent = tree_open_parent(layout->fd, path, true, layout->path, &name, error);
    if (parent < 0)
        return false;
    if (unlinkat(parent, name, 0) != 0 && errno != ENOENT)
        return error_set_errno(error, ERROR_CANNOT_WRITE, errno, path, "cannot replace the file");
    AUTO_CLOSE int fd =
        openat(parent, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
    if (fd < 0 || fchmod(fd, 0644) != 0 || !fd_write_all(fd, text_string(text), text->size) ||
        close(fd_steal(&fd)) != 0)
        return error_set_errno(error, ERROR_CANNOT_WRITE, errno, path, "cannot write the file");
    file->mode = 0644;
    file->size = text->size;
    return digest_of_bytes(text_string(text), text->size, &file->sha256, error);
}

/* As NVIDIA's installers write it: {"cuda": {"name": …, "version": …}, "cuda_nvcc": {…}}. */
bool layout_add_version_json(struct layout *layout, const struct plan *plan, struct error *error)
{
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
    if (json_object_size(json) == 0 || layout_file(layout, "version.json"))
        return true;
    json_append_text(json, &text);
    return write_file(layout, "version.json", &text,
                      layout_file_add(layout, "version.json", LEDGER_FILE, LAYOUT_OWNER), error);
}

#define PC_MAX (1u << 20)

static bool read_file(struct layout *layout, const char *path, struct text *text,
                      struct error *error)
{
    const char *name;
    AUTO_CLOSE int parent = tree_open_parent(layout->fd, path, false, layout->path, &name, error);
    AUTO_CLOSE int fd = parent < 0 ? -1 : openat(parent, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (parent >= 0 && fd < 0)
        return error_set_errno(error, ERROR_CANNOT_WRITE, errno, path, "cannot read the file");
    return parent >= 0 && fd_read_all(fd, PC_MAX, path, text, error);
}

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

struct pc_files {
    struct layout *layout;
    struct error *error;
    bool ok;
};

static bool rewrite_pc(struct layout *layout, struct ledger_file *file, struct error *error)
{
    AUTO_TEXT struct text from = {0};
    AUTO_TEXT struct text to = {0};
    if (!read_file(layout, file->path, &from, error))
        return false;
    if (!rewrite_lines(&from, layout->path, &to))
        return true;
    return write_file(layout, file->path, &to, file, error);
}

static void visit_pc(const void *node, VISIT visit, void *closure)
{
    struct pc_files *files = closure;
    struct ledger_file *file = *(struct ledger_file *const *)node;
    if ((visit != postorder && visit != leaf) || !files->ok || file->type != LEDGER_FILE)
        return;
    if (string_starts(file->path, "lib/pkgconfig/") && string_ends(file->path, ".pc"))
        files->ok = rewrite_pc(files->layout, file, files->error);
}

bool layout_rewrite_pc_files(struct layout *layout, struct error *error)
{
    struct pc_files files = {.layout = layout, .error = error, .ok = true};
    twalk_r(layout->files, visit_pc, &files);
    return files.ok;
}
