/* SPDX-License-Identifier: MIT */
#include "base/path.h"

#include <string.h>

#include "base/strlist.h"
#include "base/text.h"

char *path_join(const char *directory, const char *name)
{
    return mem_printf("%s%s%s", directory, string_ends(directory, "/") ? "" : "/", name);
}

char *path_parent(const char *path)
{
    const char *slash = strrchr(path, '/');
    if (slash == NULL || slash == path)
        return mem_string("/");
    return mem_string_n(path, (size_t)(slash - path));
}

const char *path_base(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

bool path_has_component(const char *path, const char *component)
{
    size_t length = strlen(component);
    const char *at = path;
    while (*at != '\0') {
        size_t size = strcspn(at, "/");
        if (size == length && memcmp(at, component, length) == 0)
            return true;
        at += size;
        at += strspn(at, "/");
    }
    return false;
}

bool path_is_below(const char *path, const char *directory)
{
    size_t length = strlen(directory);
    while (length > 0 && directory[length - 1] == '/')
        length--;
    return strncmp(path, directory, length) == 0 && (path[length] == '\0' || path[length] == '/');
}

bool path_is_named(const struct strlist *paths, const char *name)
{
    for (size_t i = 0; paths && name && i < paths->count; i++)
        if (string_equal(path_base(paths->items[i]), name))
            return true;
    return false;
}
