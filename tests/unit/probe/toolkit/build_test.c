/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "probe/cuda_tree.h"
#include "probe/toolkit/host_compiler.h"

#define CUDA  "/usr/local/cuda-13.0"
#define GROUP "toolkit/" CUDA

static struct tree *with_toolkit(void)
{
    struct tree *tree = tree_new();
    tree_program(tree, CUDA "/bin/nvcc");
    tree_file(tree, CUDA "/version.json", "{\"cuda\": {\"version\": \"13.0.2\"}}");
    tree_link(tree, "cuda-13.0", "/usr/local/cuda");
    tree_file(tree, "/usr/bin/x86_64-linux-gnu-gcc-12", "");
    tree_link(tree, "x86_64-linux-gnu-gcc-12", "/usr/bin/gcc-12");
    tree_link(tree, "gcc-12", "/usr/bin/gcc");
    host_set_environment(tree->host, "PATH", "/usr/local/cuda/bin:/usr/bin");
    return tree;
}

/* value NULL: none. */
static void assert_text(const struct tree *tree, const char *group, const char *name,
                        const char *value)
{
    const char *have = facts_string(tree->facts, group, name);
    if (value == NULL ? have != NULL : have == NULL || strcmp(have, value) != 0)
        fail_msg("%s is %s, not %s", name, have ? have : "none", value ? value : "none");
}

/* A variable is set, the compiler looked for, and the variable unset again. */
static void assert_compiler(struct tree *tree, const char *variable, const char *value,
                            const char *path, const char *family, const char *version)
{
    host_set_environment(tree->host, variable, value);
    tree_probe(tree, probe_toolkit);
    assert_text(tree, GROUP, "host_compiler", path);
    assert_text(tree, GROUP, "host_compiler_family", family);
    assert_text(tree, GROUP, "host_compiler_version", version);
    host_set_environment(tree->host, variable, NULL);
}

static void test_which_compiler(void **state)
{
    (void)state;
    struct tree *tree = with_toolkit();
    tree_link(tree, "../lib/llvm-18/bin/clang", "/usr/bin/clang++-18");
    tree_file(tree, "/usr/lib/llvm-18/bin/clang", "");
    tree_file(tree, "/opt/gcc/13.2.0/bin/gcc", "");
    tree_file(tree, "/nix/store/x-gcc-wrapper-14.3.0/bin/g++", "");
    tree_file(tree, "/opt/own/bin/g++", "");
    tree_file(tree, "/opt/own/lib/gcc/x86_64-pc-linux-gnu/9.4.0/cc1plus", "");
    tree_program(tree, "/opt/script/gcc");
    assert_compiler(tree, "NVCC_CCBIN", NULL, "/usr/bin/gcc", "gcc", "12");
    assert_compiler(tree, "NVCC_CCBIN", "clang++-18", "/usr/bin/clang++-18", "clang", "18");
    assert_compiler(tree, "NVCC_CCBIN", "/opt/gcc/13.2.0/bin", "/opt/gcc/13.2.0/bin/gcc", "gcc",
                    "13.2.0");
    assert_compiler(tree, "NVCC_PREPEND_FLAGS", " -ccbin=/nix/store/x-gcc-wrapper-14.3.0/bin/g++",
                    "/nix/store/x-gcc-wrapper-14.3.0/bin/g++", "gcc", "14.3.0");
    assert_compiler(tree, "NVCC_APPEND_FLAGS", "-O2 --compiler-bindir /opt/own/bin/g++",
                    "/opt/own/bin/g++", "gcc", "9.4.0");
    assert_compiler(tree, "NVCC_CCBIN", "/opt/script", "/opt/script/gcc", "script", NULL);
    assert_compiler(tree, "NVCC_CCBIN", "/opt/nothing/g++", "/opt/nothing/g++", "other", NULL);
    bool there = true;
    assert_true(facts_boolean(tree->facts, GROUP, "host_compiler_there", &there) && !there);
    assert_compiler(tree, "NVCC_CCBIN", "g++-99", NULL, "other", NULL);
    assert_true(facts_boolean(tree->facts, GROUP, "host_compiler_there", &there) && !there);
    assert_compiler(tree, "NVCC_CCBIN", "bin/gcc", NULL, "other", NULL);
    assert_state(tree->facts, GROUP, "host_compiler_there", FACT_ABSENT);
    tree_file(tree, "/usr/x86_64-pc-linux-gnu/gcc-bin/13/gcc", "");
    assert_compiler(tree, "NVCC_CCBIN", "/usr/x86_64-pc-linux-gnu/gcc-bin/13",
                    "/usr/x86_64-pc-linux-gnu/gcc-bin/13/gcc", "gcc", "13");
    assert_compiler(tree, "NVCC_CCBIN", "gcc-12", "/usr/bin/gcc-12", "gcc", "12");
    assert_true(facts_boolean(tree->facts, GROUP, "host_compiler_there", &there) && there);
    assert_compiler(tree, "NVCC_CCBIN", NULL, "/usr/bin/gcc", "gcc", "12");
    assert_state(tree->facts, GROUP, "host_compiler_there", FACT_ABSENT);
    tree_free(tree);
}

