/* SPDX-License-Identifier: MIT */
#include "rules/engine/finding.h"
#include "rules/world_framework.h"

/* What stops a build: compilers, headers, parts, targets, paths. */

#define TOOLKIT "/usr/local/cuda-12.6"
#define GROUP   "toolkit/" TOOLKIT

static const char compiler_too_new[] = "nvcc_host_compiler_too_new";
static const char compiler_missing[] = "nvcc_host_compiler_missing";
static const char glibc_newer[] = "glibc_newer_than_toolkit";
static const char parts_mixed[] = "wheel_toolkit_parts_mixed";
static const char programs_mixed[] = "compiler_parts_mixed";
static const char other_headers[] = "include_path_of_other_toolkit";
static const char arch_unknown[] = "torch_arch_list_unknown";
static const char cmake_old[] = "cmake_too_old_for_native_arch";
static const char not_on_path[] = "nvcc_not_on_path";
static const char other_cache[] = "cmake_cache_other_toolkit";

static struct facts *with_toolkit(void)
{
    struct facts *facts = world_bare();
    world_default_toolkit(facts, TOOLKIT, "12.6.3");
    facts_set_string(facts, "toolkit", "nvcc_on_path", TOOLKIT "/bin/nvcc", "PATH");
    return facts;
}

static void set_variable(struct facts *facts, const char *name, const char *value)
{
    facts_set_string(facts, "environment", name, value, "environment");
}

static void set_compiler(struct facts *facts, const char *by, const char *family,
                         const char *version)
{
    facts_set_string(facts, GROUP, "host_compiler", "/usr/bin/gcc", by);
    facts_set_string(facts, GROUP, "host_compiler_by", by, by);
    facts_set_string(facts, GROUP, "host_compiler_family", family, by);
    facts_set_string(facts, GROUP, "host_compiler_version", version, by);
}

/* Without a toolkit, and where nothing is built, none of them says anything. */
static void test_nothing_to_build_with(void **state)
{
    (void)state;
    static const char *const causes[] = {
        "nvcc_host_compiler_too_new",    "nvcc_host_compiler_missing",
        "glibc_newer_than_toolkit",      "wheel_toolkit_parts_mixed",
        "include_path_of_other_toolkit", "torch_arch_list_unknown",
        "cmake_too_old_for_native_arch", "nvcc_not_on_path",
        "cmake_cache_other_toolkit",     "distro_nvcc_shadows_toolkit",
        "toolkit_too_old_for_gpu",       "toolkit_too_new_for_gpu",
        "compiler_parts_mixed",          "library_half_installed",
    };
    struct facts *facts = world_bare();
    for (size_t i = 0; i < sizeof(causes) / sizeof(causes[0]); i++) {
        assert_check(facts, PURPOSE_BUILD, causes[i], CHECK_SKIP, NULL);
        assert_check(facts, PURPOSE_RUN, causes[i], CHECK_SKIP, "nothing is built");
    }
    facts_free(facts);
}

/* Nothing is known of the toolkits. */
static void test_toolkits_unknown(void **state)
{
    (void)state;
    static const char *const causes[] = {
        "nvcc_host_compiler_too_new",  "nvcc_host_compiler_missing",    "glibc_newer_than_toolkit",
        "wheel_toolkit_parts_mixed",   "include_path_of_other_toolkit", "nvcc_not_on_path",
        "distro_nvcc_shadows_toolkit", "toolkit_too_old_for_gpu",       "toolkit_too_new_for_gpu",
        "compiler_parts_mixed",        "library_half_installed",
    };
    struct facts *facts = with_toolkit();
    facts_set_unknown(facts, "toolkit", "count", "no time left", "probe");
    for (size_t i = 0; i < sizeof(causes) / sizeof(causes[0]); i++)
        assert_check(facts, PURPOSE_BUILD, causes[i], CHECK_UNKNOWN, "no time left");
    facts_free(facts);
    facts = with_toolkit();
    facts_set_unknown(facts, GROUP, "missing", "this user may not read", TOOLKIT);
    assert_check(facts, PURPOSE_BUILD, compiler_too_new, CHECK_UNKNOWN, NULL);
    facts_free(facts);
}

