/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/path.h"
#include "base/toml.h"
#include "host/root/file.h"
#include "probe/engine/note.h"
#include "probe/engine/probes.h"
#include "probe/places/path_match.h"
#include "probe/service/engine_config.h"

/* NVIDIA's container toolkit, and whether the engines on this machine were told of it. */
#define DOCKER   "/etc/docker/daemon.json"
#define TEXT_MAX (1u << 20)

static const char *const programs[] = {
    "nvidia-ctk",           "nvidia-container-runtime", "nvidia-container-runtime-hook",
    "nvidia-container-cli", "nvidia-cdi-hook",          "nvidia-container-toolkit",
};

static void note_programs(const struct host *host, struct facts *facts)
{
    static const char *const places[] = {"/usr/bin", "/usr/local/bin", "/usr/local/nvidia/toolkit"};
    AUTO_STRLIST struct strlist found = {0};
    for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++)
        for (size_t k = 0; k < sizeof(places) / sizeof(places[0]); k++) {
            AUTO_FREE char *path = path_join(places[k], programs[i]);
            if (host_exists(host, path))
                strlist_add(&found, path);
        }
    facts_set_list(facts, "container_toolkit", "programs", &found, places[0]);
}

/* The value of `key = "value"` in TOML, whatever table it stands in: the last one. NULL when there
 * is none. */
static char *toml_value(const char *text, const char *key)
{
    AUTO_FREE char *copy = mem_string(text);
    char *found = NULL;
    char *cursor = copy;
    for (char *line; (line = string_next_line(&cursor));) {
        line = string_trim(line);
        size_t length = strlen(key);
        if (!string_starts(line, key))
            continue;
        char *value = string_trim(line + length);
        if (*value != '=')
            continue;
        value = string_trim(value + 1);
        bool quoted = *value == '"' || *value == '\'';
        char end[] = {quoted ? *value : '#', '\0'};
        value += quoted;
        value[strcspn(value, end)] = '\0';
        free(found);
        found = mem_string(string_trim(value));
    }
    return found;
}

static void note_toml(struct facts *facts, const char *name, const char *text, const char *key,
                      const char *path)
{
    AUTO_FREE char *value = toml_value(text, key);
    facts_set_string(facts, "container_toolkit", name, value, path);
}

static void note_modified(const struct host *host, struct facts *facts, const char *name,
                          const char *path)
{
    AUTO_ERROR struct error error = {0};
    struct host_stat stat;
    enum host_status status = host_stat(host, path, &stat, &error);
    if (status == HOST_OK)
        facts_set_integer(facts, "container_toolkit", name, stat.modified, path);
    else
        note_missing(facts, "container_toolkit", name, status, &error, path);
}

/* The packages' place, and that of the GPU operator's toolkit. */
static const char *const configs[] = {
    "/etc/nvidia-container-runtime/config.toml",
    "/usr/local/nvidia/toolkit/.config/nvidia-container-runtime/config.toml"};

/* Where the libraries of a driver lie below the root that the toolkit was given. */
static bool has_driver(const struct host *host, const char *root)
{
    static const char *const patterns[] = {
        "usr/lib/*/libnvidia-ml.so.*", "usr/lib64/libnvidia-ml.so.*",
        "usr/lib/libnvidia-ml.so.*",   "usr/lib/*/nvidia/current/libnvidia-ml.so.*",
        "lib64/libnvidia-ml.so.*",     "lib/libnvidia-ml.so.*",
        "bin/libnvidia-ml.so.*"};
    for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++)
        if (path_matches(host, root, patterns[i]))
            return true;
    return false;
}

/* "@" before the path says that it is the host's, which it is for us anyway. */
static void note_ldconfig(const struct host *host, struct facts *facts, const char *value,
                          const char *source)
{
    const char *path = value && value[0] == '@' ? value + 1 : value;
    facts_set_string(facts, "container_toolkit", "ldconfig", path, source);
    if (path && path[0] == '/')
        facts_set_boolean(facts, "container_toolkit", "ldconfig_present", host_exists(host, path),
                          path);
    else
        facts_set_absent(facts, "container_toolkit", "ldconfig_present", source);
}