/* nvcc's order: what comes last on its command line wins. */
static void test_order(void **state)
{
    (void)state;
    struct tree *tree = with_toolkit();
    host_set_environment(tree->host, "NVCC_CCBIN", "/a/gcc-1");
    tree_probe(tree, probe_toolkit);
    assert_text(tree, GROUP, "host_compiler_by", "NVCC_CCBIN");
    host_set_environment(tree->host, "NVCC_PREPEND_FLAGS", "-ccbin /a/gcc-2 -ccbin /a/gcc-3");
    tree_probe(tree, probe_toolkit);
    assert_text(tree, GROUP, "host_compiler_by", "NVCC_PREPEND_FLAGS");
    assert_text(tree, GROUP, "host_compiler", "/a/gcc-3");
    host_set_environment(tree->host, "NVCC_APPEND_FLAGS", "-ccbin /a/gcc-4");
    tree_probe(tree, probe_toolkit);
    assert_text(tree, GROUP, "host_compiler", "/a/gcc-4");
    tree_free(tree);
}

static void test_before_path(void **state)
{
    (void)state;
    struct tree *tree = with_toolkit();
    tree_file(tree, "/usr/bin/ccache", "");
    tree_link(tree, "/usr/bin/ccache", "/usr/lib/ccache/gcc");
    host_set_environment(tree->host, "PATH", "/usr/lib/ccache:/usr/local/cuda/bin:/usr/bin");
    tree_probe(tree, probe_toolkit);
    assert_text(tree, GROUP, "host_compiler", "/usr/bin/gcc");
    tree_link(tree, "/usr/bin/gcc-12", CUDA "/bin/gcc");
    tree_probe(tree, probe_toolkit);
    assert_text(tree, GROUP, "host_compiler", CUDA "/bin/gcc");
    assert_text(tree, GROUP, "host_compiler_version", "12");
    tree_free(tree);
}

/* Arch: two gcc beside one another, and one second name of the first. */
static void test_second_name(void **state)
{
    (void)state;
    struct tree *tree = with_toolkit();
    tree_file(tree, "/opt/arch/bin/gcc", "");
    tree_file(tree, "/opt/arch/lib/gcc/x86_64-pc-linux-gnu/7.2.0/cc1plus", "");
    tree_file(tree, "/opt/arch/lib/gcc/x86_64-pc-linux-gnu/6.4.1/cc1plus", "");
    assert_compiler(tree, "NVCC_CCBIN", "/opt/arch/bin/gcc", "/opt/arch/bin/gcc", "gcc", NULL);
    tree_file(tree, "/opt/arch/bin/x86_64-pc-linux-gnu-gcc-7.2.0", "");
    assert_compiler(tree, "NVCC_CCBIN", "/opt/arch/bin/gcc", "/opt/arch/bin/gcc", "gcc", "7.2.0");
    tree_free(tree);
}

