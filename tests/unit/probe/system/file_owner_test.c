/* SPDX-License-Identifier: MIT */
#include "probe/tree.h"

#include "probe/engine/probes.h"

#define DRIVER "/usr/lib64/libcuda.so.575.57.08"

/* The facts that are asked about, and then who owns the files. */
static void probe_with_libcuda(const struct probe_context *context, struct facts *facts)
{
    probe_package(context, facts);
    facts_set_string(facts, "library/" DRIVER, "name", "libcuda", "test");
    facts_set_string(facts, "library/" DRIVER, "path", DRIVER, "test");
    facts_set_string(facts, "library/opt", "name", "libcuda", "test");
    facts_set_string(facts, "library/opt", "path", "/opt/libcuda.so.1", "test");
    facts_set_string(facts, "library/other", "name", "libcudart", "test");
    facts_set_string(facts, "library/other", "path", "/opt/libcudart.so", "test");
    facts_set_string(facts, "module_file/gone", "path", "/lib/modules/6/nvidia.ko", "test");
    facts_set_string(facts, "toolkit/t", "path", "/usr/local/cuda-12.8", "test");
    probe_file_owner(context, facts);
}

static void make_files(const struct tree *tree)
{
    tree_file(tree, DRIVER, "");
    tree_file(tree, "/opt/libcuda.so.1", "");
    tree_file(tree, "/opt/libcudart.so", "");
    tree_file(tree, "/usr/local/cuda-12.8/bin/nvcc", "");
}

static void assert_owners(const struct tree *tree, const char *driver, const char *nvcc)
{
    assert_fact_integer(tree, "file_owner", "count", 3);
    assert_fact(tree, "file_owner/" DRIVER, "package", driver);
    assert_fact_absent(tree, "file_owner//opt/libcuda.so.1", "package");
    if (nvcc)
        assert_fact(tree, "file_owner//usr/local/cuda-12.8/bin/nvcc", "package", nvcc);
    else
        assert_fact_absent(tree, "file_owner//usr/local/cuda-12.8/bin/nvcc", "package");
}

static void dpkg_lists_files(void **state)
{
    struct tree *tree = *state;
    make_files(tree);
    tree_file(tree, "/var/lib/dpkg/status",
              "Package: libnvidia-compute-575\nArchitecture: amd64\nVersion: 575.57.08-1\n\n"
              "Package: cuda-nvcc-12-8\nArchitecture: amd64\nVersion: 12.8\n\n");
    tree_file(tree, "/var/lib/dpkg/info/libnvidia-compute-575:amd64.list",
              "/.\n/usr\n/lib64\n/lib64/libcuda.so.575.57.08\n");
    tree_file(tree, "/var/lib/dpkg/info/cuda-nvcc-12-8.list", "/usr/local/cuda-12.8/bin/nvcc\n");
    tree_probe(tree, probe_with_libcuda);
    assert_owners(tree, "libnvidia-compute-575", "cuda-nvcc-12-8");
    assert_fact(tree, "file_owner/" DRIVER, "version", "575.57.08-1");
    /* Diverted, the package's file is at the other path. */
    tree_file(tree, "/var/lib/dpkg/diversions",
              "/lib64/libcuda.so.575.57.08\n/opt/libcuda.so.1\nshim\n");
    tree_probe(tree, probe_with_libcuda);
    assert_fact_absent(tree, "file_owner/" DRIVER, "package");
    assert_fact(tree, "file_owner//opt/libcuda.so.1", "package", "libnvidia-compute-575");
}

static void rpm_lists_files(void **state)
{
    struct tree *tree = *state;
    char bytes[65536];
    make_files(tree);
    FILE *file = fopen(TEST_SOURCE_DIR "/tests/fuzz/corpus/rpm_bdb/real-4.16", "r");
    assert_non_null(file);
    size_t size = fread(bytes, 1, sizeof(bytes), file);
    fclose(file);
    tree_bytes(tree, "/var/lib/rpm/Packages", bytes, size);
    tree_probe(tree, probe_with_libcuda);
    assert_owners(tree, "nvidia-driver-cuda-libs", NULL);
}

static void pacman_lists_files(void **state)
{
    struct tree *tree = *state;
    make_files(tree);
    tree_file(tree, "/var/lib/pacman/local/nvidia-utils-575.57.08-1/desc",
              "%NAME%\nnvidia-utils\n\n%VERSION%\n575.57.08-1\n");
    tree_file(tree, "/var/lib/pacman/local/nvidia-utils-575.57.08-1/files",
              "%FILES%\nusr/\nusr/lib64/libcuda.so.575.57.08\n\n%BACKUP%\nopt/libcuda.so.1\tx\n");
    tree_probe(tree, probe_with_libcuda);
    assert_owners(tree, "nvidia-utils", NULL);
}

static void what_is_not_known_is_not_told(void **state)
{
    struct tree *tree = *state;
    make_files(tree);
    tree_probe(tree, probe_with_libcuda);
    assert_fact_skipped(tree, "file_owner", "count", "not known");
    tree_file(tree, "/var/lib/dpkg/status", "Package: nvidia-a\n");
    tree_bytes(tree, "/var/lib/dpkg/info/nvidia-a.list", "/a\0b\n", 5);
    tree_probe(tree, probe_with_libcuda);
    assert_fact_unknown(tree, "file_owner", "count", "NUL");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        tree_test(dpkg_lists_files),
        tree_test(rpm_lists_files),
        tree_test(pacman_lists_files),
        tree_test(what_is_not_known_is_not_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
