/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/path.h"
#include "base/strlist.h"
#include "host/root/file.h"
#include "probe/engine/note.h"
#include "probe/engine/probes.h"

#define MOUNTINFO     "/proc/self/mountinfo"
#define MOUNTINFO_MAX (16u << 20)
#define CLUE_MAX      (1u << 20)
#define SENTRY        "/proc/sentry-meminfo" /* gVisor's kernel, the Sentry, has it and no other */

/* Signs of a container, the surest first. A clue holds when the file is there and, with `line` or
 * `part`, has such a line or such a part in a line (NULs count as line ends: /proc/1/environ). */
struct clue {
    const char *path;
    const char *line;
    const char *part;
    const char *name; /* of the engine or builder */
};

static const struct clue clues[] = {
    {.path = "/var/run/secrets/kubernetes.io", .name = "kubernetes"},
    {.path = "/proc/1/cgroup", .part = "kubepods", .name = "kubernetes"},
    {.path = "/run/.containerenv", .name = "podman"},
    {.path = "/.dockerenv", .name = "docker"},
    {.path = "/run/systemd/container", .line = "podman", .name = "podman"},
    {.path = "/run/systemd/container", .line = "docker", .name = "docker"},
    {.path = "/run/systemd/container", .part = "lxc", .name = "lxc"},
    {.path = "/run/systemd/container", .line = "systemd-nspawn", .name = "systemd-nspawn"},
    {.path = "/proc/1/environ", .line = "container=podman", .name = "podman"},
    {.path = "/proc/1/environ", .line = "container=docker", .name = "docker"},
    {.path = "/proc/1/environ", .part = "container=lxc", .name = "lxc"},
    {.path = "/proc/1/environ", .line = "container=systemd-nspawn", .name = "systemd-nspawn"},
    {.path = "/proc/1/cgroup", .part = "libpod", .name = "podman"},
    {.path = "/proc/1/cgroup", .part = "docker", .name = "docker"},
    {.path = "/proc/1/cgroup", .part = "/lxc", .name = "lxc"},
    {.path = "/.singularity.d", .name = "other"},
    {.path = SENTRY, .name = "other"},
};

/* Parts of the storage paths that the root file system of a container is put together from. */
static const struct clue storages[] = {
    {.part = "/containers/storage/", .name = "podman"},
    {.part = "/docker/", .name = "docker"},
    {.part = "/buildkit/", .name = "other"},
    {.part = "containerd", .name = "other"},
};

#define BUILDKIT "buildkit"

/* Signs of a step of an image build: BuildKit's usual host name, buildah's own mark (podman's build
 * is buildah's; a container of podman run says engine="podman-"), the program of kaniko, which
 * unpacks the image around itself. docker build without BuildKit leaves none. */
static const struct clue builders[] = {
    {.path = "/proc/sys/kernel/hostname", .line = "buildkitsandbox", .name = BUILDKIT},
    {.path = "/run/.containerenv", .part = "engine=\"buildah-", .name = "buildah"},
    {.path = "/kaniko/executor", .name = "kaniko"},
};

static bool text_has(char *text, const char *whole, const char *part)
{
    char *cursor = text;
    for (char *line; (line = string_next_line(&cursor));)
        if ((whole && strcmp(string_trim(line), whole) == 0) || (part && strstr(line, part)))
            return true;
    return false;
}

static bool clue_holds(const struct host *host, const struct clue *clue)
{
    if (clue->line == NULL && clue->part == NULL)
        return host_exists(host, clue->path);
    AUTO_TEXT struct text text = {0};
    if (host_read(host, clue->path, CLUE_MAX, &text, NULL) != HOST_OK || text.size == 0)
        return false;
    for (size_t i = 0; i < text.size; i++)
        if (text.data[i] == '\0')
            text.data[i] = '\n';
    return text_has(text.data, clue->line, clue->part);
}

/* mountinfo of proc(5): "27 1 254:0 /root /mount options [fields] - type source super-options",
 * with \040 for a space. Points into line, which is cut apart. */
struct mount {
    const char *root; /* the directory or file of that file system that is mounted */
    const char *point;
    const char *type;
    const char *options;
};