static void test_limits(void **state)
{
    static const struct {
        const char *header, *gcc, *clang;
    } rows[] = {
        {"#if __GNUC__ > 15\n#if (__clang_major__ >= 21) || (__clang_major__ < 3)\n", "15", "21"},
        {"#if __GNUC__ > 4 || (__GNUC__ == 4 && __GNUC_MINOR__ > 9)\n", "4.9", NULL},
        {"#if __GNUC__ > 6\n", "6", NULL},
        {"nothing\n", NULL, NULL},
        {"#if __GNUC__ > 99999999999999\n", NULL, NULL},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct tree *tree = with_toolkit();
        tree_file(tree, CUDA "/targets/x86_64-linux/include/crt/host_config.h", rows[i].header);
        tree_probe(tree, probe_toolkit);
        assert_text(tree, GROUP, "gcc_max", rows[i].gcc);
        assert_text(tree, GROUP, "clang_below", rows[i].clang);
        tree_free(tree);
    }
    struct tree *tree = with_toolkit();
    tree_directory(tree, CUDA "/include/crt/host_config.h");
    tree_probe(tree, probe_toolkit);
    assert_state(tree->facts, GROUP, "gcc_max", FACT_UNKNOWN);
    tree_free(tree);
}

static void test_functions(void **state)
{
    (void)state;
    struct tree *tree = with_toolkit();
    tree_probe(tree, probe_toolkit);
    assert_state(tree->facts, GROUP, "math_without_noexcept", FACT_ABSENT);
    assert_state(tree->facts, GROUP, "c_library_functions", FACT_ABSENT);
    tree_file(tree, CUDA "/include/crt/math_functions.h",
              "__func__(double cospi(double x));\n"
              "extern double    cospi(double x) noexcept (true);\n"
              "extern double    sinpi(double x) __NV_SPECIFIER;\n"
              "extern double    rsqrt(double x);\n");
    tree_file(tree, "/usr/include/x86_64-linux-gnu/bits/mathcalls.h",
              "__MATHCALL_VEC (cospi,, (_Mdouble_ __x));\n");
    tree_probe(tree, probe_toolkit);
    const struct strlist *plain = facts_list(tree->facts, GROUP, "math_without_noexcept");
    assert_int_equal(plain->count, 1);
    assert_string_equal(plain->items[0], "rsqrt");
    const struct strlist *declared = facts_list(tree->facts, GROUP, "c_library_functions");
    assert_int_equal(declared->count, 1);
    assert_string_equal(declared->items[0], "cospi");
    assert_state(tree->facts, GROUP, "c_library_vector_types", FACT_ABSENT);
    tree_file(tree, "/usr/include/x86_64-linux-gnu/bits/math-vector.h",
              "typedef __Float32x4_t __f32x4_t;\n");
    tree_probe(tree, probe_toolkit);
    assert_true(facts_true(tree->facts, GROUP, "c_library_vector_types"));
    tree_file(tree, "/usr/include/x86_64-linux-gnu/bits/math-vector.h", "/* none */\n");
    tree_probe(tree, probe_toolkit);
    assert_false(facts_true(tree->facts, GROUP, "c_library_vector_types"));
    /* conda's compiler brings the headers of its own C library. */
    tree_file(tree, "/env/bin/x86_64-conda-linux-gnu-c++", "");
    tree_file(tree, "/env/x86_64-conda-linux-gnu/sysroot/usr/include/bits/mathcalls.h", "");
    host_set_environment(tree->host, "NVCC_CCBIN", "/env/bin/x86_64-conda-linux-gnu-c++");
    tree_probe(tree, probe_toolkit);
    assert_int_equal(facts_list(tree->facts, GROUP, "c_library_functions")->count, 0);
    tree_free(tree);
}

