/* SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <string.h>

#include "base/path.h"
#include "host/root/file.h"
#include "probe/engine/note.h"
#include "probe/engine/probes.h"
#include "probe/service/cdi_document.h"
#include "probe/service/program.h"

/* Specifications of the Container Device Interface, YAML or JSON. They are read word by word, not
 * as trees: what is wanted are the values behind a few keys. */
#define SPEC_MAX    (1u << 20)
#define SPECS_MAX   64
#define PATHS_MAX   1000
#define MISSING_MAX 10
#define LIST_MAX    256

static const char *const places[] = {"/etc/cdi", "/var/run/cdi"};

struct spec {
    char *version;
    char *kind;
    struct strlist devices, drivers, paths, hooks, numbers;
};

/* The value behind "key:" or "\"key\":" at *cursor: up to the end of line, a quote, comma or
 * bracket. NULL for an empty one. */
static char *value_at(const char *text)
{
    text += strspn(text, " \t\"'");
    size_t length = strcspn(text, "\"',\n\r{}[]");
    while (length > 0 && isspace((unsigned char)text[length - 1]))
        length--;
    return length > 0 ? mem_string_n(text, length) : NULL;
}

/* The value behind the next key of this name, which may be empty (NULL); *cursor goes behind the
 * key, to NULL where there is none. */
static char *next_value(const char *text, const char *key, const char **cursor)
{
    size_t length = strlen(key);
    for (const char *at = *cursor; (at = strstr(at, key)) != NULL;) {
        bool starts = at == text || strchr(" \t\n\"'{,-", at[-1]);
        const char *end = at + length;
        at = end;
        end += *end == '"' || *end == '\'';
        if (!starts || *end != ':')
            continue;
        *cursor = end + 1;
        return value_at(end + 1);
    }
    *cursor = NULL;
    return NULL;
}

/* Adds the values behind every key of this name. */
static void find_values(const char *text, const char *key, struct strlist *values, size_t max)
{
    const char *cursor = text;
    while (values->count < max) {
        AUTO_FREE char *value = next_value(text, key, &cursor);
        if (cursor == NULL)
            return;
        if (value)
            strlist_add_new(values, value);
    }
}

static char *first_value(const char *text, const char *key)
{
    AUTO_STRLIST struct strlist values = {0};
    find_values(text, key, &values, 1);
    return values.count > 0 ? mem_steal(&values.items[0]) : NULL;
}

/* Nodes of NVIDIA's with the numbers that the specification gives them: "/dev/nvidia-uvm 510:0". */
static void find_numbers(const char *text, struct strlist *numbers)
{
    const char *cursor = text;
    while (numbers->count < LIST_MAX) {
        AUTO_FREE char *path = next_value(text, "path", &cursor);
        const char *end = cursor;
        if (cursor == NULL)
            return;
        free(next_value(text, "path", &end)); /* where it ends */
        AUTO_FREE char *of_path =
            end ? mem_string_n(cursor, (size_t)(end - cursor)) : mem_string(cursor);
        AUTO_FREE char *major = first_value(of_path, "major");
        AUTO_FREE char *minor = first_value(of_path, "minor");
        if (path == NULL || major == NULL || !string_starts(path, "/dev/nvidia"))
            continue;
        AUTO_FREE char *number = mem_printf("%s %s:%s", path, major, minor ? minor : "0");
        strlist_add_new(numbers, number);
    }
}

/* "/usr/lib/x86_64-linux-gnu/libcuda.so.570.86.15": a library of the driver names its release. */
static void add_driver(const char *path, struct strlist *drivers)
{
    static const char *const stems[] = {"libcuda.so.", "libnvidia-ml.so.",
                                        "libnvidia-ptxjitcompiler.so."};
    for (size_t i = 0; i < sizeof(stems) / sizeof(stems[0]); i++) {
        const char *version = strstr(path, stems[i]);
        if (version == NULL)
            continue;
        version += strlen(stems[i]);
        if (strchr(version, '.') && version[strspn(version, "0123456789.")] == '\0')
            strlist_add_new(drivers, version);
    }
}

/* Names of devices are behind "name:" too, as are those of others (hooks, mounts have none). A path
 * that is not in /dev is that of a hook's program. */
static void parse(const char *text, struct spec *spec)
{
    spec->version = first_value(text, "cdiVersion");
    spec->kind = first_value(text, "kind");
    find_values(text, "name", &spec->devices, LIST_MAX);
    find_values(text, "hostPath", &spec->paths, PATHS_MAX);
    AUTO_STRLIST struct strlist nodes = {0};
    find_values(text, "path", &nodes, PATHS_MAX);
    find_numbers(text, &spec->numbers);
    for (size_t i = 0; i < spec->paths.count; i++)
        add_driver(spec->paths.items[i], &spec->drivers);
    for (size_t i = 0; i < nodes.count; i++)
        strlist_add_new(string_starts(nodes.items[i], "/dev/") ? &spec->paths : &spec->hooks,
                        nodes.items[i]);
}

/* Nodes are looked for on the live machine, and in a tree that has some. */
static void find_missing(const struct host *host, const struct strlist *paths,
                         struct strlist *missing)
{
    bool nodes = host_is_live(host) || host_exists(host, "/dev/nvidiactl");
    for (size_t i = 0; i < paths->count && missing->count < MISSING_MAX; i++) {
        const char *path = paths->items[i];
        struct host_stat stat;
        if (path[0] != '/' || (!nodes && string_starts(path, "/dev/")))
            continue;
        if (host_lstat(host, path, &stat, NULL) == HOST_ABSENT)
            strlist_add(missing, path);
    }
}

