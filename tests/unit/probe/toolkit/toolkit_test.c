/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "base/path.h"
#include "probe/cuda_tree.h"
#include "probe/places/site.h"
#include "probe/places/toolkit_root.h"

#define CUDA "/usr/local/cuda-12.8"
#define ALL  "nvcc ptxas cicc libdevice cudart headers"

static int64_t toolkit_count(const struct facts *facts)
{
    int64_t count = -1;
    assert_true(facts_integer(facts, "toolkit", "count", &count));
    return count;
}

static void make_whole_toolkit(const struct tree *tree, const char *root)
{
    static const char *const files[] = {
        "bin/ptxas",
        "nvvm/bin/cicc",
        "nvvm/libdevice/libdevice.10.bc",
        "targets/x86_64-linux/lib/libcudart.so.12.8.90",
        "targets/x86_64-linux/include/cuda_runtime.h",
    };
    char *nvcc = path_join(root, "bin/nvcc");
    tree_program(tree, nvcc);
    free(nvcc);
    for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
        char *path = path_join(root, files[i]);
        tree_file(tree, path, "");
        free(path);
    }
}

static void test_nothing_there(void **state)
{
    (void)state;
    struct tree *tree = tree_new();
    tree_directory(tree, "/usr/local/cuda-9.9");
    tree_file(tree, "/usr/local/cuda-12.run", "");
    tree_probe(tree, probe_toolkit);
    assert_int_equal(toolkit_count(tree->facts), 0);
    assert_state(tree->facts, "toolkit", "default", FACT_ABSENT);
    assert_state(tree->facts, "toolkit", "default_link", FACT_ABSENT);
    assert_state(tree->facts, "toolkit", "nvcc_on_path", FACT_SKIPPED);
    tree_free(tree);
}

static void test_installer_log(void **state)
{
    (void)state;
    struct tree *tree = tree_new();
    tree_probe(tree, probe_toolkit);
    assert_state(tree->facts, "toolkit", "installer_errors", FACT_ABSENT);
    tree_file(tree, "/tmp/cuda-installer.log", "[INFO]: Extracting\n");
    tree_probe(tree, probe_toolkit);
    assert_int_equal(facts_list(tree->facts, "toolkit", "installer_errors")->count, 0);
    tree_file(tree, "/var/log/cuda-installer.log",
              "[INFO]: Extracting\nx: No space left on device: \"/tmp/a\"\n");
    tree_probe(tree, probe_toolkit);
    const struct strlist *errors = facts_list(tree->facts, "toolkit", "installer_errors");
    assert_int_equal(errors->count, 1);
    assert_string_equal(errors->items[0], "x: No space left on device: \"/tmp/a\"");
    tree_free(tree);
}

/* The HPC SDK's compilers/bin/nvcc calls that of the CUDA beside it. */
static void test_redirector(void **state)
{
    static const char sdk[] = "/opt/nvidia/hpc_sdk/Linux_x86_64/21.9";
    (void)state;
    struct tree *tree = tree_new();
    make_whole_toolkit(tree, "/opt/nvidia/hpc_sdk/Linux_x86_64/21.9/cuda/11.0");
    make_whole_toolkit(tree, "/opt/nvidia/hpc_sdk/Linux_x86_64/21.9/cuda/11.4");
    tree_program(tree, "/opt/nvidia/hpc_sdk/Linux_x86_64/21.9/compilers/bin/nvcc");
    char *path = mem_printf("%s/compilers/bin", sdk);
    host_set_environment(tree->host, "PATH", path);
    tree_probe(tree, probe_toolkit);
    assert_fact(tree->facts, "toolkit", "nvcc_on_path",
                "/opt/nvidia/hpc_sdk/Linux_x86_64/21.9/cuda/11.4/bin/nvcc");
    assert_int_equal(toolkit_count(tree->facts), 2); /* the other one is found all the same */
    tree_link(tree, "11.0/bin", "/opt/nvidia/hpc_sdk/Linux_x86_64/21.9/cuda/bin");
    tree_probe(tree, probe_toolkit);
    assert_fact(tree->facts, "toolkit", "nvcc_on_path",
                "/opt/nvidia/hpc_sdk/Linux_x86_64/21.9/cuda/11.0/bin/nvcc");
    free(path);
    tree_free(tree);
}

