/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/json.h"
#include "base/path.h"
#include "host/root/file.h"
#include "probe/engine/note.h"
#include "probe/engine/probes.h"

/* Docker's own records of its containers: how they ask for a GPU, and the error of their last
 * start. Only root can read them. */
#define PLACE          "/var/lib/docker/containers"
#define RECORD_MAX     (1u << 20)
#define CONTAINERS_MAX 256
#define ID_SHOWN       12

static json_t *read_record(const struct host *host, const char *directory, const char *name)
{
    AUTO_FREE char *path = path_join(directory, name);
    json_t *record;
    note_read_json(host, path, RECORD_MAX, &record, NULL);
    return record;
}

static const char *variable_of(const json_t *environment, const char *name)
{
    size_t length = strlen(name);
    for (size_t i = 0; i < json_array_size(environment); i++) {
        const char *text = json_string_value(json_array_get(environment, i));
        if (text && string_starts(text, name) && text[length] == '=')
            return text + length + 1;
    }
    return NULL;
}

static bool names_gpu(const json_t *capabilities)
{
    for (size_t i = 0; i < json_array_size(capabilities); i++) {
        const json_t *all = json_array_get(capabilities, i);
        for (size_t k = 0; k < json_array_size(all); k++)
            if (string_equal(json_string_value(json_array_get(all, k)), "gpu"))
                return true;
    }
    return false;
}

/* --gpus, and compose's reservation of devices: a request with the capability gpu, for no driver or
 * NVIDIA's. --device with a CDI name: one for the driver cdi. */
static void note_requests(struct facts *facts, const char *group, const json_t *requests,
                          const char *path)
{
    AUTO_STRLIST struct strlist devices = {0};
    bool gpus = false;
    for (size_t i = 0; i < json_array_size(requests); i++) {
        const json_t *request = json_array_get(requests, i);
        const json_t *ids = json_object_get(request, "DeviceIDs");
        bool cdi = string_equal(json_string_value(json_object_get(request, "Driver")), "cdi");
        gpus = gpus || (!cdi && names_gpu(json_object_get(request, "Capabilities")));
        for (size_t k = 0; cdi && k < json_array_size(ids); k++)
            if (json_is_string(json_array_get(ids, k)))
                strlist_add(&devices, json_string_value(json_array_get(ids, k)));
    }
    facts_set_boolean(facts, group, "gpus", gpus, path);
    facts_set_list(facts, group, "cdi_devices", &devices, path);
}

static void note_container(const struct host *host, struct facts *facts, const char *id)
{
    AUTO_FREE char *path = path_join(PLACE, id);
    AUTO_JSON json_t *config = read_record(host, path, "config.v2.json");
    AUTO_JSON json_t *host_config = read_record(host, path, "hostconfig.json");
    AUTO_FREE char *shown = mem_string_n(id, strnlen(id, ID_SHOWN));
    AUTO_FREE char *group = facts_group_name("docker_container", shown);
    if (!json_is_object(config) || !json_is_object(host_config))
        return;
    const json_t *state = json_object_get(config, "State");
    const json_t *own = json_object_get(config, "Config");
    const json_t *environment = json_object_get(own, "Env");
    const json_t *labels = json_object_get(own, "Labels");
    const char *name = json_string_value(json_object_get(config, "Name"));
    const char *error = json_string_value(json_object_get(state, "Error"));
    facts_set_string(facts, group, "name", name && name[0] == '/' ? name + 1 : name, path);
    facts_set_string(facts, group, "image", json_string_value(json_object_get(own, "Image")), path);
    facts_set_boolean(facts, group, "running", json_is_true(json_object_get(state, "Running")),
                      path);
    facts_set_string(facts, group, "error", error && *error ? error : NULL, path);
    facts_set_string(facts, group, "runtime",
                     json_string_value(json_object_get(host_config, "Runtime")), path);
    note_requests(facts, group, json_object_get(host_config, "DeviceRequests"), path);
    facts_set_string(facts, group, "visible_devices",
                     variable_of(environment, "NVIDIA_VISIBLE_DEVICES"), path);
    facts_set_string(
        facts, group, "compose_file",
        json_string_value(json_object_get(labels, "com.docker.compose.project.config_files")),
        path);
    facts_set_string(facts, group, "compose_service",
                     json_string_value(json_object_get(labels, "com.docker.compose.service")),
                     path);
    facts_set_string(facts, group, "require_cuda", variable_of(environment, "NVIDIA_REQUIRE_CUDA"),
                     path);
}

void probe_docker_container(const struct probe_context *context, struct facts *facts)
{
    AUTO_ERROR struct error error = {0};
    AUTO_STRLIST struct strlist ids = {0};
    enum host_status status = host_list(context->host, PLACE, &ids, &error);
    if (status == HOST_DENIED)
        facts_set_skipped(facts, "docker_container", "count", "only root can read it", PLACE);
    else if (status != HOST_OK)
        note_missing(facts, "docker_container", "count", status, &error, PLACE);
    if (status != HOST_OK)
        return;
    facts_set_integer(facts, "docker_container", "count", (int64_t)ids.count, PLACE);
    for (size_t i = 0; i < ids.count && i < CONTAINERS_MAX; i++)
        note_container(context->host, facts, ids.items[i]);
}
