/* SPDX-License-Identifier: MIT */
/* Programs that are there and cannot be started. */
#include "probe/service/program.h"

#include "probe/tree.h"

#define HOOK "/usr/bin/nvidia-cdi-hook"

static void assert_flaw(const struct tree *tree, const char *flaw)
{
    struct host *host = host_new(tree->root, NULL);
    AUTO_FREE char *found = program_flaw(host, HOOK);
    host_free(host);
    if (flaw == NULL)
        assert_null(found);
    else
        assert_string_equal(found, flaw);
}

static void make_executable(const struct tree *tree)
{
    AUTO_FREE char *path = mem_printf("%s%s", tree->root, HOOK);
    assert_int_equal(chmod(path, 0755), 0);
}

static void one_after_the_other(void **state)
{
    struct tree *tree = *state;
    assert_flaw(tree, NULL); /* not there: another fact says so */
    tree_file(tree, HOOK, "#!/bin/sh\n");
    assert_flaw(tree, "is not executable");
    make_executable(tree);
    assert_flaw(tree, "needs /bin/sh, which does not exist");
    tree_file(tree, "/bin/sh", "");
    assert_flaw(tree, NULL);
    tree_file(tree, HOOK, "#! /opt/run -e\nmore\n");
    make_executable(tree);
    assert_flaw(tree, "needs /opt/run, which does not exist");
    tree_file(tree, HOOK, "#!/opt/run"); /* no end of the line: the kernel would go on */
    assert_flaw(tree, NULL);
    tree_file(tree, HOOK, "\177ELF");
    assert_flaw(tree, NULL);
}

static void a_directory(void **state)
{
    struct tree *tree = *state;
    tree_file(tree, HOOK "/file", "");
    assert_flaw(tree, "is a directory");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        tree_test(one_after_the_other),
        tree_test(a_directory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
