/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/json.h"
#include "base/path.h"
#include "host/root/file.h"
#include "probe/engine/note.h"
#include "probe/engine/probes.h"
#include "probe/places/home.h"
#include "probe/places/path_match.h"

/* Which daemon the command docker speaks to: a user's context, as config.json and the contexts'
 * own files tell it (docs.docker.com/engine/manage-resources/contexts). */
#define KIND     "docker_client"
#define TEXT_MAX (1u << 20)

/* Where the context of that name leads; NULL: none of the files has it. free() it. */
static char *endpoint_of(const struct host *host, const char *directory, const char *context)
{
    AUTO_STRLIST struct strlist paths = {0};
    path_match(host, directory, "contexts/meta/*/meta.json", &paths);
    for (size_t i = 0; i < paths.count; i++) {
        AUTO_JSON json_t *meta = NULL;
        note_read_json(host, paths.items[i], TEXT_MAX, &meta, NULL);
        const json_t *docker = json_object_get(json_object_get(meta, "Endpoints"), "docker");
        if (string_equal(json_string_value(json_object_get(meta, "Name")), context))
            return mem_string(json_string_value(json_object_get(docker, "Host")));
    }
    return NULL;
}

/* DOCKER_HOST and DOCKER_CONTEXT go before the file, for the user whose they are. */
static void note_context(const struct host *host, struct facts *facts, const char *group,
                         const char *directory, const char *context, const char *source)
{
    AUTO_FREE char *endpoint = context ? endpoint_of(host, directory, context) : NULL;
    bool usual = context == NULL || strcmp(context, "default") == 0;
    facts_set_string(facts, group, "context", usual ? NULL : context, source);
    facts_set_string(facts, group, "endpoint", usual ? NULL : endpoint, source);
}

static void note_home(const struct host *host, struct facts *facts, const char *home, size_t *count)
{
    AUTO_ERROR struct error error = {0};
    AUTO_FREE char *directory = path_join(home, ".docker");
    AUTO_FREE char *path = path_join(directory, "config.json");
    AUTO_FREE char *group = facts_group_name(KIND, home);
    const char *given = string_equal(host_environment(host, "HOME"), home)
                            ? host_environment(host, "DOCKER_CONTEXT")
                            : NULL;
    AUTO_JSON json_t *config = NULL;
    enum host_status status = note_read_json(host, path, TEXT_MAX, &config, &error);
    if (status == HOST_ABSENT && given == NULL)
        return;
    (*count)++;
    if (status == HOST_OK || given) {
        const char *current = json_string_value(json_object_get(config, "currentContext"));
        note_context(host, facts, group, directory, given ? given : current,
                     given ? "DOCKER_CONTEXT" : path);
        return;
    }
    note_missing(facts, group, "context", status, &error, path);
    note_missing(facts, group, "endpoint", status, &error, path);
}

void probe_docker_client(const struct probe_context *context, struct facts *facts)
{
    AUTO_STRLIST struct strlist homes = {0};
    size_t count = 0;
    home_directories_with_sudo(context->host, &homes);
    for (size_t i = 0; i < homes.count; i++)
        note_home(context->host, facts, homes.items[i], &count);
    facts_set_integer(facts, KIND, "count", (int64_t)count, ".docker/config.json");
}
