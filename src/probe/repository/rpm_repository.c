/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "probe/engine/note.h"
#include "probe/engine/probes.h"
#include "probe/repository/apt_uri.h"

/* The repositories of dnf, yum and zypper; which of them packages came from; what was refused. */
#define KIND        "rpm_repository"
#define FILE_KIND   "source_file"
#define FROM        "package_origin"
#define LOG_KIND    "package_log"
#define FILE_MAX    (1u << 20)
#define LOG_TAIL    (256u << 10)
#define ENTRIES_MAX 512
#define FIPS        "/proc/sys/crypto/fips_enabled"
#define YUMDB       "/var/lib/yum/yumdb"
#define BETWEEN     ", \t\r\n" /* the values of one key */

static const char *const directories[] = {"/etc/yum.repos.d", "/etc/zypp/repos.d",
                                          "/etc/distro.repos.d"};
static const char *const logs[] = {"/var/log/dnf.rpm.log", "/var/log/yum.log", "/var/log/dnf5.log",
                                   "/var/log/zypp/history"};

/* The section that is being read. */
struct section {
    char *id;
    struct strlist addresses, excludes;
    bool enabled, checked;
};

struct collection {
    const struct host *host;
    struct facts *facts;
    const char *path;
    const char *architecture, *release;
    int64_t count, refused;
};

static void section_clear(struct section *section)
{
    free(section->id);
    strlist_free(&section->addresses);
    strlist_free(&section->excludes);
    *section = (struct section){.id = NULL};
}

/* $basearch and $releasever in their places. free() it. */
static char *expand(const struct collection *collection, const char *text)
{
    AUTO_FREE char *one =
        string_fill(text, "$basearch", collection->architecture ? collection->architecture : "");
    size_t major = collection->release ? strcspn(collection->release, ".") : 0;
    AUTO_FREE char *release = mem_string_n(collection->release ? collection->release : "", major);
    return string_fill(one, "$releasever", release);
}

static void end_section(struct collection *collection, struct section *section)
{
    struct facts *facts = collection->facts;
    const char *path = collection->path;
    bool taken =
        section->id && strcmp(section->id, "main") != 0 && collection->count++ < ENTRIES_MAX;
    if (!taken) {
        section_clear(section);
        return;
    }
    AUTO_FREE char *instance = mem_printf("%s:%s", path, section->id);
    AUTO_FREE char *group = facts_group_name(KIND, instance);
    AUTO_FREE char *uri =
        section->addresses.count > 0 ? expand(collection, section->addresses.items[0]) : NULL;
    AUTO_FREE char *bare = uri ? uri_without_user(uri) : NULL;
    facts_set_string(facts, group, "file", path, path);
    facts_set_string(facts, group, "id", section->id, path);
    facts_set_string(facts, group, "uri", bare, path);
    facts_set_boolean(facts, group, "enabled", section->enabled, path);
    facts_set_boolean(facts, group, "gpgcheck", section->checked, path);
    facts_set_list(facts, group, "excludes", &section->excludes, path);
    section_clear(section);
}

static void begin_section(char *line, struct section *section)
{
    char *end = strchr(line, ']');
    section->id = mem_string_n(line + 1, end ? (size_t)(end - line - 1) : strlen(line + 1));
    section->enabled = true;
}

static bool is_yes(const char *value)
{
    return strcmp(value, "1") == 0 || string_contains_nocase(value, "true") ||
           string_contains_nocase(value, "yes");
}

static void take_key(char *line, struct section *section)
{
    char *value = strchr(line, '=');
    if (value == NULL || section->id == NULL)
        return;
    *value = '\0';
    value = string_trim(value + 1);
    const char *key = string_trim(line);
    if (strcmp(key, "baseurl") == 0)
        strlist_split_any(&section->addresses, value, BETWEEN);
    else if (strcmp(key, "exclude") == 0 || strcmp(key, "excludepkgs") == 0)
        strlist_split_any(&section->excludes, value, BETWEEN);
    else if (strcmp(key, "enabled") == 0)
        section->enabled = is_yes(value);
    else if (strcmp(key, "gpgcheck") == 0)
        section->checked = is_yes(value);
}

static void note_refused(struct collection *collection, int64_t line, const char *text)
{
    struct facts *facts = collection->facts;
    AUTO_FREE char *group = facts_group_name(FILE_KIND, collection->path);
    facts_set_string(facts, group, "path", collection->path, collection->path);
    facts_set_integer(facts, group, "line", line, collection->path);
    facts_set_string(facts, group, "text", text, collection->path);
    collection->refused++;
}

/* A line before the first section makes the file no file of repositories. */
static void read_file(struct collection *collection)
{
    AUTO_TEXT struct text text = {0};
    struct section section = {.id = NULL};
    int64_t number = 0;
    if (note_read_text(collection->host, collection->path, FILE_MAX, &text, NULL) != HOST_OK ||
        text.size == 0)
        return;
    char *cursor = text.data;
    for (char *line; (line = string_next_line(&cursor)) != NULL;) {
        number++;
        if (line[0] == '#' || line[0] == ';' || string_is_blank(line))
            continue;
        if (line[0] == '[') {
            end_section(collection, &section);
            begin_section(line, &section);
        } else if (section.id == NULL) {
            note_refused(collection, number, line);
            return;
        } else {
            take_key(line, &section);
        }
    }
    end_section(collection, &section);
}

static void read_directory(struct collection *collection, const char *directory)
{
    AUTO_STRLIST struct strlist names = {0};
    if (host_list(collection->host, directory, &names, NULL) != HOST_OK)
        return;
    for (size_t i = 0; i < names.count; i++) {
        AUTO_FREE char *path = mem_printf("%s/%s", directory, names.items[i]);
        if (!string_ends(path, ".repo"))
            continue;
        collection->path = path;
        read_file(collection);
    }
}

