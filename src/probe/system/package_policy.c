/* SPDX-License-Identifier: MIT */
#include "probe/system/package_policy.h"

#include <ctype.h>
#include <fnmatch.h>
#include <string.h>

#include "probe/engine/note.h"

#define POLICY_MAX (1u << 20)
#define MODULES    "/etc/dnf/modules.d"

struct reading {
    struct package_policy *policy;
    const char *what;
    const char *path;
    const char *key; /* of the setting that holds packages */
    char *name, *stream, *state;
};

/* A line of a file, in the section "main" of "[main]"; section is "" before the first. */
typedef void take_line(struct reading *reading, const char *section, char *line);

static void add_hold(struct reading *reading, const char *pattern)
{
    struct package_policy *policy = reading->policy;
    for (size_t i = 0; i < policy->count; i++) /* yum.conf may be a link to dnf.conf */
        if (policy->holds[i].what == reading->what &&
            strcmp(policy->holds[i].pattern, pattern) == 0)
            return;
    *vec_push(policy->holds, policy->count, policy->capacity) = (struct package_hold){
        .what = reading->what, .pattern = mem_string(pattern), .path = reading->path};
}

/* The value of "key = value" when the line has that key; NULL otherwise. */
static char *value_of(char *line, const char *key, char separator)
{
    size_t length = strlen(key);
    if (strncasecmp(line, key, length) != 0)
        return NULL;
    char *rest = line + length + strspn(line + length, " \t");
    return *rest == separator ? string_trim(rest + 1) : NULL;
}

/* versionlock.list: a pattern on each line; "!" in front means versions that are not wanted. */
static void take_lock(struct reading *reading, const char *section, char *line)
{
    (void)section;
    if (*line != '!')
        add_hold(reading, line);
}

/* versionlock.toml of dnf 5: name = "nvidia-driver". */
static void take_toml(struct reading *reading, const char *section, char *line)
{
    char *value = value_of(line, "name", '=');
    (void)section;
    if (value == NULL || *value != '"')
        return;
    value[1 + strcspn(value + 1, "\"")] = '\0';
    add_hold(reading, value + 1);
}

/* /etc/zypp/locks: a paragraph for each. */
static void take_zypper(struct reading *reading, const char *section, char *line)
{
    const char *value = value_of(line, "solvable_name", ':');
    (void)section;
    if (value && *value)
        add_hold(reading, value);
}

static void take_words(struct reading *reading, const char *value)
{
    AUTO_STRLIST struct strlist words = {0};
    strlist_split_any(&words, value, ", \t\r\n");
    for (size_t i = 0; i < words.count; i++)
        add_hold(reading, words.items[i]);
}

static void take_exclude(struct reading *reading, const char *section, char *line)
{
    char *value = value_of(line, "excludepkgs", '=');
    value = value ? value : value_of(line, "exclude", '=');
    if (value && strcmp(section, "main") == 0)
        take_words(reading, value);
}

static void take_ignored(struct reading *reading, const char *section, char *line)
{
    char *value = value_of(line, "IgnorePkg", '=');
    if (value && strcmp(section, "options") == 0)
        take_words(reading, value);
}

static void replace(char **string, const char *value)
{
    if (value == NULL)
        return;
    free(*string);
    *string = mem_string(value);
}

static void take_stream(struct reading *reading, const char *section, char *line)
{
    (void)section;
    replace(&reading->name, value_of(line, "name", '='));
    replace(&reading->stream, value_of(line, "stream", '='));
    replace(&reading->state, value_of(line, "state", '='));
}

/* Lines without comments and empty ones. A setting goes on in the lines below that are indented. */
static enum host_status read_lines(const struct host *host, const char *path,
                                   struct reading *reading, take_line *take, struct error *error)
{
    AUTO_TEXT struct text text = {0};
    AUTO_TEXT struct text whole = {0};
    AUTO_FREE char *section = mem_string("");
    enum host_status status = note_read_text(host, path, POLICY_MAX, &text, error);
    if (status != HOST_OK)
        return status;
    reading->path = path;
    char *cursor = text.data;
    for (char *line = string_next_line(&cursor); line;) {
        bool indented = isspace((unsigned char)*line);
        char *trimmed = string_trim(line);
        line = string_next_line(&cursor);
        if (*trimmed == '[' && trimmed[1] != '[') {
            free(section);
            section = mem_string_n(trimmed + 1, strcspn(trimmed + 1, "]"));
        } else if (*trimmed && *trimmed != '#' && *trimmed != ';') {
            if (!indented)
                text_clear(&whole);
            text_printf(&whole, "%s%s", whole.size ? " " : "", trimmed);
        }
        if (whole.size && (line == NULL || !isspace((unsigned char)*line))) {
            take(reading, section, whole.data);
            text_clear(&whole);
        }
    }
    return HOST_OK;
}