static void set_programs(struct facts *facts, const char *words)
{
    AUTO_STRLIST struct strlist programs = {0};
    strlist_split(&programs, words, ',');
    facts_set_list(facts, GROUP, "programs", &programs, TOOLKIT);
}

static void test_programs(void **state)
{
    static const struct {
        const char *programs, *headers;
        enum check_status status;
    } rows[] = {
        {"nvcc 12.6.85,cicc 12.6.85,ptxas 12.6.85,nvlink 12.6.85", "12.6", CHECK_PASS},
        {"nvcc 12.6.85,cicc 12.6.85,ptxas 12.6.20", NULL,
         CHECK_PASS}, /* an update of one release */
        {"nvcc 12.6.85,cicc 12.6.85,ptxas 12.4.131", "12.6", CHECK_FAIL},
        {"nvcc 12.6.85,cicc 12.6.85,ptxas 9.2.148 /usr/bin/ptxas", "12.6", CHECK_FAIL},
        {"nvcc 12.6.85,cicc 12.10.1,ptxas 12.6.85", "12.6", CHECK_FAIL},
        {"nvcc 12.6.85,cicc 12.4.131,ptxas 12.6.85", "12.6", CHECK_FAIL},
        {"nvcc 12.6.85,cudafe++ 12.4.131", "12.6", CHECK_FAIL},
        {"nvcc 12.6.85,cudafe++ 12.9.86,fatbinary 12.4.131,ptxas 12.9.86", "12.6", CHECK_PASS},
        {"nvcc 12.6.85,ptxas 12.6.85,nvlink 12.4.131", "12.6", CHECK_WARN},
        {"nvcc 12.6.85,cicc 12.6.85", "12.9", CHECK_WARN},
        {"nvcc 12.6.85", NULL, CHECK_PASS},
        {"ptxas 12.4.131", "12.6", CHECK_SKIP}, /* nvcc is a script */
    };
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct facts *facts = with_toolkit();
        set_programs(facts, rows[i].programs);
        facts_set_string(facts, GROUP, "runtime_headers", rows[i].headers, TOOLKIT);
        assert_check(facts, PURPOSE_BUILD, programs_mixed, rows[i].status, NULL);
        facts_set_string(facts, GROUP, "origin", "wheel", TOOLKIT);
        assert_check(facts, PURPOSE_BUILD, programs_mixed, CHECK_SKIP, "wheels");
        facts_free(facts);
    }
    struct facts *facts = with_toolkit();
    assert_check(facts, PURPOSE_BUILD, programs_mixed, CHECK_SKIP, "not in the record");
    facts_set_unknown(facts, GROUP, "programs", "permission denied", TOOLKIT);
    assert_check(facts, PURPOSE_BUILD, programs_mixed, CHECK_UNKNOWN, "permission denied");
    set_programs(facts, "nvcc 12.6.85,cicc 12.6.85,ptxas 12.6.85");
    assert_check(facts, PURPOSE_BUILD, programs_mixed, CHECK_PASS, NULL);
    set_programs(facts, "nvcc 12.6.85,cicc 12.6.85,ptxas 12.4.131");
    assert_found(facts, PURPOSE_BUILD, programs_mixed, SEVERITY_FAIL, "ptxas 12.4.131");
    assert_found_fix(facts, PURPOSE_BUILD, programs_mixed, "cuda-toolkit-12-6");
    facts_free(facts);
}

/* Of aarch64: known since CUDA 12.5. */
static void test_vector_types(void **state)
{
    static const char fact[] = "c_library_vector_types";
    (void)state;
    struct facts *facts = world_bare();
    world_default_toolkit(facts, TOOLKIT, "12.4.1");
    world_list(facts, GROUP, "math_without_noexcept", "");
    facts_set_boolean(facts, GROUP, fact, false, TOOLKIT);
    assert_check(facts, PURPOSE_BUILD, glibc_newer, CHECK_PASS, NULL);
    facts_set_boolean(facts, GROUP, fact, true, TOOLKIT);
    assert_found(facts, PURPOSE_BUILD, glibc_newer, SEVERITY_FAIL, "CUDA 12.5 is the first");
    facts_set_string(facts, GROUP, "version", "12.5.0", TOOLKIT);
    assert_check(facts, PURPOSE_BUILD, glibc_newer, CHECK_PASS, NULL);
    facts_free(facts);
}

