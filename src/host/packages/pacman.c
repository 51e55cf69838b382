/* SPDX-License-Identifier: MIT */
#include "host/packages/pacman.h"

#include <string.h>

#include "base/text.h"

#define DESC_MAX  (1u << 20)
#define FILES_MAX (64u << 20)

void pacman_each_line(char *text, void (*each)(const char *section, const char *line, void *data),
                      void *data)
{
    const char *section = NULL;
    for (char *line; (line = string_next_line(&text));) {
        if (line[0] == '\0')
            section = NULL;
        else if (section == NULL)
            section = line;
        else
            each(section, line, data);
    }
}

static enum host_status each_line(const struct host *host, const char *path, size_t most,
                                  void (*each)(const char *section, const char *line, void *data),
                                  void *data, struct error *error)
{
    AUTO_TEXT struct text text = {0};
    enum host_status status = host_read(host, path, most, &text, error);
    if (status != HOST_OK)
        return status;
    if (text.size && memchr(text.data, '\0', text.size)) {
        error_set(error, ERROR_DATA, "there is a NUL byte in the file");
        error_where(error, "%s", path);
        return HOST_FAILED;
    }
    pacman_each_line(text.data, each, data);
    return HOST_OK;
}

struct description {
    char *name, *version, *architecture;
};

static void description_free(struct description *description)
{
    free(description->name);
    free(description->version);
    free(description->architecture);
}

static void take_field(const char *section, const char *line, void *data)
{
    struct description *description = data;
    static const char *const keys[] = {"%NAME%", "%VERSION%", "%ARCH%"};
    char **const fields[] = {&description->name, &description->version, &description->architecture};
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
        if (*fields[i] == NULL && strcmp(section, keys[i]) == 0)
            *fields[i] = mem_string(line);
}

/* "NAME-VERSION-RELEASE" names the package, and a version has no hyphen. NULL: another file. */
static char *name_of_directory(const char *directory)
{
    const char *last = strrchr(directory, '-');
    const char *before = last ? memrchr(directory, '-', (size_t)(last - directory)) : NULL;
    return before && before > directory ? mem_string_n(directory, (size_t)(before - directory))
                                        : NULL;
}

enum host_status pacman_each(const struct host *host, bool (*wants)(const char *name),
                             void (*each)(const struct pacman_package *package, void *data),
                             void *data, size_t *ret_count, struct error *error)
{
    AUTO_STRLIST struct strlist names = {0};
    enum host_status status = host_list(host, PACMAN_LOCAL, &names, error);
    for (size_t i = 0; i < names.count && status == HOST_OK; i++) {
        AUTO_FREE char *name = name_of_directory(names.items[i]);
        AUTO_FREE char *directory = mem_printf(PACMAN_LOCAL "/%s", names.items[i]);
        AUTO_FREE char *path = mem_printf("%s/desc", directory);
        AUTO(description_free) struct description description = {.name = NULL};
        if (name == NULL)
            continue;
        ++*ret_count;
        if (!wants(name))
            continue;
        status = each_line(host, path, DESC_MAX, take_field, &description, error);
        if (status == HOST_ABSENT) /* removed meanwhile */
            status = HOST_OK;
        else if (status == HOST_OK && description.name && description.version)
            each(&(struct pacman_package){.name = description.name,
                                          .version = description.version,
                                          .architecture = description.architecture,
                                          .directory = directory},
                 data);
    }
    return status;
}

struct listing {
    void (*each)(const char *path, void *data);
    void *data;
};

static void take_file(const char *section, const char *line, void *data)
{
    const struct listing *listing = data;
    if (strcmp(section, "%FILES%") != 0)
        return;
    AUTO_FREE char *path = mem_printf("/%s", line);
    listing->each(path, listing->data);
}

enum host_status pacman_files(const struct host *host, const struct pacman_package *package,
                              void (*each)(const char *path, void *data), void *data,
                              struct error *error)
{
    struct listing listing = {.each = each, .data = data};
    AUTO_FREE char *path = mem_printf("%s/files", package->directory);
    return each_line(host, path, FILES_MAX, take_file, &listing, error);
}
