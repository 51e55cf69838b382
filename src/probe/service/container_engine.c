/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/path.h"
#include "host/child/processes.h"
#include "host/root/file.h"
#include "probe/engine/note.h"
#include "probe/engine/probes.h"
#include "probe/places/home.h"
#include "probe/places/path_match.h"
#include "probe/service/engine_config.h"
#include "probe/service/process.h"
#include "probe/service/program.h"

/* The engines that run containers here, each with the configuration that it reads: one that a file
 * belongs to by its place (K3s) is another than the one of the usual place. */
#define PROC         "/proc"
#define INSTANCE_MAX 16
#define SCAN_MAX     16384
#define TEXT_MAX     (1u << 20)

struct engine_row {
    const char *instance;
    const char *name;
    const char *process;  /* its name; NULL: it has no daemon */
    const char *inside;   /* what the path of its program or file has in it; NULL: the usual one */
    const char *config;   /* its main file */
    const char *program;  /* looked for in the usual directories; NULL: the file alone counts */
    const char *drop_ins; /* where others write parts that it reads only when it is told to: a
                             pattern of host_glob() */
    engine_config_reader *read; /* NULL: it says nothing of GPUs */
    const char *of_user;        /* a user's own main file, below the home; NULL: there is none */
    bool is_virtual;            /* its containers run in a virtual machine */
};

static const struct engine_row rows[] = {
    {.instance = "docker-snap",
     .name = "docker",
     .process = "dockerd",
     .inside = "/snap/docker/",
     .config = "/var/snap/docker/current/config/daemon.json",
     .read = engine_config_docker},
    {.instance = "docker",
     .name = "docker",
     .process = "dockerd",
     .config = "/etc/docker/daemon.json",
     .program = "dockerd",
     .read = engine_config_docker,
     .of_user = ".config/docker/daemon.json"},
    {.instance = "docker-desktop", /* its process is com.docker.backend, cut to 15 characters */
     .name = "docker",
     .process = "com.docker.back",
     .config = "/opt/docker-desktop/bin/com.docker.backend",
     .is_virtual = true},
    {.instance = "k3s",
     .name = "containerd",
     .process = "containerd",
     .inside = "/rancher/k3s/",
     .config = "/var/lib/rancher/k3s/agent/etc/containerd/config.toml",
     .read = engine_config_containerd},
    {.instance = "rke2",
     .name = "containerd",
     .process = "containerd",
     .inside = "/rancher/rke2/",
     .config = "/var/lib/rancher/rke2/agent/etc/containerd/config.toml",
     .read = engine_config_containerd},
    {.instance = "k0s",
     .name = "containerd",
     .process = "containerd",
     .inside = "/k0s/",
     .config = "/etc/k0s/containerd.toml",
     .drop_ins = "/etc/k0s/containerd.d/*.toml",
     .read = engine_config_containerd},
    {.instance = "microk8s",
     .name = "containerd",
     .process = "containerd",
     .inside = "/microk8s/",
     .config = "/var/snap/microk8s/current/args/containerd.toml",
     .read = engine_config_containerd},
    {.instance = "containerd",
     .name = "containerd",
     .process = "containerd",
     .config = "/etc/containerd/config.toml",
     .program = "containerd",
     .drop_ins = "/etc/containerd/conf*.d/*.toml", /* conf.d and config.d */
     .read = engine_config_containerd},
    {.instance = "crio",
     .name = "crio",
     .process = "crio",
     .config = "/etc/crio/crio.conf",
     .program = "crio",
     .read = engine_config_crio},
    {.instance = "enroot",
     .name = "enroot",
     .config = "/etc/enroot/enroot.conf",
     .program = "enroot"},
    {.instance = "podman",
     .name = "podman",
     .config = "/etc/containers/containers.conf",
     .program = "podman",
     .read = engine_config_podman,
     .of_user = ".config/containers/containers.conf"},
};
#define ROWS (sizeof(rows) / sizeof(rows[0]))