/* Without a module file, or in another place. math_libs has the headers of the libraries. */
static void test_hpc_sdk(void **state)
{
    static const char group[] = "toolkit//opt/nvidia/hpc_sdk/Linux_aarch64/25.9/cuda/12.9";
    static const char beside[] = "/opt/nvidia/hpc_sdk/Linux_aarch64/25.9/math_libs/12.9/include";
    (void)state;
    struct tree *tree = tree_new();
    make_whole_toolkit(tree, "/opt/nvidia/hpc_sdk/Linux_aarch64/25.9/cuda/12.9");
    make_whole_toolkit(tree, "/apps/nvhpc/24.3/cuda/12.3");
    tree_program(tree, "/opt/nvidia/hpc_sdk/Linux_aarch64/25.9/compilers/bin/nvc");
    tree_file(tree, "/opt/nvidia/hpc_sdk/Linux_aarch64/25.9/math_libs/12.9/include/cublas_v2.h",
              "");
    tree_link(tree, "25.9", "/opt/nvidia/hpc_sdk/Linux_aarch64/2025");
    tree_probe(tree, probe_toolkit);
    assert_int_equal(toolkit_count(tree->facts), 1);
    assert_fact(tree->facts, group, "origin", "hpc-sdk");
    assert_list(tree->facts, group, "library_headers", "");
    assert_fact(tree->facts, group, "library_headers_beside", beside);
    assert_state(tree->facts, group, "programs", FACT_SKIPPED);
    tree_file(tree, "/opt/nvidia/hpc_sdk/Linux_aarch64/25.9/cuda/12.9/bin/nvcc.profile",
              "INCLUDES += \"-I$(TOP)/../../math_libs/12.9/include\"\n");
    host_set_environment(tree->host, "NVHPC_ROOT", "/apps/nvhpc/24.3");
    tree_probe(tree, probe_toolkit);
    assert_int_equal(toolkit_count(tree->facts), 2);
    assert_list(tree->facts, group, "library_headers", "cublas_v2.h");
    tree_free(tree);
}

static void test_one_root_by_many_names(void **state)
{
    (void)state;
    struct tree *tree = tree_new();
    make_whole_toolkit(tree, CUDA);
    tree_link(tree, "/etc/alternatives/cuda", "/usr/local/cuda");
    tree_link(tree, "/usr/local/cuda-12.8", "/etc/alternatives/cuda");
    tree_file(tree, CUDA "/version.json", "{\"cuda\": {\"version\": \"12.8.1\"}}");
    tree_file(tree, CUDA "/compat/libcuda.so.575.57.08", "");
    host_set_environment(tree->host, "CUDA_HOME", "/usr/local/cuda/");
    host_set_environment(tree->host, "CUDA_PATH", "/nowhere");
    host_set_environment(tree->host, "CUDAToolkit_ROOT", "relative");
    host_set_environment(tree->host, "PATH", ".:/usr/bin:/usr/local/cuda/bin");
    tree_probe(tree, probe_toolkit);

    static const char group[] = "toolkit/" CUDA;
    assert_int_equal(toolkit_count(tree->facts), 1);
    assert_fact(tree->facts, "toolkit", "default_link", "/etc/alternatives/cuda");
    assert_fact(tree->facts, "toolkit", "default", CUDA);
    assert_fact(tree->facts, "toolkit", "nvcc_on_path", CUDA "/bin/nvcc");
    assert_fact(tree->facts, group, "path", CUDA);
    assert_fact(tree->facts, group, "version", "12.8.1");
    assert_fact(tree->facts, group, "origin", "directory");
    assert_fact(tree->facts, group, "compat_path", CUDA "/compat");
    assert_list(tree->facts, group, "named_by", "/usr/local/cuda " CUDA " CUDA_HOME PATH");
    assert_list(tree->facts, group, "missing", "");
    assert_state(tree->facts, group, "nvcc_version", FACT_SKIPPED);
    tree_free(tree);
}

