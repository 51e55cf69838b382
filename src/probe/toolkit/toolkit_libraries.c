/* SPDX-License-Identifier: MIT */
#include "probe/toolkit/toolkit_build.h"

#include "base/path.h"
#include "probe/places/path_match.h"

/* Libraries of which one half is here: headers that compile, and nothing to link with; or a
 * library for the linker without its headers. Packages bring both together. */
static const struct pair {
    const char *name;       /* of libcublas.so and libcublas_static.a */
    const char *headers[2]; /* either one */
    bool is_other;          /* no part of the toolkit: programs may have it copied there alone */
} pairs[] = {
    {"cublas", {"cublas_v2.h", "cublas_api.h"}, false},
    {"cusparse", {"cusparse.h"}, false},
    {"cusolver", {"cusolverDn.h", "cusolver_common.h"}, false},
    {"curand", {"curand.h"}, false},
    {"cufft", {"cufft.h"}, false},
    {"nvrtc", {"nvrtc.h"}, false},
    {"nvjpeg", {"nvjpeg.h"}, false},
    {"nvJitLink", {"nvJitLink.h"}, false},
    {"cudnn", {"cudnn.h", "cudnn_version.h"}, true},
    {"nccl", {"nccl.h"}, true},
};

static bool has_header(const struct host *host, const struct strlist *directories,
                       const struct pair *pair)
{
    return toolkit_is_in(host, directories, pair->headers[0]) ||
           (pair->headers[1] && toolkit_is_in(host, directories, pair->headers[1]));
}

/* What the linker takes: not libcublas.so.12, which programs load. */
static bool can_be_linked(const struct host *host, const struct strlist *directories,
                          const char *name)
{
    AUTO_FREE char *shared = mem_printf("lib%s.so", name);
    AUTO_FREE char *archive = mem_printf("lib%s_static*.a", name);
    if (toolkit_is_in(host, directories, shared))
        return true;
    for (size_t i = 0; i < directories->count; i++)
        if (path_matches(host, directories->items[i], archive))
            return true;
    return false;
}

static void own_directories(const struct host *host, const char *root, struct strlist *directories)
{
    toolkit_library_directories(host, root, directories);
    for (size_t i = 0, count = directories->count; i < count; i++)
        path_match(host, directories->items[i], "stubs", directories);
}

/* And where linkers look without being told, or by a variable. */
static void all_directories(const struct host *host, const char *root, struct strlist *directories)
{
    own_directories(host, root, directories);
    own_directories(host, "/usr", directories);
    own_directories(host, "/usr/local", directories);
    path_list(host_environment(host, "LIBRARY_PATH"), directories);
    path_list(host_environment(host, "LD_LIBRARY_PATH"), directories);
}

/* Links to a library in /usr/lib are often made by hand: without headers they mean nothing. */
static bool is_whole_tree(const struct toolkit_root *root)
{
    return string_equal(root->origin, "directory");
}

void toolkit_note_libraries(const struct host *host, const struct toolkit_root *root,
                            struct facts *facts, const char *group)
{
    static const char fact[] = "half_libraries";
    AUTO_STRLIST struct strlist headers = {0};
    AUTO_STRLIST struct strlist own = {0};
    AUTO_STRLIST struct strlist all = {0};
    AUTO_STRLIST struct strlist halves = {0};
    if (root->denied || string_equal(root->origin, "wheel") ||
        string_equal(root->origin, "store") || string_equal(root->origin, "hpc-sdk")) {
        facts_set_absent(facts, group, fact, root->path);
        return;
    }
    toolkit_include_directories(host, root->path, &headers);
    own_directories(host, root->path, &own);
    all_directories(host, root->path, &all);
    for (size_t i = 0; i < sizeof(pairs) / sizeof(*pairs); i++) {
        bool headed = has_header(host, &headers, &pairs[i]);
        if (headed && !can_be_linked(host, &all, pairs[i].name))
            strlist_take(&halves, mem_printf("%s: no library", pairs[i].name));
        else if (!headed && !pairs[i].is_other && is_whole_tree(root) &&
                 can_be_linked(host, &own, pairs[i].name))
            strlist_take(&halves, mem_printf("%s: no header", pairs[i].name));
    }
    facts_set_list(facts, group, fact, &halves, root->path);
}
