/* SPDX-License-Identifier: MIT */
#include "test.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/path.h"
#include "probe/cuda_tree.h"
#include "probe/library/library_family.h"
#include "probe/library/library_scan.h"

static void assert_family(const char *file_name, const char *name, size_t stem)
{
    size_t length = 0;
    const struct library_family *family = library_family_of(file_name, &length);
    if (family == NULL)
        fail_msg("%s is of no family", file_name);
    assert_string_equal(family->name, name);
    assert_int_equal(length, stem);
}

static void test_names_have_families(void **state)
{
    (void)state;
    assert_family("libcuda.so", "driver", 7);
    assert_family("libcuda.so.570.86.15", "driver", 7);
    assert_family("libnvidia-ml.so.1", "driver", 12);
    assert_family("libnvidia-encode.so.1", "nvenc", 16);
    assert_family("libnvcuvid.so.1", "nvdec", 10);
    assert_family("libcublas.so.12", "cublas", 9);
    assert_family("libcublasLt.so.12", "cublasLt", 11);
    assert_family("libnvrtc-builtins.so.13.0", "nvrtc", 17);
    assert_family("libcudnn_ops.so.9", "cudnn", 12);
    assert_family("libnvinfer_plugin.so.10", "tensorrt", 17);
}

static void test_other_names_have_none(void **state)
{
    (void)state;
    static const char *const names[] = {
        "",
        "libcuda",
        "libcudart_static.a",
        "libcudart.so.12.txt",
        "libcudart.so.",
        "libcuda.so.1.bak",
        "libcudart.so.12-gdb.py",
        "libnvrtc.alt.so.13",
        "libcufftw.so.12",
        "libcudnnx.so.9",
        "libcusolverMg.so.12",
        "xlibcuda.so.1",
        "libc.so.6",
        ".so",
    };
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        if (library_family_of(names[i], NULL) != NULL)
            fail_msg("\"%s\" has a family", names[i]);
}

static void test_families_are_complete(void **state)
{
    (void)state;
    for (const struct library_family *family = library_families; family->name; family++) {
        bool release = family->interface == 0;
        assert_int_equal(release, family->wheel != NULL);
        for (const struct library_family *other = library_families; other < family; other++)
            assert_string_not_equal(family->name, other->name);
    }
}

static void test_header_numbers(void **state)
{
    (void)state;
    static const char text[] = "#define A_MAJOR_X 7\n"
                               "# define\tA_MAJOR 10 // first\r\n"
                               "//#define A_MINOR 1\n"
                               "#define A_MINOR OTHER\n"
                               "#define OTHER 13\n"
                               "#define A_LOOP A_LOOP\n"
                               "#define A_LONG 1234567890\n"
                               "#define A_WORD (3)\n"
                               "#define A_NONE";
    uint32_t value = 99;
    assert_true(header_number(text, "A_MAJOR", &value));
    assert_int_equal(value, 10);
    assert_true(header_number(text, "A_MINOR", &value));
    assert_int_equal(value, 13);
    assert_false(header_number(text, "A_LOOP", &value));
    assert_false(header_number(text, "A_LONG", &value));
    assert_false(header_number(text, "A_WORD", &value));
    assert_false(header_number(text, "A_NONE", &value));
    assert_false(header_number(text, "A", &value));
    assert_false(header_number("", "A", &value));
    assert_int_equal(value, 13);
}