/* One engine that was found. */
struct engine {
    const struct engine_row *row;
    char *config;
    char *pid; /* NULL: it does not run, or that is not to be seen */
    bool rootless;
};

struct engines {
    const struct host *host;
    struct engine items[INSTANCE_MAX];
    size_t count, processes;
};

static const char *argument_of(const struct strlist *arguments, const char *name)
{
    size_t length = strlen(name);
    for (size_t i = 1; i < arguments->count; i++) {
        const char *text = arguments->items[i];
        if (!string_starts(text, name))
            continue;
        if (text[length] == '=')
            return text + length + 1;
        if (text[length] == '\0' && i + 1 < arguments->count)
            return arguments->items[i + 1];
    }
    return NULL;
}

/* The configuration that it was started with; NULL: its usual one. */
static const char *config_of(const struct strlist *arguments)
{
    static const char *const names[] = {"--config-file", "--config", "-c"};
    const char *config = NULL;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && config == NULL; i++)
        config = argument_of(arguments, names[i]);
    return config && config[0] == '/' ? config : NULL;
}

static const struct engine_row *row_of(const char *process, const char *program, const char *config)
{
    for (size_t i = 0; i < ROWS; i++)
        if (string_equal(rows[i].process, process) &&
            (rows[i].inside == NULL || (program && strstr(program, rows[i].inside)) ||
             (config && strstr(config, rows[i].inside))))
            return &rows[i];
    return NULL;
}

/* dockerd starts a containerd of its own where it finds none: it runs what dockerd tells it to. */
static bool is_of_docker(const char *config)
{
    return config && (strstr(config, "/docker/containerd/") || strstr(config, "/snap.docker/"));
}

static bool is_listed(const struct engines *engines, const struct engine_row *row, bool rootless)
{
    for (size_t i = 0; i < engines->count; i++)
        if (engines->items[i].row == row && engines->items[i].rootless == rootless)
            return true;
    return false;
}

/* config NULL: the usual one. */
static void add_engine(struct engines *engines, const struct engine_row *row, const char *config,
                       const char *pid, bool rootless)
{
    if (engines->count == INSTANCE_MAX || is_listed(engines, row, rootless))
        return;
    engines->items[engines->count++] =
        (struct engine){row, mem_string(config ? config : row->config), mem_string(pid), rootless};
}

/* The main file of that user's own daemon. NULL: the home is not known. */
static char *file_of_user(const struct host *host, const struct engine_row *row,
                          unsigned long long user)
{
    AUTO_FREE char *home = row->of_user ? home_of_user(host, user) : NULL;
    return home ? path_join(home, row->of_user) : NULL;
}

static bool take_process(const char *pid, const char *name, void *data)
{
    struct engines *engines = data;
    bool known = false;
    for (size_t i = 0; name && i < ROWS; i++)
        known = known || string_equal(rows[i].process, name);
    if (known) {
        AUTO_STRLIST struct strlist arguments = {0};
        process_arguments(engines->host, pid, &arguments);
        AUTO_FREE char *program = process_program(engines->host, pid, &arguments);
        const char *config = config_of(&arguments);
        const struct engine_row *row = row_of(name, program, config);
        unsigned long long user = 0;
        bool rootless =
            row && !row->is_virtual && process_user(engines->host, pid, &user) && user != 0;
        AUTO_FREE char *own =
            rootless && config == NULL ? file_of_user(engines->host, row, user) : NULL;
        if (row && !is_of_docker(config))
            add_engine(engines, row, own ? own : config, pid, rootless);
    }
    return ++engines->processes < SCAN_MAX;
}

/* Files where parts of its configuration lie that it does not read, and that name NVIDIA's runtime.
 */
