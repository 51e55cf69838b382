/* SPDX-License-Identifier: MIT */
/* What the vendor's libraries say, asked of stand-ins that are compiled here and found through
 * LD_LIBRARY_PATH, which a process has from its start: the test starts itself again with it. */
#include <fcntl.h>
#include <time.h>

#include "probe/engine/probes.h"
#include "probe/tree.h"

#define DIRECTORY  "GPUENV_TEST_LIBRARIES"
#define STUB_CUDA  TEST_SOURCE_DIR "/tests/fakes/cuda_stand_in.c"
#define CUDA       "answer/libcuda.so.1"
#define REAL_CUDNN "/usr/local/cuda-13.0/lib/libcudnn.so.9"
#define REAL_NCCL  "/usr/local/cuda-13.0/lib/libnccl.so.2"

static char *library_path(const char *name)
{
    return mem_printf("%s/%s", getenv(DIRECTORY), name);
}

static void compile(const char *source, const char *name, const char *soname, const char *flags)
{
    AUTO_FREE char *path = library_path(name);
    AUTO_FREE char *command = mem_printf(
        "cc -shared -fPIC -Wl,-soname,%s -o '%s' %s -x c \"$SOURCE\"", soname, path, flags);
    assert_int_equal(setenv("SOURCE", source, 1), 0); /* its name may need quotes */
    assert_int_equal(system(command), 0);
}

static void compile_cuda(const char *flags)
{
    compile(STUB_CUDA, "libcuda.so.1", "libcuda.so.1", flags);
}

/* A library of one piece of code. */
static void compile_text(const char *soname, const char *code)
{
    AUTO_FREE char *source = library_path("source.c");
    FILE *file = fopen(source, "w");
    assert_non_null(file);
    assert_true(fputs("#include <stddef.h>\n", file) >= 0 && fputs(code, file) >= 0);
    assert_int_equal(fclose(file), 0);
    compile(source, soname, soname, "");
    assert_int_equal(unlink(source), 0);
}

static int empty_one(const char *path, const struct stat *stat, int type, struct FTW *walk)
{
    (void)stat;
    (void)type;
    return walk->level > 0 ? remove(path) : 0;
}

static int setup(void **state)
{
    nftw(getenv(DIRECTORY), empty_one, 16, FTW_DEPTH | FTW_PHYS);
    return tree_setup(state);
}

static uint64_t ten_seconds_on(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + 10000;
}

static void run(const struct probe_context *context, struct facts *facts)
{
    struct probe_context bounded = *context;
    bounded.deadline_ms = ten_seconds_on();
    probe_library(&bounded, facts);
    probe_loader(&bounded, facts);
    probe_vendor(&bounded, facts);
}

static void run_deep(const struct probe_context *context, struct facts *facts)
{
    struct probe_context deep = *context;
    deep.deep = true;
    run(&deep, facts);
}

static void ask(struct tree *tree)
{
    tree_probe_root(tree, "/", NULL, NULL, run);
}

static void the_driver_answers(void **state)
{
    struct tree *tree = *state;
    AUTO_FREE char *path = library_path("libcuda.so.1");
    compile_cuda("");
    ask(tree);
    assert_fact(tree, CUDA, "library", "libcuda.so.1");
    assert_fact(tree, CUDA, "path", path);
    assert_fact(tree, CUDA, "version", "12.2");
    assert_fact_integer(tree, CUDA, "init", 0);
    assert_fact(tree, CUDA, "init_name", "CUDA_SUCCESS");
    assert_fact_integer(tree, CUDA, "device_count", 2);
    assert_fact_absent(tree, CUDA, "output");
    assert_fact_integer(tree, "cuda", "count", 2);
    assert_fact(tree, "cuda/0", "name", "NVIDIA H100 80GB HBM3");
    assert_fact(tree, "cuda/0", "uuid", "GPU-ab102030-4050-6070-8090-a0b0c0d0e0f0");
    assert_fact(tree, "cuda/0", "bus_id", "0000:1e:00.0");
    assert_fact(tree, "cuda/0", "capability", "9.0");
    assert_fact_integer(tree, "cuda/0", "clock_khz", 1980000);
    assert_fact_integer(tree, "cuda/0", "memory_clock_khz", 2619000);
    assert_fact_integer(tree, "cuda/0", "memory_bytes", 85520809984);
    assert_fact_integer(tree, "cuda/0", "multiprocessors", 132);
    assert_fact_boolean(tree, "cuda/0", "ecc", true);
    assert_fact(tree, "cuda/0", "compute_mode", "exclusive-process");
    assert_fact(tree, "cuda/1", "bus_id", "0000:1f:00.0");
    assert_null(facts_get(tree->facts, "cuda/2", "name"));
}

