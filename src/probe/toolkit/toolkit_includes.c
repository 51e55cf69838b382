/* SPDX-License-Identifier: MIT */
#include "probe/toolkit/toolkit_build.h"

#include <string.h>

#include "base/path.h"
#include "probe/engine/note.h"

#define HEADER_MAX (1u << 20)

/* Headers that programs include, and what these include in turn: of packages of their own, which
 * an installation of single parts can lack. Read in the headers of CUDA 12.8 and 13.0. */
static const char *const entrances[] = {"cuda_runtime.h", "cuda_fp16.h", "cuda_bf16.h",
                                        "cuda_fp8.hpp", "mma.h"};
static const char *const parts[] = {
    "nv/target",          "crt/host_config.h", "crt/host_defines.h", "crt/device_functions.h",
    "crt/mma.h",          "builtin_types.h",   "library_types.h",    "vector_types.h",
    "cuda_runtime_api.h",
};

/* The name in '#include <nv/target>' or '#include "nv/target"'; NULL: another line. */
static char *included(char *line)
{
    line = string_trim(line);
    if (*line != '#')
        return NULL;
    line = string_trim(line + 1);
    if (!string_starts(line, "include"))
        return NULL;
    line = string_trim(line + strlen("include"));
    char *end = *line == '<' ? strchr(line, '>') : *line == '"' ? strchr(line + 1, '"') : NULL;
    if (end == NULL)
        return NULL;
    *end = '\0';
    return line + 1;
}

static bool is_part(const char *name)
{
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
        if (strcmp(parts[i], name) == 0)
            return true;
    return false;
}

static void read_header(const struct host *host, const char *root, const char *name,
                        const struct strlist *directories, struct strlist *unmet)
{
    AUTO_TEXT struct text text = {0};
    AUTO_FREE char *path = toolkit_header(host, root, name);
    if (note_read_text(host, path, HEADER_MAX, &text, NULL) != HOST_OK || text.size == 0)
        return;
    char *cursor = text.data;
    for (char *line; (line = string_next_line(&cursor)) != NULL;) {
        const char *part = included(line);
        if (part == NULL || !is_part(part) || toolkit_is_in(host, directories, part))
            continue;
        AUTO_FREE char *words = mem_printf("%s: %s", name, part);
        strlist_add_new(unmet, words);
    }
}

/* nvcc of CUDA 13 searches the directory cccl in the one of the headers, too. */
static void directories_of(const struct host *host, const char *root, struct strlist *directories)
{
    toolkit_include_directories(host, root, directories);
    for (size_t i = 0, count = directories->count; i < count; i++)
        strlist_take(directories, path_join(directories->items[i], "cccl"));
}

void toolkit_note_includes(const struct host *host, const struct toolkit_root *root,
                           struct facts *facts, const char *group)
{
    static const char fact[] = "unmet_includes";
    AUTO_STRLIST struct strlist directories = {0};
    AUTO_STRLIST struct strlist unmet = {0};
    if (root->denied || string_equal(root->origin, "store")) {
        facts_set_absent(facts, group, fact, root->path);
        return;
    }
    directories_of(host, root->path, &directories);
    for (size_t i = 0; i < sizeof(entrances) / sizeof(entrances[0]); i++)
        read_header(host, root->path, entrances[i], &directories, &unmet);
    facts_set_list(facts, group, fact, &unmet, root->path);
}