static void test_each_file_is_one_copy(void **state)
{
    (void)state;
    struct tree *tree = tree_new();
    tree_library(tree, "/usr/local/cuda-12.8/lib64/libcudart.so.12.8.90", "libcudart.so.12", NULL,
                 NULL);
    tree_link(tree, "libcudart.so.12.8.90", "/usr/local/cuda-12.8/lib64/libcudart.so.12");
    tree_link(tree, "libcudart.so.12", "/usr/local/cuda-12.8/lib64/libcudart.so");
    tree_link(tree, "cuda-12.8", "/usr/local/cuda");
    tree_link(tree, "/usr/local/cuda/lib64/libcudart.so.12", "/usr/lib/libcudart.so.12");
    tree_file(tree, "/usr/local/cuda-12.8/lib64/libcudart_static.a", "!<arch>\n");
    tree_probe(tree, probe_library);

    static const char group[] = "library//usr/local/cuda-12.8/lib64/libcudart.so.12.8.90";
    int64_t count;
    assert_true(facts_integer(tree->facts, "library", "count", &count));
    assert_int_equal(count, 1);
    assert_fact(tree->facts, group, "family", "cudart");
    assert_fact(tree->facts, group, "name", "libcudart");
    assert_fact(tree->facts, group, "soname", "libcudart.so.12");
    assert_fact(tree->facts, group, "version", "12.8.90");
    assert_fact(tree->facts, group, "origin", "toolkit");
    assert_false(facts_true(tree->facts, group, "stub"));
    assert_list(tree->facts, group, "found_as",
                "/usr/lib/libcudart.so.12 /usr/local/cuda-12.8/lib64/libcudart.so "
                "/usr/local/cuda-12.8/lib64/libcudart.so.12 "
                "/usr/local/cuda-12.8/lib64/libcudart.so.12.8.90");
    assert_list(tree->facts, group, "unresolved", "");
    tree_free(tree);
}

static int64_t integer_of(const struct facts *facts, const char *group, const char *name)
{
    int64_t value = -1;
    facts_integer(facts, group, name, &value);
    return value;
}

static void test_origins(void **state)
{
    (void)state;
    static const struct {
        const char *path, *soname, *origin;
    } rows[] = {
        {"/usr/lib/x86_64-linux-gnu/libcuda.so.570.86.15", "libcuda.so.1", "system"},
        {"/usr/lib/x86_64-linux-gnu/libcudnn.so.9.8.0", "libcudnn.so.9", "package"},
        {"/usr/lib/wsl/lib/libcuda.so.1.1", "libcuda.so.1", "wsl"},
        {"/usr/lib/wsl/drivers/nv_dispi.inf_amd64_1/libcuda.so.1.1", "libcuda.so.1", "wsl"},
        {"/usr/local/cuda-12.8/compat/libcuda.so.575.57.08", "libcuda.so.1", "compat"},
        {"/usr/local/cuda-12.8/lib64/stubs/libcuda.so", "libcuda.so.1", "toolkit"},
        {"/opt/conda/lib/libcudart.so.12.4.127", "libcudart.so.12", "conda"},
        {"/usr/local/lib/python3.12/dist-packages/nvidia/nccl/lib/libnccl.so.2", "libnccl.so.2",
         "wheel"},
        {"/opt/venv/lib/python3.12/site-packages/tensorrt_libs/libnvinfer.so.10",
         "libnvinfer.so.10", "wheel"},
    };
    struct tree *tree = tree_new();
    tree_program(tree, "/usr/bin/nvcc");
    tree_file(tree, "/usr/lib/cuda/version.txt", "CUDA Version 12.2.140\n");
    tree_file(tree, "/usr/local/cuda-12.8/version.json", "{}");
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
        tree_library(tree, rows[i].path, rows[i].soname, NULL, NULL);
    tree_probe(tree, probe_library);
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        char *group = facts_group_name("library", rows[i].path);
        assert_fact(tree->facts, group, "origin", rows[i].origin);
        assert_int_equal(facts_true(tree->facts, group, "stub"),
                         strstr(rows[i].path, "/stubs/") != NULL);
        free(group);
    }
    int64_t count;
    assert_true(facts_integer(tree->facts, "library", "count", &count));
    assert_int_equal(count, sizeof(rows) / sizeof(*rows));
    tree_free(tree);
}

