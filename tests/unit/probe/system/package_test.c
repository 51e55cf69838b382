/* SPDX-License-Identifier: MIT */
#include "probe/tree.h"

#include "probe/engine/probes.h"

#define STATUS "/var/lib/dpkg/status"

static void keeps_what_matters(void **state)
{
    struct tree *tree = *state;
    tree_file(tree, STATUS,
              "Package: bash\nStatus: install ok installed\nVersion: 5.2\n\n"
              "Package: nvidia-driver-570\nStatus: install ok installed\nArchitecture: amd64\n"
              "Version: 570.86.15-0ubuntu1\nDescription: a driver\n Version: 1\n Package: x\n\n"
              "Package: libcudnn9-cuda-12\nStatus: install ok half-installed\nVersion: 9.8.0\n\n"
              "Package: cuda-toolkit-12-4\nStatus: deinstall ok config-files\nVersion: 12.4\n\n"
              "Package: cuda-toolkit-12-2\nStatus: purge ok not-installed\n\n"
              "Package: xserver-xorg-video-nouveau\nStatus: install ok installed\nVersion: 1\n");
    tree_probe(tree, probe_package);
    assert_fact_integer(tree, "package", "count", 2);
    assert_fact(tree, "package/nvidia-driver-570", "name", "nvidia-driver-570");
    assert_fact(tree, "package/nvidia-driver-570", "version", "570.86.15-0ubuntu1");
    assert_fact(tree, "package/nvidia-driver-570", "status", "install ok installed");
    assert_fact(tree, "package/libcudnn9-cuda-12", "status", "install ok half-installed");
    assert_null(facts_get(tree->facts, "package/cuda-toolkit-12-4", "name"));
    assert_null(facts_get(tree->facts, "package/bash", "name"));
}

static void two_architectures_are_two_packages(void **state)
{
    struct tree *tree = *state;
    tree_file(tree, STATUS,
              "Package: libnvidia-compute-570\nStatus: install ok installed\nVersion: 1\n"
              "Architecture: amd64\n\n"
              "Package: libnvidia-compute-570\nStatus: install ok installed\nVersion: 2\n"
              "Architecture: i386\n\n");
    tree_probe(tree, probe_package);
    assert_fact_integer(tree, "package", "count", 2);
    assert_fact(tree, "package/libnvidia-compute-570", "version", "1");
    assert_fact(tree, "package/libnvidia-compute-570:i386", "version", "2");
}

static void distroless_images_have_a_file_per_package(void **state)
{
    struct tree *tree = *state;
    tree_file(tree, "/var/lib/dpkg/status.d/base", "Package: base-files\nVersion: 12\n");
    tree_file(tree, "/var/lib/dpkg/status.d/cudart", "Package: cuda-cudart-12-8\nVersion: 12.8\n");
    tree_file(tree, "/var/lib/dpkg/status.d/cudart.md5sums", "Package: nvidia-no\n");
    tree_probe(tree, probe_package);
    assert_fact_integer(tree, "package", "count", 1);
    assert_fact(tree, "package/cuda-cudart-12-8", "version", "12.8");
    assert_fact_absent(tree, "package/cuda-cudart-12-8", "status");
}

static void a_database_that_is_not_read_is_no_empty_one(void **state)
{
    struct tree *tree = *state;
    tree_probe(tree, probe_package);
    assert_fact_absent(tree, "package", "count");
    tree_directory(tree, "/usr/lib/sysimage/rpm");
    tree_probe(tree, probe_package);
    assert_fact_skipped(tree, "package", "count", "rpm database is not read");
    tree_file(tree, STATUS, "");
    tree_probe(tree, probe_package);
    assert_fact_skipped(tree, "package", "count", "rpm database is not read");
    tree_file(tree, STATUS, "Package: bash\nStatus: install ok installed\n");
    tree_probe(tree, probe_package);
    assert_fact_integer(tree, "package", "count", 0);
}

static void survives_hostile_databases(void **state)
{
    struct tree *tree = *state;
    tree_file(tree, STATUS, "Package:\nPackage: nvidia-\033[31m\377\nVersion:\n\n\n \nStatus: x");
    tree_probe(tree, probe_package);
    assert_fact_integer(tree, "package", "count", 1);
    assert_fact(tree, "package/nvidia-\\x1b[31m\\xff", "name", "nvidia-\033[31m\377");
    assert_fact_absent(tree, "package/nvidia-\\x1b[31m\\xff", "version");

    tree_bytes(tree, STATUS, "Package: nvidia\0\n", 17);
    tree_probe(tree, probe_package);
    assert_fact_unknown(tree, "package", "count", "NUL");
}

static void too_many_packages_are_not_kept(void **state)
{
    struct tree *tree = *state;
    AUTO_TEXT struct text text = {0};
    for (int i = 0; i <= PROBE_INSTANCES; i++)
        text_printf(&text, "Package: nvidia-%d\n\n", i);
    tree_file(tree, STATUS, text.data);
    tree_probe(tree, probe_package);
    assert_fact_unknown(tree, "package", "count", "too many");
    assert_int_equal(facts_group_count(tree->facts), PROBE_INSTANCES + 1);
}

static void all_files_together_are_bounded(void **state)
{
    struct tree *tree = *state;
    const size_t size = 17u << 20;
    AUTO_FREE char *lines = mem_alloc(size);
    memset(lines, '\n', size);
    tree_bytes(tree, "/big", lines, size);
    tree_link(tree, "/var/lib/dpkg/status.d/one", "/big");
    tree_probe(tree, probe_package);
    assert_fact_integer(tree, "package", "count", 0);
    tree_link(tree, "/var/lib/dpkg/status.d/two", "/big");
    tree_probe(tree, probe_package);
    assert_fact_unknown(tree, "package", "count", "larger than");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        tree_test(keeps_what_matters),
        tree_test(two_architectures_are_two_packages),
        tree_test(distroless_images_have_a_file_per_package),
        tree_test(a_database_that_is_not_read_is_no_empty_one),
        tree_test(survives_hostile_databases),
        tree_test(too_many_packages_are_not_kept),
        tree_test(all_files_together_are_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