static void find_unread(const struct host *host, const struct engine_row *row,
                        const struct engine_config *config, struct strlist *unread)
{
    AUTO_STRLIST struct strlist paths = {0};
    if (row->drop_ins)
        host_glob(host, row->drop_ins, &paths);
    for (size_t i = 0; i < paths.count; i++) {
        AUTO_TEXT struct text text = {0};
        if (!strlist_has(&config->files, paths.items[i]) &&
            note_read_text(host, paths.items[i], TEXT_MAX, &text, NULL) == HOST_OK &&
            strstr(text_string(&text), "nvidia-container-runtime"))
            strlist_add(unread, paths.items[i]);
    }
}

/* False where a user's own daemon reads a file that is not known. */
static bool config_is_known(const struct engine *engine)
{
    return !engine->rootless || !string_equal(engine->config, engine->row->config);
}

/* The toolkit's configuration beside a user's own; whether the daemon reads it is up to its
 * environment (XDG_CONFIG_HOME). */
static void note_own_toolkit(const struct host *host, struct facts *facts, const char *group,
                             const struct engine *engine)
{
    static const char name[] = "/nvidia-container-runtime/config.toml";
    const char *end = engine->rootless ? strstr(engine->config, "/.config/") : NULL;
    AUTO_FREE char *path =
        end ? mem_printf("%.*s/.config%s", (int)(end - engine->config), engine->config, name)
            : NULL;
    facts_set_string(facts, group, "own_toolkit_config",
                     path && host_exists(host, path) ? path : NULL, path ? path : engine->config);
}

/* The first two are those of a configuration that need not be whole. */
static const char *const config_facts[] = {
    "problem",          "config_version",  "files",           "runtimes", "nvidia_runtimes",
    "missing_programs", "flawed_programs", "default_runtime", "cdi",      "cdi_dirs",
    "modified",         "unread",          "newer_part"};
#define CONFIG_FACTS   (sizeof(config_facts) / sizeof(config_facts[0]))
#define DOCUMENT_FACTS 2

static void note_document(struct facts *facts, const char *group, const struct engine *engine,
                          const struct engine_config *config)
{
    if (config->problem || config->status == HOST_OK || config->status == HOST_ABSENT)
        facts_set_string(facts, group, "problem", config->problem, engine->config);
    else
        note_missing(facts, group, "problem", config->status, &config->error, engine->config);
    if (config->version > 0)
        facts_set_integer(facts, group, "config_version", config->version, engine->config);
    else
        note_missing(facts, group, "config_version",
                     config->status == HOST_OK ? HOST_ABSENT : config->status, &config->error,
                     engine->config);
}

static void note_config(const struct host *host, struct facts *facts, const char *group,
                        const struct engine *engine)
{
    AUTO_ENGINE_CONFIG struct engine_config config = {.status = HOST_ABSENT};
    AUTO_STRLIST struct strlist missing = {0};
    AUTO_STRLIST struct strlist flawed = {0};
    AUTO_STRLIST struct strlist unread = {0};
    if (!config_is_known(engine)) {
        for (size_t i = 0; i < CONFIG_FACTS; i++)
            facts_set_skipped(facts, group, config_facts[i], "it is in its user's own directory",
                              engine->config);
        return;
    }
    if (engine->row->read)
        engine->row->read(host, engine->config, &config);
    note_document(facts, group, engine, &config);
    if (config.status != HOST_OK) {
        for (size_t i = DOCUMENT_FACTS; i < CONFIG_FACTS; i++)
            note_missing(facts, group, config_facts[i], config.status, &config.error,
                         engine->config);
        return;
    }
    programs_missing(host, &config.programs, &missing);
    programs_flawed(host, &config.programs, &flawed);
    find_unread(host, engine->row, &config, &unread);
    facts_set_list(facts, group, "files", &config.files, engine->config);
    facts_set_list(facts, group, "runtimes", &config.runtimes, engine->config);
    facts_set_list(facts, group, "nvidia_runtimes", &config.nvidia, engine->config);
    facts_set_list(facts, group, "missing_programs", &missing, engine->config);
    facts_set_list(facts, group, "flawed_programs", &flawed, engine->config);
    facts_set_string(facts, group, "default_runtime", config.default_runtime, engine->config);
    if (config.cdi_given)
        facts_set_boolean(facts, group, "cdi", config.cdi, engine->config);
    else
        facts_set_absent(facts, group, "cdi", engine->config);
    if (config.cdi_dirs.count > 0)
        facts_set_list(facts, group, "cdi_dirs", &config.cdi_dirs, engine->config);
    else
        facts_set_absent(facts, group, "cdi_dirs", engine->config);
    facts_set_integer(facts, group, "modified", config.modified, engine->config);
    facts_set_list(facts, group, "unread", &unread, engine->config);
    facts_set_string(facts, group, "newer_part", config.newer_part, engine->config);
}

