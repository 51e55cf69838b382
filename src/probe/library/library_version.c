/* SPDX-License-Identifier: MIT */
#include "probe/library/library_version.h"

#include <string.h>

#include "base/path.h"

/* The tree a library lies in: where its headers and dist-info directories would be. */
struct library_tree {
    struct strlist includes;
    struct strlist infos;
};

static void library_tree_free(struct library_tree *tree)
{
    strlist_free(&tree->includes);
    strlist_free(&tree->infos);
}

#define AUTO_TREE AUTO(library_tree_free)

static void tree_add_root(struct library_tree *tree, const char *root)
{
    strlist_take(&tree->includes, path_join(root, "include"));
    strlist_take(&tree->infos, path_join(root, "dist-info"));
}

/* Wheels keep their dist-info directories in site-packages itself, or where `pip install --target`
 * put them: beside the folder nvidia. */
static void tree_add_site(struct library_tree *tree, const char *directory)
{
    static const char *const names[] = {"/site-packages/", "/dist-packages/"};
    const char *target = strstr(directory, "/nvidia/");
    bool any = false;
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        const char *at = strstr(directory, names[i]);
        if (at)
            strlist_take(&tree->infos,
                         mem_string_n(directory, (size_t)(at - directory) + strlen(names[i]) - 1));
        any |= at != NULL;
    }
    if (target && target > directory && !any)
        strlist_take(&tree->infos, mem_string_n(directory, (size_t)(target - directory)));
}

static bool is_library_directory(const char *path)
{
    return string_equal(path_base(path), "lib") || string_equal(path_base(path), "lib64");
}

/* ROOT/lib, ROOT/lib64, ROOT/lib/TRIPLET, TOP/targets/TARGET/lib, and stubs below any of them. */
static void tree_find(const char *directory, struct library_tree *tree)
{
    tree_add_site(tree, directory);
    AUTO_FREE char *parent = path_parent(directory);
    if (string_equal(path_base(directory), "stubs")) {
        tree_find(parent, tree);
        return;
    }
    bool multiarch = !is_library_directory(directory) && is_library_directory(parent) &&
                     strstr(path_base(directory), "-linux-gnu") != NULL;
    if (!multiarch && !is_library_directory(directory))
        return;
    AUTO_FREE char *root = multiarch ? path_parent(parent) : mem_string(parent);
    tree_add_root(tree, root);
    if (multiarch)
        strlist_take(&tree->includes, mem_printf("%s/include/%s", root, path_base(directory)));
    AUTO_FREE char *targets = path_parent(root);
    AUTO_FREE char *top = path_parent(targets);
    if (string_equal(path_base(targets), "targets"))
        tree_add_root(tree, top);
}

/* The first number of the release, as the SONAME or, without one, the file's name has it. */
static bool release_major(const struct library_copy *copy, const char *soname, uint32_t *ret_major)
{
    struct version version;
    if (copy->family->interface != 0 ||
        !library_name_version(soname ? soname : path_base(copy->path), &version))
        return false;
    *ret_major = version.part[0];
    return true;
}

/* libcudart.so.12.8.90: more than the SONAME says. libcuda.so.570.86.15: other than it says;
 * libcuda.so.1.1 (WSL, Tegra) counts interfaces. */
static bool version_from_name(const struct library_copy *copy, const char *soname,
                              struct version *ret_version)
{
    struct version named = {.count = 0};
    struct version interface = {.count = 0};
    if (!library_name_version(path_base(copy->path), &named))
        return false;
    if (soname)
        library_name_version(soname, &interface);
    bool full = copy->family->interface != 0
                    ? named.count > 1 && named.part[0] != copy->family->interface
                    : named.count > 2 || (interface.count > 0 && named.count > interface.count);
    if (full)
        *ret_version = named;
    return full;
}

static const struct memo_header *memo_header(const struct host *host, const char *path,
                                             const struct version_header *header,
                                             struct library_memo *memo)
{
    for (size_t i = 0; i < memo->header_count; i++)
        if (string_equal(memo->headers[i].path, path))
            return &memo->headers[i];
    struct memo_header *entry = vec_push(memo->headers, memo->header_count, memo->header_capacity);
    entry->path = mem_string(path);
    entry->valid = version_header_read(host, path, header, &entry->version, NULL) == HOST_OK;
    return entry;
}

