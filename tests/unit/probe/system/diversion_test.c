/* SPDX-License-Identifier: MIT */
#include "probe/tree.h"

#include "probe/engine/probes.h"

#define LIBCUDA "/usr/lib/x86_64-linux-gnu/libcuda.so.1"
#define GROUP   "diversion/" LIBCUDA
#define LIST    "/var/lib/dpkg/diversions"

static void add_packages(const struct tree *tree)
{
    tree_file(tree, "/var/lib/dpkg/status",
              "Package: glx-diversions\nStatus: install ok installed\nVersion: 1.2.2\n\n"
              "Package: shim\nStatus: deinstall ok config-files\nVersion: 1\n\n");
}

static void whose_and_where(void **state)
{
    struct tree *tree = *state;
    add_packages(tree);
    tree_file(tree, LIBCUDA ".distrib", "");
    tree_file(tree, LIST,
              "/bin/sh\n/bin/sh.distrib\ndash\n" LIBCUDA "\n" LIBCUDA ".distrib\nshim\n"
              "/usr/lib/libGL.so.1\n/usr/lib/mesa-diverted/libGL.so.1\nglx-diversions\n"
              "/usr/lib/libEGL.so.1\n/usr/lib/x/libEGL.so.1\n:\n");
    tree_probe(tree, probe_diversion);
    assert_fact_integer(tree, "diversion", "count", 3);
    assert_fact(tree, GROUP, "to", LIBCUDA ".distrib");
    assert_fact(tree, GROUP, "by", "shim");
    assert_fact_boolean(tree, GROUP, "by_installed", false);
    assert_fact_boolean(tree, GROUP, "there", false);
    assert_fact_boolean(tree, GROUP, "diverted_there", true);
    assert_fact_boolean(tree, "diversion//usr/lib/libGL.so.1", "by_installed", true);
    assert_fact_absent(tree, "diversion//usr/lib/libEGL.so.1", "by");
}

static void none(void **state)
{
    struct tree *tree = *state;
    tree_probe(tree, probe_diversion);
    assert_fact_absent(tree, "diversion", "count");
    add_packages(tree);
    tree_file(tree, LIST, "");
    tree_probe(tree, probe_diversion);
    assert_fact_integer(tree, "diversion", "count", 0);
}

/* What does not have its form is not guessed at. */
static void what_is_no_list(void **state)
{
    struct tree *tree = *state;
    add_packages(tree);
    tree_file(tree, LIST, LIBCUDA "\n" LIBCUDA ".distrib\n");
    tree_probe(tree, probe_diversion);
    assert_fact_integer(tree, "diversion", "count", 0);
    tree_file(tree, LIST, "libcuda.so.1\nelsewhere\nshim\n");
    tree_probe(tree, probe_diversion);
    assert_fact_integer(tree, "diversion", "count", 0);
    tree_bytes(tree, LIST, "/a\0b\n", 5);
    tree_probe(tree, probe_diversion);
    assert_fact_unknown(tree, "diversion", "count", "NUL");
    tree_file(tree, LIST, LIBCUDA "\n" LIBCUDA ".distrib\nshim\n");
    tree_directory(tree, "/var/lib/dpkg/status.d");
    tree_bytes(tree, "/var/lib/dpkg/status", "Package: a\0b\n", 13);
    tree_probe(tree, probe_diversion);
    assert_fact_unknown(tree, "diversion", "count", "NUL");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        tree_test(whose_and_where),
        tree_test(none),
        tree_test(what_is_no_list),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