/* "0a1b…-nvidia-driver-3-418.67-4.el7-x86_64": nvidia-driver, 418.67. free() both. */
static bool split_yumdb_name(const char *directory, char **ret_name, char **ret_version)
{
    AUTO_FREE char *copy = mem_string(directory);
    char *name = strchr(copy, '-');
    char *cuts[3];
    for (size_t i = 0; name && i < 3; i++) {
        cuts[i] = strrchr(name + 1, '-');
        if (cuts[i] == NULL)
            return false;
        *cuts[i] = '\0';
    }
    if (name == NULL)
        return false;
    char *epoch = strrchr(name + 1, '-');
    const char *after = epoch ? epoch + 1 : NULL;
    if (after && after[0] && after[strspn(after, "0123456789")] == '\0')
        *epoch = '\0';
    *ret_name = mem_string(name + 1);
    *ret_version = mem_string(cuts[2] + 1);
    return true;
}

/* yum's own records: which repository a package came from. */
static void read_yumdb(const struct host *host, struct facts *facts)
{
    AUTO_STRLIST struct strlist paths = {0};
    int64_t count = 0;
    host_glob(host, YUMDB "/*/*nvidia*/from_repo", &paths);
    for (size_t i = 0; i < paths.count && i < ENTRIES_MAX; i++) {
        AUTO_FREE char *repository = NULL;
        AUTO_FREE char *directory = mem_string(paths.items[i]);
        AUTO_FREE char *name = NULL, *version = NULL;
        *strrchr(directory, '/') = '\0';
        if (!split_yumdb_name(strrchr(directory, '/') + 1, &name, &version) ||
            host_read_line(host, paths.items[i], &repository, NULL) != HOST_OK)
            continue;
        AUTO_FREE char *group = facts_group_name(FROM, name);
        facts_set_string(facts, group, "name", name, paths.items[i]);
        facts_set_string(facts, group, "version", version, paths.items[i]);
        facts_set_string(facts, group, "repository", repository, paths.items[i]);
        count++;
    }
    facts_set_integer(facts, FROM, "count", count, YUMDB);
}

/* The name without "-VERSION-RELEASE.ARCH". free() it. */
static char *rpm_name(const char *package)
{
    AUTO_FREE char *copy = mem_string(package);
    for (size_t i = 0; i < 2; i++) {
        char *dash = strrchr(copy, '-');
        if (dash)
            *dash = '\0';
    }
    return mem_steal(&copy);
}

/* "package libnvidia-container1-1.17.8-1.x86_64 does not verify: no digest". A later installation
 * of a package of that name takes it back. */
static void take_log_line(const char *line, struct strlist *refused)
{
    const char *package = strstr(line, "package ");
    package = package ? package + strlen("package ") : NULL;
    const char *verify = package ? strstr(package, " does not verify: no digest") : NULL;
    const char *installed = strstr(line, "Installed: ");
    if (verify) {
        AUTO_FREE char *whole = mem_string_n(package, (size_t)(verify - package));
        strlist_add_new(refused, whole);
    }
    AUTO_FREE char *name = installed ? rpm_name(installed + strlen("Installed: ")) : NULL;
    for (size_t i = 0; name && i < refused->count;) {
        AUTO_FREE char *other = rpm_name(refused->items[i]);
        if (strcmp(name, other) != 0) {
            i++;
            continue;
        }
        free(refused->items[i]);
        refused->items[i] = refused->items[--refused->count];
    }
}

static void read_logs(const struct host *host, struct facts *facts)
{
    AUTO_STRLIST struct strlist refused = {0};
    const char *source = logs[0];
    for (size_t i = 0; i < sizeof(logs) / sizeof(logs[0]); i++) {
        AUTO_TEXT struct text text = {0};
        bool cut = false;
        if (host_read_tail(host, logs[i], LOG_TAIL, &text, &cut, NULL) != HOST_OK || text.size == 0)
            continue;
        source = logs[i];
        char *cursor = text.data;
        for (char *line; (line = string_next_line(&cursor)) != NULL;)
            take_log_line(line, &refused);
    }
    facts_set_list(facts, LOG_KIND, "refused", &refused, source);
}

static void note_fips(const struct host *host, struct facts *facts)
{
    AUTO_FREE char *line = NULL;
    AUTO_ERROR struct error error = {0};
    enum host_status status = host_read_line(host, FIPS, &line, &error);
    if (status == HOST_OK)
        facts_set_boolean(facts, LOG_KIND, "fips", strcmp(line, "1") == 0, FIPS);
    else
        note_missing(facts, LOG_KIND, "fips", status, &error, FIPS);
}

void probe_rpm_repository(const struct probe_context *context, struct facts *facts)
{
    struct collection collection = {.host = context->host,
                                    .facts = facts,
                                    .architecture = facts_string(facts, "os", "architecture"),
                                    .release = facts_string(facts, "os", "version_id")};
    for (size_t i = 0; i < sizeof(directories) / sizeof(directories[0]); i++)
        read_directory(&collection, directories[i]);
    if (collection.count > ENTRIES_MAX)
        facts_set_unknown(facts, KIND, "count", "too many entries to keep", directories[0]);
    else
        facts_set_integer(facts, KIND, "count", collection.count, directories[0]);
    read_yumdb(context->host, facts);
    read_logs(context->host, facts);
    note_fips(context->host, facts);
    int64_t others = 0;
    if (collection.refused > 0 && facts_integer(facts, FILE_KIND, "count", &others))
        facts_set_integer(facts, FILE_KIND, "count", others + collection.refused, directories[0]);
}