static void no_device_is_an_answer(void **state)
{
    struct tree *tree = *state;
    compile_cuda("-DINIT=100");
    ask(tree);
    assert_fact(tree, CUDA, "version", "12.2");
    assert_fact_integer(tree, CUDA, "init", 100);
    assert_fact(tree, CUDA, "init_name", "CUDA_ERROR_NO_DEVICE");
    assert_fact_integer(tree, CUDA, "device_count", 0);
    assert_fact_integer(tree, "cuda", "count", 0);
}

static void another_error_leaves_the_count_unknown(void **state)
{
    struct tree *tree = *state;
    compile_cuda("-DINIT=803");
    ask(tree);
    assert_fact_integer(tree, CUDA, "init", 803);
    assert_fact(tree, CUDA, "init_name", "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH");
    assert_fact_unknown(tree, "cuda", "count",
                        "cuInit: error 803 CUDA_ERROR_SYSTEM_DRIVER_MISMATCH");
    compile_cuda("-DINIT=4242");
    ask(tree);
    assert_fact_integer(tree, CUDA, "init", 4242);
    assert_fact_unknown(tree, CUDA, "init_name", "cuGetErrorName: error 1");
    assert_fact_unknown(tree, CUDA, "device_count", "cuInit: error 4242");
}

static void one_failure_costs_one_fact(void **state)
{
    struct tree *tree = *state;
    compile_cuda("-DUUID_FAILS -DNO_BUS_ID");
    ask(tree);
    assert_fact_unknown(tree, "cuda/0", "uuid", "cuDeviceGetUuid: error 999");
    assert_fact_unknown(tree, "cuda/0", "bus_id", "the library has no cuDeviceGetPCIBusId");
    assert_fact(tree, "cuda/0", "name", "NVIDIA H100 80GB HBM3");
    assert_fact(tree, "cuda/0", "capability", "9.0");
    assert_fact(tree, "cuda/1", "compute_mode", "exclusive-process");
}

static void a_mig_instance_has_its_own_uuid(void **state)
{
    struct tree *tree = *state;
    compile_cuda("-DMIG");
    ask(tree);
    assert_fact(tree, "cuda/0", "uuid", "MIG-ff102030-4050-6070-8090-a0b0c0d0e0f0");
}

static void a_count_is_not_believed_beyond_reason(void **state)
{
    struct tree *tree = *state;
    compile_cuda("-DCOUNT=3");
    ask(tree);
    assert_fact_integer(tree, "cuda", "count", 3);
    assert_fact(tree, "cuda/1", "capability", "9.0");
    assert_fact_unknown(tree, "cuda/2", "name", "cuDeviceGet: error 101 CUDA_ERROR_INVALID_DEVICE");
    assert_fact_unknown(tree, "cuda/2", "ecc", "cuDeviceGet: error 101");
    compile_cuda("-DCOUNT=100000");
    ask(tree);
    assert_fact_unknown(tree, "cuda", "count",
                        "cuDeviceGetCount reported 100000, which is not plausible");
    compile_cuda("-DCOUNT=-1");
    ask(tree);
    assert_fact_unknown(tree, "cuda", "count",
                        "cuDeviceGetCount reported -1, which is not plausible");
}