static void note_values(const struct host *host, struct facts *facts, const json_t *config,
                        const char *path)
{
    const json_t *cli = json_object_get(config, "nvidia-container-cli");
    const json_t *runtime = json_object_get(config, "nvidia-container-runtime");
    const json_t *cdi = json_object_get(json_object_get(runtime, "modes"), "cdi");
    const char *root = json_string_value(json_object_get(cli, "root"));
    facts_set_string(facts, "container_toolkit", "config", path, path);
    facts_set_string(facts, "container_toolkit", "mode",
                     json_string_value(json_object_get(runtime, "mode")), path);
    facts_set_boolean(facts, "container_toolkit", "no_cgroups",
                      json_is_true(json_object_get(cli, "no-cgroups")), path);
    facts_set_string(facts, "container_toolkit", "default_kind",
                     json_string_value(json_object_get(cdi, "default-kind")), path);
    note_ldconfig(host, facts, json_string_value(json_object_get(cli, "ldconfig")), path);
    facts_set_string(facts, "container_toolkit", "root", root, path);
    if (root && root[0] == '/')
        facts_set_boolean(facts, "container_toolkit", "root_has_driver", has_driver(host, root),
                          root);
    else
        facts_set_absent(facts, "container_toolkit", "root_has_driver", path);
}

static void note_config(const struct host *host, struct facts *facts)
{
    static const char *const names[] = {"config",       "mode",           "no_cgroups",
                                        "default_kind", "ldconfig",       "ldconfig_present",
                                        "root",         "root_has_driver"};
    AUTO_ERROR struct error error = {0};
    AUTO_TEXT struct text text = {0};
    AUTO_JSON json_t *config = NULL;
    const char *path = host_exists(host, configs[0]) ? configs[0] : configs[1];
    enum host_status status = note_read_text(host, path, TEXT_MAX, &text, &error);
    if (status == HOST_ABSENT)
        path = configs[0];
    note_modified(host, facts, "config_modified", path);
    if (status == HOST_OK) {
        config = toml_parse(text_string(&text), text.size, TEXT_MAX, path, &error);
        status = config ? HOST_OK : HOST_FAILED;
    }
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && status != HOST_OK; i++)
        note_missing(facts, "container_toolkit", names[i], status, &error, path);
    if (status == HOST_OK)
        note_values(host, facts, config, path);
}

static const char *const docker_names[] = {"docker_runtimes", "docker_default_runtime",
                                           "docker_cdi", "docker_cgroup_driver"};

static void note_docker_values(struct facts *facts, const json_t *config)
{
    AUTO_STRLIST struct strlist runtimes = {0};
    json_t *named = json_object_get(config, "runtimes");
    for (void *at = json_object_iter(named); at; at = json_object_iter_next(named, at))
        strlist_add(&runtimes, json_object_iter_key(at));
    const char *driver = NULL;
    const json_t *options = json_object_get(config, "exec-opts");
    for (size_t i = 0; i < json_array_size(options); i++) {
        static const char option[] = "native.cgroupdriver=";
        const char *text = json_string_value(json_array_get(options, i));
        if (text && string_starts(text, option))
            driver = text + strlen(option);
    }
    const json_t *cdi = json_object_get(json_object_get(config, "features"), "cdi");
    facts_set_list(facts, "container_toolkit", docker_names[0], &runtimes, DOCKER);
    facts_set_string(facts, "container_toolkit", docker_names[1],
                     json_string_value(json_object_get(config, "default-runtime")), DOCKER);
    facts_set_boolean(facts, "container_toolkit", docker_names[2], json_is_true(cdi), DOCKER);
    facts_set_string(facts, "container_toolkit", docker_names[3], driver, DOCKER);
}

static void note_docker(const struct host *host, struct facts *facts)
{
    AUTO_ERROR struct error error = {0};
    AUTO_TEXT struct text text = {0};
    AUTO_JSON json_t *config = NULL;
    enum host_status status = host_read(host, DOCKER, TEXT_MAX, &text, &error);
    note_modified(host, facts, "docker_modified", DOCKER);
    if (status == HOST_OK)
        config = engine_config_document(text_string(&text), text.size, TEXT_MAX, DOCKER, &error);
    if (json_is_object(config)) {
        note_docker_values(facts, config);
        return;
    }
    for (size_t i = 0; i < sizeof(docker_names) / sizeof(docker_names[0]); i++)
        note_missing(facts, "container_toolkit", docker_names[i],
                     status == HOST_OK ? HOST_FAILED : status, &error, DOCKER);
}

