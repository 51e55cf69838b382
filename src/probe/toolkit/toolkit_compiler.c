/* SPDX-License-Identifier: MIT */
#include "probe/toolkit/toolkit_build.h"

#include <string.h>

#include "base/path.h"
#include "probe/engine/note.h"
#include "probe/places/path_match.h"
#include "probe/toolkit/host_compiler.h"

#define HEADER_MAX (1024 * 1024)

/* nvcc puts its own directory before PATH; Debian's has one of its own for this. */
static char *directory_before_path(const struct host *host, const char *root)
{
    AUTO_FREE char *debian = path_join(root, "lib/nvidia-cuda-toolkit/bin");
    if (host_is_directory(host, debian))
        return mem_steal(&debian);
    return path_join(root, "bin");
}

/* What names the compiler, in nvcc's order: the flags that come last win, a flag wins over
 * NVCC_CCBIN, and without any it is gcc. free() the value. */
static char *named_compiler(const struct host *host, const char **ret_by)
{
    static const char *const flags[] = {"NVCC_APPEND_FLAGS", "NVCC_PREPEND_FLAGS"};
    for (size_t i = 0; i < sizeof(flags) / sizeof(*flags); i++) {
        char *value = host_compiler_of_flags(host_environment(host, flags[i]));
        *ret_by = flags[i];
        if (value)
            return value;
    }
    const char *value = host_environment(host, "NVCC_CCBIN");
    *ret_by = value && *value ? "NVCC_CCBIN" : "PATH";
    return mem_string(value && *value ? value : "gcc");
}

/* Where the compiler's C library has its headers: conda's compilers bring their own. */
static char *math_header(const struct host *host, const struct host_compiler *compiler)
{
    static const char *const places[] = {"bits/mathcalls.h", "*-linux-gnu*/bits/mathcalls.h"};
    AUTO_FREE char *bin = compiler->real ? path_parent(compiler->real) : NULL;
    AUTO_FREE char *prefix = bin ? path_parent(bin) : NULL;
    AUTO_STRLIST struct strlist bases = {0};
    if (prefix)
        path_match(host, prefix, "*/sysroot/usr/include", &bases);
    if (bases.count == 0)
        strlist_add(&bases, "/usr/include");
    for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
        AUTO_STRLIST struct strlist paths = {0};
        path_match(host, bases.items[0], places[i], &paths);
        if (paths.count)
            return mem_string(paths.items[0]);
    }
    return path_join(bases.items[0], places[0]);
}

/* "__MATHCALL_VEC (cospi,, (_Mdouble_ __x));" */
static bool is_declared(const char *text, const char *name)
{
    AUTO_FREE char *call = mem_printf("(%s,", name);
    return strstr(text, call) != NULL;
}

static void note_c_library(const struct host *host, const struct host_compiler *compiler,
                           struct facts *facts, const char *group)
{
    static const char name[] = "c_library_functions";
    AUTO_ERROR struct error error = {0};
    AUTO_TEXT struct text text = {0};
    AUTO_STRLIST struct strlist functions = {0};
    AUTO_FREE char *path = math_header(host, compiler);
    enum host_status status = note_read_text(host, path, HEADER_MAX, &text, &error);
    if (status != HOST_OK) {
        note_missing(facts, group, name, status, &error, path);
        return;
    }
    toolkit_functions(text_string(&text), is_declared, &functions);
    facts_set_list(facts, group, name, &functions, path);
}

/* Beside the other header: of aarch64 alone it has types for vectors. */
static void note_vector_types(const struct host *host, const struct host_compiler *compiler,
                              struct facts *facts, const char *group)
{
    static const char name[] = "c_library_vector_types";
    AUTO_ERROR struct error error = {0};
    AUTO_TEXT struct text text = {0};
    AUTO_FREE char *beside = math_header(host, compiler);
    AUTO_FREE char *directory = path_parent(beside);
    AUTO_FREE char *path = path_join(directory, "math-vector.h");
    enum host_status status = note_read_text(host, path, HEADER_MAX, &text, &error);
    if (status != HOST_OK)
        note_missing(facts, group, name, status, &error, path);
    else
        facts_set_boolean(facts, group, name, strstr(text_string(&text), "__Float32x4_t") != NULL,
                          path);
}

static const char *const compiler_facts[] = {"host_compiler", "host_compiler_there",
                                             "host_compiler_by", "host_compiler_family",
                                             "host_compiler_version"};

/* The facts are set when false. */
static bool can_look(const struct host *host, const struct toolkit_root *root, struct facts *facts,
                     const char *group)
{
    AUTO_FREE char *nvcc = path_join(root->path, "bin/nvcc");
    bool has_path = host_is_live(host) || host_environment(host, "PATH") != NULL;
    if (has_path && host_exists(host, nvcc))
        return true;
    for (size_t i = 0; i < sizeof(compiler_facts) / sizeof(*compiler_facts); i++)
        facts_set_skipped(facts, group, compiler_facts[i],
                          has_path ? "there is no nvcc in this directory" : "a tree has no PATH",
                          has_path ? nvcc : "PATH");
    return false;
}

void toolkit_note_compiler(const struct host *host, const struct toolkit_root *root,
                           struct facts *facts, const char *group)
{
    AUTO_HOST_COMPILER struct host_compiler compiler = {.family = "other"};
    const char *by;
    if (can_look(host, root, facts, group)) {
        AUTO_FREE char *first = directory_before_path(host, root->path);
        AUTO_FREE char *value = named_compiler(host, &by);
        host_compiler_find(host, value, first, &compiler);
        facts_set_string(facts, group, "host_compiler", compiler.path, by);
        if (strcmp(by, "PATH") != 0 && !compiler.unclear)
            facts_set_boolean(facts, group, "host_compiler_there", compiler.real != NULL, by);
        else
            facts_set_absent(facts, group, "host_compiler_there", by);
        facts_set_string(facts, group, "host_compiler_by", by, by);
        facts_set_string(facts, group, "host_compiler_family", compiler.family, by);
        facts_set_string(facts, group, "host_compiler_version", compiler.version,
                         compiler.real ? compiler.real : by);
    }
    note_c_library(host, &compiler, facts, group);
    note_vector_types(host, &compiler, facts, group);
}