/* Everything that was said before is kept; everything else is unknown, with the call's name. */
static void a_crash_loses_what_was_not_said(void **state)
{
    struct tree *tree = *state;
    compile_cuda("'-DBEFORE(f)=if(f[2]==68)abort()'"); /* cuD… */
    ask(tree);
    assert_fact_integer(tree, "cuda", "count", 2);
    assert_fact(tree, "cuda/0", "name", "NVIDIA H100 80GB HBM3");
    assert_fact_unknown(tree, "cuda/0", "bus_id", "signal 6 (Aborted) in cuDeviceGetPCIBusId");
    assert_fact_unknown(tree, "cuda/0", "ecc", "signal 6");
    assert_fact_unknown(tree, "cuda/1", "name", "signal 6");
    compile_cuda("'-DBEFORE(f)=exit(0)'");
    ask(tree);
    assert_fact(tree, CUDA, "version", "12.2");
    assert_fact_unknown(tree, CUDA, "init", "exited with code 0 in cuInit");
    assert_fact_unknown(tree, CUDA, "init_name", "exited with code 0 in cuInit");
    assert_fact_unknown(tree, CUDA, "device_count", "exited with code 0 in cuInit");
    assert_fact_unknown(tree, "cuda", "count", "exited with code 0 in cuInit");
}

static void what_it_prints_is_kept_in_part(void **state)
{
    struct tree *tree = *state;
    compile_cuda("'-DBEFORE(f)=for(int i=0;i<100;i++)puts(\"\\033[31mhello\")'");
    ask(tree);
    const char *output = facts_string(tree->facts, CUDA, "output");
    assert_non_null(output);
    assert_int_equal(strlen(output), 200);
    assert_true(string_starts(output, "\033[31mhello\n\033[31mhello\n"));
    assert_fact_integer(tree, "cuda", "count", 2);
}

static void names_are_kept_as_found(void **state)
{
    struct tree *tree = *state;
    compile_cuda("'-DNAME=\"a\\xff\\033[31m%n%s\"'");
    ask(tree);
    assert_fact(tree, "cuda/0", "name", "a\xff\033[31m%n%s");
}

/* The library writes lines of the right form to every descriptor it has: into its own groups it can
 * put what it likes, as it could by its answers; into no others. */
static void a_forged_answer_goes_no_further_than_its_own_groups(void **state)
{
    struct tree *tree = *state;
    compile_cuda("-DFORGE");
    ask(tree);
    assert_fact_integer(tree, "cuda", "count", 2);
    assert_fact(tree, "cuda/forged", "name", "evil");
    assert_null(facts_get(tree->facts, "os", "id"));
    assert_null(facts_get(tree->facts, "nvml/0", "name"));
}

static void a_stub_is_not_called(void **state)
{
    struct tree *tree = *state;
    AUTO_FREE char *stubs = library_path("stubs");
    AUTO_FREE char *link = library_path("libcuda.so.1");
    assert_int_equal(mkdir(stubs, 0755), 0);
    compile(STUB_CUDA, "stubs/libcuda.so", "libcuda.so.1", "'-DBEFORE(f)=abort()'");
    assert_int_equal(symlink("stubs/libcuda.so", link), 0);
    ask(tree);
    assert_fact_skipped(tree, CUDA, "version", "a link-time stub is not called");
    assert_fact_skipped(tree, "cuda", "count", "a link-time stub is not called");
}

static void run_with_nodes_alone(const struct probe_context *context, struct facts *facts)
{
    facts_set_boolean(facts, "module", "nvidia", false, "/proc/modules");
    facts_set_integer(facts, "device", "count", 1, "/dev");
    run(context, facts);
}

static void run_with_nodes_in_a_container(const struct probe_context *context, struct facts *facts)
{
    facts_set_string(facts, "container", "engine", "docker", "/.dockerenv");
    run_with_nodes_alone(context, facts);
}

static void nothing_is_called_that_would_load_the_module(void **state)
{
    struct tree *tree = *state;
    compile_cuda("");
    tree_probe_root(tree, "/", NULL, NULL, run_with_nodes_alone);
    assert_fact_skipped(tree, CUDA, "version",
                        "not called: the nvidia module is not loaded, and opening its device nodes "
                        "would load it");
    tree_probe_root(tree, "/", NULL, NULL, run_with_nodes_in_a_container);
    assert_fact(tree, CUDA, "version", "12.2");
}