static bool version_from_header(const struct host *host, const struct library_copy *copy,
                                const struct strlist *includes, uint32_t major,
                                struct library_memo *memo, struct version *ret_version,
                                char **ret_source)
{
    for (size_t i = 0; i < includes->count; i++) {
        for (unsigned k = 0; k < 2 && copy->family->headers[k].file; k++) {
            const struct version_header *header = &copy->family->headers[k];
            AUTO_FREE char *path = path_join(includes->items[i], header->file);
            const struct memo_header *entry = memo_header(host, path, header, memo);
            if (!entry->valid || entry->version.part[0] != major)
                continue;
            *ret_version = entry->version;
            *ret_source = mem_steal(&path);
            return true;
        }
    }
    return false;
}

static const struct strlist *memo_infos(const struct host *host, const char *path,
                                        struct library_memo *memo)
{
    for (size_t i = 0; i < memo->directory_count; i++)
        if (string_equal(memo->directories[i].path, path))
            return &memo->directories[i].names;
    struct memo_directory *entry =
        vec_push(memo->directories, memo->directory_count, memo->directory_capacity);
    entry->path = mem_string(path);
    AUTO_STRLIST struct strlist names = {0};
    if (host_list(host, path, &names, NULL) == HOST_OK)
        for (size_t i = 0; i < names.count; i++)
            if (string_ends(names.items[i], ".dist-info") &&
                (string_starts(names.items[i], "nvidia_") ||
                 string_starts(names.items[i], "tensorrt")))
                strlist_add(&entry->names, names.items[i]);
    return &entry->names;
}

/* "nvidia_cudnn_cu13-9.19.0.56.dist-info" is nvidia_cudnn's: _cuNN and _libs may stand between. */
static bool info_version(const char *info, const char *wheel, struct version *ret_version)
{
    if (!string_starts(info, wheel))
        return false;
    const char *at = info + strlen(wheel);
    if (string_starts(at, "_cu") && at[3] != '\0') {
        at += 3;
        at += strspn(at, "0123456789");
    }
    if (string_starts(at, "_libs"))
        at += strlen("_libs");
    if (*at != '-')
        return false;
    AUTO_FREE char *version = mem_string(at + 1);
    char *end = strstr(version, ".post");
    end = end ? end : strstr(version, ".dist-info");
    if (end == NULL)
        return false;
    *end = '\0';
    return version_parse(version, ret_version);
}

/* Two that disagree say nothing. */
static bool version_from_infos(const struct strlist *infos, const char *wheel, uint32_t major,
                               struct version *ret_version, const char **ret_name)
{
    const char *name = NULL;
    for (size_t i = 0; i < infos->count; i++) {
        struct version version;
        if (!info_version(infos->items[i], wheel, &version) || version.part[0] != major)
            continue;
        if (name && version_compare(&version, ret_version) != 0)
            return false;
        *ret_version = version;
        name = infos->items[i];
    }
    *ret_name = name;
    return name != NULL;
}

static bool version_from_wheel(const struct host *host, const struct library_copy *copy,
                               const struct strlist *directories, uint32_t major,
                               struct library_memo *memo, struct version *ret_version,
                               char **ret_source)
{
    for (size_t i = 0; copy->family->wheel && i < directories->count; i++) {
        const char *name;
        struct version version;
        const struct strlist *infos = memo_infos(host, directories->items[i], memo);
        if (version_from_infos(infos, copy->family->wheel, major, &version, &name)) {
            *ret_version = version;
            *ret_source = path_join(directories->items[i], name);
            return true;
        }
    }
    return false;
}

bool library_version(const struct host *host, const struct library_copy *copy, const char *soname,
                     struct library_memo *memo, struct version *ret_version, char **ret_source)
{
    if (version_from_name(copy, soname, ret_version)) {
        *ret_source = mem_string(copy->path);
        return true;
    }
    uint32_t major;
    if (!release_major(copy, soname, &major))
        return false;
    AUTO_TREE struct library_tree tree = {0};
    AUTO_FREE char *directory = path_parent(copy->path);
    tree_find(directory, &tree);
    if (version_from_header(host, copy, &tree.includes, major, memo, ret_version, ret_source) ||
        version_from_wheel(host, copy, &tree.infos, major, memo, ret_version, ret_source))
        return true;
    /* The rest of a SONAME's number is not the release's: 11.0 in all of CUDA 11. */
    *ret_version = (struct version){.part = {major}, .count = 1};
    *ret_source = soname ? mem_printf("SONAME of %s", copy->path) : mem_string(copy->path);
    return true;
}

void library_memo_free(struct library_memo *memo)
{
    for (size_t i = 0; i < memo->header_count; i++)
        free(memo->headers[i].path);
    for (size_t i = 0; i < memo->directory_count; i++) {
        free(memo->directories[i].path);
        strlist_free(&memo->directories[i].names);
    }
    free(memo->headers);
    free(memo->directories);
    *memo = (struct library_memo){0};
}
