/* SPDX-License-Identifier: MIT */
#include "cli/installer/installer_private.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "host/local/local.h"

/* The Python indexes that pip would ask: of its variables, else of its files. gpuenv asks them for
 * files whose digest it knows, and sends no credentials. */

#define CONFIG_MAX (1u << 20)

/* What a file says; a key of [download] goes before one of [global], and later files before earlier
 * ones. */
struct pip_config {
    struct strlist index, extra;
};

static void pip_config_free(struct pip_config *config)
{
    strlist_free(&config->index);
    strlist_free(&config->extra);
}

/* "index-url" and "index_url" are one. */
static bool is_key(const char *line, size_t size, const char *key)
{
    if (size != strlen(key))
        return false;
    for (size_t i = 0; i < size; i++)
        if (tolower((unsigned char)line[i]) != key[i] && !(line[i] == '_' && key[i] == '-'))
            return false;
    return true;
}

/* The values of a key in a section of an ini file. A line that begins with a space goes on with the
 * value before it. */
static bool read_key(const struct strlist *lines, const char *section, const char *key,
                     struct strlist *ret_values)
{
    bool in_section = false, in_value = false, found = false;
    for (size_t i = 0; i < lines->count; i++) {
        const char *line = lines->items[i];
        size_t size = strcspn(line, "=:");
        if (*line == '[')
            in_section = strncmp(line + 1, section, strlen(section)) == 0 &&
                         line[1 + strlen(section)] == ']';
        if (*line == '#' || *line == ';' || *line == '\0')
            continue;
        bool goes_on = isspace((unsigned char)*line) != 0;
        if (!goes_on) {
            while (size > 0 && isspace((unsigned char)line[size - 1]))
                size--;
            in_value = in_section && *line != '[' && is_key(line, size, key);
            found = found || in_value;
        }
        const char *equals = goes_on ? line : strpbrk(line, "=:");
        if (in_value && equals)
            strlist_split_words(ret_values, equals + !goes_on);
    }
    return found;
}

static void take_key(const struct strlist *lines, const char *key, struct strlist *values)
{
    static const char *const sections[] = {"global", "download"};
    for (size_t i = 0; i < sizeof(sections) / sizeof(*sections); i++) {
        struct strlist found = {0};
        if (!read_key(lines, sections[i], key, &found)) {
            strlist_free(&found);
            continue;
        }
        strlist_free(values);
        *values = found;
    }
}

static void read_config(const char *path, struct pip_config *config)
{
    AUTO_TEXT struct text text = {0};
    AUTO_STRLIST struct strlist lines = {0};
    if (!local_read(path, CONFIG_MAX, &text, NULL))
        return;
    strlist_split(&lines, text_string(&text), '\n');
    take_key(&lines, "index-url", &config->index);
    take_key(&lines, "extra-index-url", &config->extra);
}

static void read_below(const char *directory, const char *name, struct pip_config *config)
{
    AUTO_FREE char *path = directory && *directory ? mem_printf("%s/%s", directory, name) : NULL;
    if (path)
        read_config(path, config);
}

/* In pip's own order: of the system, of the user, of the environment, of PIP_CONFIG_FILE. */
static void read_configs(const struct session *session, struct pip_config *config)
{
    const char *file = host_environment(session->live, "PIP_CONFIG_FILE");
    const char *home = host_environment(session->live, "HOME");
    const char *user = host_environment(session->live, "XDG_CONFIG_HOME");
    const char *systems = host_environment(session->live, "XDG_CONFIG_DIRS");
    AUTO_STRLIST struct strlist directories = {0};
    if (string_equal(file, "/dev/null"))
        return;
    strlist_split(&directories, systems && *systems ? systems : "/etc/xdg", ':');
    for (size_t i = directories.count; i-- > 0;)
        read_below(directories.items[i], "pip/pip.conf", config);
    read_config("/etc/pip.conf", config);
    read_below(home, ".pip/pip.conf", config);
    if (user && *user)
        read_below(user, "pip/pip.conf", config);
    else
        read_below(home, ".config/pip/pip.conf", config);
    read_below(host_environment(session->live, "VIRTUAL_ENV"), "pip.conf", config);
    if (file && *file)
        read_config(file, config);
}

static void take_variable(const struct session *session, const char *name, struct strlist *values)
{
    const char *value = host_environment(session->live, name);
    if (value == NULL || *value == '\0')
        return;
    strlist_free(values);
    strlist_split_words(values, value);
}

/* A URL with a password would be sent and shown. */
static bool can_be_asked(const char *url)
{
    const char *start = strstr(url, "://");
    if (strncasecmp(url, "https://", 8) != 0 && strncasecmp(url, "http://", 7) != 0)
        return false;
    return memchr(start + 3, '@', strcspn(start + 3, "/?#")) == NULL &&
           strpbrk(url, "?#\"\\") == NULL;
}

static void take_usable(const struct strlist *from, struct strlist *indexes)
{
    for (size_t i = 0; i < from->count; i++)
        if (can_be_asked(from->items[i]))
            strlist_add_new(indexes, from->items[i]);
}

bool installer_indexes(const struct session *session, const struct arguments *arguments,
                       struct strlist *ret_indexes, struct error *error)
{
    const struct strlist *given = arguments_all(arguments, "index");
    AUTO(pip_config_free) struct pip_config config = {{0}, {0}};
    const char *none = host_environment(session->live, "PIP_NO_INDEX");
    for (size_t i = 0; given && i < given->count; i++) {
        if (!can_be_asked(given->items[i]))
            return usage_error(error, session->program, NULL, NULL,
                               "%s: give http:// or https:// and the address of a Python index, "
                               "without user, password and query",
                               arguments_origin(arguments, "index"));
        strlist_add_new(ret_indexes, given->items[i]);
    }
    if ((given && given->count > 0) || (none && *none))
        return true;
    read_configs(session, &config);
    take_variable(session, "PIP_INDEX_URL", &config.index);
    take_variable(session, "PIP_EXTRA_INDEX_URL", &config.extra);
    take_usable(&config.index, ret_indexes);
    take_usable(&config.extra, ret_indexes);
    return true;
}
