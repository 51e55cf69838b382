/* SPDX-License-Identifier: MIT */
#include "probe/places/path_match.h"

#include <fnmatch.h>
#include <string.h>

#include "base/path.h"

static void match_component(const struct host *host, const char *directory, const char *component,
                            struct strlist *paths)
{
    if (strpbrk(component, "*?[") == NULL) {
        strlist_take(paths, path_join(directory, component));
        return;
    }
    AUTO_STRLIST struct strlist names = {0};
    if (host_list(host, directory, &names, NULL) != HOST_OK)
        return;
    for (size_t i = 0; i < names.count && paths->count < PATH_MATCH_MAX; i++)
        if (fnmatch(component, names.items[i], FNM_PERIOD) == 0)
            strlist_take(paths, path_join(directory, names.items[i]));
}

void path_match(const struct host *host, const char *directory, const char *pattern,
                struct strlist *paths)
{
    AUTO_STRLIST struct strlist components = {0};
    AUTO_STRLIST struct strlist found = {0};
    strlist_split(&components, pattern, '/');
    strlist_add(&found, directory);
    for (size_t i = 0; i < components.count; i++) {
        AUTO_STRLIST struct strlist next = {0};
        for (size_t k = 0; k < found.count; k++)
            match_component(host, found.items[k], components.items[i], &next);
        struct strlist previous = found;
        found = next;
        next = previous;
    }
    for (size_t i = 0; i < found.count; i++)
        if (host_exists(host, found.items[i]))
            strlist_add(paths, found.items[i]);
}

bool path_matches(const struct host *host, const char *directory, const char *pattern)
{
    AUTO_STRLIST struct strlist paths = {0};
    path_match(host, directory, pattern, &paths);
    return paths.count > 0;
}

bool path_list(const char *value, struct strlist *directories)
{
    const char *at = value ? value : "";
    while (*at != '\0' && directories->count < PATH_LIST_MAX) {
        size_t size = strcspn(at, ":");
        if (at[0] == '/') {
            AUTO_FREE char *directory = mem_string_n(at, size);
            strlist_add_new(directories, directory);
        }
        at += size;
        at += strspn(at, ":");
    }
    return *at == '\0';
}