static void what_is_not_found_is_absent(void **state)
{
    struct tree *tree = *state;
    ask(tree);
    if (facts_string(tree->facts, "loader/libcuda.so.1", "path")) {
        print_message("this machine has a driver library: not tested\n");
        return;
    }
    assert_fact(tree, CUDA, "library", "libcuda.so.1");
    assert_fact_absent(tree, CUDA, "version");
    assert_fact_absent(tree, CUDA, "init");
    assert_fact_absent(tree, "cuda", "count");
    assert_fact_absent(tree, "answer/libnvidia-ml.so.1", "version");
    assert_fact_absent(tree, "nvml", "count");
}

static void a_link_that_leads_nowhere_is_no_library(void **state)
{
    struct tree *tree = *state;
    AUTO_FREE char *link = library_path("libcuda.so.1");
    AUTO_FREE char *group = mem_printf("library/%s", link);
    assert_int_equal(symlink("libcuda.so.570.86.15", link), 0);
    ask(tree);
    assert_fact_unknown(tree, group, "soname", "a link to libcuda.so.570.86.15");
    if (facts_string(tree->facts, "loader/libcuda.so.1", "path")) {
        print_message("this machine has a driver library: not tested\n");
        return;
    }
    assert_fact_absent(tree, CUDA, "version");
    assert_fact_absent(tree, "cuda", "count");
}

/* e_machine, at byte 18 of an ELF file, is made one that there is not. */
static void another_machine_s_library_is_named(void **state)
{
    struct tree *tree = *state;
    AUTO_FREE char *path = library_path("libcuda.so.1");
    compile_cuda("");
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    assert_int_equal(pwrite(fd, "\x15\x00", 2, 18), 2);
    assert_int_equal(close(fd), 0);
    ask(tree);
    if (facts_string(tree->facts, "loader/libcuda.so.1", "path")) {
        print_message("this machine has a driver library: not tested\n");
        return;
    }
    assert_fact_skipped(tree, CUDA, "version", path);
    assert_fact_skipped(tree, "cuda", "count", path);
}

static void a_library_that_cannot_be_loaded_says_why(void **state)
{
    struct tree *tree = *state;
    compile_text("libcudart.so.99", "int nowhere(void); int cudaRuntimeGetVersion(int *v)"
                                    "{ *v = 13000; return nowhere(); }");
    ask(tree);
    assert_fact_unknown(tree, "answer/libcudart.so.99", "version", "cannot be loaded: ");
    assert_fact_unknown(tree, "answer/libcudart.so.99", "version", "undefined symbol: nowhere");
    assert_fact_unknown(tree, "answer/libcudart.so.99", "path", "undefined symbol: nowhere");
}

static void root_does_not_load_what_others_can_replace(void **state)
{
    struct tree *tree = *state;
    if (getuid() != 0) {
        print_message("not root: not tested\n");
        return;
    }
    compile_cuda("'-DBEFORE(f)=abort()'");
    assert_int_equal(chmod(getenv(DIRECTORY), 0777), 0);
    ask(tree);
    assert_int_equal(chmod(getenv(DIRECTORY), 0700), 0);
    assert_fact_skipped(tree, CUDA, "version", getenv(DIRECTORY));
    assert_fact_skipped(tree, "cuda", "count", getenv(DIRECTORY));
}

#define STORES(function, number) "int " function "(int *v) { *v = " number "; return 0; }"
#define GIVES(function, number)  "size_t " function "(void) { return " number "; }"

