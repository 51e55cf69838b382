/* SPDX-License-Identifier: MIT */
#include "probe/toolkit/host_compiler.h"

#include <string.h>

#include "base/path.h"
#include "base/version.h"
#include "probe/places/path_match.h"

void host_compiler_free(struct host_compiler *compiler)
{
    free(compiler->path);
    free(compiler->real);
    free(compiler->version);
}

char *host_compiler_of_flags(const char *flags)
{
    static const char *const options[] = {"-ccbin", "--compiler-bindir", "-compiler-bindir"};
    AUTO_STRLIST struct strlist words = {0};
    const char *value = NULL;
    if (flags)
        strlist_split_words(&words, flags);
    for (size_t i = 0; i < words.count; i++)
        for (size_t k = 0; k < sizeof(options) / sizeof(*options); k++) {
            const char *word = words.items[i];
            size_t length = strlen(options[k]);
            if (string_equal(word, options[k]) && i + 1 < words.count)
                value = words.items[i + 1];
            else if (string_starts(word, options[k]) && word[length] == '=')
                value = word + length + 1;
        }
    return mem_string(value);
}

static bool is_number(const char *text)
{
    struct version version;
    return version_parse(text, &version);
}

/* "x86_64-linux-gnu-g++-13": 13. */
static char *version_of_name(const char *name)
{
    const char *dash = strrchr(name, '-');
    return dash && is_number(dash + 1) ? mem_string(dash + 1) : NULL;
}

/* A directory of the path that says it: gcc-wrapper-14.3.0, gcc-13.3.0-HASH, gcc/13.2.0,
 * gcc-bin/13, llvm-18.
 */
static char *version_of_directories(const char *path)
{
    static const char *const names[] = {"gcc-wrapper",   "gcc-bin", "gcc",
                                        "clang-wrapper", "clang",   "llvm"};
    AUTO_STRLIST struct strlist parts = {0};
    strlist_split(&parts, path, '/');
    for (size_t i = 0; i + 1 < parts.count; i++)
        for (size_t k = 0; k < sizeof(names) / sizeof(*names); k++) {
            struct version version;
            char text[VERSION_TEXT_SIZE];
            const char *found = strstr(parts.items[i], names[k]);
            if (found == NULL || (found != parts.items[i] && found[-1] != '-'))
                continue;
            found += strlen(names[k]);
            const char *number = *found == '-'    ? found + 1
                                 : *found == '\0' ? parts.items[i + 1]
                                                  : "";
            const char *end = number + strspn(number, "0123456789.");
            if ((*end == '\0' || *end == '-') && version_parse_prefix(number, &version))
                return mem_string(version_text(&version, 0, text));
        }
    return NULL;
}

/* Whether a compiler's own directory, of that target ("x86_64-redhat-linux"), is of the program of
 * that name. */
static bool is_of_target(const char *name, const char *directory)
{
    AUTO_FREE char *parent = path_parent(directory);
    const char *target = path_base(parent);
    const char *program = strstr(name, "-g");
    if (program == NULL)
        program = strstr(name, "-c");
    bool named = program != NULL && program != name && strchr(name, '-') != program;
    return !named || string_starts(name, target);
}

/* The only one of the releases whose files lie in lib/gcc/TARGET/N around the program's bin. */
static char *version_of_files(const struct host *host, const char *real)
{
    static const char *const patterns[] = {"lib/gcc/*/*/cc1plus", "lib/gcc/*/*/crtbegin.o",
                                           "lib64/gcc/*/*/cc1plus", "libexec/gcc/*/*/cc1plus"};
    AUTO_FREE char *bin = path_parent(real);
    AUTO_FREE char *prefix = path_parent(bin);
    AUTO_STRLIST struct strlist versions = {0};
    for (size_t i = 0; i < sizeof(patterns) / sizeof(*patterns); i++) {
        AUTO_STRLIST struct strlist paths = {0};
        path_match(host, prefix, patterns[i], &paths);
        for (size_t k = 0; k < paths.count; k++) {
            AUTO_FREE char *directory = path_parent(paths.items[k]);
            if (is_number(path_base(directory)) && is_of_target(path_base(real), directory))
                strlist_add_new(&versions, path_base(directory));
        }
    }
    return versions.count == 1 ? mem_string(versions.items[0]) : NULL;
}

