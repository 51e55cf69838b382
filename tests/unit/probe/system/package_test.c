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
    assert_fact_absent(tree, "package", "database");
    tree_directory(tree, "/usr/lib/sysimage/rpm");
    tree_probe(tree, probe_package);
    assert_fact_skipped(tree, "package", "count", "no rpm database");
    tree_file(tree, STATUS, "");
    tree_probe(tree, probe_package);
    assert_fact_skipped(tree, "package", "count", "no rpm database");
    tree_file(tree, STATUS, "Package: bash\nStatus: install ok installed\n");
    tree_probe(tree, probe_package);
    assert_fact_integer(tree, "package", "count", 0);
}

/* The databases of the fuzz targets: real rpms have made them. */
static void copy_sample(const struct tree *tree, const char *sample, const char *path)
{
    char bytes[65536];
    AUTO_FREE char *full = mem_printf(TEST_SOURCE_DIR "/tests/fuzz/corpus/%s", sample);
    FILE *file = fopen(full, "r");
    assert_non_null(file);
    size_t size = fread(bytes, 1, sizeof(bytes), file);
    fclose(file);
    tree_bytes(tree, path, bytes, size);
}

static void rpm_is_read_in_every_format(void **state)
{
    static const struct {
        const char *sample, *path;
    } rows[] = {{"rpm_bdb/real-4.16", "/usr/lib/sysimage/rpm/Packages"},
                {"rpm_ndb/real-4.20", "/usr/lib/sysimage/rpm/Packages.db"},
                {"rpm_sqlite/real-4.18", "/var/lib/rpm/rpmdb.sqlite"}};
    struct tree *tree = *state;
    tree_file(tree, STATUS, ""); /* dpkg as a tool */
    tree_file(tree, "/etc/dnf/plugins/versionlock.list", "nvidia-driver-cuda-libs-3:575*\n");
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        copy_sample(tree, rows[i].sample, rows[i].path);
        tree_probe(tree, probe_package);
        assert_fact(tree, "package", "database", "rpm");
        assert_string_equal(tree_fact(tree, "package", "count")->source, rows[i].path);
        assert_fact_integer(tree, "package", "count", 3);
        assert_fact(tree, "package/nvidia-driver-cuda-libs", "version", "575.57.08-1.el9");
        assert_fact(tree, "package/nvidia-driver-cuda-libs", "vendor", "NVIDIA CORPORATION");
        assert_fact(tree, "package/nvidia-driver-cuda-libs", "architecture", "x86_64");
        assert_fact(tree, "package/nvidia-driver-cuda-libs", "hold", "versionlock");
        assert_fact_absent(tree, "package/nvidia-driver-cuda-libs", "status");
        assert_fact_absent(tree, "package/akmod-nvidia", "hold");
        assert_fact_list(tree, "package", "holds", "versionlock: nvidia-driver-cuda-libs-3:575*");
    }
    tree_file(tree, "/var/lib/rpm/rpmdb.sqlite-journal", "journal");
    tree_probe(tree, probe_package);
    assert_fact_unknown(tree, "package", "count", "rpm transaction");
    tree_bytes(tree, "/var/lib/rpm/rpmdb.sqlite-journal", "", 0);
    tree_file(tree, "/var/lib/rpm/rpmdb.sqlite", "SQLite format 3");
    tree_probe(tree, probe_package);
    assert_fact_unknown(tree, "package", "count", "the file ends");
}

static void pacman_is_read(void **state)
{
    static const char local[] = "/var/lib/pacman/local";
    struct tree *tree = *state;
    tree_directory(tree, local);
    tree_probe(tree, probe_package);
    assert_fact_skipped(tree, "package", "count", "pacman");
    tree_file(tree, "/var/lib/pacman/local/ALPM_DB_VERSION", "9\n");
    tree_file(tree, "/var/lib/pacman/local/linux-6.17.9.arch1-1/desc", "%NAME%\nlinux\n");
    tree_file(tree, "/var/lib/pacman/local/nvidia-utils-580.95.05-3/desc",
              "%NAME%\nnvidia-utils\n\n%VERSION%\n580.95.05-3\n\n%ARCH%\nx86_64\n\n%DEPENDS%\n"
              "cuda\n%NAME%\n\n");
    tree_file(tree, "/var/lib/pacman/local/nvidia-open-580.95.05-3/desc", "%NAME%\n");
    tree_file(tree, "/etc/pacman.conf", "[options]\nIgnorePkg = nvidia-*\n");
    tree_probe(tree, probe_package);
    assert_fact(tree, "package", "database", "pacman");
    assert_fact_integer(tree, "package", "count", 1);
    assert_fact(tree, "package/nvidia-utils", "version", "580.95.05-3");
    assert_fact(tree, "package/nvidia-utils", "architecture", "x86_64");
    assert_fact(tree, "package/nvidia-utils", "hold", "IgnorePkg");
    tree_bytes(tree, "/var/lib/pacman/local/nvidia-open-580.95.05-3/desc", "%NAME%\n\0", 8);
    tree_probe(tree, probe_package);
    assert_fact_unknown(tree, "package", "count", "NUL");
}

/* Each of the same name has a group of its own; an upgrade that was broken off leaves two. */
static void two_versions_are_two_packages(void **state)
{
    struct tree *tree = *state;
    tree_file(tree, STATUS,
              "Package: nvidia-a\nStatus: hold ok installed\nVersion: 1\nArchitecture: x\n\n"
              "Package: nvidia-a\nVersion: 2\nArchitecture: x\n\n");
    tree_probe(tree, probe_package);
    assert_fact_integer(tree, "package", "count", 2);
    assert_fact(tree, "package/nvidia-a", "version", "1");
    assert_fact(tree, "package/nvidia-a", "hold", "dpkg");
    assert_fact(tree, "package/nvidia-a:x:2", "version", "2");
    assert_fact_absent(tree, "package/nvidia-a:x:2", "hold");
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
        tree_test(rpm_is_read_in_every_format),
        tree_test(pacman_is_read),
        tree_test(two_versions_are_two_packages),
        tree_test(survives_hostile_databases),
        tree_test(too_many_packages_are_not_kept),
        tree_test(all_files_together_are_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