/* The numbers that a library gives, and the version that they are. */
static const struct encoding {
    const char *soname;
    const char *code;
    const char *name;
    const char *value;   /* NULL: unknown */
    const char *unknown; /* part of the reason */
} encodings[] = {
    {"libcudart.so.98", STORES("cudaRuntimeGetVersion", "12080"), "version", "12.8", NULL},
    {"libcudart.so.98", "int cudaRuntimeGetVersion(int *v) { return v ? 35 : 0; }", "version", NULL,
     "cudaRuntimeGetVersion: error 35"},
    {"libcudart.so.98", STORES("cudaRuntimeGetVersion", "-12080"), "version", NULL,
     "returned -12080, which is not a version"},
    {"libcudart.so.98", "int other;", "version", NULL, "has no cudaRuntimeGetVersion"},
    {"libcudnn.so.98", GIVES("cudnnGetVersion", "8902"), "version", "8.9.2", NULL},
    {"libcudnn.so.98", GIVES("cudnnGetVersion", "90100"), "version", "9.1.0", NULL},
    {"libcudnn.so.98", GIVES("cudnnGetVersion", "91900"), "version", "9.19.0", NULL},
    {"libcudnn.so.98", GIVES("cudnnGetVersion", "(size_t)-1"), "version", NULL, "not a version"},
    {"libcudnn.so.98", GIVES("cudnnGetCudartVersion", "13010"), "cudart_version", "13.1", NULL},
    {"libcudnn.so.98", GIVES("cudnnGetMaxDeviceVersion", "1210"), "capability_max", "12.1", NULL},
    {"libcudnn.so.98", GIVES("cudnnGetMaxDeviceVersion", "0"), "capability_max", NULL,
     "returned 0, which is not a compute capability"},
    {"libnccl.so.98", STORES("ncclGetVersion", "2708"), "version", "2.7.8", NULL},
    {"libnccl.so.98", STORES("ncclGetVersion", "22809"), "version", "2.28.9", NULL},
    {"libnvinfer.so.98", "int getInferLibVersion(void) { return 8601; }", "version", "8.6.1", NULL},
    {"libnvinfer.so.98", "int getInferLibVersion(void) { return 101303; }", "version", "10.13.3",
     NULL},
};

static void version_numbers_are_read_by_each_library_s_rule(void **state)
{
    struct tree *tree = *state;
    for (size_t i = 0; i < sizeof(encodings) / sizeof(*encodings); i++) {
        const struct encoding *row = &encodings[i];
        AUTO_FREE char *group = mem_printf("answer/%s", row->soname);
        compile_text(row->soname, row->code);
        ask(tree);
        if (row->value)
            assert_fact(tree, group, row->name, row->value);
        else
            assert_fact_unknown(tree, group, row->name, row->unknown);
    }
}

static void a_cudnn_without_the_newer_question_has_no_answer_to_it(void **state)
{
    struct tree *tree = *state;
    compile_text("libcudnn.so.98", GIVES("cudnnGetVersion", "8005"));
    ask(tree);
    assert_fact_absent(tree, "answer/libcudnn.so.98", "capability_max");
    assert_fact_unknown(tree, "answer/libcudnn.so.98", "cudart_version",
                        "the library has no cudnnGetCudartVersion");
}

static const struct encoding deep_encodings[] = {
    {"libcublas.so.98", "int cublasGetProperty(int p, int *v) { *v = p + 11; return 0; }",
     "version", "11.12.13", NULL},
    {"libcublasLt.so.98", GIVES("cublasLtGetVersion", "130100"), "version", "13.1.0", NULL},
    {"libcufft.so.98", STORES("cufftGetVersion", "12000"), "version", "12.0.0", NULL},
    {"libcurand.so.98", STORES("curandGetVersion", "10400"), "version", "10.4.0", NULL},
    {"libcusolver.so.98", STORES("cusolverGetVersion", "12004"), "version", "12.0.4", NULL},
    {"libcusparse.so.98", "int cusparseGetProperty(int p, int *v) { *v = 0; return p; }", "version",
     NULL, "cusparseGetProperty: error 1"},
    {"libnvrtc.so.98", "int nvrtcVersion(int *a, int *b) { *a = 12; *b = 9; return 0; }", "version",
     "12.9", NULL},
    {"libnvJitLink.so.98", "int other;", "version", NULL, "has no nvJitLinkVersion"},
};

