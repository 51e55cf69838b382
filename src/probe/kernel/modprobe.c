/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/path.h"
#include "host/root/file.h"
#include "probe/engine/note.h"
#include "probe/engine/probes.h"

#define FILE_MAX  (256u << 10)
#define FILES_MAX 1024
#define LINES_MAX 256 /* kept of each file */

/* modprobe.d(5): of files of one name the first directory's counts, and all together are read in
 * the order of their names. modules-load.d(5) does the same. */
static const char *const settings_places[] = {"/etc/modprobe.d", "/run/modprobe.d",
                                              "/usr/local/lib/modprobe.d", "/usr/lib/modprobe.d",
                                              "/lib/modprobe.d"};
static const char *const load_places[] = {"/etc/modules-load.d", "/run/modules-load.d",
                                          "/usr/local/lib/modules-load.d",
                                          "/usr/lib/modules-load.d", "/lib/modules-load.d"};

/* Parts of names of modules that matter here. */
static const char *const parts[] = {"nvidia", "nouveau", "nova", "vfio", "bbswitch"};

struct settings {
    const struct host *host;
    struct facts *facts;
    struct strlist blacklisted, disabled, options, aliases, softdeps, load, unread;
    size_t files;
};

static bool is_wanted(const char *line)
{
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
        if (strstr(line, parts[i]))
            return true;
    return false;
}

/* To modprobe - and _ are one in a module's name. */
static char *module_name(const char *word)
{
    char *name = mem_string(word);
    for (char *at = name; *at; at++)
        *at = *at == '-' ? '_' : *at;
    return name;
}

/* "install nouveau /bin/false" and "alias nouveau off" keep a module away as surely as a blacklist,
 * and from `modprobe nouveau` too. */
static bool is_nothing(const char *command)
{
    AUTO_FREE char *first = mem_string_n(command, strcspn(command, " \t;"));
    const char *base = path_base(first);
    return string_equal(base, "false") || string_equal(base, "true") || string_equal(base, ":") ||
           string_equal(base, "off");
}

static void take_directive(struct settings *settings, const char *word, const char *module,
                           const char *rest)
{
    AUTO_FREE char *name = module_name(module);
    AUTO_FREE char *whole = mem_printf("%s %s", name, rest);
    if (string_equal(word, "blacklist"))
        strlist_add_new(&settings->blacklisted, name);
    else if (string_equal(word, "options"))
        strlist_add_new(&settings->options, whole);
    else if (string_equal(word, "softdep"))
        strlist_add_new(&settings->softdeps, whole);
    else if ((string_equal(word, "install") || string_equal(word, "alias")) && is_nothing(rest))
        strlist_add_new(&settings->disabled, name);
    else if (string_equal(word, "alias"))
        strlist_add_new(&settings->aliases, whole);
}

/* line: blanks trimmed; cut apart. */
static void take_line(struct settings *settings, char *line)
{
    char *save = NULL;
    const char *word = strtok_r(line, " \t", &save);
    const char *module = word ? strtok_r(NULL, " \t", &save) : NULL;
    if (module)
        take_directive(settings, word, module, save ? string_trim(save) : "");
}

/* A backslash at the end joins a line to the next. */
static void join_lines(char *text)
{
    for (char *at = text; (at = strstr(at, "\\\n")) != NULL;)
        at[0] = at[1] = ' ';
}

static void add_unread(struct settings *settings, const char *path, const struct error *error)
{
    strlist_take(&settings->unread,
                 mem_printf("%s: %s", path, error->why ? error->why : "cannot be read"));
}

static void note_file(struct settings *settings, const char *path, const struct strlist *lines)
{
    struct host_stat stat;
    AUTO_FREE char *group = facts_group_name("modprobe", path);
    facts_set_string(settings->facts, group, "path", path, path);
    facts_set_list(settings->facts, group, "lines", lines, path);
    if (host_stat(settings->host, path, &stat, NULL) == HOST_OK)
        facts_set_integer(settings->facts, group, "modified", stat.modified, path);
    else
        facts_set_unknown(settings->facts, group, "modified", "the file went away", path);
    settings->files++;
}