static void test_libraries(void **state)
{
    static const struct {
        const char *halves, *words;
    } rows[] = {
        {"cublas: no library", "the headers of cuBLAS are there"},
        {"cublas: no library,cudnn: no library,cufft: no header", "of cuBLAS, cuDNN are there"},
        {"nvJitLink: no header", "not the headers of nvJitLink"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        AUTO_STRLIST struct strlist halves = {0};
        struct facts *facts = with_toolkit();
        strlist_split(&halves, rows[i].halves, ',');
        facts_set_list(facts, GROUP, "half_libraries", &halves, TOOLKIT);
        assert_found(facts, PURPOSE_BUILD, "library_half_installed", SEVERITY_WARN, rows[i].words);
        facts_free(facts);
    }
    struct facts *facts = with_toolkit();
    const struct strlist none = {0};
    assert_check(facts, PURPOSE_BUILD, "library_half_installed", CHECK_SKIP, "not in the record");
    facts_set_list(facts, GROUP, "half_libraries", &none, TOOLKIT);
    assert_check(facts, PURPOSE_BUILD, "library_half_installed", CHECK_PASS, NULL);
    facts_set_absent(facts, GROUP, "half_libraries", TOOLKIT);
    assert_check(facts, PURPOSE_BUILD, "library_half_installed", CHECK_SKIP, "one directory");
    facts_free(facts);
}

static void test_compiler(void **state)
{
    static const struct {
        const char *family, *version, *gcc_max, *clang_below;
        enum check_status status;
    } rows[] = {
        {"gcc", "13", "13", "19", CHECK_PASS},
        {"gcc", "13.3.0", "13", NULL, CHECK_PASS},
        {"gcc", "14", "13", "19", CHECK_FAIL},
        {"gcc", "14.2.0", "13", NULL, CHECK_FAIL},
        {"gcc", "5.4.0", "4.9", NULL, CHECK_FAIL},
        {"gcc", "4.9.3", "4.9", NULL, CHECK_PASS},
        {"clang", "18", "13", "19", CHECK_PASS},
        {"clang", "19.1.7", "13", "19", CHECK_FAIL},
        {"script", NULL, "13", "19", CHECK_SKIP},
        {"other", NULL, "13", "19", CHECK_SKIP},
        /* Without the header the manifest decides: 13 and 18. */
        {"gcc", "14", NULL, NULL, CHECK_FAIL},
        {"gcc", "13", NULL, NULL, CHECK_PASS},
        {"clang", "19", NULL, NULL, CHECK_FAIL},
        {"clang", "18", NULL, NULL, CHECK_PASS},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct facts *facts = with_toolkit();
        set_compiler(facts, "PATH", rows[i].family, rows[i].version);
        facts_set_string(facts, GROUP, "gcc_max", rows[i].gcc_max, TOOLKIT);
        facts_set_string(facts, GROUP, "clang_below", rows[i].clang_below, TOOLKIT);
        assert_check(facts, PURPOSE_BUILD, compiler_too_new, rows[i].status, NULL);
        facts_free(facts);
    }
    struct facts *facts = with_toolkit();
    set_compiler(facts, "NVCC_APPEND_FLAGS", "gcc", "12");
    assert_check(facts, PURPOSE_BUILD, compiler_too_new, CHECK_PASS, NULL);
    set_compiler(facts, "NVCC_APPEND_FLAGS", "gcc", "14");
    world_list(facts, "compiler", "gcc_versions", "12:13:14");
    assert_found(facts, PURPOSE_BUILD, compiler_too_new, SEVERITY_FAIL, "NVCC_APPEND_FLAGS");
    assert_found_fix(facts, PURPOSE_BUILD, compiler_too_new, "NVCC_APPEND_FLAGS=\"-ccbin g++-13\"");
    facts_free(facts);
}

static void test_compiler_that_a_variable_names(void **state)
{
    (void)state;
    struct facts *facts = with_toolkit();
    set_compiler(facts, "PATH", "gcc", "14");
    facts_set_string(facts, "host_compiler/CUDAHOSTCXX", "path", "/usr/bin/g++-13", "CUDAHOSTCXX");
    facts_set_string(facts, "host_compiler/CUDAHOSTCXX", "family", "gcc", "CUDAHOSTCXX");
    facts_set_string(facts, "host_compiler/CUDAHOSTCXX", "version", "13", "CUDAHOSTCXX");
    assert_check(facts, PURPOSE_BUILD, compiler_too_new, CHECK_SKIP, "CUDAHOSTCXX");
    facts_set_string(facts, "host_compiler/CUDAHOSTCXX", "version", "15", "CUDAHOSTCXX");
    assert_found(facts, PURPOSE_BUILD, compiler_too_new, SEVERITY_FAIL, "CUDAHOSTCXX");
    facts_set_string(facts, "toolkit", "unsupported_compiler", "NVCC_APPEND_FLAGS", "environment");
    assert_check(facts, PURPOSE_BUILD, compiler_too_new, CHECK_SKIP, "-allow-unsupported");
    facts_free(facts);
}

/* A record that lacks one of a compiler's facts. */
static void test_half_a_compiler(void **state)
{
    static const struct {
        const char *name;
        enum check_status status;
    } rows[] = {{"host_compiler", CHECK_SKIP},
                {"host_compiler_version", CHECK_SKIP},
                {"host_compiler_by", CHECK_UNKNOWN},
                {"host_compiler_family", CHECK_UNKNOWN}};
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct facts *facts = with_toolkit();
        set_compiler(facts, "PATH", "gcc", "14");
        facts_set_absent(facts, GROUP, rows[i].name, "PATH");
        assert_check(facts, PURPOSE_BUILD, compiler_too_new, rows[i].status, NULL);
        facts_free(facts);
    }
}

