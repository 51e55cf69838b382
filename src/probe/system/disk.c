/* SPDX-License-Identifier: MIT */
#include "base/text.h"
#include "host/root/file.h"
#include "probe/engine/note.h"
#include "probe/engine/probes.h"

#define SOURCE "statvfs(3)"

static void note_bytes(struct facts *facts, const char *name, uint64_t bytes, const char *source)
{
    facts_set_integer(facts, "disk", name, bytes > INT64_MAX ? INT64_MAX : (int64_t)bytes, source);
}

static void note_shm(const struct host *host, struct facts *facts)
{
    AUTO_ERROR struct error error = {0};
    struct host_stat stat;
    uint64_t total;
    uint64_t available;
    /* host_space() would answer for /dev when there is no /dev/shm. */
    enum host_status status = host_stat(host, "/dev/shm", &stat, &error);
    if (status == HOST_OK)
        status = host_space(host, "/dev/shm", &total, &available, &error);
    if (status == HOST_OK)
        note_bytes(facts, "shm_bytes", total, "/dev/shm");
    else
        note_missing(facts, "disk", "shm_bytes", status, &error, "/dev/shm");
}

static void note_free(const struct host *host, struct facts *facts, const char *name,
                      const char *path)
{
    if (path[0] != '/') {
        note_unexpected(facts, "disk", name, "not an absolute path", path, SOURCE);
        return;
    }
    AUTO_ERROR struct error error = {0};
    AUTO_FREE char *source = mem_printf(SOURCE " of %s", path);
    uint64_t total;
    uint64_t available;
    enum host_status status = host_space(host, path, &total, &available, &error);
    if (status == HOST_OK)
        note_bytes(facts, name, available, source);
    else
        note_missing(facts, "disk", name, status, &error, source);
}

/* Where `install` puts what it installs: root below /usr/local, a user below his data directory. */
static char *prefix_path(const struct host *host, const char **ret_source)
{
    const char *data = host_environment(host, "XDG_DATA_HOME");
    const char *home = host_environment(host, "HOME");
    *ret_source = "default";
    if (host_user_id(host) == 0)
        return mem_string("/usr/local");
    if (data && data[0] == '/') {
        *ret_source = "XDG_DATA_HOME";
        return mem_printf("%s/gpuenv", data);
    }
    if (home && home[0] == '/') {
        *ret_source = "HOME";
        return mem_printf("%s/.local/share/gpuenv", home);
    }
    return mem_string("/usr/local");
}

/* The fullest of the directories that package managers write to. */
static void note_packages(const struct host *host, struct facts *facts)
{
    static const char *const paths[] = {
        "/var/lib/apt/lists", "/var/cache/apt/archives", "/var/lib/dpkg",
        "/var/cache/dnf",     "/var/cache/libdnf5",      "/var/cache/yum",
        "/var/cache/zypp",    "/var/lib/pacman",         "/var/cache/pacman"};
    const char *fullest = NULL;
    uint64_t least = 0;
    for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
        uint64_t total, available;
        if (!host_is_directory(host, paths[i]) ||
            host_space(host, paths[i], &total, &available, NULL) != HOST_OK ||
            (fullest && available >= least))
            continue;
        fullest = paths[i];
        least = available;
    }
    facts_set_string(facts, "disk", "packages_path", fullest, SOURCE);
    if (fullest)
        note_bytes(facts, "packages_free_bytes", least, SOURCE);
    else
        facts_set_absent(facts, "disk", "packages_free_bytes", SOURCE);
}

void probe_disk(const struct probe_context *context, struct facts *facts)
{
    const struct host *host = context->host;
    note_shm(host, facts);

    const char *tmp = host_environment(host, "TMPDIR");
    bool given = tmp && tmp[0];
    tmp = given ? tmp : "/tmp";
    facts_set_string(facts, "disk", "tmp_path", tmp, given ? "TMPDIR" : "default");
    note_free(host, facts, "tmp_free_bytes", tmp);

    const char *source;
    AUTO_FREE char *prefix = prefix_path(host, &source);
    facts_set_string(facts, "disk", "prefix_path", prefix, source);
    note_free(host, facts, "prefix_free_bytes", prefix);
    note_packages(host, facts);
}