static void test_variables(void **state)
{
    (void)state;
    struct tree *tree = with_toolkit();
    tree_file(tree, "/usr/local/cuda-12.8/include/cuda.h", "#define CUDA_VERSION 12080\n");
    tree_file(tree, "/bad/cuda.h", "nothing\n");
    tree_directory(tree, "/opt/eigen");
    host_set_environment(tree->host, "CPATH", "/opt/eigen:/usr/local/cuda-12.8/include");
    host_set_environment(tree->host, "NVCC_PREPEND_FLAGS", "-I /bad -allow-unsupported-compiler");
    host_set_environment(tree->host, "CUDAHOSTCXX", "gcc-12");
    tree_probe(tree, probe_toolkit);
    assert_text(tree, "toolkit", "unsupported_compiler", "NVCC_PREPEND_FLAGS");
    assert_text(tree, "include_path/0", "variable", "NVCC_PREPEND_FLAGS");
    assert_state(tree->facts, "include_path/0", "version", FACT_UNKNOWN);
    assert_text(tree, "include_path/1", "variable", "CPATH");
    assert_text(tree, "include_path/1", "version", "12.8");
    assert_null(facts_string(tree->facts, "include_path/2", "variable"));
    bool there = false;
    assert_text(tree, "host_compiler/CUDAHOSTCXX", "version", "12");
    assert_true(facts_boolean(tree->facts, "host_compiler/CUDAHOSTCXX", "there", &there) && there);
    tree_free(tree);
}

/* A program whose constants have that release, as the linker puts them. */
static void add_tool(const struct tree *tree, const char *path, const char *release)
{
    AUTO_FREE char *full = tree_path(tree, path);
    AUTO_FREE char *command = mem_printf(
        "mkdir -p \"$(dirname '%s')\" && echo 'const char a[] = \"Cuda compilation tools, release "
        "%.4s, V%s\"; int main(void) { return a[0]; }' | cc -x c -o '%s' -",
        full, release, release, full);
    assert_int_equal(system(command), 0);
}

static void test_programs(void **state)
{
    (void)state;
    struct tree *tree = with_toolkit();
    add_tool(tree, CUDA "/bin/nvcc", "13.0.88");
    add_tool(tree, CUDA "/nvvm/bin/cicc", "13.0.48");
    add_tool(tree, "/usr/bin/ptxas", "12.0.140");  /* nvcc's directory has none */
    add_tool(tree, "/usr/bin/nvlink", "12.0.140"); /* nvcc's own is a script */
    tree_program(tree, CUDA "/bin/nvlink");
    tree_file(tree, "/usr/local/cuda-12.8/bin/nvcc", "");
    tree_file(tree, CUDA "/targets/x86_64-linux/include/cuda_runtime_api.h",
              "#define CUDART_VERSION  13000\n");
    tree_probe(tree, probe_toolkit);
    AUTO_FREE char *found = strlist_join(facts_list(tree->facts, GROUP, "programs"), ", ");
    assert_string_equal(found, "nvcc 13.0.88, cicc 13.0.48, ptxas 12.0.140 /usr/bin/ptxas");
    assert_text(tree, GROUP, "runtime_headers", "13.0");
    /* Builds do not get this one. */
    assert_state(tree->facts, "toolkit//usr/local/cuda-12.8", "programs", FACT_SKIPPED);
    assert_state(tree->facts, "toolkit//usr/local/cuda-12.8", "runtime_headers", FACT_ABSENT);
    host_set_environment(tree->host, "TRITON_PTXAS_PATH", "/usr/bin/ptxas");
    host_set_environment(tree->host, "TRITON_PTXAS_BLACKWELL_PATH", "/opt/ptxas");
    tree_probe(tree, probe_toolkit);
    assert_text(tree, "ptxas/TRITON_PTXAS_PATH", "release", "12.0.140");
    assert_text(tree, "ptxas/TRITON_PTXAS_PATH", "path", "/usr/bin/ptxas");
    assert_state(tree->facts, "ptxas/TRITON_PTXAS_BLACKWELL_PATH", "path", FACT_ABSENT);
    tree_free(tree);
}

