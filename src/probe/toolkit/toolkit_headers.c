/* SPDX-License-Identifier: MIT */
#include "probe/toolkit/toolkit_build.h"

#include <ctype.h>
#include <string.h>

#include "base/path.h"
#include "probe/engine/note.h"
#include "probe/places/path_match.h"

#define HEADER_MAX (1024 * 1024)

static const char *const include_places[] = {"include", "targets/*/include"};

/* Debian's toolkit has the root /usr, whose include is the system's own. */
char *toolkit_header(const struct host *host, const char *root, const char *name)
{
    for (size_t i = 0; i < sizeof(include_places) / sizeof(*include_places); i++) {
        AUTO_STRLIST struct strlist paths = {0};
        AUTO_FREE char *pattern = path_join(include_places[i], name);
        path_match(host, root, pattern, &paths);
        if (paths.count)
            return mem_string(paths.items[0]);
    }
    AUTO_FREE char *usual = path_join(root, "include");
    return path_join(usual, name);
}

/* The number behind "MACRO OPERATOR"; NULL: there is none. */
static const char *number_behind(const char *at, const char *operator)
{
    while (*at == ' ')
        at++;
    if (!string_starts(at, operator))
        return NULL;
    at += strlen(operator);
    while (*at == ' ')
        at++;
    return isdigit((unsigned char)*at) ? at : NULL;
}

/* The largest N of "macro operator N" on a line with #if; "": none. */
static unsigned long largest(const char *text, const char *macro, const char *operator)
{
    unsigned long found = 0;
    for (const char *at = text; (at = strstr(at, macro)) != NULL; at++) {
        const char *number = number_behind(at + strlen(macro), operator);
        unsigned long value = number ? strtoul(number, NULL, 10) : 0;
        found = value > found && value < 1000 ? value : found;
    }
    return found;
}

/* CUDA 7 rejects gcc above 4.9 by its minor number. */
static char *gcc_limit(const char *text)
{
    unsigned long major = largest(text, "__GNUC__", "> ");
    unsigned long minor = largest(text, "__GNUC_MINOR__", "> ");
    if (major == 0)
        return NULL;
    return minor && major < 5 ? mem_printf("%lu.%lu", major, minor) : mem_printf("%lu", major);
}

static void note_limits(const struct host *host, const char *root, struct facts *facts,
                        const char *group)
{
    static const char *const names[] = {"gcc_max", "clang_below"};
    AUTO_ERROR struct error error = {0};
    AUTO_TEXT struct text text = {0};
    AUTO_FREE char *path = toolkit_header(host, root, "crt/host_config.h");
    enum host_status status = note_read_text(host, path, HEADER_MAX, &text, &error);
    if (status != HOST_OK) {
        for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
            note_missing(facts, group, names[i], status, &error, path);
        return;
    }
    AUTO_FREE char *gcc = gcc_limit(text_string(&text));
    unsigned long clang = largest(text_string(&text), "__clang_major__", ">=");
    AUTO_FREE char *below = clang ? mem_printf("%lu", clang) : NULL;
    facts_set_string(facts, group, names[0], gcc, path);
    facts_set_string(facts, group, names[1], below, path);
}

void toolkit_functions(const char *text, bool (*declared)(const char *text, const char *name),
                       struct strlist *functions)
{
    /* Those that newer C libraries declare, too. */
    static const char *const names[] = {"cospi", "sinpi", "rsqrt"};
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        if (declared(text, names[i]))
            strlist_add(functions, names[i]);
}

/* "extern … double cospi(double x);" with nothing before the semicolon. */
static bool is_declared_plainly(const char *text, const char *name)
{
    AUTO_FREE char *call = mem_printf(" %s(double x)", name);
    for (const char *at = text; (at = strstr(at, call)) != NULL; at++) {
        const char *line = at;
        while (line > text && line[-1] != '\n')
            line--;
        const char *rest = at + strlen(call);
        rest += strspn(rest, " \t");
        if (string_starts(line, "extern") && *rest == ';')
            return true;
    }
    return false;
}

