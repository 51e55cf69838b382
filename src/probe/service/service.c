/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/path.h"
#include "host/child/processes.h"
#include "host/root/file.h"
#include "probe/engine/note.h"
#include "probe/engine/probes.h"
#include "probe/service/process.h"

/* Programs that run in the background and decide about GPUs. */
#define PROC          "/proc"
#define PROCESSES_MAX 16384
#define COMM_MAX      15 /* TASK_COMM_LEN of the kernel, without the NUL */

struct service_row {
    const char *name;
    const char *process; /* its /proc/PID/comm; NULL: it does not stay */
    const char *program; /* below /usr/bin or /usr/sbin; NULL: the same */
    const char *unit;    /* of systemd; NULL: none of its own */
};

static const struct service_row rows[] = {
    {"fabricmanager", "nv-fabricmanager", NULL, "nvidia-fabricmanager.service"},
    {"nvlsm", "nvlsm", NULL, NULL},
    {"imex", "nvidia-imex", NULL, "nvidia-imex.service"},
    {"persistenced", "nvidia-persistenced", NULL, "nvidia-persistenced.service"},
    {"powerd", "nvidia-powerd", NULL, "nvidia-powerd.service"},
    {"mps_control", "nvidia-cuda-mps-control", NULL, NULL},
    {"mps_server", "nvidia-cuda-mps-server", NULL, NULL},
    {"dcgm", "nv-hostengine", NULL, "nvidia-dcgm.service"},
    {"suspend", NULL, "nvidia-sleep.sh", "nvidia-suspend.service"},
    {"resume", NULL, "nvidia-sleep.sh", "nvidia-resume.service"},
    {"docker", "dockerd", NULL, "docker.service"},
    {"containerd", "containerd", NULL, "containerd.service"},
    {"crio", "crio", NULL, "crio.service"},
    {"kubelet", "kubelet", NULL, "kubelet.service"},
    {"cdi_refresh", NULL, "nvidia-cdi-refresh", "nvidia-cdi-refresh.service"},
};
#define COUNT (sizeof(rows) / sizeof(rows[0]))

/* The first process of each row. */
struct running {
    char *pids[COUNT];
    size_t processes;
    bool cut;
    struct strlist enabled; /* units */
};

static bool take_process(const char *pid, const char *name, void *data)
{
    struct running *running = data;
    running->cut = ++running->processes > PROCESSES_MAX;
    for (size_t i = 0; name && i < COUNT; i++)
        if (rows[i].process && running->pids[i] == NULL &&
            (strcmp(name, rows[i].process) == 0 ||
             (strlen(name) == COMM_MAX && string_starts(rows[i].process, name))))
            running->pids[i] = mem_string(pid);
    return !running->cut;
}

static void note_started(const struct host *host, struct facts *facts, const char *group,
                         const char *pid)
{
    AUTO_ERROR struct error error = {0};
    AUTO_FREE char *path = NULL;
    int64_t seconds;
    enum host_status status = process_started(host, pid, &seconds, &path, &error);
    if (status == HOST_OK)
        facts_set_integer(facts, group, "started_seconds", seconds, path);
    else
        note_missing(facts, group, "started_seconds", status, &error, path);
}

static void note_process(const struct host *host, struct facts *facts, const char *group,
                         const struct service_row *row, const char *pid)
{
    unsigned long long number = 0;
    if (row->process == NULL || pid == NULL) {
        if (row->process)
            facts_set_boolean(facts, group, "running", false, PROC);
        else
            facts_set_absent(facts, group, "running", PROC);
        facts_set_absent(facts, group, "pid", PROC);
        facts_set_absent(facts, group, "started_seconds", PROC);
        return;
    }
    AUTO_FREE char *path = mem_printf(PROC "/%s/comm", pid);
    string_to_unsigned(pid, &number);
    facts_set_boolean(facts, group, "running", true, path);
    facts_set_integer(facts, group, "pid", (int64_t)(number & INT32_MAX), path);
    note_started(host, facts, group, pid);
}

static void note_program(const struct host *host, struct facts *facts, const char *group,
                         const struct service_row *row)
{
    static const char *const places[] = {"/usr/bin", "/usr/sbin", "/usr/local/bin", "/usr/libexec",
                                         "/usr/lib/nvidia"};
    const char *name = row->program ? row->program : row->process;
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        AUTO_FREE char *path = path_join(places[i], name);
        if (!host_exists(host, path))
            continue;
        facts_set_string(facts, group, "program", path, path);
        return;
    }
    facts_set_absent(facts, group, "program", places[0]);
}