static void test_dangling_default(void **state)
{
    (void)state;
    struct tree *tree = tree_new();
    tree_link(tree, "cuda-11.8", "/usr/local/cuda");
    tree_probe(tree, probe_toolkit);
    assert_fact(tree->facts, "toolkit", "default_link", "cuda-11.8");
    assert_state(tree->facts, "toolkit", "default", FACT_ABSENT);
    assert_int_equal(toolkit_count(tree->facts), 0);
    tree_free(tree);
}

static void test_default_is_a_directory(void **state)
{
    (void)state;
    struct tree *tree = tree_new();
    tree_file(tree, "/usr/local/cuda/version.txt", "CUDA Version 10.1.243\nCUDA Patch 1\n");
    tree_probe(tree, probe_toolkit);
    assert_state(tree->facts, "toolkit", "default_link", FACT_ABSENT);
    assert_fact(tree->facts, "toolkit", "default", "/usr/local/cuda");
    assert_fact(tree->facts, "toolkit//usr/local/cuda", "version", "10.1.243");
    assert_list(tree->facts, "toolkit//usr/local/cuda", "missing", ALL);
    assert_state(tree->facts, "toolkit//usr/local/cuda", "compat_path", FACT_ABSENT);
    tree_free(tree);
}

/* One file of a toolkit and the version that comes of it; NULL: unknown. */
static const struct version_row {
    const char *file, *content, *version;
} version_rows[] = {
    {"version.json", "{\"cuda\":{\"name\":\"CUDA SDK\",\"version\":\"13.4.2\"}}", "13.4.2"},
    {"version.json", "", NULL},
    {"version.json", "[]", NULL},
    {"version.json", "{\"cuda\":{\"version\":13}}", NULL},
    {"version.json", "{\"cuda\":\"13.0\"}", NULL},
    {"version.json", "{\"cuda\":{\"version\":\"12.4\\n\"}}", NULL},
    {"version.json", "{\"cuda\":{\"version\":\"12.4rc1\"}}", NULL},
    {"version.json", "{\"cuda\":{\"version\":\"999999999999.1\"}}", NULL},
    {"version.json", "{\"cuda\":{\"version\":\"12.4\"}", NULL},
    {"version.txt", "CUDA Version 9.0.176\r\n", "9.0.176"},
    {"version.txt", "", NULL},
    {"version.txt", "\n\nCUDA Version 9.0.176", NULL},
    {"version.txt", "CUDA Version \x1b[31m9", NULL},
    {"include/cuda.h", "#define CUDA_VERSION 12080\n", "12.8"},
    {"include/cuda.h", "#define CUDA_VERSION 4294967295\n", NULL},
    {"include/cuda.h", "#define CUDA_VERSION 12\n", NULL},
    {"include/cuda.h", "#define CUDA_VERSION -1\n", NULL},
    {"lib64/libcudart.so.12.8.90", "", "12.8"},
    {"lib64/libcudart.so.11.0", "", "11"},
    {"lib64/libcudart.so", "", NULL},
};

static void test_versions(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(version_rows) / sizeof(*version_rows); i++) {
        const struct version_row *row = &version_rows[i];
        struct tree *tree = tree_new();
        char *path = path_join(CUDA, row->file);
        tree_file(tree, path, row->content);
        tree_probe(tree, probe_toolkit);
        if (row->version)
            assert_fact(tree->facts, "toolkit/" CUDA, "version", row->version);
        else
            assert_true(strlen(unknown_reason(tree->facts, "toolkit/" CUDA, "version")) > 5);
        free(path);
        tree_free(tree);
    }
}

static void test_next_source_after_a_bad_one(void **state)
{
    (void)state;
    struct tree *tree = tree_new();
    tree_file(tree, CUDA "/version.json", "{\"cuda\":");
    tree_file(tree, CUDA "/targets/sbsa-linux/include/cuda.h", "#define CUDA_VERSION 13000\n");
    tree_probe(tree, probe_toolkit);
    assert_fact(tree->facts, "toolkit/" CUDA, "version", "13.0");
    assert_string_equal(facts_get(tree->facts, "toolkit/" CUDA, "version")->source,
                        CUDA "/targets/sbsa-linux/include/cuda.h");
    tree_free(tree);
}