static void test_packages_of_compilers(void **state)
{
    (void)state;
    struct facts *facts = with_toolkit();
    set_compiler(facts, "PATH", "gcc", "14");
    facts_set_string(facts, "os", "version_id", "24.04", "/etc/os-release");
    assert_found_fix(facts, PURPOSE_BUILD, compiler_too_new, "apt-get install g++-13");
    facts_set_string(facts, "os", "version_id", "6.06", "/etc/os-release");
    assert_found_fix(facts, PURPOSE_BUILD, compiler_too_new,
                     "install a compiler that nvcc accepts");
    facts_free(facts);
}

static void test_compiler_missing(void **state)
{
    (void)state;
    struct facts *facts = with_toolkit();
    assert_check(facts, PURPOSE_BUILD, compiler_missing, CHECK_SKIP, "not in the record");
    facts_set_absent(facts, GROUP, "host_compiler_there", "PATH");
    assert_check(facts, PURPOSE_BUILD, compiler_missing, CHECK_SKIP, "no variable");
    set_variable(facts, "NVCC_CCBIN", "g++-13");
    set_compiler(facts, "NVCC_CCBIN", "gcc", "13");
    facts_set_boolean(facts, GROUP, "host_compiler_there", true, "NVCC_CCBIN");
    assert_check(facts, PURPOSE_BUILD, compiler_missing, CHECK_PASS, NULL);
    facts_set_boolean(facts, GROUP, "host_compiler_there", false, "NVCC_CCBIN");
    assert_found(facts, PURPOSE_BUILD, compiler_missing, SEVERITY_FAIL, "NVCC_CCBIN names");
    facts_set_absent(facts, GROUP, "host_compiler_there", "PATH");
    set_variable(facts, "CUDAHOSTCXX", "/opt/g++");
    facts_set_boolean(facts, "host_compiler/CUDAHOSTCXX", "there", false, "CUDAHOSTCXX");
    assert_found(facts, PURPOSE_BUILD, compiler_missing, SEVERITY_FAIL, "CUDAHOSTCXX names");
    facts_set_unknown(facts, GROUP, "host_compiler_there", "no time left", "PATH");
    assert_check(facts, PURPOSE_BUILD, compiler_missing, CHECK_UNKNOWN, "no time left");
    facts_free(facts);
}

