/* SPDX-License-Identifier: MIT */
#include "probe/toolkit/toolkit_build.h"

#include <string.h>

#include "base/path.h"
#include "probe/engine/cuda_program.h"
#include "probe/engine/note.h"
#include "probe/engine/probes.h"
#include "probe/engine/version_header.h"
#include "probe/places/path_match.h"
#include "probe/toolkit/host_compiler.h"

static const char *const flag_variables[] = {"NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS"};
#define FLAG_VARIABLES (sizeof(flag_variables) / sizeof(*flag_variables))

/* Which variable has nvcc take any compiler; absent: none. */
static void note_unsupported(const struct host *host, struct facts *facts)
{
    const char *found = NULL;
    for (size_t i = 0; i < FLAG_VARIABLES; i++) {
        const char *value = host_environment(host, flag_variables[i]);
        if (value && strstr(value, "-allow-unsupported-compiler"))
            found = flag_variables[i];
    }
    facts_set_string(facts, "toolkit", "unsupported_compiler", found, "environment");
}

static void add_entry(const char *variable, const char *directory, struct strlist *entries)
{
    if (*directory == '/' && entries->count < PATH_LIST_MAX)
        strlist_take(entries, mem_printf("%s=%s", variable, directory));
}

static void add_flags(const struct host *host, const char *variable, struct strlist *entries)
{
    static const char *const options[] = {"-I", "--include-path"};
    AUTO_STRLIST struct strlist words = {0};
    const char *value = host_environment(host, variable);
    if (value)
        strlist_split_words(&words, value);
    for (size_t i = 0; i < words.count; i++)
        for (size_t k = 0; k < sizeof(options) / sizeof(*options); k++) {
            const char *rest = words.items[i] + strlen(options[k]);
            if (!string_starts(words.items[i], options[k]))
                continue;
            if (*rest == '\0' && i + 1 < words.count)
                add_entry(variable, words.items[i + 1], entries);
            else
                add_entry(variable, *rest == '=' ? rest + 1 : rest, entries);
        }
}

void toolkit_include_variables(const struct host *host, struct strlist *entries)
{
    static const char *const lists[] = {"CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH"};
    for (size_t i = 0; i < FLAG_VARIABLES; i++)
        add_flags(host, flag_variables[i], entries);
    for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++) {
        AUTO_STRLIST struct strlist directories = {0};
        path_list(host_environment(host, lists[i]), &directories);
        for (size_t k = 0; k < directories.count; k++)
            add_entry(lists[i], directories.items[k], entries);
    }
}

/* One that has headers of CUDA. */
static bool note_include_path(const struct host *host, const char *entry, size_t number,
                              struct facts *facts)
{
    static const struct version_header header = {"cuda.h", {"CUDA_VERSION"}};
    const char *directory = strchr(entry, '=') + 1;
    AUTO_ERROR struct error error = {0};
    AUTO_FREE char *file = path_join(directory, "cuda.h");
    AUTO_FREE char *variable = mem_string_n(entry, (size_t)(directory - 1 - entry));
    AUTO_FREE char *real = NULL;
    if (host_real_path(host, file, &real, NULL) != HOST_OK)
        return false;
    AUTO_FREE char *parent = path_parent(real);
    AUTO_FREE char *instance = mem_printf("%zu", number);
    AUTO_FREE char *group = facts_group_name("include_path", instance);
    struct version version;
    char text[VERSION_TEXT_SIZE];
    facts_set_string(facts, group, "variable", variable, variable);
    facts_set_string(facts, group, "path", parent, variable);
    if (version_header_read(host, file, &header, &version, &error) == HOST_OK)
        facts_set_string(facts, group, "version", version_text(&version, 0, text), file);
    else
        facts_set_unknown(facts, group, "version", error.why ? error.why : "no CUDA_VERSION in it",
                          file);
    return true;
}

static void note_include_paths(const struct host *host, struct facts *facts)
{
    AUTO_STRLIST struct strlist entries = {0};
    size_t count = 0;
    toolkit_include_variables(host, &entries);
    for (size_t i = 0; i < entries.count; i++)
        count += note_include_path(host, entries.items[i], count, facts);
    facts_set_integer(facts, "include_path", "count", (int64_t)count, "environment");
}

static void note_host_compilers(const struct host *host, struct facts *facts)
{
    static const char *const names[] = {"CUDAHOSTCXX", "CC"};
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        const char *value = host_environment(host, names[i]);
        if (value == NULL || *value == '\0')
            continue;
        AUTO_HOST_COMPILER struct host_compiler compiler;
        AUTO_FREE char *group = facts_group_name("host_compiler", names[i]);
        host_compiler_find(host, value, NULL, &compiler);
        if (compiler.unclear)
            facts_set_unknown(facts, group, "there", "neither an absolute path nor on PATH",
                              names[i]);
        else
            facts_set_boolean(facts, group, "there", compiler.real != NULL, names[i]);
        facts_set_string(facts, group, "path", compiler.real, names[i]);
        facts_set_string(facts, group, "family", compiler.family, names[i]);
        facts_set_string(facts, group, "version", compiler.version, names[i]);
    }
}

/* What Triton is told to compile with. */
static void note_ptxas(const struct host *host, struct facts *facts)
{
    static const char *const names[] = {"TRITON_PTXAS_PATH", "TRITON_PTXAS_BLACKWELL_PATH"};
    static const char *const named[] = {"there", "path", "release"};
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        const char *value = host_environment(host, names[i]);
        AUTO_FREE char *real = NULL;
        AUTO_FREE char *release = NULL;
        AUTO_ERROR struct error error = {0};
        if (value == NULL || *value != '/')
            continue;
        AUTO_FREE char *group = facts_group_name("ptxas", names[i]);
        enum host_status status = host_real_path(host, value, &real, &error);
        if (status != HOST_OK && status != HOST_ABSENT) {
            for (size_t k = 0; k < sizeof(named) / sizeof(*named); k++)
                note_missing(facts, group, named[k], status, &error, value);
            continue;
        }
        if (real)
            cuda_program_release(host, real, &release, NULL);
        facts_set_boolean(facts, group, "there", real != NULL, names[i]);
        facts_set_string(facts, group, "path", real, names[i]);
        facts_set_string(facts, group, "release", release, value);
    }
}

void toolkit_note_variables(const struct host *host, struct facts *facts)
{
    note_unsupported(host, facts);
    note_include_paths(host, facts);
    note_host_compilers(host, facts);
    note_ptxas(host, facts);
}
