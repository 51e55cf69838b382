/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/json.h"
#include "host/root/file.h"
#include "probe/engine/note.h"
#include "probe/engine/probes.h"
#include "probe/places/path_match.h"
#include "probe/service/process.h"

/* What a node of Kubernetes shows of NVIDIA's device plugin: what it registered with the kubelet,
 * and what its log ends in. */
#define PLUGINS    "/var/lib/kubelet/device-plugins"
#define CHECKPOINT PLUGINS "/kubelet_internal_checkpoint"
#define LOGS       "/var/log/pods"
#define PREFIX     "nvidia.com/"
#define TEXT_MAX   (16u << 20)
#define TAIL_MAX   (256u << 10)

/* What the plugin says when its container has no driver library (k8s-device-plugin, factory.go;
 * releases before 0.13: main.go), and when it has registered. */
static const char *const failures[] = {"could not load NVML library", "Incompatible platform"};
static const char registered[] = "Registered device plugin for";

static void note_registered(const struct host *host, struct facts *facts)
{
    AUTO_ERROR struct error error = {0};
    AUTO_STRLIST struct strlist ids = {0};
    AUTO_JSON json_t *document = NULL;
    enum host_status status = note_read_json(host, CHECKPOINT, TEXT_MAX, &document, &error);
    if (status == HOST_DENIED) {
        facts_set_skipped(facts, "kubernetes", "registered", "only root can read it", CHECKPOINT);
        return;
    }
    if (!json_is_object(document)) {
        note_missing(facts, "kubernetes", "registered", status == HOST_OK ? HOST_FAILED : status,
                     &error, CHECKPOINT);
        return;
    }
    json_t *all = json_object_get(json_object_get(document, "Data"), "RegisteredDevices");
    for (void *at = json_object_iter(all); at; at = json_object_iter_next(all, at)) {
        const json_t *devices = json_object_iter_value(at);
        bool ours = string_starts(json_object_iter_key(at), PREFIX);
        for (size_t i = 0; ours && i < json_array_size(devices); i++)
            if (json_is_string(json_array_get(devices, i)))
                strlist_add_new(&ids, json_string_value(json_array_get(devices, i)));
    }
    facts_set_list(facts, "kubernetes", "registered", &ids, CHECKPOINT);
}

/* The plugin's log that was written last; NULL: none is to be seen. */
static char *newest_log(const struct host *host)
{
    AUTO_STRLIST struct strlist paths = {0};
    char *newest = NULL;
    int64_t modified = 0;
    path_match(host, LOGS, "*nvidia-device-plugin*/*/*.log", &paths);
    for (size_t i = 0; i < paths.count; i++) {
        struct host_stat stat;
        if (host_stat(host, paths.items[i], &stat, NULL) != HOST_OK ||
            (newest && stat.modified < modified))
            continue;
        free(newest);
        newest = mem_string(paths.items[i]);
        modified = stat.modified;
    }
    return newest;
}

/* The first line of the last failure that no registration follows. */
static void note_log(const struct host *host, struct facts *facts)
{
    AUTO_FREE char *path = newest_log(host);
    AUTO_TEXT struct text text = {0};
    AUTO_ERROR struct error error = {0};
    const char *failure = NULL;
    bool cut;
    if (path == NULL) {
        facts_set_absent(facts, "kubernetes", "plugin_error", LOGS);
        return;
    }
    enum host_status status = host_read_tail(host, path, TAIL_MAX, &text, &cut, &error);
    char *cursor = status == HOST_OK ? text.data : NULL;
    for (char *line; cursor && (line = string_next_line(&cursor));) {
        if (strstr(line, registered))
            failure = NULL;
        for (size_t i = 0; i < sizeof(failures) / sizeof(failures[0]); i++)
            if (failure == NULL && strstr(line, failures[i]))
                failure = line;
    }
    if (status == HOST_OK)
        facts_set_string(facts, "kubernetes", "plugin_error", failure, path);
    else if (status == HOST_DENIED)
        facts_set_skipped(facts, "kubernetes", "plugin_error", "only root can read it", path);
    else
        note_missing(facts, "kubernetes", "plugin_error", status, &error, path);
}

/* Docker serves a kubelet that was told so: before 1.24 with --container-runtime=docker, since then
 * through cri-dockerd. */
static void note_docker(const struct host *host, struct facts *facts)
{
    int64_t pid = 0;
    bool docker = false;
    AUTO_STRLIST struct strlist arguments = {0};
    if (!facts_integer(facts, "service/kubelet", "pid", &pid)) {
        facts_set_absent(facts, "kubernetes", "docker", "/proc");
        return;
    }
    AUTO_FREE char *text = mem_printf("%lld", (long long)pid);
    process_arguments(host, text, &arguments);
    for (size_t i = 0; i < arguments.count; i++)
        docker = docker || string_equal(arguments.items[i], "--container-runtime=docker") ||
                 strstr(arguments.items[i], "cri-dockerd");
    facts_set_boolean(facts, "kubernetes", "docker", docker, "/proc");
}

void probe_kubernetes(const struct probe_context *context, struct facts *facts)
{
    facts_set_boolean(facts, "kubernetes", "node", host_exists(context->host, PLUGINS), PLUGINS);
    facts_set_boolean(facts, "kubernetes", "plugin_image",
                      host_exists(context->host, "/usr/bin/nvidia-device-plugin"),
                      "/usr/bin/nvidia-device-plugin");
    note_docker(context->host, facts);
    note_registered(context->host, facts);
    note_log(context->host, facts);
}