static const char *const unit_places[] = {"/etc/systemd/system", "/run/systemd/system",
                                          "/usr/lib/systemd/system", "/lib/systemd/system"};
#define PLACES (sizeof(unit_places) / sizeof(unit_places[0]))

/* systemd.unit(5): enabled is a unit that another one's .wants or .requires leads to. */
static void find_enabled(const struct host *host, struct strlist *units)
{
    for (size_t i = 0; i < PLACES; i++) {
        AUTO_STRLIST struct strlist names = {0};
        host_list(host, unit_places[i], &names, NULL);
        for (size_t k = 0; k < names.count; k++) {
            AUTO_FREE char *path = path_join(unit_places[i], names.items[k]);
            if (string_ends(path, ".wants") || string_ends(path, ".requires"))
                host_list(host, path, units, NULL);
        }
    }
}

/* The unit's file, or the link that masks it: /dev/null. */
static char *find_unit(const struct host *host, const char *name, bool *ret_masked)
{
    *ret_masked = false;
    for (size_t i = 0; name && i < PLACES; i++) {
        AUTO_FREE char *path = path_join(unit_places[i], name);
        AUTO_FREE char *target = NULL;
        struct host_stat stat;
        if (host_lstat(host, path, &stat, NULL) != HOST_OK)
            continue;
        *ret_masked = host_read_link(host, path, &target, NULL) == HOST_OK &&
                      string_equal(target, "/dev/null");
        return mem_steal(&path);
    }
    return NULL;
}

static void note_unit(const struct host *host, struct facts *facts, const char *group,
                      const char *name, const struct strlist *enabled)
{
    bool masked;
    AUTO_FREE char *unit = find_unit(host, name, &masked);
    facts_set_string(facts, group, "unit", unit, unit ? unit : unit_places[0]);
    if (unit == NULL) {
        facts_set_absent(facts, group, "enabled", unit_places[0]);
        facts_set_absent(facts, group, "masked", unit_places[0]);
        return;
    }
    facts_set_boolean(facts, group, "enabled", !masked && strlist_has(enabled, name),
                      unit_places[0]);
    facts_set_boolean(facts, group, "masked", masked, unit);
}

static bool is_there(const struct facts *facts, const char *group)
{
    bool running = false;
    return facts_string(facts, group, "program") || facts_string(facts, group, "unit") ||
           (facts_boolean(facts, group, "running", &running) && running);
}

/* NULL when the processes that are seen are all of them. */
static const char *hidden(const struct host *host, const struct facts *facts,
                          const struct running *running)
{
    if (facts_string(facts, "container", "engine"))
        return "the host's processes are not visible from a container";
    if (running->cut)
        return "more processes than gpuenv looks at";
    if (running->processes == 0)
        return host_is_live(host) ? "no process is shown in /proc" : "the tree holds no processes";
    return NULL;
}

static void note_service(const struct host *host, struct facts *facts, size_t index,
                         const struct running *running, const char *reason)
{
    AUTO_FREE char *group = facts_group_name("service", rows[index].name);
    note_program(host, facts, group, &rows[index]);
    note_unit(host, facts, group, rows[index].unit, &running->enabled);
    note_process(host, facts, group, &rows[index], running->pids[index]);
    bool found = running->pids[index] != NULL;
    if (rows[index].process && !found && reason)
        facts_set_skipped(facts, group, "running", reason, PROC);
    facts_set_boolean(facts, group, "present", is_there(facts, group), "/usr/bin");
}

void probe_service(const struct probe_context *context, struct facts *facts)
{
    AUTO_ERROR struct error error = {0};
    struct running running = {.processes = 0};
    enum host_status status = host_each_process(context->host, take_process, &running, &error);
    const char *reason = hidden(context->host, facts, &running);
    if (status != HOST_OK)
        note_missing_below(context->host, facts, "service", "processes", status, &error, PROC,
                           PROC);
    else if (reason && !running.cut)
        facts_set_skipped(facts, "service", "processes", reason, PROC);
    else
        facts_set_integer(facts, "service", "processes", (int64_t)running.processes, PROC);
    find_enabled(context->host, &running.enabled);
    for (size_t i = 0; i < COUNT; i++) {
        note_service(context->host, facts, i, &running, reason);
        free(running.pids[i]);
    }
    strlist_free(&running.enabled);
}
