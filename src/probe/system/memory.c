/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "host/root/file.h"
#include "probe/engine/note.h"
#include "probe/engine/probes.h"
#include "probe/system/system_field.h"

#define MEMINFO     "/proc/meminfo"
#define CGROUP      "/proc/self/cgroup"
#define CGROUP_ROOT "/sys/fs/cgroup"
#define PROC_MAX    (1u << 20)
#define DEPTH_MAX   64

/* Without a limit cgroup v1 shows the highest multiple of the page size below 2^63. */
#define LIMIT_NONE (1ull << 60)

static void note_meminfo_line(struct facts *facts, char *line)
{
    for (size_t i = 0; i < MEMINFO_FIELDS; i++) {
        const struct system_field *field = &meminfo_fields[i];
        int64_t bytes;
        if (!string_starts(line, field->key))
            continue;
        const char *value = string_trim(line + strlen(field->key));
        if (meminfo_bytes(value, &bytes))
            facts_set_integer(facts, "memory", field->name, bytes, MEMINFO);
        else
            note_unexpected(facts, "memory", field->name, "not a number of kB", value, MEMINFO);
    }
}

static void note_meminfo(const struct host *host, struct facts *facts)
{
    AUTO_ERROR struct error error = {0};
    AUTO_TEXT struct text text = {0};
    enum host_status status = note_read_text(host, MEMINFO, PROC_MAX, &text, &error);
    for (size_t i = 0; i < MEMINFO_FIELDS; i++) {
        if (status == HOST_OK)
            facts_set_absent(facts, "memory", meminfo_fields[i].name, MEMINFO);
        else
            note_missing_below(host, facts, "memory", meminfo_fields[i].name, status, &error,
                               MEMINFO, MEMINFO);
    }
    char *cursor = text.data;
    for (char *line; (line = string_next_line(&cursor));)
        note_meminfo_line(facts, line);
}

/* Where the process stands: the hierarchy's mount, the path in it, the file with the limit. */
struct cgroup {
    const char *mount;
    const char *file;
    char *path; /* within the text it was found in */
};

/* cgroups(7): "4:memory:/path" of version 1, "0::/path" of version 2. Where both are there, memory
 * is limited by the one that has a memory controller. */
static struct cgroup cgroup_find(char *text)
{
    struct cgroup found = {0};
    char *cursor = text;
    for (char *line; (line = string_next_line(&cursor));) {
        char *controllers = strchr(line, ':');
        char *path = controllers ? strchr(controllers + 1, ':') : NULL;
        if (path == NULL)
            continue;
        *path++ = '\0';
        AUTO_STRLIST struct strlist list = {0};
        strlist_split(&list, controllers + 1, ',');
        if (strlist_has(&list, "memory"))
            return (struct cgroup){CGROUP_ROOT "/memory", "memory.limit_in_bytes", path};
        if (controllers[1] == '\0')
            found = (struct cgroup){CGROUP_ROOT, "memory.max", path};
    }
    return found;
}

/* The lowest limit from the process's own cgroup up to the mount, any of which may be out of sight
 * in a container. Sets *ret_source to the file that has it. */
static unsigned long long cgroup_limit(const struct host *host, const struct cgroup *cgroup,
                                       char **ret_source)
{
    unsigned long long lowest = LIMIT_NONE;
    if (strcmp(cgroup->path, "/") == 0)
        cgroup->path[0] = '\0';
    for (unsigned depth = 0; depth < DEPTH_MAX; depth++) {
        AUTO_FREE char *file = mem_printf("%s%s/%s", cgroup->mount, cgroup->path, cgroup->file);
        AUTO_FREE char *line = NULL;
        unsigned long long limit;
        if (host_read_line(host, file, &line, NULL) == HOST_OK &&
            string_to_unsigned(line, &limit) && limit < lowest) {
            lowest = limit;
            free(*ret_source);
            *ret_source = mem_steal(&file);
        }
        char *slash = strrchr(cgroup->path, '/');
        if (slash == NULL)
            break;
        *slash = '\0';
    }
    return lowest;
}

static void note_cgroup_limit(const struct host *host, struct facts *facts)
{
    AUTO_ERROR struct error error = {0};
    AUTO_TEXT struct text text = {0};
    enum host_status status = note_read_text(host, CGROUP, PROC_MAX, &text, &error);
    if (status != HOST_OK) {
        note_missing_below(host, facts, "memory", "cgroup_limit_bytes", status, &error, CGROUP,
                           MEMINFO);
        return;
    }
    struct cgroup cgroup = cgroup_find(text.data);
    AUTO_FREE char *source = NULL;
    unsigned long long limit = cgroup.path ? cgroup_limit(host, &cgroup, &source) : LIMIT_NONE;
    if (limit < LIMIT_NONE)
        facts_set_integer(facts, "memory", "cgroup_limit_bytes", (int64_t)limit, source);
    else
        facts_set_absent(facts, "memory", "cgroup_limit_bytes",
                         cgroup.path ? cgroup.mount : CGROUP);
}

/* "oom_kill 3": a line of memory.events (version 2) and of memory.oom_control (version 1). */
static bool note_oom_file(const struct host *host, struct facts *facts, const char *path)
{
    static const char key[] = "oom_kill ";
    AUTO_TEXT struct text text = {0};
    bool found = false;
    if (note_read_text(host, path, PROC_MAX, &text, NULL) != HOST_OK)
        return false;
    char *cursor = text.data;
    for (char *line; (line = string_next_line(&cursor));) {
        unsigned long long kills;
        if (!string_starts(line, key) || !string_to_unsigned(line + strlen(key), &kills) ||
            kills > INT64_MAX)
            continue;
        facts_set_integer(facts, "memory", "cgroup_oom_kills", (int64_t)kills, path);
        found = true;
    }
    return found;
}

static void note_oom_kills(const struct host *host, struct facts *facts)
{
    AUTO_ERROR struct error error = {0};
    AUTO_TEXT struct text text = {0};
    enum host_status status = note_read_text(host, CGROUP, PROC_MAX, &text, &error);
    if (status != HOST_OK) {
        note_missing_below(host, facts, "memory", "cgroup_oom_kills", status, &error, CGROUP,
                           MEMINFO);
        return;
    }
    struct cgroup cgroup = cgroup_find(text.data);
    const char *name = cgroup.path && string_equal(cgroup.file, "memory.max")
                           ? "memory.events"
                           : "memory.oom_control";
    AUTO_FREE char *own = mem_printf("%s%s/%s", cgroup.path ? cgroup.mount : CGROUP_ROOT,
                                     cgroup.path ? cgroup.path : "", name);
    /* A container sees its own cgroup as the top. */
    AUTO_FREE char *top = mem_printf("%s/%s", cgroup.path ? cgroup.mount : CGROUP_ROOT, name);
    if (!note_oom_file(host, facts, own) && !note_oom_file(host, facts, top))
        facts_set_absent(facts, "memory", "cgroup_oom_kills", own);
}

void probe_memory(const struct probe_context *context, struct facts *facts)
{
    note_meminfo(context->host, facts);
    note_cgroup_limit(context->host, facts);
    note_oom_kills(context->host, facts);
}