static void test_glibc(void **state)
{
    (void)state;
    struct facts *facts = with_toolkit();
    assert_check(facts, PURPOSE_BUILD, glibc_newer, CHECK_SKIP, "was not read");
    world_list(facts, GROUP, "math_without_noexcept", "cospi:sinpi:rsqrt");
    assert_check(facts, PURPOSE_BUILD, glibc_newer, CHECK_PASS, NULL);
    facts_set_string(facts, "os", "glibc_version", "2.41", "libc.so.6");
    assert_found(facts, PURPOSE_BUILD, glibc_newer, SEVERITY_FAIL, "cospi, sinpi");
    world_list(facts, GROUP, "c_library_functions", "");
    assert_check(facts, PURPOSE_BUILD, glibc_newer, CHECK_PASS, NULL);
    world_list(facts, GROUP, "c_library_functions", "cospi:sinpi:rsqrt");
    assert_found(facts, PURPOSE_BUILD, glibc_newer, SEVERITY_FAIL, "rsqrt");
    assert_found_fix(facts, PURPOSE_BUILD, glibc_newer, "cuda-toolkit-13-2");
    world_list(facts, GROUP, "math_without_noexcept", "");
    assert_check(facts, PURPOSE_BUILD, glibc_newer, CHECK_PASS, NULL);
    facts_free(facts);
}

static void test_parts(void **state)
{
    (void)state;
    struct facts *facts = with_toolkit();
    assert_check(facts, PURPOSE_BUILD, parts_mixed, CHECK_SKIP, "wheels");
    world_list(facts, GROUP, "wheels", "nvidia-cuda-nvcc 13.0.88:nvidia-cuda-runtime 13.0.96");
    assert_check(facts, PURPOSE_BUILD, parts_mixed, CHECK_PASS, NULL);
    world_list(facts, GROUP, "wheels", "nvidia-cuda-nvcc 13.0.88:nvidia-nvvm 13.3.33");
    assert_found(facts, PURPOSE_BUILD, parts_mixed, SEVERITY_FAIL, "nvidia-nvvm 13.3.33");
    assert_found_fix(facts, PURPOSE_BUILD, parts_mixed, "'nvidia-nvvm==13.0.*'");
    world_list(facts, GROUP, "wheels", "nvidia-cuda-nvcc 13.4.92:nvidia-cuda-crt 13.1.115");
    assert_found(facts, PURPOSE_BUILD, parts_mixed, SEVERITY_WARN, "nvidia-cuda-crt 13.1.115");
    world_list(facts, GROUP, "wheels",
               "nvidia-cuda-nvcc 13.4.92:nvidia-cuda-crt 13.1.115:nvidia-cuda-runtime 13.1.80");
    assert_found(facts, PURPOSE_BUILD, parts_mixed, SEVERITY_FAIL, "nvidia-cuda-runtime 13.1.80");
    world_list(facts, GROUP, "wheels", "nvidia-cuda-nvcc unknown:nvidia-nvvm 13.3.33");
    assert_check(facts, PURPOSE_BUILD, parts_mixed, CHECK_SKIP, NULL);
    facts_free(facts);
}