static void read_settings(struct settings *settings, const char *path)
{
    AUTO_ERROR struct error error = {0};
    AUTO_TEXT struct text text = {0};
    AUTO_STRLIST struct strlist lines = {0};
    enum host_status status = note_read_text(settings->host, path, FILE_MAX, &text, &error);
    if (status != HOST_OK) {
        add_unread(settings, path, &error);
        return;
    }
    if (text.data)
        join_lines(text.data);
    char *cursor = text.data;
    for (char *line; (line = string_next_line(&cursor));) {
        line = string_trim(line);
        if (line[0] == '#' || !is_wanted(line) || lines.count >= LINES_MAX)
            continue;
        strlist_add(&lines, line);
        take_line(settings, line);
    }
    if (lines.count > 0)
        note_file(settings, path, &lines);
}

static void read_load(struct settings *settings, const char *path)
{
    AUTO_ERROR struct error error = {0};
    AUTO_TEXT struct text text = {0};
    enum host_status status = note_read_text(settings->host, path, FILE_MAX, &text, &error);
    if (status != HOST_OK && status != HOST_ABSENT)
        add_unread(settings, path, &error);
    char *cursor = text.data;
    for (char *line; (line = string_next_line(&cursor));) {
        line = string_trim(line);
        line[strcspn(line, " \t")] = '\0';
        AUTO_FREE char *name = module_name(line);
        if (line[0] != '#' && line[0] != ';' && is_wanted(line) && settings->load.count < LINES_MAX)
            strlist_add_new(&settings->load, name);
    }
}

/* Reads the files of all places in the order of their names, each name once. */
static void read_places(struct settings *settings, const char *const *places, size_t count,
                        void (*read)(struct settings *settings, const char *path))
{
    AUTO_STRLIST struct strlist keys = {0}; /* "NAME/PLACE" */
    AUTO_STRLIST struct strlist names = {0};
    for (size_t i = 0; i < count; i++) {
        AUTO_ERROR struct error error = {0};
        AUTO_STRLIST struct strlist found = {0};
        enum host_status status = host_list(settings->host, places[i], &found, &error);
        if (status != HOST_OK && status != HOST_ABSENT)
            add_unread(settings, places[i], &error);
        for (size_t k = 0; k < found.count && keys.count < FILES_MAX; k++)
            if (string_ends(found.items[k], ".conf") && strlist_add_new(&names, found.items[k]))
                strlist_take(&keys, mem_printf("%s%s", found.items[k], places[i]));
    }
    strlist_sort(&keys);
    for (size_t i = 0; i < keys.count; i++) {
        const char *slash = strchr(keys.items[i], '/');
        AUTO_FREE char *name = mem_string_n(keys.items[i], (size_t)(slash - keys.items[i]));
        AUTO_FREE char *path = path_join(slash, name);
        read(settings, path);
    }
}

void probe_modprobe(const struct probe_context *context, struct facts *facts)
{
    static const char source[] = "/etc/modprobe.d, /run/modprobe.d, /usr/lib/modprobe.d";
    static const char load_source[] = "/etc/modules, /etc/modules-load.d, /usr/lib/modules-load.d";
    struct settings settings = {.host = context->host, .facts = facts};
    read_places(&settings, settings_places, sizeof(settings_places) / sizeof(*settings_places),
                read_settings);
    read_places(&settings, load_places, sizeof(load_places) / sizeof(*load_places), read_load);
    read_load(&settings, "/etc/modules");
    struct {
        const char *name;
        struct strlist *list;
    } const lists[] = {
        {"blacklisted", &settings.blacklisted}, {"disabled", &settings.disabled},
        {"options", &settings.options},         {"aliases", &settings.aliases},
        {"softdeps", &settings.softdeps},       {"load", &settings.load},
        {"unread", &settings.unread},
    };
    facts_set_integer(facts, "modprobe", "count", (int64_t)settings.files, source);
    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
        facts_set_list(facts, "modprobe", lists[i].name, lists[i].list,
                       lists[i].list == &settings.load ? load_source : source);
        strlist_free(lists[i].list);
    }
}
