/* SPDX-License-Identifier: MIT */
#include "probe/places/toolkit_root.h"

#include <string.h>

#include "base/json.h"
#include "base/path.h"
#include "probe/engine/version_header.h"
#include "probe/places/path_match.h"

#define VERSION_FILE_MAX (256 * 1024)

static const struct version_header cuda_header = {"cuda.h", {"CUDA_VERSION"}};

/* {"cuda": {"name": "CUDA SDK", "version": "12.8.1"}, …}: at the top of a toolkit since 11.1. */
static enum host_status read_json(const struct host *host, const char *path,
                                  struct version *ret_version, struct error *error)
{
    AUTO_TEXT struct text text = {0};
    enum host_status status = host_read(host, path, VERSION_FILE_MAX, &text, error);
    if (status != HOST_OK)
        return status;
    AUTO_JSON json_t *json =
        json_parse(text_string(&text), text.size, VERSION_FILE_MAX, path, error);
    if (json == NULL)
        return HOST_FAILED;
    const char *value =
        json_string_value(json_object_get(json_object_get(json, "cuda"), "version"));
    if (value && version_parse(value, ret_version))
        return HOST_OK;
    error_set(error, ERROR_DATA, value ? "cuda.version is not a version" : "no cuda.version in it");
    return HOST_FAILED;
}

/* "CUDA Version 10.1.243": the first line, before 11.1 and in Debian's package. */
static enum host_status read_line(const struct host *host, const char *path,
                                  struct version *ret_version, struct error *error)
{
    static const char prefix[] = "CUDA Version ";
    AUTO_TEXT struct text text = {0};
    enum host_status status = host_read(host, path, VERSION_FILE_MAX, &text, error);
    if (status != HOST_OK)
        return status;
    char *cursor = text.data;
    char *line = string_next_line(&cursor);
    line = line ? string_trim(line) : NULL;
    if (line && string_starts(line, prefix) && version_parse(line + strlen(prefix), ret_version))
        return HOST_OK;
    error_set(error, ERROR_DATA, "first line is not \"%sN.N\"", prefix);
    return HOST_FAILED;
}

static enum host_status read_cuda_header(const struct host *host, const char *path,
                                         struct version *ret_version, struct error *error)
{
    return version_header_read(host, path, &cuda_header, ret_version, error);
}

/* libcudart.so.12.8.90: the first two numbers are the toolkit's. With two or fewer it is the name
 * of the interface, of which only the first is. */
static enum host_status read_runtime_name(const struct host *host, const char *path,
                                          struct version *ret_version, struct error *error)
{
    AUTO_FREE char *real = NULL;
    enum host_status status = host_real_path(host, path, &real, error);
    if (status != HOST_OK)
        return status;
    const char *digits = strstr(path_base(real), ".so.");
    struct version version;
    if (digits == NULL || !version_parse(digits + strlen(".so."), &version)) {
        error_set(error, ERROR_DATA, "no version in the file name");
        return HOST_FAILED;
    }
    version.count = version.count > 2 ? 2 : 1;
    *ret_version = version;
    return HOST_OK;
}

static const struct version_source {
    const char *pattern; /* below the root */
    enum host_status (*read)(const struct host *host, const char *path, struct version *ret_version,
                             struct error *error);
} version_sources[] = {
    {.pattern = "version.json", .read = read_json},
    {.pattern = "version.txt", .read = read_line},
    {.pattern = "lib/cuda/version.txt", .read = read_line}, /* Debian's, root /usr */
    {.pattern = "include/cuda.h", .read = read_cuda_header},
    {.pattern = "targets/*/include/cuda.h", .read = read_cuda_header},
    {.pattern = "../cuda_runtime/include/cuda.h", .read = read_cuda_header}, /* wheels of CUDA 12 */
    {.pattern = "lib*/libcudart.so.*", .read = read_runtime_name},
    {.pattern = "lib/*-linux-gnu/libcudart.so.*", .read = read_runtime_name},
    {.pattern = "targets/*/lib/libcudart.so.*", .read = read_runtime_name},
};

/* What the first source that failed said, and where. */
struct complaint {
    char *reason;
    char *path;
};

static void complaint_release(struct complaint *complaint)
{
    free(complaint->reason);
    free(complaint->path);
}

static void complaint_keep(struct complaint *complaint, const char *path, const struct error *error)
{
    if (complaint->path)
        return;
    complaint->path = mem_string(path);
    complaint->reason = mem_printf("%s%s%s", error->what ? error->what : "cannot be read",
                                   error->why ? ": " : "", error->why ? error->why : "");
}

static bool note_from(const struct host *host, const char *path,
                      const struct version_source *source, struct facts *facts, const char *group,
                      struct complaint *complaint)
{
    AUTO_ERROR struct error error = {0};
    struct version version;
    if (source->read(host, path, &version, &error) != HOST_OK) {
        complaint_keep(complaint, path, &error);
        return false;
    }
    char buffer[VERSION_TEXT_SIZE];
    facts_set_string(facts, group, "version", version_text(&version, 0, buffer), path);
    return true;
}

/* "…-cuda_nvcc-12.9.86" of Nix: the first two numbers of a component are its toolkit's. */
static bool note_from_store(const struct toolkit_root *root, struct facts *facts, const char *group)
{
    struct version version;
    char buffer[VERSION_TEXT_SIZE];
    const char *dash = strrchr(path_base(root->path), '-');
    if (!string_equal(root->origin, "store") || dash == NULL ||
        !version_parse_prefix(dash + 1, &version) || version.count < 2)
        return false;
    facts_set_string(facts, group, "version", version_text(&version, 2, buffer), root->path);
    return true;
}

void toolkit_note_version(const struct host *host, const struct toolkit_root *root,
                          struct facts *facts, const char *group)
{
    AUTO(complaint_release) struct complaint complaint = {0};
    if (root->denied) {
        facts_set_unknown(facts, group, "version", "this user may not read this directory",
                          root->path);
        return;
    }
    for (size_t i = 0; i < sizeof(version_sources) / sizeof(*version_sources); i++) {
        AUTO_STRLIST struct strlist paths = {0};
        path_match(host, root->path, version_sources[i].pattern, &paths);
        for (size_t k = 0; k < paths.count; k++)
            if (note_from(host, paths.items[k], &version_sources[i], facts, group, &complaint))
                return;
    }
    if (note_from_store(root, facts, group))
        return;
    facts_set_unknown(facts, group, "version",
                      complaint.reason
                          ? complaint.reason
                          : "no version.json, version.txt, cuda.h or libcudart in this directory",
                      complaint.path ? complaint.path : root->path);
}