/* What --python names counts too: an environment by its Python, one of conda, packages alone. */
static void test_environments_that_are_named(void **state)
{
    (void)state;
    static const char *const given[] = {"/srv/venv/bin/python3", "/srv/conda", "/srv/packages"};
    static const struct {
        const char *path, *origin;
    } rows[] = {
        {"/srv/venv/lib/python3.12/site-packages/nvidia/cudnn/lib/libcudnn.so.9", "wheel"},
        {"/srv/conda/lib/libcudart.so.12", "conda"},
        {"/srv/packages/nvidia/nccl/lib/libnccl.so.2", "wheel"},
    };
    struct tree *tree = tree_new();
    struct strlist pythons = {0};
    struct site_memo sites = {.items = NULL};
    tree_program(tree, given[0]);
    tree_file(tree, "/srv/conda/conda-meta/history", "");
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        strlist_add(&pythons, given[i]);
        tree_library(tree, rows[i].path, path_base(rows[i].path), NULL, NULL);
    }
    tree->loader = loader_new(tree->host);
    struct probe_context context = {.host = tree->host, .loader = tree->loader, .sites = &sites};
    probe_library(&context, tree->facts);
    assert_int_equal(integer_of(tree->facts, "library", "count"), 0);
    context.pythons = &pythons;
    probe_library(&context, tree->facts);
    assert_int_equal(integer_of(tree->facts, "library", "count"), 3);
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        char *group = facts_group_name("library", rows[i].path);
        assert_fact(tree->facts, group, "origin", rows[i].origin);
        free(group);
    }
    site_memo_free(&sites);
    strlist_free(&pythons);
    tree_free(tree);
}

/* A prefix is looked into once. */
static void test_places_are_remembered(void **state)
{
    (void)state;
    struct tree *tree = tree_new();
    struct site_memo memo = {.items = NULL};
    struct strlist first = {0}, second = {0};
    tree_directory(tree, "/srv/a/lib/python3.12/site-packages");
    tree_link(tree, "a", "/srv/b");
    site_of_prefix(tree->host, &memo, "/srv/a", &first);
    tree_directory(tree, "/srv/a/lib/python3.13/site-packages");
    site_of_prefix(tree->host, &memo, "/srv/b", &second);
    site_of_prefix(tree->host, &memo, "/srv/none", &second);
    assert_int_equal(first.count, 1);
    assert_int_equal(second.count, 1);
    assert_string_equal(second.items[0], "/srv/a/lib/python3.12/site-packages");
    site_of_prefix(tree->host, NULL, "/srv/b", &second);
    assert_int_equal(second.count, 2);
    site_memo_free(&memo);
    strlist_free(&first);
    strlist_free(&second);
    tree_free(tree);
}

static void assert_version(const struct facts *facts, const char *path, const char *version,
                           const char *source)
{
    char *group = facts_group_name("library", path);
    assert_fact(facts, group, "version", version);
    assert_string_equal(facts_get(facts, group, "version")->source, source);
    free(group);
}

#define CUDA "/usr/local/cuda-12.8"
#define SITE "/opt/venv/lib/python3.12/site-packages"