static bool mount_parse(char *line, struct mount *ret_mount)
{
    char *separator = strstr(line, " - ");
    if (separator == NULL)
        return false;
    *separator = '\0';
    char *save = NULL;
    char *root = strtok_r(line, " ", &save);
    for (int field = 1; field < 4 && root; field++)
        root = strtok_r(NULL, " ", &save);
    char *point = root ? strtok_r(NULL, " ", &save) : NULL;
    char *type = strtok_r(separator + 3, " ", &save);
    char *source = type ? strtok_r(NULL, " ", &save) : NULL;
    char *options = source ? strtok_r(NULL, " ", &save) : NULL;
    if (point == NULL || type == NULL)
        return false;
    *ret_mount = (struct mount){
        .root = root, .point = point, .type = type, .options = options ? options : ""};
    return true;
}

/* The library files that the container toolkit mounts one by one. A device node alone is no sign:
 * engines mount those too when asked for a device. */
static bool is_driver_library(const struct mount *mount)
{
    const char *name = path_base(mount->point);
    return string_starts(name, "libcuda.so") || string_starts(name, "libnvidia-");
}

static const char *storage_engine(const struct mount *mount)
{
    if (strcmp(mount->point, "/") != 0 || strcmp(mount->type, "overlay") != 0)
        return NULL;
    for (size_t i = 0; i < sizeof(storages) / sizeof(storages[0]); i++)
        if (strstr(mount->options, storages[i].part))
            return storages[i].name;
    return NULL;
}

/* BuildKit's host name can be chosen (BUILDKIT_SANDBOX_HOSTNAME), where it keeps its files not: it
 * mounts …/buildkit/executor/resolv.conf, and its layers lie below …/buildkit/. */
static bool is_buildkit(const struct mount *mount)
{
    return strstr(mount->root, "/buildkit/executor/") ||
           (strcmp(mount->point, "/") == 0 && strstr(mount->options, "/buildkit/"));
}

/* What the mounts tell beside nvidia_libraries. */
struct mounts {
    const char *engine; /* whose storage the root file system comes from; or NULL */
    bool buildkit;
};

/* Sets nvidia_libraries. */
static struct mounts note_mounts(const struct host *host, struct facts *facts)
{
    struct mounts mounts = {.engine = NULL};
    AUTO_ERROR struct error error = {0};
    AUTO_TEXT struct text text = {0};
    enum host_status status = note_read_text(host, MOUNTINFO, MOUNTINFO_MAX, &text, &error);
    if (status != HOST_OK) {
        note_missing_below(host, facts, "container", "nvidia_libraries", status, &error, MOUNTINFO,
                           MOUNTINFO);
        return mounts;
    }
    bool libraries = false;
    char *cursor = text.data;
    for (char *line; (line = string_next_line(&cursor));) {
        struct mount mount;
        if (!mount_parse(line, &mount))
            continue;
        libraries = libraries || is_driver_library(&mount);
        mounts.engine = mounts.engine ? mounts.engine : storage_engine(&mount);
        mounts.buildkit = mounts.buildkit || is_buildkit(&mount);
    }
    facts_set_boolean(facts, "container", "nvidia_libraries", libraries, MOUNTINFO);
    return mounts;
}

/* What systemd calls a container and the clues do not know; WSL calls itself one and is none. */
static bool note_other_container(const struct host *host, struct facts *facts)
{
    static const char path[] = "/run/systemd/container";
    AUTO_FREE char *line = NULL;
    if (host_read_line(host, path, &line, NULL) != HOST_OK || line[0] == '\0' ||
        strcmp(line, "wsl") == 0)
        return false;
    facts_set_string(facts, "container", "engine", "other", path);
    return true;
}

