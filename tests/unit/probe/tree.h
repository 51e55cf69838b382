/* SPDX-License-Identifier: MIT */
#ifndef TESTS_UNIT_PROBE_TREE_H
#define TESTS_UNIT_PROBE_TREE_H

/* A small tree below a temporary directory, a host on it, and the facts of one probe. Used as
 * cmocka's state: cmocka_unit_test_setup_teardown(test, tree_setup, tree_teardown). */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "test.h"

#include "base/memory.h"
#include "base/strlist.h"
#include "facts/dictionary.h"
#include "facts/facts.h"
#include "host/loader/loader.h"
#include "host/root/host.h"
#include "probe/engine/probes.h"
#include "probe/table.h"

struct tree {
    char root[64];
    struct facts *facts;
};

static inline int tree_setup(void **state)
{
    struct tree *tree = mem_alloc(sizeof(*tree));
    strcpy(tree->root, "/tmp/gpuenv-probe-XXXXXX");
    assert_non_null(mkdtemp(tree->root));
    *state = tree;
    return 0;
}

static inline int tree_remove_one(const char *path, const struct stat *stat, int type,
                                  struct FTW *walk)
{
    (void)stat;
    (void)type;
    (void)walk;
    return remove(path);
}

static inline int tree_teardown(void **state)
{
    struct tree *tree = *state;
    assert_int_equal(nftw(tree->root, tree_remove_one, 16, FTW_DEPTH | FTW_PHYS), 0);
    facts_free(tree->facts);
    free(tree);
    return 0;
}

/* The path outside, its parents made. */
static inline char *tree_path(const struct tree *tree, const char *path)
{
    char *full = mem_printf("%s%s", tree->root, path);
    for (char *slash = strchr(full + strlen(tree->root) + 1, '/'); slash;
         slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        assert_true(mkdir(full, 0755) == 0 || errno == EEXIST);
        *slash = '/';
    }
    return full;
}

static inline void tree_bytes(const struct tree *tree, const char *path, const char *bytes,
                              size_t size)
{
    AUTO_FREE char *full = tree_path(tree, path);
    FILE *file = fopen(full, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static inline void tree_file(const struct tree *tree, const char *path, const char *text)
{
    tree_bytes(tree, path, text, strlen(text));
}

static inline void tree_directory(const struct tree *tree, const char *path)
{
    AUTO_FREE char *full = tree_path(tree, path);
    assert_int_equal(mkdir(full, 0755), 0);
}

static inline void tree_link(const struct tree *tree, const char *path, const char *target)
{
    AUTO_FREE char *full = tree_path(tree, path);
    assert_int_equal(symlink(target, full), 0);
}

/* When what is there was changed last. */
static inline void tree_date(const struct tree *tree, const char *path, time_t seconds)
{
    AUTO_FREE char *full = tree_path(tree, path);
    const struct timespec times[] = {{.tv_sec = seconds}, {.tv_sec = seconds}};
    assert_int_equal(utimensat(AT_FDCWD, full, times, AT_SYMLINK_NOFOLLOW), 0);
}

/* Runs run() (or, for NULL, all probes) on the tree, or on the live machine for root "/"; the facts
 * stay with the tree. variable, when given, is set in the host's environment meanwhile. */
static inline void tree_probe_root(struct tree *tree, const char *root, const char *variable,
                                   const char *value,
                                   void (*run)(const struct probe_context *, struct facts *))
{
    bool live = strcmp(root, "/") == 0;
    if (variable && live)
        assert_int_equal(setenv(variable, value, 1), 0);
    struct host *host = host_new(root, NULL);
    assert_non_null(host);
    if (variable && !live)
        host_set_environment(host, variable, value);
    struct loader *loader = loader_new(host);
    struct probe_context context = {.host = host, .loader = loader, .deadline_ms = UINT64_MAX};
    facts_free(tree->facts);
    tree->facts = facts_new();
    if (run)
        run(&context, tree->facts);
    else
        probe_all(&context, NULL, tree->facts);
    loader_free(loader);
    host_free(host);
    if (variable && live)
        unsetenv(variable);
}

static inline void tree_probe(struct tree *tree,
                              void (*run)(const struct probe_context *, struct facts *))
{
    tree_probe_root(tree, tree->root, NULL, NULL, run);
}

static inline const struct fact *tree_fact(const struct tree *tree, const char *group,
                                           const char *name)
{
    const struct fact *fact = facts_get(tree->facts, group, name);
    if (fact == NULL)
        fail_msg("%s.%s was not recorded", group, name);
    return fact;
}

static inline void assert_fact(const struct tree *tree, const char *group, const char *name,
                               const char *value)
{
    const struct fact *fact = tree_fact(tree, group, name);
    if (fact->state != FACT_VALUE)
        fail_msg("%s.%s has no value: %s", group, name, fact->reason ? fact->reason : "absent");
    assert_int_equal(fact->type, FACT_STRING);
    assert_string_equal(fact->string, value);
}

static inline void assert_fact_integer(const struct tree *tree, const char *group, const char *name,
                                       long long value)
{
    const struct fact *fact = tree_fact(tree, group, name);
    if (fact->state != FACT_VALUE)
        fail_msg("%s.%s has no value: %s", group, name, fact->reason ? fact->reason : "absent");
    assert_int_equal(fact->type, FACT_INTEGER);
    assert_int_equal(fact->integer, value);
}

static inline void assert_fact_boolean(const struct tree *tree, const char *group, const char *name,
                                       bool value)
{
    const struct fact *fact = tree_fact(tree, group, name);
    if (fact->state != FACT_VALUE)
        fail_msg("%s.%s has no value: %s", group, name, fact->reason ? fact->reason : "absent");
    assert_int_equal(fact->type, FACT_BOOLEAN);
    assert_int_equal(fact->boolean, value);
}

/* The list, joined by commas. */
static inline void assert_fact_list(const struct tree *tree, const char *group, const char *name,
                                    const char *value)
{
    const struct fact *fact = tree_fact(tree, group, name);
    assert_int_equal(fact->state, FACT_VALUE);
    assert_int_equal(fact->type, FACT_LIST);
    AUTO_FREE char *joined = strlist_join(&fact->list, ",");
    assert_string_equal(joined, value);
}

static inline void assert_fact_absent(const struct tree *tree, const char *group, const char *name)
{
    assert_int_equal(tree_fact(tree, group, name)->state, FACT_ABSENT);
}

/* part: what the reason must say. */
static inline void assert_fact_unknown(const struct tree *tree, const char *group, const char *name,
                                       const char *part)
{
    const struct fact *fact = tree_fact(tree, group, name);
    assert_int_equal(fact->state, FACT_UNKNOWN);
    if (strstr(fact->reason, part) == NULL)
        fail_msg("%s.%s: \"%s\" does not say \"%s\"", group, name, fact->reason, part);
}

static inline void assert_fact_skipped(const struct tree *tree, const char *group, const char *name,
                                       const char *part)
{
    const struct fact *fact = tree_fact(tree, group, name);
    assert_int_equal(fact->state, FACT_SKIPPED);
    if (strstr(fact->reason, part) == NULL)
        fail_msg("%s.%s: \"%s\" does not say \"%s\"", group, name, fact->reason, part);
}

#define tree_test(function) cmocka_unit_test_setup_teardown(function, tree_setup, tree_teardown)

#endif