static void test_headers_of_another_toolkit(void **state)
{
    (void)state;
    struct facts *facts = with_toolkit();
    assert_check(facts, PURPOSE_BUILD, other_headers, CHECK_SKIP, "not in the record");
    facts_set_integer(facts, "include_path", "count", 0, "environment");
    assert_check(facts, PURPOSE_BUILD, other_headers, CHECK_SKIP, "no variable");
    facts_set_string(facts, "include_path/0", "variable", "CPATH", "CPATH");
    facts_set_string(facts, "include_path/0", "path", "/usr/local/cuda-12.4/include", "CPATH");
    facts_set_string(facts, "include_path/0", "version", "12.4", "cuda.h");
    assert_found(facts, PURPOSE_BUILD, other_headers, SEVERITY_WARN, "CPATH names");
    facts_set_string(facts, "include_path/0", "variable", "NVCC_APPEND_FLAGS", "environment");
    assert_found(facts, PURPOSE_BUILD, other_headers, SEVERITY_FAIL, "NVCC_APPEND_FLAGS names");
    facts_set_string(facts, "include_path/0", "version", "12.6", "cuda.h");
    assert_check(facts, PURPOSE_BUILD, other_headers, CHECK_PASS, NULL);
    facts_set_string(facts, "include_path/0", "path", TOOLKIT "/include", "CPATH");
    facts_set_string(facts, "include_path/0", "version", "12.4", "cuda.h");
    assert_check(facts, PURPOSE_BUILD, other_headers, CHECK_PASS, NULL);
    facts_free(facts);
}

static void set_torch(struct facts *facts, const char *arches)
{
    world_framework(facts, "pytorch", "torch", "2.9.0+cu128", "12.8");
    world_list(facts, "framework/0", "torch_arches", arches);
    world_list(facts, "framework/0", "torch_arch_names", "Ampere:Ampere+Tegra");
}

static void test_arch_list(void **state)
{
    static const struct {
        const char *value;
        enum check_status status;
    } rows[] = {
        {"8.0;9.0a", CHECK_PASS}, {"8.0 9.0+PTX", CHECK_PASS}, {"Ampere+PTX;9.0", CHECK_PASS},
        {"8.0;10.1", CHECK_FAIL}, {"9.0a+PTX;", CHECK_PASS},   {"sm_80", CHECK_FAIL},
        {"", CHECK_SKIP},
    };
    (void)state;
    struct facts *facts = with_toolkit();
    assert_check(facts, PURPOSE_BUILD, arch_unknown, CHECK_SKIP, "not in the record");
    set_variable(facts, "TORCH_CUDA_ARCH_LIST", "8.0");
    assert_check(facts, PURPOSE_BUILD, arch_unknown, CHECK_SKIP, "no PyTorch");
    set_torch(facts, "8.0:9.0:9.0a");
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        set_variable(facts, "TORCH_CUDA_ARCH_LIST", rows[i].value);
        assert_check(facts, PURPOSE_BUILD, arch_unknown, rows[i].status, NULL);
    }
    set_variable(facts, "TORCH_CUDA_ARCH_LIST", "9.0");
    assert_check(facts, PURPOSE_BUILD, arch_unknown, CHECK_PASS, NULL);
    set_variable(facts, "TORCH_CUDA_ARCH_LIST", "10.1");
    assert_found(facts, PURPOSE_BUILD, arch_unknown, SEVERITY_FAIL, "10.1");
    facts_set_unknown(facts, "environment", "TORCH_CUDA_ARCH_LIST", "no time left", "environment");
    assert_check(facts, PURPOSE_BUILD, arch_unknown, CHECK_UNKNOWN, "no time left");
    facts_free(facts);
}

static void test_cmake(void **state)
{
    (void)state;
    struct facts *facts = with_toolkit();
    set_variable(facts, "CUDAARCHS", "86");
    facts_set_string(facts, "cmake", "version", "3.22", "PATH");
    assert_check(facts, PURPOSE_BUILD, cmake_old, CHECK_SKIP, "not asked");
    set_variable(facts, "CUDAARCHS", "native");
    assert_found(facts, PURPOSE_BUILD, cmake_old, SEVERITY_FAIL, "3.24");
    facts_set_string(facts, "cmake", "version", "3.24", "PATH");
    assert_check(facts, PURPOSE_BUILD, cmake_old, CHECK_PASS, NULL);
    facts_set_absent(facts, "cmake", "version", "PATH");
    assert_check(facts, PURPOSE_BUILD, cmake_old, CHECK_SKIP, "version of CMake");
    facts_set_string(facts, "cmake", "version", "3.22", "PATH");
    facts_set_absent(facts, "environment", "CUDAARCHS", "environment");
    facts_set_string(facts, "cmake", "cache_architectures", "native", "CMakeCache.txt");
    assert_found(facts, PURPOSE_BUILD, cmake_old, SEVERITY_FAIL, "CMAKE_CUDA_ARCHITECTURES");
    facts_set_unknown(facts, "environment", "CUDAARCHS", "no time left", "environment");
    assert_check(facts, PURPOSE_BUILD, cmake_old, CHECK_UNKNOWN, "no time left");
    facts_free(facts);
}