static void make_versioned_tree(const struct tree *tree)
{
    tree_library(tree, CUDA "/targets/x86_64-linux/lib/libcudnn_ops.so.9", "libcudnn_ops.so.9",
                 NULL, NULL);
    tree_link(tree, "targets/x86_64-linux/lib", CUDA "/lib64");
    tree_file(tree, CUDA "/include/cudnn_version.h",
              "#define CUDNN_MAJOR 9\n#define CUDNN_MINOR 8\n#define CUDNN_PATCHLEVEL 0\n");
    tree_library(tree, CUDA "/lib64/libcudart.so.12", "libcudart.so.12", NULL, NULL);
    tree_file(tree, CUDA "/targets/x86_64-linux/include/cuda_runtime_api.h",
              "#define CUDART_VERSION 12080\n");
    tree_library(tree, CUDA "/lib64/libnvrtc.so.12", "libnvrtc.so.12", NULL, NULL);
    tree_directory(tree, CUDA "/dist-info/nvidia_cuda_nvrtc-12.8.93.dist-info");
    tree_library(tree, CUDA "/lib64/libcufft.so.11", "libcufft.so.11", NULL, NULL);
    tree_file(tree, CUDA "/include/cufft.h", "#define CUFFT_VER_MAJOR 10\n");
    tree_directory(tree, CUDA "/dist-info/nvidia_cufft_cu11-10.9.0.58.dist-info");
    tree_library(tree, SITE "/nvidia/cudnn/lib/libcudnn.so.9", "libcudnn.so.9", NULL, NULL);
    tree_directory(tree, SITE "/nvidia_cudnn_cu12-9.1.0.70.dist-info");
    tree_directory(tree, SITE "/nvidia_cudnn_frontend-9.9.9.dist-info");
    tree_library(tree, SITE "/nvidia/nccl/lib/libnccl.so.2", "libnccl.so.2", NULL, NULL);
    tree_directory(tree, SITE "/nvidia_nccl_cu12-2.21.5.dist-info");
    tree_directory(tree, SITE "/nvidia_nccl_cu13-2.28.9.dist-info");
    tree_library(tree, SITE "/tensorrt_libs/libnvinfer.so.8", "libnvinfer.so.8", NULL, NULL);
    tree_directory(tree, SITE "/tensorrt_cu12_libs-8.6.1.post1.dist-info");
    tree_library(tree, "/usr/lib/libcudart.so.11.0", "libcudart.so.11.0", NULL, NULL);
    tree_library(tree, "/usr/lib/libcuda.so.1.1", "libcuda.so.1", NULL, NULL);
}

static void test_versions(void **state)
{
    (void)state;
    struct tree *tree = tree_new();
    make_versioned_tree(tree);
    tree_probe(tree, probe_library);
    const struct facts *facts = tree->facts;
    assert_version(facts, CUDA "/targets/x86_64-linux/lib/libcudnn_ops.so.9", "9.8.0",
                   CUDA "/include/cudnn_version.h");
    assert_version(facts, CUDA "/targets/x86_64-linux/lib/libcudart.so.12", "12.8",
                   CUDA "/targets/x86_64-linux/include/cuda_runtime_api.h");
    assert_version(facts, CUDA "/targets/x86_64-linux/lib/libnvrtc.so.12", "12.8.93",
                   CUDA "/dist-info/nvidia_cuda_nvrtc-12.8.93.dist-info");
    /* header and dist-info are of another major */
    assert_version(facts, CUDA "/targets/x86_64-linux/lib/libcufft.so.11", "11",
                   "SONAME of " CUDA "/targets/x86_64-linux/lib/libcufft.so.11");
    assert_version(facts, SITE "/nvidia/cudnn/lib/libcudnn.so.9", "9.1.0.70",
                   SITE "/nvidia_cudnn_cu12-9.1.0.70.dist-info");
    /* two dist-info directories that disagree */
    assert_version(facts, SITE "/nvidia/nccl/lib/libnccl.so.2", "2",
                   "SONAME of " SITE "/nvidia/nccl/lib/libnccl.so.2");
    assert_version(facts, SITE "/tensorrt_libs/libnvinfer.so.8", "8.6.1",
                   SITE "/tensorrt_cu12_libs-8.6.1.post1.dist-info");
    assert_version(facts, "/usr/lib/libcudart.so.11.0", "11",
                   "SONAME of /usr/lib/libcudart.so.11.0");
    assert_state(facts, "library//usr/lib/libcuda.so.1.1", "version", FACT_ABSENT);
    tree_free(tree);
}