static void test_libraries(void **state)
{
    static const char fact[] = "half_libraries";
    (void)state;
    struct tree *tree = with_toolkit();
    tree_file(tree, CUDA "/include/cublas_v2.h", "");
    tree_file(tree, CUDA "/include/cufft.h", "");
    tree_file(tree, CUDA "/lib64/libcublas.so.13", ""); /* programs load it */
    tree_file(tree, CUDA "/lib64/libcufft_static.a", "");
    tree_file(tree, CUDA "/lib64/stubs/libcurand.so", "");
    tree_file(tree, CUDA "/lib64/libcudnn.so", "");               /* copied there for programs */
    tree_file(tree, "/usr/lib/x86_64-linux-gnu/libcudnn.so", ""); /* made by hand: says nothing */
    tree_file(tree, "/usr/include/nccl.h", "");
    tree_link(tree, "libnccl.so.1", "/usr/lib/x86_64-linux-gnu/libnccl.so"); /* leads nowhere */
    tree_probe(tree, probe_toolkit);
    AUTO_FREE char *found = strlist_join(facts_list(tree->facts, GROUP, fact), ", ");
    assert_string_equal(found, "cublas: no library, curand: no header, nccl: no library");
    tree_file(tree, "/opt/nccl/lib/libnccl.so", "");
    host_set_environment(tree->host, "LIBRARY_PATH", "/opt/nccl/lib");
    host_set_environment(tree->host, "CPATH", "/opt/curand/include");
    tree_file(tree, "/opt/curand/include/curand.h", "");
    tree_link(tree, "libcublas.so.13", CUDA "/lib64/libcublas.so");
    tree_probe(tree, probe_toolkit);
    assert_int_equal(facts_list(tree->facts, GROUP, fact)->count, 0);
    tree_free(tree);
}

/* The header as CUDA's is: what it includes is found beside it, in cccl, or nowhere. */
static void test_includes(void **state)
{
    static const char fact[] = "unmet_includes";
    static const char header[] = "#ifdef __CUDACC__\n# include <nv/target>\n#endif\n"
                                 "#include \"vector_types.h\"\n#include <utility>\n"
                                 "#include \"own.h\"\n#include x\n#include <nv/target\n";
    static const char *const places[] = {CUDA "/include/nv/target", CUDA "/include/cccl/nv/target",
                                         "/usr/include/nv/target", "/opt/cccl/nv/target"};
    (void)state;
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        struct tree *tree = with_toolkit();
        host_set_environment(tree->host, "CPATH", "/opt/cccl");
        tree_probe(tree, probe_toolkit);
        assert_int_equal(facts_list(tree->facts, GROUP, fact)->count, 0);
        tree_file(tree, CUDA "/include/cuda_fp16.h", header);
        tree_probe(tree, probe_toolkit);
        AUTO_FREE char *found = strlist_join(facts_list(tree->facts, GROUP, fact), ", ");
        assert_string_equal(found, "cuda_fp16.h: nv/target, cuda_fp16.h: vector_types.h");
        tree_file(tree, CUDA "/include/vector_types.h", "");
        tree_file(tree, places[i], "");
        tree_probe(tree, probe_toolkit);
        assert_int_equal(facts_list(tree->facts, GROUP, fact)->count, 0);
        tree_free(tree);
    }
}

static void test_wheels(void **state)
{
    static const char site[] = "/usr/lib/python3/dist-packages";
    (void)state;
    struct tree *tree = with_toolkit();
    char *home = mem_printf("%s/nvidia/cu13", site);
    char *group = mem_printf("toolkit/%s", home);
    tree_program(tree, "/usr/lib/python3/dist-packages/nvidia/cu13/bin/nvcc");
    tree_directory(tree, "/usr/lib/python3/dist-packages/nvidia_cuda_nvcc-13.0.88.dist-info");
    tree_directory(tree, "/usr/lib/python3/dist-packages/nvidia_nvvm-13.3.33.dist-info");
    tree_directory(tree, "/usr/lib/python3/dist-packages/nvidia_cuda_nvcc_cu12-12.8.93.dist-info");
    host_set_environment(tree->host, "CUDA_HOME", home);
    tree_probe(tree, probe_toolkit);
    const struct strlist *wheels = facts_list(tree->facts, group, "wheels");
    assert_non_null(wheels);
    assert_int_equal(wheels->count, 2);
    assert_string_equal(wheels->items[0], "nvidia-cuda-nvcc 13.0.88");
    assert_string_equal(wheels->items[1], "nvidia-nvvm 13.3.33");
    assert_state(tree->facts, GROUP, "wheels", FACT_ABSENT);
    free(group);
    free(home);
    tree_free(tree);
}

