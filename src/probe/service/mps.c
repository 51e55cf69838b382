/* SPDX-License-Identifier: MIT */
#include "base/path.h"
#include "host/root/file.h"
#include "probe/engine/note.h"
#include "probe/engine/probes.h"

/* The Multi-Process Service, as programs meet it: by pipes in a directory. That its daemons run is
 * service/mps_control and service/mps_server. */
#define VARIABLE "CUDA_MPS_PIPE_DIRECTORY"
#define DEFAULT  "/tmp/nvidia-mps"

void probe_mps(const struct probe_context *context, struct facts *facts)
{
    const struct host *host = context->host;
    AUTO_ERROR struct error error = {0};
    const char *given = host_environment(host, VARIABLE);
    const char *directory = given && given[0] == '/' ? given : DEFAULT;
    AUTO_FREE char *pipe = path_join(directory, "control");
    struct host_stat stat;
    enum host_status status = host_stat(host, pipe, &stat, &error);
    facts_set_string(facts, "mps", "pipe_directory", directory,
                     directory == given ? VARIABLE : "default");
    if (status == HOST_OK || status == HOST_ABSENT)
        facts_set_boolean(facts, "mps", "pipe", status == HOST_OK, pipe);
    else
        note_missing(facts, "mps", "pipe", status, &error, pipe);
    if (status == HOST_OK)
        facts_set_boolean(facts, "mps", "usable", host_can_write(host, pipe), pipe);
    else
        note_missing(facts, "mps", "usable", status, &error, pipe);
    if (status == HOST_OK)
        facts_set_integer(facts, "mps", "user", stat.user, pipe);
    else
        note_missing(facts, "mps", "user", status, &error, pipe);
}
