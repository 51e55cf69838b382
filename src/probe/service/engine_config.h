/* SPDX-License-Identifier: MIT */
#ifndef PROBE_SERVICE_ENGINE_CONFIG_H
#define PROBE_SERVICE_ENGINE_CONFIG_H

#include "base/error.h"
#include "base/json.h"
#include "base/strlist.h"
#include "host/root/file.h"

/* What an engine's configuration says about GPUs, put together as the engine does it. */
struct engine_config {
    enum host_status status; /* HOST_OK: it was read; HOST_ABSENT: there is none */
    struct error error;      /* of the first file that was not read */
    struct strlist files;    /* that were read, in their order */
    struct strlist runtimes; /* their names */
    struct strlist nvidia;   /* names of those that run a program of NVIDIA's toolkit */
    struct strlist programs; /* of NVIDIA's, as they stand */
    struct strlist cdi_dirs; /* as given; none: the engine's own */
    char *default_runtime;   /* NULL: not given */
    bool cdi, cdi_given;
    char *problem; /* why the engine refuses a file of it: "/etc/docker/daemon.json:3: …"; NULL: it
                      does not, as far as it can be seen */
    int64_t version;  /* of the format, as the main file says it; 0: it does not */
    char *newer_part; /* an imported file of a higher version; NULL: there is none */
    int64_t modified; /* the file that was changed last, in seconds since 1970; 0: none */
};
#define AUTO_ENGINE_CONFIG AUTO(engine_config_free)
void engine_config_free(struct engine_config *config);

/* path: the engine's main file. What is added goes to *config, which starts as
 * {.status = HOST_ABSENT}. */
typedef void engine_config_reader(const struct host *host, const char *path,
                                  struct engine_config *config);
engine_config_reader engine_config_docker;     /* daemon.json */
engine_config_reader engine_config_containerd; /* config.toml, version 1 to 3, with its imports */
engine_config_reader engine_config_crio;       /* crio.conf, and path.d */
engine_config_reader engine_config_podman;     /* the containers.conf of the system and path's */

/* Docker's daemon.json, a string of this size, as a document: an empty file is an empty one. NULL,
 * and error is filled, where it is no JSON. */
json_t *engine_config_document(const char *text, size_t size, size_t max, const char *name,
                               struct error *error);

#endif