/* Nix keeps a component in a directory of its own. */
static void test_store(void **state)
{
    (void)state;
    struct tree *tree = with_toolkit();
    tree_program(tree, "/nix/store/a-cuda_nvcc-12.9.86/bin/nvcc");
    tree_file(tree, "/nix/store/b-cuda_cudart-12.9.79/include/cuda.h",
              "#define CUDA_VERSION 12090\n");
    host_set_environment(tree->host, "CUDAToolkit_ROOT",
                         "/nix/store/a-cuda_nvcc-12.9.86;/nix/store/b-cuda_cudart-12.9.79");
    tree_probe(tree, probe_toolkit);
    assert_text(tree, "toolkit//nix/store/a-cuda_nvcc-12.9.86", "origin", "store");
    assert_text(tree, "toolkit//nix/store/a-cuda_nvcc-12.9.86", "version", "12.9");
    assert_text(tree, "toolkit//nix/store/b-cuda_cudart-12.9.79", "version", "12.9");
    tree_free(tree);
}

static void test_cmake(void **state)
{
    (void)state;
    struct tree *tree = with_toolkit();
    tree_probe(tree, probe_cmake);
    assert_state(tree->facts, "cmake", "path", FACT_ABSENT);
    assert_state(tree->facts, "cmake", "cache", FACT_ABSENT);
    tree_file(tree, "/usr/bin/cmake", "");
    tree_directory(tree, "/usr/share/cmake-3.22");
    tree_file(tree, "/home/u/p/build/CMakeCache.txt",
              "// CMAKE_CUDA_COMPILER:FILEPATH=/no\n"
              "CMAKE_CUDA_COMPILER:FILEPATH=/usr/local/cuda/bin/nvcc\n"
              "CMAKE_CUDA_ARCHITECTURES:STRING=native\n");
    host_set_environment(tree->host, "PWD", "/home/u/p");
    tree_probe(tree, probe_cmake);
    bool there = false;
    assert_text(tree, "cmake", "version", "3.22");
    assert_text(tree, "cmake", "cache", "/home/u/p/build/CMakeCache.txt");
    assert_text(tree, "cmake", "cache_compiler", "/usr/local/cuda/bin/nvcc");
    assert_text(tree, "cmake", "cache_architectures", "native");
    assert_text(tree, "cmake", "cache_headers", NULL);
    assert_true(facts_boolean(tree->facts, "cmake", "cache_compiler_there", &there) && there);
    tree_directory(tree, "/usr/share/cmake-4.0");
    tree_directory(tree, "/home/u/p/CMakeCache.txt");
    tree_probe(tree, probe_cmake);
    assert_text(tree, "cmake", "version", NULL);
    assert_state(tree->facts, "cmake", "cache_compiler", FACT_UNKNOWN);
    tree_free(tree);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_which_compiler), cmocka_unit_test(test_order),
        cmocka_unit_test(test_before_path),    cmocka_unit_test(test_second_name),
        cmocka_unit_test(test_limits),         cmocka_unit_test(test_functions),
        cmocka_unit_test(test_variables),      cmocka_unit_test(test_programs),
        cmocka_unit_test(test_libraries),      cmocka_unit_test(test_includes),
        cmocka_unit_test(test_wheels),         cmocka_unit_test(test_store),
        cmocka_unit_test(test_cmake),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