static void test_version_file_that_never_ends(void **state)
{
    (void)state;
    struct tree *tree = tree_new();
    char *path = tree_path(tree, CUDA "/version.json");
    assert_int_equal(mkfifo(path, 0644), 0);
    free(path);
    tree_link(tree, "/dev/zero", CUDA "/version.txt");
    tree_probe(tree, probe_toolkit);
    assert_true(strlen(unknown_reason(tree->facts, "toolkit/" CUDA, "version")) > 5);
    tree_free(tree);
}

static void test_distribution_package(void **state)
{
    (void)state;
    struct tree *tree = tree_new();
    tree_program(tree, "/usr/bin/nvcc");
    tree_program(tree, "/usr/bin/ptxas");
    tree_file(tree, "/usr/lib/cuda/version.txt", "CUDA Version 12.0.1\n");
    tree_file(tree, "/usr/lib/nvidia-cuda-toolkit/bin/cicc", "");
    tree_file(tree, "/usr/lib/nvidia-cuda-toolkit/libdevice/libdevice.10.bc", "");
    tree_file(tree, "/usr/lib/x86_64-linux-gnu/libcudart.so", "");
    tree_file(tree, "/usr/include/cuda_runtime.h", "");
    tree_file(tree, "/usr/include/cuda.h", "#define CUDA_VERSION 12000\n");
    host_set_environment(tree->host, "PATH", "/usr/bin");
    tree_probe(tree, probe_toolkit);
    assert_int_equal(toolkit_count(tree->facts), 1);
    assert_fact(tree->facts, "toolkit//usr", "origin", "package");
    assert_fact(tree->facts, "toolkit//usr", "version", "12.0.1");
    assert_list(tree->facts, "toolkit//usr", "missing", "");
    assert_list(tree->facts, "toolkit//usr", "named_by",
                "PATH /usr/lib/cuda /usr/lib/nvidia-cuda-toolkit");
    tree_free(tree);
}

static void test_endless_roots_are_cut_off(void **state)
{
    (void)state;
    struct tree *tree = tree_new();
    for (int i = 0; i < TOOLKIT_ROOTS_MAX + 1; i++) {
        char *path = mem_printf("/opt/cuda-%d/version.json", i);
        tree_file(tree, path, "{}");
        free(path);
    }
    tree_probe(tree, probe_toolkit);
    assert_state(tree->facts, "toolkit", "count", FACT_UNKNOWN);
    size_t cursor = 0, count = 0;
    while (facts_next(tree->facts, "toolkit", &cursor))
        count++;
    assert_int_equal(count, TOOLKIT_ROOTS_MAX);
    tree_free(tree);
}

static void test_conda_and_wheels(void **state)
{
    (void)state;
    static const char site[] = "/opt/venv/lib/python3.12/site-packages";
    struct tree *tree = tree_new();
    make_whole_toolkit(tree, "/home/u/env");
    tree_directory(tree, "/home/u/env/conda-meta");
    host_set_environment(tree->host, "CONDA_PREFIX", "/home/u/env");
    tree_file(tree, "/opt/conda/lib/libcudart.so.12", ""); /* libraries alone: no toolkit */
    char *wheel = path_join(site, "nvidia/cu13");
    make_whole_toolkit(tree, wheel);
    tree_file(tree, "/opt/venv/lib/python3.12/site-packages/nvidia/cu13/include/cuda.h",
              "#define CUDA_VERSION 13000\n");
    tree_file(tree, "/opt/venv/lib/python3.12/site-packages/nvidia/cuda_runtime/include/cuda.h",
              "#define CUDA_VERSION 12040\n"); /* no nvcc: no toolkit */
    tree_probe(tree, probe_toolkit);
    char *group = facts_group_name("toolkit", wheel);
    assert_int_equal(toolkit_count(tree->facts), 2);
    assert_fact(tree->facts, "toolkit//home/u/env", "origin", "conda");
    assert_fact(tree->facts, "toolkit//home/u/env", "version", "12.8");
    assert_list(tree->facts, "toolkit//home/u/env", "named_by", "CONDA_PREFIX");
    assert_fact(tree->facts, group, "origin", "wheel");
    assert_fact(tree->facts, group, "version", "13.0");
    free(group);
    free(wheel);
    tree_free(tree);
}

