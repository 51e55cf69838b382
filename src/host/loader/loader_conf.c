/* SPDX-License-Identifier: MIT */
#include "host/loader/loader_private.h"

#include <string.h>
#include <strings.h>

#include "base/text.h"

/* glibc elf/ldconfig.c, parse_conf(): a directory a line, '#' begins a comment, "include PATTERN…"
 * relative to the file it stands in; "hwcap" lines mean nothing any more. */
#define DEPTH_MAX       8
#define FILES_MAX       1000
#define DIRECTORIES_MAX 1000
#define CONF_SIZE       (256 * 1024)

struct reading {
    const struct host *host;
    struct strlist *directories;
    size_t files;
};

static void read_conf(struct reading *reading, const char *path, unsigned depth);

/* The word's length, when line begins with it and a blank follows; else 0. */
static size_t keyword(const char *line, const char *word)
{
    size_t length = strlen(word);
    bool is = strncasecmp(line, word, length) == 0 && (line[length] == ' ' || line[length] == '\t');
    return is ? length : 0;
}

static void include(struct reading *reading, const char *path, const char *pattern, unsigned depth)
{
    AUTO_STRLIST struct strlist found = {0};
    const char *slash = strrchr(path, '/');
    AUTO_FREE char *whole = pattern[0] == '/'
                                ? mem_string(pattern)
                                : mem_printf("%.*s/%s", (int)(slash - path), path, pattern);
    host_glob(reading->host, whole, &found);
    for (size_t i = 0; i < found.count; i++)
        read_conf(reading, found.items[i], depth + 1);
}

static void add_directory(struct reading *reading, char *line)
{
    line[strcspn(line, "=")] = '\0'; /* "/usr/lib=libc6": a type, which is not used any more */
    line = string_trim(line);
    size_t length = strlen(line);
    while (length > 1 && line[length - 1] == '/')
        line[--length] = '\0';
    if (line[0] == '/' && reading->directories->count < DIRECTORIES_MAX)
        strlist_add_new(reading->directories, line);
}

static void read_line(struct reading *reading, const char *path, char *line, unsigned depth)
{
    line[strcspn(line, "#")] = '\0';
    line = string_trim(line);
    size_t length = keyword(line, "include");
    if (length == 0 && keyword(line, "hwcap") == 0)
        add_directory(reading, line);
    char *rest = NULL;
    for (char *pattern = length > 0 ? strtok_r(line + length, " \t", &rest) : NULL; pattern != NULL;
         pattern = strtok_r(NULL, " \t", &rest))
        include(reading, path, pattern, depth);
}

static void read_conf(struct reading *reading, const char *path, unsigned depth)
{
    AUTO_TEXT struct text content = {0};
    if (depth > DEPTH_MAX || ++reading->files > FILES_MAX ||
        host_read(reading->host, path, CONF_SIZE, &content, NULL) != HOST_OK)
        return;
    char *cursor = content.data;
    for (char *line; cursor != NULL && (line = string_next_line(&cursor)) != NULL;)
        read_line(reading, path, line, depth);
}

void loader_conf_read(const struct host *host, struct strlist *directories)
{
    struct reading reading = {.host = host, .directories = directories};
    read_conf(&reading, LOADER_CONF, 0);
}