/* containerd's own place, and those of k3s and RKE2; drop-in files beside the first. */
static void note_containerd(const struct host *host, struct facts *facts)
{
    static const char *const paths[] = {"/etc/containerd/config.toml",
                                        "/var/lib/rancher/k3s/agent/etc/containerd/config.toml",
                                        "/var/lib/rancher/rke2/agent/etc/containerd/config.toml"};
    static const char *const names[] = {"containerd_runtime", "containerd_default_runtime",
                                        "containerd_cdi"};
    AUTO_ERROR struct error error = {0};
    AUTO_TEXT struct text text = {0};
    AUTO_STRLIST struct strlist more = {0};
    enum host_status status = HOST_ABSENT;
    const char *path = paths[0];
    for (size_t i = 0; i < 3 && status == HOST_ABSENT; i++) {
        status = note_read_text(host, paths[i], TEXT_MAX, &text, &error);
        path = status == HOST_ABSENT ? path : paths[i];
    }
    note_modified(host, facts, "containerd_modified", path);
    for (size_t i = 0; i < 3 && status != HOST_OK; i++)
        note_missing(facts, "container_toolkit", names[i], status, &error, path);
    if (status != HOST_OK)
        return;
    path_match(host, "/etc/containerd", "conf.d/*.toml", &more);
    for (size_t i = 0; i < more.count && i < 16; i++) {
        AUTO_TEXT struct text part = {0};
        if (note_read_text(host, more.items[i], TEXT_MAX, &part, NULL) == HOST_OK)
            text_printf(&text, "\n%s", text_string(&part));
    }
    AUTO_FREE char *cdi = toml_value(text_string(&text), "enable_cdi");
    facts_set_boolean(facts, "container_toolkit", names[0],
                      strstr(text_string(&text), "nvidia-container-runtime") != NULL, path);
    note_toml(facts, names[1], text_string(&text), "default_runtime_name", path);
    facts_set_boolean(facts, "container_toolkit", names[2], string_equal(cdi, "true"), path);
}

static void note_crio(const struct host *host, struct facts *facts)
{
    AUTO_STRLIST struct strlist paths = {0};
    bool named = false;
    path_match(host, "/etc/crio", "crio.conf", &paths);
    path_match(host, "/etc/crio", "crio.conf.d/*", &paths);
    for (size_t i = 0; i < paths.count && !named; i++) {
        AUTO_TEXT struct text text = {0};
        named = note_read_text(host, paths.items[i], TEXT_MAX, &text, NULL) == HOST_OK &&
                strstr(text_string(&text), "nvidia") != NULL;
    }
    if (paths.count > 0)
        facts_set_boolean(facts, "container_toolkit", "crio_runtime", named, "/etc/crio");
    else
        facts_set_absent(facts, "container_toolkit", "crio_runtime", "/etc/crio");
}

/* Hooks by which podman and CRI-O give GPUs without CDI (oci-hooks(5)). */
static void note_hooks(const struct host *host, struct facts *facts)
{
    static const char *const places[] = {"/usr/share/containers/oci/hooks.d",
                                         "/etc/containers/oci/hooks.d"};
    AUTO_STRLIST struct strlist paths = {0};
    AUTO_STRLIST struct strlist hooks = {0};
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
        path_match(host, places[i], "*.json", &paths);
    for (size_t i = 0; i < paths.count; i++) {
        AUTO_TEXT struct text text = {0};
        if (note_read_text(host, paths.items[i], TEXT_MAX, &text, NULL) == HOST_OK &&
            strstr(text_string(&text), "nvidia-container-"))
            strlist_add(&hooks, paths.items[i]);
    }
    facts_set_list(facts, "container_toolkit", "oci_hooks", &hooks, places[0]);
}

void probe_container_toolkit(const struct probe_context *context, struct facts *facts)
{
    const struct host *host = context->host;
    note_programs(host, facts);
    note_config(host, facts);
    note_hooks(host, facts);
    note_docker(host, facts);
    facts_set_boolean(facts, "container_toolkit", "docker_snap",
                      host_exists(host, "/var/snap/docker") || host_exists(host, "/snap/docker"),
                      "/var/snap/docker");
    note_containerd(host, facts);
    note_crio(host, facts);
}