static void note_engine(const struct host *host, const char *storage, struct facts *facts)
{
    if (host_environment(host, "KUBERNETES_SERVICE_HOST")) {
        facts_set_string(facts, "container", "engine", "kubernetes",
                         "environment KUBERNETES_SERVICE_HOST");
        return;
    }
    for (size_t i = 0; i < sizeof(clues) / sizeof(clues[0]); i++) {
        if (!clue_holds(host, &clues[i]))
            continue;
        facts_set_string(facts, "container", "engine", clues[i].name, clues[i].path);
        return;
    }
    if (note_other_container(host, facts))
        return;
    if (storage)
        facts_set_string(facts, "container", "engine", storage, MOUNTINFO);
    else
        facts_set_absent(facts, "container", "engine",
                         "/.dockerenv, /run/.containerenv, /run/systemd/container, /proc/1/cgroup, "
                         "/proc/1/environ, " MOUNTINFO);
}

static void note_build_step(const struct host *host, bool buildkit, struct facts *facts)
{
    AUTO_ERROR struct error error = {0};
    for (size_t i = 0; i < sizeof(builders) / sizeof(builders[0]); i++) {
        if (!clue_holds(host, &builders[i]))
            continue;
        facts_set_string(facts, "container", "build_step", builders[i].name, builders[i].path);
        return;
    }
    if (buildkit)
        facts_set_string(facts, "container", "build_step", BUILDKIT, MOUNTINFO);
    else
        note_missing_below(host, facts, "container", "build_step", HOST_ABSENT, &error,
                           "/proc/sys/kernel/hostname, /run/.containerenv, /kaniko", MOUNTINFO);
}

static void note_sandbox(const struct host *host, struct facts *facts)
{
    AUTO_ERROR struct error error = {0};
    if (host_exists(host, SENTRY))
        facts_set_string(facts, "container", "sandbox", "gvisor", SENTRY);
    else
        note_missing_below(host, facts, "container", "sandbox", HOST_ABSENT, &error, SENTRY,
                           MOUNTINFO);
}

/* Whether the map has one line: all users, under their own numbers. */
static bool maps_all_users(const char *map)
{
    AUTO_STRLIST struct strlist numbers = {0};
    strlist_split_words(&numbers, map);
    AUTO_FREE char *line = strlist_join(&numbers, " ");
    return string_equal(line, "0 0 4294967295");
}

/* user_namespaces(7): the first namespace has all users under their own numbers. A kernel without
 * user namespaces has no such file. */
static void note_user_namespace(const struct host *host, struct facts *facts)
{
    static const char path[] = "/proc/self/uid_map";
    AUTO_ERROR struct error error = {0};
    AUTO_TEXT struct text text = {0};
    enum host_status status = note_read_text(host, path, CLUE_MAX, &text, &error);
    if (status != HOST_OK)
        note_missing(facts, "container", "user_namespace", status, &error, path);
    else
        facts_set_boolean(facts, "container", "user_namespace", !maps_all_users(text_string(&text)),
                          path);
}

/* The number that the driver's devices for IMEX channels have; the host's and a container's are the
 * same. */
static void note_imex(const struct host *host, struct facts *facts)
{
    static const char path[] = "/proc/devices";
    static const char name[] = " nvidia-caps-imex-channels";
    AUTO_ERROR struct error error = {0};
    AUTO_TEXT struct text text = {0};
    unsigned long long number;
    enum host_status status = note_read_text(host, path, CLUE_MAX, &text, &error);
    facts_set_absent(facts, "container", "imex_major", path);
    if (status != HOST_OK)
        note_missing(facts, "container", "imex_major", status, &error, path);
    char *cursor = status == HOST_OK ? text.data : NULL;
    for (char *line; cursor && (line = string_next_line(&cursor));) {
        if (!string_ends(line, name))
            continue;
        line[strlen(line) - strlen(name)] = '\0';
        if (string_to_unsigned(string_trim(line), &number) && number <= UINT32_MAX)
            facts_set_integer(facts, "container", "imex_major", (int64_t)number, path);
    }
}

void probe_container(const struct probe_context *context, struct facts *facts)
{
    note_sandbox(context->host, facts);
    note_user_namespace(context->host, facts);
    note_imex(context->host, facts);
    struct mounts mounts = note_mounts(context->host, facts);
    note_engine(context->host, mounts.engine, facts);
    note_build_step(context->host, mounts.buildkit, facts);
}
