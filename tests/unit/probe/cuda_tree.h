/* SPDX-License-Identifier: MIT */
#ifndef TESTS_UNIT_PROBE_CUDA_TREE_H
#define TESTS_UNIT_PROBE_CUDA_TREE_H

#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/strlist.h"
#include "facts/facts.h"
#include "host/loader/loader.h"
#include "host/root/host.h"
#include "probe/engine/probes.h"

/* A root directory made for one test. */
struct tree {
    char root[32];
    struct host *host;
    struct loader *loader;
    struct facts *facts;
};

static inline int tree_remove_entry(const char *path, const struct stat *stat, int type,
                                    struct FTW *ftw)
{
    (void)stat;
    (void)type;
    (void)ftw;
    return remove(path);
}

static inline void tree_make_parents(const char *path)
{
    char *copy = mem_string(path);
    for (char *slash = strchr(copy + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(copy, 0755);
        *slash = '/';
    }
    free(copy);
}

/* The path in the test's own file system; its directories are made. */
static inline char *tree_path(const struct tree *tree, const char *path)
{
    char *full = mem_printf("%s%s", tree->root, path);
    tree_make_parents(full);
    return full;
}

static inline void tree_file(const struct tree *tree, const char *path, const char *content)
{
    char *full = tree_path(tree, path);
    FILE *file = fopen(full, "we");
    assert_non_null(file);
    assert_int_equal(fwrite(content, 1, strlen(content), file), strlen(content));
    assert_int_equal(fclose(file), 0);
    free(full);
}

static inline void tree_program(const struct tree *tree, const char *path)
{
    tree_file(tree, path, "#!/bin/false\n");
    char *full = tree_path(tree, path);
    assert_int_equal(chmod(full, 0755), 0);
    free(full);
}

static inline void tree_link(const struct tree *tree, const char *target, const char *path)
{
    char *full = tree_path(tree, path);
    assert_int_equal(symlink(target, full), 0);
    free(full);
}

static inline void tree_directory(const struct tree *tree, const char *path)
{
    char *inside = mem_printf("%s/x", path);
    free(tree_path(tree, inside));
    free(inside);
}

static inline void tree_cc(const char *output, const char *soname, const char *flags)
{
    char *command = mem_printf("cc -shared -nostdlib -x c /dev/null %s%s -o '%s' %s",
                               soname ? "-Wl,-soname," : "", soname ? soname : "", output, flags);
    assert_int_equal(system(command), 0);
    free(command);
}

/* A real shared library without code. needed (NULL: none) is one DT_NEEDED, which need not exist
 * in the tree; runpath may be NULL. */
static inline void tree_library(const struct tree *tree, const char *path, const char *soname,
                                const char *needed, const char *runpath)
{
    char *full = tree_path(tree, path);
    if (needed) {
        char *dependency = mem_printf("%s.dependency", tree->root);
        tree_cc(dependency, needed, "");
        char *flags = mem_printf("-x none -Wl,--no-as-needed '%s' %s%s%s", dependency,
                                 runpath ? "-Wl,--enable-new-dtags,-rpath,'" : "",
                                 runpath ? runpath : "", runpath ? "'" : "");
        tree_cc(full, soname, flags);
        assert_int_equal(unlink(dependency), 0);
        free(flags);
        free(dependency);
    } else {
        tree_cc(full, soname, "");
    }
    free(full);
}

static inline struct tree *tree_new(void)
{
    struct tree *tree = mem_alloc(sizeof(*tree));
    strcpy(tree->root, "/tmp/gpuenv-test-XXXXXX");
    assert_non_null(mkdtemp(tree->root));
    tree->facts = facts_new();
    tree->host = host_new(tree->root, NULL);
    assert_non_null(tree->host);
    tree_library(tree, "/bin/sh", NULL, NULL, NULL); /* says what machine this is */
    return tree;
}

static inline void tree_free(struct tree *tree)
{
    loader_free(tree->loader);
    host_free(tree->host);
    facts_free(tree->facts);
    nftw(tree->root, tree_remove_entry, 16, FTW_DEPTH | FTW_PHYS);
    free(tree);
}

static inline void tree_probe(struct tree *tree, void (*probe)(const struct probe_context *context,
                                                               struct facts *facts))
{
    if (tree->loader == NULL)
        tree->loader = loader_new(tree->host);
    const struct probe_context context = {.host = tree->host, .loader = tree->loader};
    probe(&context, tree->facts);
}

/* The same for the machine the test runs on. */
static inline struct facts *
machine_probe(bool deep, void (*probe)(const struct probe_context *context, struct facts *facts))
{
    struct facts *facts = facts_new();
    struct host *host = host_new(NULL, NULL);
    assert_non_null(host);
    struct loader *loader = loader_new(host);
    const struct probe_context context = {
        .host = host, .loader = loader, .deep = deep, .deadline_ms = UINT64_MAX};
    probe(&context, facts);
    loader_free(loader);
    host_free(host);
    return facts;
}

static inline void assert_fact(const struct facts *facts, const char *group, const char *name,
                               const char *value)
{
    const char *found = facts_string(facts, group, name);
    if (found == NULL)
        fail_msg("%s %s has no value", group, name);
    assert_string_equal(found, value);
}

static inline void assert_state(const struct facts *facts, const char *group, const char *name,
                                enum fact_state state)
{
    const struct fact *fact = facts_get(facts, group, name);
    if (fact == NULL)
        fail_msg("%s %s was not recorded", group, name);
    assert_int_equal(fact->state, state);
}

/* The reason of an unknown fact. */
static inline const char *unknown_reason(const struct facts *facts, const char *group,
                                         const char *name)
{
    assert_state(facts, group, name, FACT_UNKNOWN);
    return facts_get(facts, group, name)->reason;
}

static inline void assert_list(const struct facts *facts, const char *group, const char *name,
                               const char *joined)
{
    const struct strlist *list = facts_list(facts, group, name);
    if (list == NULL)
        fail_msg("%s %s is no list", group, name);
    char *found = strlist_join(list, " ");
    assert_string_equal(found, joined);
    free(found);
}

#endif