static void test_sites(void **state)
{
    (void)state;
    struct tree *tree = tree_new();
    tree_directory(tree, "/usr/lib/python3/dist-packages");
    tree_directory(tree, "/usr/local/lib/python3.12/dist-packages");
    tree_directory(tree, "/usr/lib64/python3.9/site-packages");
    tree_link(tree, "python3.12", "/usr/local/lib/python3"); /* the same directory again */
    tree_directory(tree, "/home/u/venv/lib/python3.11/site-packages");
    tree_directory(tree, "/home/u/.local/lib/python3.12/site-packages");
    tree_directory(tree, "/pyenv/versions/3.11.7/lib/python3.11/site-packages");
    tree_directory(tree, "/pyenv/versions/3.9.1/lib/python3.9/site-packages");
    tree_program(tree, "/pyenv/shims/python3");
    tree_directory(tree, "/pyenv/lib/python3.8/site-packages"); /* beside the shims: nobody's */
    tree_file(tree, "/pyenv/version", "3.11.7\n../../evil\n");
    tree_program(tree, "/home/u/venv/bin/python3");
    host_set_environment(tree->host, "HOME", "/home/u");
    host_set_environment(tree->host, "PATH", "/pyenv/shims:/home/u/venv/bin:/usr/bin");
    AUTO_STRLIST struct strlist sites = {0};
    site_directories(tree->host, NULL, NULL, &sites);
    strlist_sort(&sites);
    char *joined = strlist_join(&sites, "\n");
    assert_string_equal(joined, "/home/u/.local/lib/python3.12/site-packages\n"
                                "/home/u/venv/lib/python3.11/site-packages\n"
                                "/pyenv/versions/3.11.7/lib/python3.11/site-packages\n"
                                "/usr/lib/python3/dist-packages\n"
                                "/usr/lib64/python3.9/site-packages\n"
                                "/usr/local/lib/python3.12/dist-packages");
    free(joined);
    tree_free(tree);
}

static void test_nvcc_answers(void **state)
{
    (void)state;
    char buffer[VERSION_TEXT_SIZE];
    struct version version;
    assert_true(
        toolkit_parse_nvcc("Cuda compilation tools, release 13.0, V13.0.88\nBuild", &version));
    assert_string_equal(version_text(&version, 0, buffer), "13.0.88");
    assert_true(toolkit_parse_nvcc("release 7.5", &version));
    assert_string_equal(version_text(&version, 0, buffer), "7.5");
    assert_false(toolkit_parse_nvcc("", &version));
    assert_false(toolkit_parse_nvcc("release x, Vy", &version));
}

static void test_this_machine(void **state)
{
    (void)state;
    static const char group[] = "toolkit//usr/local/cuda-13.0";
    if (access("/usr/local/cuda-13.0/bin/nvcc", X_OK) != 0) {
        print_message("no /usr/local/cuda-13.0 here\n");
        skip();
    }
    struct facts *facts = machine_probe(true, probe_toolkit);
    assert_fact(facts, group, "version", "13.0");
    assert_fact(facts, group, "nvcc_version", "13.0.88");
    assert_fact(facts, group, "origin", "directory");
    assert_list(facts, group, "missing", "");
    facts_free(facts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing_there),
        cmocka_unit_test(test_installer_log),
        cmocka_unit_test(test_one_root_by_many_names),
        cmocka_unit_test(test_redirector),
        cmocka_unit_test(test_hpc_sdk),
        cmocka_unit_test(test_dangling_default),
        cmocka_unit_test(test_default_is_a_directory),
        cmocka_unit_test(test_versions),
        cmocka_unit_test(test_next_source_after_a_bad_one),
        cmocka_unit_test(test_version_file_that_never_ends),
        cmocka_unit_test(test_distribution_package),
        cmocka_unit_test(test_endless_roots_are_cut_off),
        cmocka_unit_test(test_conda_and_wheels),
        cmocka_unit_test(test_sites),
        cmocka_unit_test(test_nvcc_answers),
        cmocka_unit_test(test_this_machine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