/* gcc is installed under a second name, TARGET-gcc-N: the same file, or the only one of those. */
static char *version_of_second_name(const struct host *host, const char *real)
{
    struct host_stat own, other;
    AUTO_FREE char *bin = path_parent(real);
    AUTO_FREE char *pattern = mem_printf("*-linux*-%s-[0-9]*", path_base(real));
    AUTO_STRLIST struct strlist names = {0};
    path_match(host, bin, pattern, &names);
    if (strpbrk(path_base(real), "*?[") || host_stat(host, real, &own, NULL) != HOST_OK)
        return NULL;
    for (size_t i = 0; i < names.count; i++)
        if (host_stat(host, names.items[i], &other, NULL) == HOST_OK && other.inode == own.inode &&
            other.file_system == own.file_system)
            return version_of_name(path_base(names.items[i]));
    return names.count == 1 ? version_of_name(path_base(names.items[0])) : NULL;
}

static const char *family_of(const char *name)
{
    static const struct {
        const char *part, *family;
    } families[] = {{"clang", "clang"}, {"gcc", "gcc"},   {"g++", "gcc"}, {"nvc", "other"},
                    {"icp", "other"},   {"icx", "other"}, {"c++", "gcc"}, {"cc", "gcc"}};
    for (size_t i = 0; i < sizeof(families) / sizeof(*families); i++)
        if (strstr(name, families[i].part))
            return families[i].family;
    return "other";
}

static bool is_script(const struct host *host, const char *path)
{
    AUTO_TEXT struct text head = {0};
    return host_read_head(host, path, 2, &head, NULL) == HOST_OK &&
           string_equal(text_string(&head), "#!");
}

static void describe(const struct host *host, struct host_compiler *compiler)
{
    if (compiler->path == NULL || host_real_path(host, compiler->path, &compiler->real, NULL))
        return;
    const char *name = path_base(compiler->real);
    compiler->family = family_of(name);
    compiler->version = version_of_name(name);
    if (compiler->version == NULL)
        compiler->version = version_of_directories(compiler->real);
    if (compiler->version == NULL && string_equal(compiler->family, "gcc"))
        compiler->version = version_of_second_name(host, compiler->real);
    if (compiler->version == NULL && string_equal(compiler->family, "gcc"))
        compiler->version = version_of_files(host, compiler->real);
    if (compiler->version == NULL && is_script(host, compiler->real))
        compiler->family = "script";
}

/* ccache and its like start the next program of their own name. */
static bool passes_on(const struct host *host, const char *path)
{
    static const char *const names[] = {"ccache", "sccache", "distcc", "icecc"};
    AUTO_FREE char *real = NULL;
    if (host_real_path(host, path, &real, NULL) != HOST_OK)
        return false;
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        if (string_equal(path_base(real), names[i]))
            return true;
    return false;
}

static char *program_in(const struct host *host, const char *directory, const char *name)
{
    struct host_stat stat;
    AUTO_FREE char *path = path_join(directory, name);
    bool there = host_stat(host, path, &stat, NULL) == HOST_OK && stat.type == HOST_REGULAR &&
                 (!host_is_live(host) || host_can_execute(host, path)) && !passes_on(host, path);
    return there ? mem_steal(&path) : NULL;
}

static char *program_on_path(const struct host *host, const char *first, const char *name)
{
    AUTO_STRLIST struct strlist directories = {0};
    if (first)
        strlist_add(&directories, first);
    path_list(host_environment(host, "PATH"), &directories);
    for (size_t i = 0; i < directories.count; i++) {
        char *path = program_in(host, directories.items[i], name);
        if (path)
            return path;
    }
    return NULL;
}

void host_compiler_find(const struct host *host, const char *value, const char *first,
                        struct host_compiler *ret_compiler)
{
    *ret_compiler = (struct host_compiler){.family = "other"};
    AUTO_STRLIST struct strlist words = {0};
    strlist_split_words(&words, value); /* CC may be "ccache gcc" */
    const char *name = words.count ? words.items[words.count > 1 ? 1 : 0] : "";
    if (*name == '/' && host_is_directory(host, name))
        ret_compiler->path = path_join(name, "gcc");
    else if (*name == '/')
        ret_compiler->path = mem_string(name);
    else if (strchr(name, '/') || host_environment(host, "PATH") == NULL)
        ret_compiler->unclear = true;
    else if (*name)
        ret_compiler->path = program_on_path(host, first, name);
    describe(host, ret_compiler);
}
