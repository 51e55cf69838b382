/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "host/root/file.h"
#include "probe/engine/note.h"
#include "probe/engine/probes.h"

/* Which processes have a GPU's node open, by the links of /proc/PID/fd: read, never followed. */
#define PROC        "/proc"
#define NODE        "/dev/nvidia"
#define LINKS_MAX   131072 /* read in all: some 0.1 s */
#define STATUS_MAX  65536
#define PARENT_LINE "PPid:"
#define TICKS       100 /* USER_HZ: what /proc counts in */

struct process_scan {
    const struct host *host;
    struct facts *facts;
    size_t links;
    size_t found;
    size_t denied; /* processes whose links this user may not see */
    bool cut;
    struct strlist nodes; /* of the process that is looked at */
};

static bool is_number(const char *text)
{
    return text[0] && text[strspn(text, "0123456789")] == '\0';
}

/* /dev/nvidia0: not /dev/nvidiactl, which every user of the driver has open. */
static bool is_gpu_node(const char *target)
{
    return string_starts(target, NODE) && is_number(target + strlen(NODE));
}

static void note_parent(const struct host *host, struct facts *facts, const char *group,
                        const char *process)
{
    AUTO_ERROR struct error error = {0};
    AUTO_TEXT struct text text = {0};
    AUTO_FREE char *path = mem_printf("%s/status", process);
    enum host_status status = note_read_text(host, path, STATUS_MAX, &text, &error);
    if (status != HOST_OK) {
        note_missing(facts, group, "parent", status, &error, path);
        return;
    }
    char *cursor = text.data;
    for (char *line; (line = string_next_line(&cursor));) {
        unsigned long long parent;
        if (!string_starts(line, PARENT_LINE))
            continue;
        char *number = string_trim(line + strlen(PARENT_LINE));
        if (string_to_unsigned(number, &parent) && parent <= INT32_MAX)
            facts_set_integer(facts, group, "parent", (int64_t)parent, path);
        else
            note_unexpected(facts, group, "parent", "not a number", number, path);
        return;
    }
    facts_set_unknown(facts, group, "parent", "no line \"" PARENT_LINE "\"", path);
}

/* proc_pid_stat(5): field 3 is the state, field 22 the start in ticks since boot; the name in
 * parentheses before them may hold anything. */
static void note_stat(const struct host *host, struct facts *facts, const char *group,
                      const char *process)
{
    AUTO_ERROR struct error error = {0};
    AUTO_TEXT struct text text = {0};
    AUTO_STRLIST struct strlist fields = {0};
    AUTO_FREE char *path = mem_printf("%s/stat", process);
    unsigned long long ticks;
    enum host_status status = note_read_text(host, path, STATUS_MAX, &text, &error);
    const char *end = text.data ? strrchr(text.data, ')') : NULL;
    strlist_split(&fields, end ? end + 1 : "", ' '); /* an empty one first */
    if (status != HOST_OK) {
        note_missing(facts, group, "state", status, &error, path);
        note_missing(facts, group, "started_seconds", status, &error, path);
    } else if (fields.count > 20 && string_to_unsigned(fields.items[20], &ticks) &&
               ticks <= INT64_MAX) {
        facts_set_string(facts, group, "state", fields.items[1], path);
        facts_set_integer(facts, group, "started_seconds", (int64_t)(ticks / TICKS), path);
    } else {
        facts_set_unknown(facts, group, "state", "not a line of 22 fields", path);
        facts_set_unknown(facts, group, "started_seconds", "not a line of 22 fields", path);
    }
}

static void note_process(struct process_scan *scan, const char *pid, struct strlist *nodes)
{
    unsigned long long number = 0;
    AUTO_FREE char *group = facts_group_name("gpu_process", pid);
    AUTO_FREE char *process = mem_printf(PROC "/%s", pid);
    AUTO_FREE char *links = mem_printf("%s/fd", process);
    AUTO_FREE char *comm = mem_printf("%s/comm", process);
    strlist_sort(nodes);
    string_to_unsigned(pid, &number);
    facts_set_integer(scan->facts, group, "pid", (int64_t)(number & INT32_MAX), links);
    facts_set_list(scan->facts, group, "nodes", nodes, links);
    note_line(scan->host, scan->facts, group, "name", comm);
    note_parent(scan->host, scan->facts, group, process);
    note_stat(scan->host, scan->facts, group, process);
    scan->found++;
}

static bool take_link(const char *target, void *data)
{
    struct process_scan *scan = data;
    scan->cut = ++scan->links > LINKS_MAX;
    if (is_gpu_node(target))
        strlist_add_new(&scan->nodes, target);
    return !scan->cut;
}

/* Processes come and go: one that is gone is none. */
static void look_at(struct process_scan *scan, const char *pid)
{
    AUTO_FREE char *directory = mem_printf(PROC "/%s/fd", pid);
    enum host_status status = host_each_link(scan->host, directory, take_link, scan, NULL);
    scan->denied += status == HOST_DENIED;
    if (scan->nodes.count > 0)
        note_process(scan, pid, &scan->nodes);
    strlist_free(&scan->nodes);
}

static void note_count(const struct process_scan *scan)
{
    if (scan->cut) {
        facts_set_unknown(scan->facts, "gpu_process", "count",
                          "more open files than gpuenv looks at", PROC);
    } else if (scan->denied > 0) {
        AUTO_FREE char *reason = mem_printf(
            "this user cannot inspect all processes (%zu belong to other users), but root can",
            scan->denied);
        facts_set_skipped(scan->facts, "gpu_process", "count", reason, PROC);
    } else {
        facts_set_integer(scan->facts, "gpu_process", "count", (int64_t)scan->found, PROC);
    }
}

void probe_gpu_process(const struct probe_context *context, struct facts *facts)
{
    int64_t nodes;
    AUTO_ERROR struct error error = {0};
    AUTO_STRLIST struct strlist names = {0};
    if (facts_integer(facts, "device", "count", &nodes) && nodes == 0) {
        facts_set_integer(facts, "gpu_process", "count", 0, "/dev");
        return;
    }
    enum host_status status = host_list(context->host, PROC, &names, &error);
    if (status != HOST_OK) {
        note_missing_below(context->host, facts, "gpu_process", "count", status, &error, PROC,
                           PROC);
        return;
    }
    struct process_scan scan = {.host = context->host, .facts = facts};
    for (size_t i = 0; i < names.count && !scan.cut && scan.found < PROBE_INSTANCES; i++)
        if (is_number(names.items[i]))
            look_at(&scan, names.items[i]);
    note_count(&scan);
}