static const struct source {
    const char *path, *what;
    take_line *take;
} sources[] = {
    {"/etc/dnf/plugins/versionlock.list", "versionlock", take_lock},
    {"/etc/yum/pluginconf.d/versionlock.list", "versionlock", take_lock},
    {"/etc/dnf/versionlock.toml", "versionlock", take_toml},
    {"/etc/dnf/dnf.conf", "exclude", take_exclude},
    {"/etc/yum.conf", "exclude", take_exclude},
    {"/etc/zypp/locks", "zypper lock", take_zypper},
    {"/etc/pacman.conf", "IgnorePkg", take_ignored},
};

static enum host_status read_streams(const struct host *host, struct package_policy *policy,
                                     struct error *error)
{
    AUTO_STRLIST struct strlist names = {0};
    enum host_status status = host_list(host, MODULES, &names, error);
    for (size_t i = 0; i < names.count && status == HOST_OK; i++) {
        struct reading reading = {.policy = policy};
        AUTO_FREE char *path = mem_printf(MODULES "/%s", names.items[i]);
        if (!string_ends(names.items[i], ".module"))
            continue;
        status = read_lines(host, path, &reading, take_stream, error);
        if (reading.name && reading.stream && *reading.stream &&
            string_equal(reading.state, "enabled"))
            strlist_take(&policy->streams, mem_printf("%s:%s", reading.name, reading.stream));
        free(reading.name);
        free(reading.stream);
        free(reading.state);
    }
    return status;
}

enum host_status package_policy_read(const struct host *host, struct package_policy *policy,
                                     struct error *error)
{
    enum host_status found = HOST_ABSENT;
    for (size_t i = 0; i < sizeof(sources) / sizeof(sources[0]); i++) {
        struct reading reading = {.policy = policy, .what = sources[i].what};
        enum host_status status =
            read_lines(host, sources[i].path, &reading, sources[i].take, error);
        if (status != HOST_OK && status != HOST_ABSENT)
            return status;
        found = status == HOST_OK ? HOST_OK : found;
    }
    enum host_status streams = read_streams(host, policy, error);
    return streams == HOST_ABSENT ? found : streams;
}

void package_policy_free(struct package_policy *policy)
{
    for (size_t i = 0; i < policy->count; i++)
        free(policy->holds[i].pattern);
    free(policy->holds);
    strlist_free(&policy->streams);
}

/* The name in "kmod-nvidia-3:570.86.15-1.el9.*" and "3:kmod-nvidia-570.86.15-1.el9.*": it is held
 * at that version, which need not be the one that is installed. NULL: the pattern has no version.
 */
static char *name_of_lock(const char *pattern)
{
    const char *begin = pattern + strspn(pattern, "0123456789");
    begin = *begin == ':' ? begin + 1 : pattern;
    const char *last = strrchr(begin, '-');
    if (last && last > begin && isdigit((unsigned char)last[1]) &&
        last[1 + strspn(last + 1, "0123456789")] == ':') /* no release */
        return mem_string_n(begin, (size_t)(last - begin));
    const char *before = last ? memrchr(begin, '-', (size_t)(last - begin)) : NULL;
    if (before == NULL || before == begin || !isdigit((unsigned char)before[1]))
        return NULL;
    return mem_string_n(begin, (size_t)(before - begin));
}

const struct package_hold *package_hold_of(const struct package_policy *policy, const char *name,
                                           const char *version)
{
    AUTO_FREE char *whole = mem_printf("%s-%s", name, version ? version : "");
    for (size_t i = 0; i < policy->count; i++) {
        AUTO_FREE char *locked = name_of_lock(policy->holds[i].pattern);
        if (fnmatch(policy->holds[i].pattern, name, 0) == 0 ||
            fnmatch(policy->holds[i].pattern, whole, 0) == 0 ||
            (locked && fnmatch(locked, name, 0) == 0))
            return &policy->holds[i];
    }
    return NULL;
}