static void test_files_that_are_no_libraries(void **state)
{
    (void)state;
    struct tree *tree = tree_new();
    tree_file(tree, "/usr/lib/libcuda.so.1", "");
    tree_link(tree, "libnvidia-ml.so.570.86.15", "/usr/lib/libnvidia-ml.so.1");
    tree_file(tree, "/usr/lib/libcudart.so", "INPUT(libcudart.so.12)\n");
    tree_directory(tree, "/usr/lib/libnccl.so.2");
    char *fifo = tree_path(tree, "/usr/lib/libcublas.so.12");
    assert_int_equal(mkfifo(fifo, 0644), 0);
    free(fifo);
    tree_link(tree, "libcudnn.so.9", "/usr/lib/libcudnn.so.9");
    tree_probe(tree, probe_library);
    static const char *const groups[] = {
        "library//usr/lib/libcuda.so.1",    "library//usr/lib/libnvidia-ml.so.1",
        "library//usr/lib/libcudart.so",    "library//usr/lib/libnccl.so.2",
        "library//usr/lib/libcublas.so.12", "library//usr/lib/libcudnn.so.9",
    };
    for (size_t i = 0; i < sizeof(groups) / sizeof(*groups); i++) {
        assert_true(strlen(unknown_reason(tree->facts, groups[i], "soname")) > 5);
        assert_state(tree->facts, groups[i], "version", FACT_UNKNOWN);
        assert_state(tree->facts, groups[i], "unresolved", FACT_UNKNOWN);
    }
    assert_string_equal(unknown_reason(tree->facts, groups[1], "soname"),
                        "a link to libnvidia-ml.so.570.86.15, which does not exist");
    tree_free(tree);
}

static void test_unresolved(void **state)
{
    (void)state;
    struct tree *tree = tree_new();
    tree_file(tree, CUDA "/version.json", "{}");
    tree_library(tree, CUDA "/lib64/libcublas.so.12", "libcublas.so.12", "libcublasLt.so.12", NULL);
    tree_library(tree, SITE "/nvidia/cublas/lib/libcublas.so.12", "libcublas.so.12",
                 "libcublasLt.so.12", "$ORIGIN");
    tree_library(tree, SITE "/nvidia/cublas/lib/libcublasLt.so.12", "libcublasLt.so.12", NULL,
                 NULL);
    tree_library(tree, "/usr/lib/libcufft.so.11", "libcufft.so.11", "libfound.so.1", NULL);
    tree_library(tree, "/usr/lib/libfound.so.1", "libfound.so.1", NULL, NULL);
    tree_probe(tree, probe_library);
    assert_list(tree->facts, "library/" CUDA "/lib64/libcublas.so.12", "unresolved",
                "libcublasLt.so.12");
    assert_list(tree->facts, "library/" SITE "/nvidia/cublas/lib/libcublas.so.12", "unresolved",
                "");
    assert_list(tree->facts, "library//usr/lib/libcufft.so.11", "unresolved", "");
    tree_free(tree);
}

static void test_other_architecture(void **state)
{
    (void)state;
    struct tree *tree = tree_new();
    tree_library(tree, "/usr/lib/libcudart.so.12", "libcudart.so.12", "libnone.so.1", NULL);
    char *path = tree_path(tree, "/usr/lib/libcudart.so.12");
    FILE *file = fopen(path, "r+e");
    assert_non_null(file);
    assert_int_equal(fseek(file, 18, SEEK_SET), 0); /* e_machine */
    assert_int_equal(fputc(0x15, file), 0x15);      /* EM_PPC64 */
    assert_int_equal(fclose(file), 0);
    free(path);
    tree_probe(tree, probe_library);
    assert_state(tree->facts, "library//usr/lib/libcudart.so.12", "unresolved", FACT_SKIPPED);
    assert_fact(tree->facts, "library//usr/lib/libcudart.so.12", "soname", "libcudart.so.12");
    tree_free(tree);
}

