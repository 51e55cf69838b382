/* SPDX-License-Identifier: MIT */
#include "probe/toolkit/toolkit_build.h"

#include "base/path.h"
#include "base/version.h"
#include "probe/engine/cuda_program.h"
#include "probe/engine/note.h"
#include "probe/engine/version_header.h"
#include "probe/places/path_match.h"

/* nvcc and what it starts. It starts cicc by its path, and finds the others in its own directory
 * first, then on PATH. lib/nvidia-cuda-toolkit: Debian's, root /usr, where bin/nvcc is a script. */
static const struct program {
    const char *name;
    const char *places[3];
    bool from_path;
} programs[] = {
    {"nvcc", {"bin/nvcc", "lib/nvidia-cuda-toolkit/bin/nvcc"}, false},
    {"cudafe++", {"bin/cudafe++", "lib/nvidia-cuda-toolkit/bin/cudafe++"}, true},
    {"cicc", {"nvvm/bin/cicc", "lib/nvidia-cuda-toolkit/bin/cicc"}, false},
    {"ptxas", {"bin/ptxas", "lib/nvidia-cuda-toolkit/bin/ptxas"}, true},
    {"nvlink", {"bin/nvlink", "lib/nvidia-cuda-toolkit/bin/nvlink"}, true},
    {"fatbinary", {"bin/fatbinary", "lib/nvidia-cuda-toolkit/bin/fatbinary"}, true},
};

/* The first of that name on PATH; NULL: none. free() it. */
static char *on_path(const struct host *host, const char *name)
{
    AUTO_STRLIST struct strlist directories = {0};
    path_list(host_environment(host, "PATH"), &directories);
    for (size_t i = 0; i < directories.count; i++) {
        AUTO_FREE char *path = path_join(directories.items[i], name);
        if (host_exists(host, path))
            return mem_steal(&path);
    }
    return NULL;
}

/* Adds "ptxas 12.8.93" for the file at path. False: it does not say its release. */
static bool add_program(const struct host *host, const char *name, const char *path, bool foreign,
                        struct strlist *found)
{
    AUTO_FREE char *release = NULL;
    if (cuda_program_release(host, path, &release, NULL) != HOST_OK || release == NULL)
        return false;
    strlist_take(found, foreign ? mem_printf("%s %s %s", name, release, path)
                                : mem_printf("%s %s", name, release));
    return true;
}

static void find_program(const struct host *host, const char *root, const struct program *program,
                         struct strlist *found)
{
    bool is_there = false;
    for (size_t i = 0; i < 3 && program->places[i]; i++) {
        AUTO_FREE char *path = path_join(root, program->places[i]);
        bool exists = host_exists(host, path);
        is_there = is_there || exists;
        if (exists && add_program(host, program->name, path, false, found))
            return;
    }
    if (is_there || !program->from_path)
        return;
    AUTO_FREE char *path = on_path(host, program->name);
    if (path)
        add_program(host, program->name, path, true, found);
}

static void note_header_release(const struct host *host, const char *root, struct facts *facts,
                                const char *group)
{
    static const char name[] = "runtime_headers";
    static const struct version_header header = {"cuda_runtime_api.h", {"CUDART_VERSION"}};
    AUTO_ERROR struct error error = {0};
    AUTO_FREE char *path = toolkit_header(host, root, header.file);
    struct version version;
    char text[VERSION_TEXT_SIZE];
    enum host_status status = version_header_read(host, path, &header, &version, &error);
    if (status == HOST_OK)
        facts_set_string(facts, group, name, version_text(&version, 0, text), path);
    else
        note_missing(facts, group, name, status, &error, path);
}

void toolkit_note_programs(const struct host *host, const struct toolkit_root *root,
                           struct facts *facts, const char *group)
{
    AUTO_STRLIST struct strlist found = {0};
    note_header_release(host, root->path, facts, group);
    if (!toolkit_root_is_chosen(root)) {
        facts_set_skipped(facts, group, "programs", "nothing leads builds to this toolkit",
                          root->path);
        return;
    }
    for (size_t i = 0; i < sizeof(programs) / sizeof(*programs); i++)
        find_program(host, root->path, &programs[i], &found);
    facts_set_list(facts, group, "programs", &found, root->path);
}