static void large_libraries_are_asked_with_deep_alone(void **state)
{
    struct tree *tree = *state;
    size_t count = sizeof(deep_encodings) / sizeof(*deep_encodings);
    for (size_t i = 0; i < count; i++)
        compile_text(deep_encodings[i].soname, deep_encodings[i].code);
    ask(tree);
    for (size_t i = 0; i < count; i++) {
        AUTO_FREE char *group = mem_printf("answer/%s", deep_encodings[i].soname);
        assert_null(facts_get(tree->facts, group, "version"));
    }
    tree_probe_root(tree, "/", NULL, NULL, run_deep);
    for (size_t i = 0; i < count; i++) {
        const struct encoding *row = &deep_encodings[i];
        AUTO_FREE char *group = mem_printf("answer/%s", row->soname);
        if (row->value)
            assert_fact(tree, group, row->name, row->value);
        else
            assert_fact_unknown(tree, group, row->name, row->unknown);
    }
}

static void sub_libraries_are_not_asked(void **state)
{
    struct tree *tree = *state;
    compile_text("libcudnn_ops.so.98", GIVES("cudnnGetVersion", "91900"));
    compile_text("libnvinfer_plugin.so.98", "int getInferLibVersion(void) { return 101303; }");
    ask(tree);
    assert_null(facts_get(tree->facts, "answer/libcudnn_ops.so.98", "version"));
    assert_null(facts_get(tree->facts, "answer/libnvinfer_plugin.so.98", "version"));
}

static void the_real_libraries_of_cuda_13_answer(void **state)
{
    struct tree *tree = *state;
    if (access(REAL_CUDNN, R_OK) != 0 || access(REAL_NCCL, R_OK) != 0)
        skip();
    ask(tree);
    assert_fact(tree, "answer/libcudart.so.13", "version", "13.0");
    assert_fact(tree, "answer/libcudnn.so.9", "version", "9.19.0");
    assert_fact(tree, "answer/libcudnn.so.9", "cudart_version", "13.1");
    assert_fact(tree, "answer/libcudnn.so.9", "capability_max", "12.1");
    assert_fact(tree, "answer/libnccl.so.2", "version", "2.28.9");
    assert_null(facts_get(tree->facts, "answer/libcublas.so.13", "version"));
}

/* The process that has the directory on its loader's path from the start. */
static int start_again(void)
{
    char test[] = "probe/vendor/vendor";
    char *const argv[] = {program_invocation_name, test, NULL};
    char directory[] = "/tmp/gpuenv-vendor-XXXXXX";
    if (mkdtemp(directory) == NULL || setenv(DIRECTORY, directory, 1) != 0 ||
        setenv("LD_LIBRARY_PATH", directory, 1) != 0)
        return 1;
    execv("/proc/self/exe", argv);
    return 1;
}

#define vendor_test(function) cmocka_unit_test_setup_teardown(function, setup, tree_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        vendor_test(the_driver_answers),
        vendor_test(no_device_is_an_answer),
        vendor_test(another_error_leaves_the_count_unknown),
        vendor_test(one_failure_costs_one_fact),
        vendor_test(a_mig_instance_has_its_own_uuid),
        vendor_test(a_count_is_not_believed_beyond_reason),
        vendor_test(a_crash_loses_what_was_not_said),
        vendor_test(what_it_prints_is_kept_in_part),
        vendor_test(names_are_kept_as_found),
        vendor_test(a_forged_answer_goes_no_further_than_its_own_groups),
        vendor_test(a_stub_is_not_called),
        vendor_test(nothing_is_called_that_would_load_the_module),
        vendor_test(what_is_not_found_is_absent),
        vendor_test(a_link_that_leads_nowhere_is_no_library),
        vendor_test(another_machine_s_library_is_named),
        vendor_test(a_library_that_cannot_be_loaded_says_why),
        vendor_test(root_does_not_load_what_others_can_replace),
        vendor_test(version_numbers_are_read_by_each_library_s_rule),
        vendor_test(a_cudnn_without_the_newer_question_has_no_answer_to_it),
        vendor_test(large_libraries_are_asked_with_deep_alone),
        vendor_test(sub_libraries_are_not_asked),
        vendor_test(the_real_libraries_of_cuda_13_answer),
    };
    if (getenv(DIRECTORY) == NULL)
        return start_again();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    nftw(getenv(DIRECTORY), tree_remove_one, 16, FTW_DEPTH | FTW_PHYS);
    return failed;
}
