/* SPDX-License-Identifier: MIT */
#include "probe/system/dpkg.h"

#include <string.h>

#include "probe/engine/note.h"

#define STATUS_MAX (32u << 20) /* all files together; ten thousand packages take a third */

/* A walk over database files. */
struct walk {
    void (*each)(const struct dpkg_package *package, void *data);
    void *data;
    size_t count;
    size_t left; /* bytes that may still be read */
};

static void take_field(char *line, struct dpkg_package *package)
{
    static const char *const keys[] = {"Package:", "Version:",     "Architecture:", "Status:",
                                       "Depends:", "Pre-Depends:", "Provides:",     "Size:"};
    const char **const fields[] = {&package->name,     &package->version, &package->architecture,
                                   &package->status,   &package->depends, &package->pre_depends,
                                   &package->provides, &package->size};
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        if (line[0] != keys[i][0] || !string_starts(line, keys[i]))
            continue;
        char *value = string_trim(line + strlen(keys[i]));
        *fields[i] = value[0] ? value : NULL;
        return;
    }
}

static size_t end_paragraph(struct dpkg_package *package,
                            void (*each)(const struct dpkg_package *package, void *data),
                            void *data)
{
    bool named = package->name != NULL;
    if (named)
        each(package, data);
    *package = (struct dpkg_package){.path = package->path};
    return named;
}

size_t dpkg_each_paragraph(char *text, const char *path,
                           void (*each)(const struct dpkg_package *package, void *data), void *data)
{
    struct dpkg_package package = {.path = path};
    size_t count = 0;
    for (char *line; (line = string_next_line(&text));) {
        if (string_is_blank(line))
            count += end_paragraph(&package, each, data);
        else if (line[0] != ' ' && line[0] != '\t')
            take_field(line, &package);
    }
    return count + end_paragraph(&package, each, data);
}

static enum host_status walk_file(const struct host *host, const char *path, struct walk *walk,
                                  struct error *error)
{
    AUTO_TEXT struct text text = {0};
    enum host_status status = note_read_text(host, path, walk->left, &text, error);
    if (status != HOST_OK)
        return status;
    walk->left -= text.size;
    walk->count += dpkg_each_paragraph(text.data, path, walk->each, walk->data);
    return HOST_OK;
}

static enum host_status walk_directory(const struct host *host, struct walk *walk,
                                       struct error *error)
{
    AUTO_STRLIST struct strlist names = {0};
    enum host_status status = host_list(host, DPKG_STATUS_DIRECTORY, &names, error);
    for (size_t i = 0; i < names.count && status == HOST_OK; i++) {
        if (string_ends(names.items[i], ".md5sums"))
            continue;
        AUTO_FREE char *path = mem_printf(DPKG_STATUS_DIRECTORY "/%s", names.items[i]);
        status = walk_file(host, path, walk, error);
    }
    return status;
}

enum host_status dpkg_each(const struct host *host,
                           void (*each)(const struct dpkg_package *package, void *data), void *data,
                           size_t *ret_count, struct error *error)
{
    struct walk walk = {.each = each, .data = data, .left = STATUS_MAX};
    enum host_status file = walk_file(host, DPKG_STATUS, &walk, error);
    enum host_status directory = file;
    if (file == HOST_OK || file == HOST_ABSENT)
        directory = walk_directory(host, &walk, error);
    *ret_count += walk.count;
    return directory == HOST_ABSENT ? file : directory;
}

char *dpkg_all_depends(const struct dpkg_package *package)
{
    return mem_printf("%s,%s", package->pre_depends ? package->pre_depends : "",
                      package->depends ? package->depends : "");
}

const char *dpkg_state(const struct dpkg_package *package)
{
    if (package->status == NULL)
        return "installed";
    const char *last = strrchr(package->status, ' ');
    return last ? last + 1 : package->status;
}

bool dpkg_is_present(const struct dpkg_package *package)
{
    const char *state = dpkg_state(package);
    return strcmp(state, "not-installed") != 0 && strcmp(state, "config-files") != 0;
}

bool dpkg_is_held(const struct dpkg_package *package)
{
    return package->status && string_starts(package->status, "hold ");
}