static void test_path(void **state)
{
    (void)state;
    struct facts *facts = with_toolkit();
    assert_check(facts, PURPOSE_BUILD, not_on_path, CHECK_PASS, NULL);
    facts_set_absent(facts, "toolkit", "nvcc_on_path", "PATH");
    assert_found(facts, PURPOSE_BUILD, not_on_path, SEVERITY_INFO, TOOLKIT);
    facts_set_string(facts, "cmake", "path", "/usr/bin/cmake", "PATH");
    assert_found(facts, PURPOSE_BUILD, not_on_path, SEVERITY_WARN, TOOLKIT);
    set_torch(facts, "8.0");
    assert_found(facts, PURPOSE_BUILD, not_on_path, SEVERITY_INFO, TOOLKIT);
    set_variable(facts, "SUDO_UID", "1000");
    assert_check(facts, PURPOSE_BUILD, not_on_path, CHECK_SKIP, "sudo");
    set_variable(facts, "CUDACXX", TOOLKIT "/bin/nvcc");
    assert_check(facts, PURPOSE_BUILD, not_on_path, CHECK_SKIP, "CUDACXX");
    facts_free(facts);
}

static void test_cache(void **state)
{
    (void)state;
    struct facts *facts = with_toolkit();
    facts_set_string(facts, "cmake", "cache", "/home/u/p/CMakeCache.txt", "PWD");
    facts_set_string(facts, "cmake", "cache_compiler", "/usr/local/cuda/bin/nvcc",
                     "CMakeCache.txt");
    facts_set_boolean(facts, "cmake", "cache_compiler_there", true, "nvcc");
    assert_check(facts, PURPOSE_BUILD, other_cache, CHECK_PASS, NULL);
    facts_set_string(facts, "cmake", "cache_headers", "/usr/local/cuda-12.4/include",
                     "CMakeCache.txt");
    world_toolkit(facts, "/usr/local/cuda-12.4", "12.4", "/usr/local/cuda-12.4", "");
    facts_set_integer(facts, "toolkit", "count", 2, "probe");
    assert_found(facts, PURPOSE_BUILD, other_cache, SEVERITY_WARN, "12.4");
    facts_set_boolean(facts, "cmake", "cache_compiler_there", false, "nvcc");
    assert_found(facts, PURPOSE_BUILD, other_cache, SEVERITY_FAIL, "which is not there");
    facts_set_unknown(facts, "cmake", "cache_compiler_there", "no time left", "nvcc");
    assert_check(facts, PURPOSE_BUILD, other_cache, CHECK_UNKNOWN, "no time left");
    facts_free(facts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing_to_build_with),
        cmocka_unit_test(test_toolkits_unknown),
        cmocka_unit_test(test_programs),
        cmocka_unit_test(test_libraries),
        cmocka_unit_test(test_vector_types),
        cmocka_unit_test(test_compiler),
        cmocka_unit_test(test_compiler_that_a_variable_names),
        cmocka_unit_test(test_half_a_compiler),
        cmocka_unit_test(test_packages_of_compilers),
        cmocka_unit_test(test_compiler_missing),
        cmocka_unit_test(test_glibc),
        cmocka_unit_test(test_parts),
        cmocka_unit_test(test_headers_of_another_toolkit),
        cmocka_unit_test(test_arch_list),
        cmocka_unit_test(test_cmake),
        cmocka_unit_test(test_path),
        cmocka_unit_test(test_cache),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