static void test_endless_copies_are_cut_off(void **state)
{
    (void)state;
    struct tree *tree = tree_new();
    for (int i = 0; i < LIBRARY_COPIES_MAX + 1; i++) {
        char *path = mem_printf("/usr/lib/libcudnn_%d.so.9", i);
        tree_file(tree, path, "");
        free(path);
    }
    tree_probe(tree, probe_library);
    assert_state(tree->facts, "library", "count", FACT_UNKNOWN);
    size_t cursor = 0, copies = 0;
    while (facts_next(tree->facts, "library", &cursor))
        copies++;
    assert_int_equal(copies, LIBRARY_COPIES_MAX);
    tree_free(tree);
}

static void test_a_directory_that_cannot_be_listed(void **state)
{
    (void)state;
    struct tree *tree = tree_new();
    tree_file(tree, "/opt/file", "");
    tree_file(tree, "/opt/many/a", "");
    tree_file(tree, "/opt/many/b", "");
    char *many = tree_path(tree, "/opt/many");
    int directory = open(many, O_RDONLY | O_DIRECTORY);
    for (int i = 0; i < HOST_LIST_MAX; i++) { /* of two files: one has no room for so many links */
        char name[32];
        snprintf(name, sizeof(name), "%d", i);
        assert_int_equal(linkat(directory, i % 2 ? "a" : "b", directory, name, 0), 0);
    }
    close(directory);
    free(many);
    host_set_environment(tree->host, "LD_LIBRARY_PATH", "/opt/none:/opt/file");
    tree_probe(tree, probe_library);
    assert_state(tree->facts, "library", "count", FACT_VALUE);
    host_set_environment(tree->host, "LD_LIBRARY_PATH", "/opt/many");
    loader_free(mem_steal(&tree->loader)); /* it knows the variable as it was */
    tree_probe(tree, probe_library);
    assert_non_null(
        strstr(unknown_reason(tree->facts, "library", "count"), "/opt/many: the directory has"));
    tree_free(tree);
}

static void test_this_machine(void **state)
{
    (void)state;
    if (access("/usr/local/cuda-13.0/lib/libcudnn.so.9", R_OK) != 0) {
        print_message("no /usr/local/cuda-13.0 with cuDNN here\n");
        skip();
    }
    static const struct {
        const char *name, *version;
    } rows[] = {
        {"libcudart.so.13", "13.0"},
        {"libcudnn.so.9", "9.19.0"},
        {"libcudnn_ops.so.9", "9.19.0"},
        {"libnccl.so.2", "2.28.9"},
        {"libcublas.so.13", "13.1.0.3"},
        {"libnvrtc.so.13", "13.0.88"},
        {"libnvrtc-builtins.so.13.0", "13.0.88"},
        {"libcufft.so.12", "12.0.0.61"},
        {"libnvJitLink.so.13", "13.0.88"},
    };
    struct facts *facts = machine_probe(false, probe_library);
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        char *group = mem_printf("library//usr/local/cuda-13.0/lib/%s", rows[i].name);
        assert_fact(facts, group, "version", rows[i].version);
        assert_fact(facts, group, "origin", "toolkit");
        assert_fact(facts, group, "soname", rows[i].name);
        assert_list(facts, group, "unresolved", "");
        free(group);
    }
    assert_true(facts_true(facts, "library//usr/local/cuda-13.0/lib/stubs/libcuda.so", "stub"));
    facts_free(facts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names_have_families),
        cmocka_unit_test(test_other_names_have_none),
        cmocka_unit_test(test_families_are_complete),
        cmocka_unit_test(test_header_numbers),
        cmocka_unit_test(test_each_file_is_one_copy),
        cmocka_unit_test(test_origins),
        cmocka_unit_test(test_environments_that_are_named),
        cmocka_unit_test(test_places_are_remembered),
        cmocka_unit_test(test_versions),
        cmocka_unit_test(test_files_that_are_no_libraries),
        cmocka_unit_test(test_unresolved),
        cmocka_unit_test(test_other_architecture),
        cmocka_unit_test(test_endless_copies_are_cut_off),
        cmocka_unit_test(test_a_directory_that_cannot_be_listed),
        cmocka_unit_test(test_this_machine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