static void note_functions(const struct host *host, const char *root, struct facts *facts,
                           const char *group)
{
    static const char name[] = "math_without_noexcept";
    AUTO_ERROR struct error error = {0};
    AUTO_TEXT struct text text = {0};
    AUTO_STRLIST struct strlist functions = {0};
    AUTO_FREE char *path = toolkit_header(host, root, "crt/math_functions.h");
    enum host_status status = note_read_text(host, path, HEADER_MAX, &text, &error);
    if (status != HOST_OK) {
        note_missing(facts, group, name, status, &error, path);
        return;
    }
    toolkit_functions(text_string(&text), is_declared_plainly, &functions);
    facts_set_list(facts, group, name, &functions, path);
}

bool toolkit_is_in(const struct host *host, const struct strlist *directories, const char *name)
{
    for (size_t i = 0; i < directories->count; i++) {
        AUTO_FREE char *path = path_join(directories->items[i], name);
        if (host_exists(host, path))
            return true;
    }
    return false;
}

/* Adds SDK/math_libs/12.3/include for SDK/cuda/12.3. */
static void math_libs(const struct host *host, const char *root, struct strlist *directories)
{
    AUTO_FREE char *cuda = path_parent(root);
    AUTO_FREE char *sdk = path_parent(cuda);
    AUTO_FREE char *pattern = mem_printf("math_libs/%s/include", path_base(root));
    if (string_equal(path_base(cuda), "cuda"))
        path_match(host, sdk, pattern, directories);
}

/* The HPC SDK has these libraries in a directory of their own, which nvcc searches only where its
 * profile says so. */
static bool profile_has_math_libs(const struct host *host, const char *root)
{
    AUTO_TEXT struct text text = {0};
    AUTO_FREE char *path = path_join(root, "bin/nvcc.profile");
    return note_read_text(host, path, HEADER_MAX, &text, NULL) == HOST_OK &&
           strstr(text_string(&text), "math_libs") != NULL;
}

/* Of the toolkit, of the wheels beside it, of the HPC SDK's own directory for such libraries, and
 * what the compiler finds anyway. */
void toolkit_include_directories(const struct host *host, const char *root,
                                 struct strlist *directories)
{
    AUTO_STRLIST struct strlist entries = {0};
    AUTO_FREE char *vendor = path_parent(root);
    for (size_t i = 0; i < sizeof(include_places) / sizeof(*include_places); i++)
        path_match(host, root, include_places[i], directories);
    if (string_equal(path_base(vendor), "nvidia"))
        path_match(host, root, "../*/include", directories);
    if (profile_has_math_libs(host, root))
        math_libs(host, root, directories);
    strlist_add(directories, "/usr/include");
    strlist_add(directories, "/usr/local/include");
    toolkit_include_variables(host, &entries);
    for (size_t i = 0; i < entries.count; i++)
        strlist_add(directories, strchr(entries.items[i], '=') + 1);
}

/* Where else the headers are that a compiler does not find with it. */
static void note_headers_beside(const struct host *host, const struct strlist *directories,
                                struct facts *facts, const char *group)
{
    const char *found = NULL;
    for (size_t i = 0; i < directories->count && found == NULL; i++) {
        AUTO_FREE char *header = path_join(directories->items[i], "cublas_v2.h");
        if (host_exists(host, header))
            found = directories->items[i];
    }
    facts_set_string(facts, group, "library_headers_beside", found,
                     found ? found : "math_libs of the HPC SDK");
}

static void note_library_headers(const struct host *host, const char *root, struct facts *facts,
                                 const char *group)
{
    static const char *const names[] = {"cublas_v2.h", "cusparse.h", "cusolverDn.h"};
    AUTO_STRLIST struct strlist directories = {0};
    AUTO_STRLIST struct strlist there = {0};
    AUTO_STRLIST struct strlist beside = {0};
    toolkit_include_directories(host, root, &directories);
    math_libs(host, root, &beside);
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        if (toolkit_is_in(host, &directories, names[i]))
            strlist_add(&there, names[i]);
    facts_set_list(facts, group, "library_headers", &there, root);
    note_headers_beside(host, &beside, facts, group);
}

void toolkit_note_headers(const struct host *host, const struct toolkit_root *root,
                          struct facts *facts, const char *group)
{
    note_limits(host, root->path, facts, group);
    note_functions(host, root->path, facts, group);
    note_library_headers(host, root->path, facts, group);
}
