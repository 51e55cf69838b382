/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "probe/engine/note.h"
#include "probe/engine/probes.h"
#include "probe/system/dpkg.h"

/* Beginnings of the names of packages that matter here. */
static const char *const prefixes[] = {
    "nvidia",
    "libnvidia",
    "linux-modules-nvidia",
    "linux-objects-nvidia",
    "firmware-nvidia",
    "xserver-xorg-video-nvidia",
    "datacenter-gpu-manager",
    "cuda",
    "libcuda",
    "cudnn",
    "libcudnn",
    "nccl",
    "libnccl",
    "tensorrt",
    "libnvinfer",
    "libcublas",
    "libcufft",
    "libcurand",
    "libcusolver",
    "libcusparse",
    "libcupti",
    "libnpp",
    "libnvjitlink",
    "libnvjpeg",
    "libnvrtc",
};

/* Databases that are not read: what is installed cannot be told there. */
struct other_database {
    const char *path;
    const char *reason;
};

static const struct other_database other_databases[] = {
    {.path = "/var/lib/rpm", .reason = "rpm database is not read"},
    {.path = "/usr/lib/sysimage/rpm", .reason = "rpm database is not read"},
    {.path = "/var/lib/pacman/local", .reason = "pacman database is not read"},
    {.path = "/lib/apk/db/installed", .reason = "apk database is not read"},
};

struct collection {
    struct facts *facts;
    size_t count;
};

/* Engines: their release says which CDI specifications and configurations they read. */
static const char *const engines[] = {"podman",      "docker-ce",     "docker.io",
                                      "moby-engine", "containerd.io", "containerd"};

static bool is_wanted(const char *name)
{
    for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
        if (string_starts(name, prefixes[i]))
            return true;
    for (size_t i = 0; i < sizeof(engines) / sizeof(engines[0]); i++)
        if (strcmp(name, engines[i]) == 0)
            return true;
    return false;
}

/* "package/NAME", and "package/NAME:ARCHITECTURE" for the second of the same name. */
static char *group_name(const struct facts *facts, const struct dpkg_package *package)
{
    char *group = facts_group_name("package", package->name);
    if (package->architecture == NULL || facts_get(facts, group, "name") == NULL)
        return group;
    free(group);
    AUTO_FREE char *instance = mem_printf("%s:%s", package->name, package->architecture);
    return facts_group_name("package", instance);
}

static void collect(const struct dpkg_package *package, void *data)
{
    struct collection *collection = data;
    if (!is_wanted(package->name) || !dpkg_is_present(package))
        return;
    if (collection->count++ >= PROBE_INSTANCES)
        return;
    struct facts *facts = collection->facts;
    AUTO_FREE char *group = group_name(facts, package);
    facts_set_string(facts, group, "name", package->name, package->path);
    facts_set_string(facts, group, "version", package->version, package->path);
    facts_set_string(facts, group, "status", package->status, package->path);
}

static const struct other_database *other_database(const struct host *host)
{
    for (size_t i = 0; i < sizeof(other_databases) / sizeof(other_databases[0]); i++)
        if (host_exists(host, other_databases[i].path))
            return &other_databases[i];
    return NULL;
}

void probe_package(const struct probe_context *context, struct facts *facts)
{
    AUTO_ERROR struct error error = {0};
    struct collection collection = {.facts = facts};
    size_t all = 0;
    enum host_status status = dpkg_each(context->host, collect, &collection, &all, &error);
    if (status == HOST_FAILED || status == HOST_DENIED || status == HOST_FOREIGN) {
        note_missing(facts, "package", "count", status, &error, DPKG_STATUS);
        return;
    }
    const struct other_database *other = all == 0 ? other_database(context->host) : NULL;
    if (other)
        facts_set_skipped(facts, "package", "count", other->reason, other->path);
    else if (status == HOST_ABSENT)
        facts_set_absent(facts, "package", "count", DPKG_STATUS);
    else if (collection.count > PROBE_INSTANCES)
        facts_set_unknown(facts, "package", "count", "too many packages to keep", DPKG_STATUS);
    else
        facts_set_integer(facts, "package", "count", (int64_t)collection.count, DPKG_STATUS);
}