static void note_running(const struct host *host, struct facts *facts, const char *group,
                         const struct engine *engine, size_t processes)
{
    AUTO_FREE char *path = NULL;
    int64_t seconds = 0;
    int64_t boot = 0;
    if (engine->row->process && engine->pid == NULL && processes == 0)
        facts_set_skipped(facts, group, "running", "no process is shown in /proc", PROC);
    else if (engine->row->process)
        facts_set_boolean(facts, group, "running", engine->pid != NULL, PROC);
    else
        facts_set_absent(facts, group, "running", PROC);
    if (engine->pid && process_started(host, engine->pid, &seconds, &path, NULL) == HOST_OK &&
        boot_time(host, &boot) && boot <= INT64_MAX - seconds)
        facts_set_integer(facts, group, "started", boot + seconds, path);
    else
        facts_set_absent(facts, group, "started", PROC);
}

static void note_engine(const struct host *host, struct facts *facts, const struct engine *engine,
                        size_t processes)
{
    AUTO_FREE char *instance = engine->rootless ? mem_printf("%s-rootless", engine->row->instance)
                                                : mem_string(engine->row->instance);
    AUTO_FREE char *group = facts_group_name("container_engine", instance);
    facts_set_string(facts, group, "name", engine->row->name, engine->config);
    facts_set_string(facts, group, "config", engine->config, engine->config);
    facts_set_boolean(facts, group, "rootless", engine->rootless, PROC);
    facts_set_boolean(facts, group, "virtual", engine->row->is_virtual, engine->config);
    note_own_toolkit(host, facts, group, engine);
    note_running(host, facts, group, engine, processes);
    note_config(host, facts, group, engine);
}

/* What users without a daemon have set for themselves: the first that was found. */
static void add_of_users(const struct host *host, struct engines *engines)
{
    AUTO_STRLIST struct strlist homes = {0};
    home_directories_with_sudo(host, &homes);
    for (size_t i = 0; i < ROWS; i++)
        for (size_t k = 0; rows[i].of_user && rows[i].process == NULL && k < homes.count; k++) {
            AUTO_FREE char *path = path_join(homes.items[k], rows[i].of_user);
            if (program_exists(host, rows[i].program) && host_exists(host, path))
                add_engine(engines, &rows[i], path, NULL, true);
        }
}

void probe_container_engine(const struct probe_context *context, struct facts *facts)
{
    const struct host *host = context->host;
    struct engines engines = {.host = host};
    host_each_process(host, take_process, &engines, NULL);
    for (size_t i = 0; i < ROWS; i++)
        if (rows[i].program ? program_exists(host, rows[i].program)
                            : host_exists(host, rows[i].config))
            add_engine(&engines, &rows[i], NULL, NULL, false);
    add_of_users(host, &engines);
    facts_set_integer(facts, "container_engine", "count", (int64_t)engines.count, PROC);
    for (size_t i = 0; i < engines.count; i++) {
        note_engine(host, facts, &engines.items[i], engines.processes);
        free(engines.items[i].config);
        free(engines.items[i].pid);
    }
}
