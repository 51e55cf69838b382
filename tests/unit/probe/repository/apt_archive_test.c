/* SPDX-License-Identifier: MIT */
#include "probe/tree.h"

#define ARCHIVES "/var/cache/apt/archives"
#define FILE     "libxnvctrl0_1%3a575.57.08-0ubuntu1_amd64.deb"
#define REFUSED  ARCHIVES "/partial/" FILE ".FAILED"
#define GROUP    "apt_archive/" REFUSED
#define INDEX    "/var/lib/apt/lists/developer.download.nvidia.com_compute_Packages"

static void list_package(struct tree *tree, const char *version, const char *size)
{
    AUTO_FREE char *text = mem_printf("Package: libxnvctrl0\nVersion: 1\nArchitecture: amd64\n"
                                      "Size: 1\n\nPackage: libxnvctrl0\nVersion: %s\n"
                                      "Architecture: amd64\nSize: %s\n",
                                      version, size);
    tree_file(tree, INDEX, text);
    tree_probe(tree, probe_apt_archive);
}

static void install(struct tree *tree, const char *version)
{
    AUTO_FREE char *text = mem_printf("Package: libxnvctrl0\nStatus: install ok installed\n"
                                      "Architecture: amd64\nVersion: %s\n",
                                      version);
    tree_file(tree, "/var/lib/dpkg/status", text);
    tree_probe(tree, probe_apt_archive);
}

static void a_refused_package(void **state)
{
    struct tree *tree = *state;
    tree_probe(tree, probe_apt_archive);
    assert_fact_integer(tree, "apt_archive", "count", 0);
    tree_file(tree, REFUSED, "another file");
    tree_file(tree, ARCHIVES "/partial/other.deb.FAILED", "not a name of apt's");
    tree_file(tree, ARCHIVES "/partial/x_1_amd64.deb", "being fetched");
    list_package(tree, "1:575.57.08-0ubuntu1", "37228");
    install(tree, "1:570.133.20-0ubuntu1");
    assert_fact_integer(tree, "apt_archive", "count", 1);
    assert_fact(tree, GROUP, "name", "libxnvctrl0");
    assert_fact(tree, GROUP, "version", "1:575.57.08-0ubuntu1");
    assert_fact(tree, GROUP, "origin", "developer.download.nvidia.com");
    assert_fact_integer(tree, GROUP, "bytes", 12);
    assert_fact_integer(tree, GROUP, "expected_bytes", 37228);
}

/* The index has another version by now, or gives no size; or the package came in another way. */
static void what_is_settled(void **state)
{
    struct tree *tree = *state;
    tree_file(tree, REFUSED, "another file");
    list_package(tree, "1:575.64.03-0ubuntu1", "37228");
    assert_fact_integer(tree, "apt_archive", "count", 0);
    list_package(tree, "1:575.57.08-0ubuntu1", "x");
    assert_fact_integer(tree, "apt_archive", "count", 0);
    list_package(tree, "1:575.57.08-0ubuntu1", "37228");
    assert_fact_integer(tree, "apt_archive", "count", 1);
    install(tree, "1:575.57.08-0ubuntu1");
    assert_fact_integer(tree, "apt_archive", "count", 0);
    install(tree, "1:570.133.20-0ubuntu1");
    tree_file(tree, ARCHIVES "/" FILE, "the right file");
    tree_probe(tree, probe_apt_archive);
    assert_fact_integer(tree, "apt_archive", "count", 0);
}

static void what_cannot_be_read(void **state)
{
    struct tree *tree = *state;
    tree_file(tree, ARCHIVES "/partial", "not a directory");
    tree_probe(tree, probe_apt_archive);
    assert_fact_unknown(tree, "apt_archive", "count", "directory");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        tree_test(a_refused_package),
        tree_test(what_is_settled),
        tree_test(what_cannot_be_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