/* Hooks that are there and cannot be started, each with the reason. */
static void find_flawed(const struct host *host, const struct strlist *hooks,
                        struct strlist *flawed)
{
    for (size_t i = 0; i < hooks->count && flawed->count < MISSING_MAX; i++) {
        AUTO_FREE char *flaw =
            hooks->items[i][0] == '/' ? program_flaw(host, hooks->items[i]) : NULL;
        if (flaw)
            strlist_take(flawed, mem_printf("%s %s", hooks->items[i], flaw));
    }
}

static void note_values(const struct host *host, struct facts *facts, const char *group,
                        const char *path, const struct spec *spec)
{
    AUTO_STRLIST struct strlist flawed = {0};
    AUTO_STRLIST struct strlist missing = {0};
    AUTO_STRLIST struct strlist hooks = {0};
    find_missing(host, &spec->paths, &missing);
    find_missing(host, &spec->hooks, &hooks);
    find_flawed(host, &spec->hooks, &flawed);
    facts_set_string(facts, group, "version", spec->version, path);
    facts_set_string(facts, group, "kind", spec->kind, path);
    facts_set_list(facts, group, "devices", &spec->devices, path);
    facts_set_list(facts, group, "driver_versions", &spec->drivers, path);
    facts_set_list(facts, group, "missing_paths", &missing, path);
    facts_set_list(facts, group, "numbers", &spec->numbers, path);
    facts_set_list(facts, group, "missing_hooks", &hooks, path);
    facts_set_list(facts, group, "flawed_hooks", &flawed, path);
}

static void note_spec(const struct host *host, struct facts *facts, const char *path)
{
    static const char *const names[] = {"version",         "kind",          "devices",
                                        "driver_versions", "missing_paths", "missing_hooks",
                                        "flawed_hooks",    "numbers",       "problem"};
    AUTO_ERROR struct error error = {0};
    AUTO_TEXT struct text text = {0};
    AUTO_FREE char *group = facts_group_name("cdi", path);
    struct host_stat stat;
    enum host_status status = note_read_text(host, path, SPEC_MAX, &text, &error);
    facts_set_string(facts, group, "path", path, path);
    if (host_stat(host, path, &stat, NULL) == HOST_OK)
        facts_set_integer(facts, group, "modified", stat.modified, path);
    else
        facts_set_unknown(facts, group, "modified", "cannot be accessed", path);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && status != HOST_OK; i++)
        note_missing(facts, group, names[i], status, &error, path);
    if (status != HOST_OK)
        return;
    struct spec spec = {.version = NULL};
    parse(text_string(&text), &spec);
    AUTO_FREE char *problem = cdi_document_problem(text_string(&text));
    facts_set_string(facts, group, "problem", problem, path);
    note_values(host, facts, group, path, &spec);
    free(spec.version);
    free(spec.kind);
    strlist_free(&spec.devices);
    strlist_free(&spec.drivers);
    strlist_free(&spec.paths);
    strlist_free(&spec.hooks);
    strlist_free(&spec.numbers);
}

/* The usual places, and those that an engine is configured to read; each directory once, whatever
 * links lead to it. */
static void find_places(const struct host *host, const struct facts *facts, struct strlist *found)
{
    AUTO_STRLIST struct strlist all = {0};
    AUTO_STRLIST struct strlist real = {0};
    const char *group;
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
        strlist_add(&all, places[i]);
    for (size_t i = 0; (group = facts_next(facts, "container_engine", &i)) != NULL;) {
        const struct strlist *dirs = facts_list(facts, group, "cdi_dirs");
        if (dirs)
            strlist_copy(&all, dirs);
    }
    for (size_t i = 0; i < all.count && i < SPECS_MAX; i++) {
        AUTO_FREE char *path = NULL;
        bool new = host_real_path(host, all.items[i], &path, NULL) != HOST_OK ||
                   strlist_add_new(&real, path);
        if (new &&all.items[i][0] == '/')
            strlist_add_new(found, all.items[i]);
    }
}

void probe_cdi(const struct probe_context *context, struct facts *facts)
{
    static const char source[] = "/etc/cdi, /var/run/cdi";
    AUTO_ERROR struct error first = {0};
    AUTO_STRLIST struct strlist found = {0};
    enum host_status failed = HOST_OK;
    size_t count = 0;
    find_places(context->host, facts, &found);
    for (size_t i = 0; i < found.count; i++) {
        AUTO_ERROR struct error error = {0};
        AUTO_STRLIST struct strlist names = {0};
        enum host_status status = host_list(context->host, found.items[i], &names, &error);
        if (status != HOST_OK && status != HOST_ABSENT && failed == HOST_OK) {
            failed = status;
            first = error;
            error = (struct error){0};
        }
        for (size_t k = 0; k < names.count && count < SPECS_MAX; k++) {
            AUTO_FREE char *path = path_join(found.items[i], names.items[k]);
            if (!string_ends(path, ".yaml") && !string_ends(path, ".json"))
                continue;
            note_spec(context->host, facts, path);
            count++;
        }
    }
    if (failed == HOST_OK)
        facts_set_integer(facts, "cdi", "count", (int64_t)count, source);
    else
        note_missing(facts, "cdi", "count", failed, &first, source);
}
