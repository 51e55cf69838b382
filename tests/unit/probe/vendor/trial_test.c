/* SPDX-License-Identifier: MIT */
/* --try, asked of the double of libcuda (docs/background/testing.md), which is found through
 * LD_LIBRARY_PATH: the test starts itself again with it. */
#include <time.h>

#include "probe/engine/probes.h"
#include "probe/tree.h"
#include "probe/vendor/trial_kernel.h"

#define DIRECTORY "GPUENV_TEST_LIBRARIES"
#define DOUBLE    TEST_BINARY_DIR "/tests/doubles/libcuda.so.1"
#define CUDA      "answer/libcuda.so.1"
#define LONG_MS   60000
#define SHORT_MS  400

static unsigned trial_ms;
static void (*prepare)(struct facts *facts);

static void plan(const char *text)
{
    AUTO_FREE char *path = mem_printf("%s/double.plan", getenv(DIRECTORY));
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void nothing_more(struct facts *facts)
{
    (void)facts;
}

/* What the probes before it have found: two GPUs. */
static void run(const struct probe_context *context, struct facts *facts)
{
    struct probe_context trying = *context;
    trying.trial_ms = trial_ms;
    facts_set_integer(facts, CUDA, "init", 0, "cuInit");
    facts_set_integer(facts, "cuda", "count", 2, "cuDeviceGetCount");
    for (int i = 0; i < 2; i++) {
        AUTO_FREE char *cuda = mem_printf("cuda/%d", i);
        AUTO_FREE char *nvml = mem_printf("nvml/%d", i);
        AUTO_FREE char *bus_id = mem_printf("0000:1%d:00.0", i);
        facts_set_string(facts, cuda, "bus_id", bus_id, "CUDA");
        facts_set_string(facts, cuda, "capability", "9.0", "CUDA");
        facts_set_string(facts, nvml, "bus_id", bus_id, "NVML");
        facts_set_list(facts, nvml, "processes", &(struct strlist){0}, "NVML");
    }
    prepare(facts);
    probe_trial(&trying, facts);
}

static void try(struct tree *tree, const char *text, unsigned milliseconds,
                void (*before)(struct facts *facts))
{
    AUTO_FREE char *lines = mem_printf("gpus 2\n%s", text);
    trial_ms = milliseconds;
    prepare = before ? before : nothing_more;
    plan(lines);
    tree_probe_root(tree, "/", NULL, NULL, run);
}

static void right_results_and_copies(void **state)
{
    struct tree *tree = *state;
    try(tree, "", LONG_MS, NULL);
    assert_fact_integer(tree, "trial", "count", 2);
    assert_fact(tree, "trial/0", "outcome", "right");
    assert_fact(tree, "trial/1", "outcome", "right");
    assert_fact_integer(tree, "trial/1", "wrong", 0);
    assert_fact_absent(tree, "trial/1", "call");
    assert_fact_integer(tree, "trial/0", "memory_free_bytes", 84358987776);
    assert_fact_integer(tree, "peer_copy", "count", 2);
    assert_fact(tree, "peer_copy/0-1", "outcome", "right");
    assert_fact(tree, "peer_copy/1-0", "outcome", "right");
    assert_fact_boolean(tree, "peer_copy/1-0", "direct", true);
}

static void never_unasked(void **state)
{
    struct tree *tree = *state;
    try(tree, "cuCtxCreate_v2 aborts\n", 0, NULL);
    assert_fact_skipped(tree, "trial", "count", "only --try computes on a GPU");
    assert_fact_skipped(tree, "peer_copy", "count", "only --try computes on a GPU");
    assert_null(facts_get(tree->facts, "trial/0", "outcome"));
}

static void wrong_results(void **state)
{
    struct tree *tree = *state;
    AUTO_FREE char *first =
        mem_printf("number %u of %u is 0x%08x, not 0x%08x", TRIAL_COUNT - 3, TRIAL_COUNT,
                   trial_expected(TRIAL_COUNT - 3) ^ 4, trial_expected(TRIAL_COUNT - 3));
    try(tree, "gpu 1 wrong 3\n", LONG_MS, NULL);
    assert_fact(tree, "trial/0", "outcome", "right");
    assert_fact(tree, "trial/1", "outcome", "wrong");
    assert_fact_integer(tree, "trial/1", "wrong", 3);
    assert_fact(tree, "trial/1", "first_wrong", first);
    assert_fact_integer(tree, "peer_copy", "count", 0); /* not with a GPU that is at fault */
}

/* Each call may fail, and is named. */
static void each_call_may_fail(void **state)
{
    static const struct {
        const char *function, *call;
    } calls[] = {
        {"cuInit", "cuInit"},
        {"cuDeviceGet", "cuDeviceGet"},
        {"cuCtxCreate_v2", "cuCtxCreate"},
        {"cuModuleLoadDataEx", "cuModuleLoadDataEx"},
        {"cuModuleGetFunction", "cuModuleGetFunction"},
        {"cuMemAlloc_v2", "cuMemAlloc"},
        {"cuMemcpyHtoD_v2", "cuMemcpyHtoD"},
        {"cuMemGetInfo_v2", "cuMemGetInfo"},
        {"cuLaunchKernel", "cuLaunchKernel"},
        {"cuCtxSynchronize", "cuCtxSynchronize"},
        {"cuMemcpyDtoH_v2", "cuMemcpyDtoH"},
    };
    struct tree *tree = *state;
    for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
        AUTO_FREE char *line = mem_printf("%s returns 719\n", calls[i].function);
        try(tree, line, LONG_MS, NULL);
        assert_fact(tree, "trial/0", "outcome", "failed");
        assert_fact(tree, "trial/0", "call", calls[i].call);
        assert_fact_integer(tree, "trial/0", "error", 719);
        assert_fact(tree, "trial/0", "error_name", "CUDA_ERROR_LAUNCH_FAILED");
        assert_fact_integer(tree, "peer_copy", "count", 0);
    }
}

/* The compiler's words, and that it is told to leave nothing on the disk. */
static void a_compiler_that_refuses(void **state)
{
    struct tree *tree = *state;
    try(tree,
        "cuModuleLoadDataEx returns 218\n"
        "jit_log ptxas\\x0aerror: bad\n"
        "gpu 1 jit_log $CUDA_CACHE_DISABLE\n",
        LONG_MS, NULL);
    assert_fact(tree, "trial/0", "call", "cuModuleLoadDataEx");
    assert_fact(tree, "trial/0", "compiler_log", "ptxas error: bad");
    assert_fact(tree, "trial/1", "compiler_log", "1");
}

static void a_crash_costs_one_gpu(void **state)
{
    struct tree *tree = *state;
    try(tree, "gpu 1 cuLaunchKernel crashes\n", LONG_MS, NULL);
    assert_fact(tree, "trial/0", "outcome", "right");
    assert_fact_unknown(tree, "trial/1", "outcome",
                        "killed by signal 11 (Segmentation fault) in cuLaunchKernel");
}

static void a_hang_ends_at_its_own_deadline(void **state)
{
    struct tree *tree = *state;
    try(tree, "gpu 1 cuCtxSynchronize hangs\n", SHORT_MS, NULL);
    assert_fact_unknown(tree, "trial/1", "outcome", "no answer in 0.4 s in cuCtxSynchronize");
}

static void copies_that_fail(void **state)
{
    struct tree *tree = *state;
    try(tree, "wrong_copied 2\n", LONG_MS, NULL);
    assert_fact(tree, "peer_copy/0-1", "outcome", "wrong");
    assert_fact_integer(tree, "peer_copy/0-1", "wrong", 2);
    try(tree, "cuMemcpyPeer returns 719\n", LONG_MS, NULL);
    assert_fact(tree, "peer_copy/0-1", "outcome", "failed");
    assert_fact(tree, "peer_copy/0-1", "call", "cuMemcpyPeer");
    assert_fact_unknown(tree, "peer_copy/1-0", "outcome",
                        "not tried, because the previous copy failed");
    try(tree, "gpu 0 cuMemcpyPeer crashes\n", LONG_MS, NULL);
    assert_fact(tree, "peer_copy/0-1", "outcome", "right");
    assert_fact_unknown(tree, "peer_copy/1-0", "outcome",
                        "killed by signal 11 (Segmentation fault) in cuMemcpyPeer");
    try(tree, "peer_access 0\ncuCtxEnablePeerAccess returns 217\n", LONG_MS, NULL);
    assert_fact(tree, "peer_copy/0-1", "outcome", "right");
    assert_fact_boolean(tree, "peer_copy/0-1", "direct", false);
    try(tree, "cuCtxEnablePeerAccess returns 704\n", LONG_MS, NULL); /* it is enabled already */
    assert_fact(tree, "peer_copy/0-1", "outcome", "right");
    try(tree, "cuCtxEnablePeerAccess returns 217\n", LONG_MS, NULL);
    assert_fact(tree, "peer_copy/0-1", "call", "cuCtxEnablePeerAccess");
}

static void exclusive_and_used(struct facts *facts)
{
    AUTO_STRLIST struct strlist processes = {0};
    strlist_add(&processes, "77 1000");
    facts_set_string(facts, "nvml/0", "compute_mode", "exclusive-process", "NVML");
    facts_set_list(facts, "nvml/0", "processes", &processes, "NVML");
    facts_set_string(facts, "cuda/1", "compute_mode", "exclusive-process", "CUDA");
}

static void exclusive_and_not_told(struct facts *facts)
{
    facts_set_string(facts, "nvml/0", "compute_mode", "exclusive-process", "NVML");
    facts_set_unknown(facts, "nvml/0", "processes", "not supported", "NVML");
    facts_set_string(facts, "cuda/1", "compute_mode", "prohibited", "CUDA");
}

static void too_old(struct facts *facts)
{
    facts_set_string(facts, "cuda/0", "capability", "2.1", "CUDA");
}

static void what_is_left_alone(void **state)
{
    struct tree *tree = *state;
    try(tree, "", LONG_MS, exclusive_and_used);
    assert_fact_skipped(tree, "trial/0", "outcome",
                        "the GPU is in exclusive mode, and a program uses it");
    assert_fact(tree, "trial/1", "outcome", "right"); /* exclusive, and nobody uses it */
    try(tree, "", LONG_MS, exclusive_and_not_told);
    assert_fact_skipped(
        tree, "trial/0", "outcome",
        "the GPU is in exclusive mode, and NVML does not say whether a program uses it");
    assert_fact_skipped(tree, "trial/1", "outcome",
                        "the GPU's compute mode is prohibited: no program may use the GPU");
    try(tree, "", LONG_MS, too_old);
    assert_fact_skipped(tree, "trial/0", "outcome",
                        "the GPU's compute capability is below 3.0, and the test kernel needs 3.0");
}

static void no_start(struct facts *facts)
{
    facts_set_integer(facts, CUDA, "init", 999, "cuInit");
}

static void not_found(struct facts *facts)
{
    facts_set_absent(facts, CUDA, "init", "the loader's search");
}

static void not_trusted(struct facts *facts)
{
    facts_set_skipped(facts, CUDA, "init", "others can change it", "trust");
}

static void not_listed(struct facts *facts)
{
    facts_set_unknown(facts, "cuda", "count", "no answer in 10 s in cuDeviceGetCount", "CUDA");
}

static void nothing_is_tried_where_cuda_does_not_start(void **state)
{
    struct tree *tree = *state;
    try(tree, "", LONG_MS, no_start);
    assert_fact_skipped(tree, "trial", "count", "cuInit returns an error");
    try(tree, "", LONG_MS, not_found);
    assert_fact_skipped(tree, "trial", "count", "no libcuda.so.1 is found");
    try(tree, "", LONG_MS, not_trusted);
    assert_fact_skipped(tree, "peer_copy", "count", "others can change it");
    try(tree, "", LONG_MS, not_listed);
    assert_fact_unknown(tree, "trial", "count", "no answer in 10 s in cuDeviceGetCount");
}

/* A line that is not its own to say, in the form of an answer. */
static void a_forged_answer_is_thrown_away(void **state)
{
    struct tree *tree = *state;
    try(tree,
        "gpu 1 cuCtxCreate_v2 writes \\x0a\\x1e={\"group\":\"trial/0\",\"name\":\"outcome\","
        "\"value\":\"wrong\",\"source\":\"x\"}\\x0a\n"
        "gpu 1 cuCtxCreate_v2 writes \\x0a\\x1e={\"group\":\"trial/1\",\"name\":\"compiler_log\","
        "\"value\":\"its own\",\"source\":\"x\"}\\x0a\n",
        LONG_MS, NULL);
    assert_fact(tree, "trial/0", "outcome", "right");
    assert_fact(tree, "trial/1", "compiler_log", "its own");
}

static int start_again(void)
{
    char test[] = "probe/vendor/trial";
    char *const argv[] = {program_invocation_name, test, NULL};
    char directory[] = "/tmp/gpuenv-trial-XXXXXX";
    if (mkdtemp(directory) == NULL || setenv(DIRECTORY, directory, 1) != 0 ||
        setenv("LD_LIBRARY_PATH", directory, 1) != 0)
        return 1;
    AUTO_FREE char *copy = mem_printf("cp '%s' %s/", DOUBLE, directory);
    if (system(copy) != 0)
        return 1;
    execv("/proc/self/exe", argv);
    return 1;
}

#define trial_test(function) cmocka_unit_test_setup_teardown(function, tree_setup, tree_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        trial_test(right_results_and_copies),
        trial_test(never_unasked),
        trial_test(wrong_results),
        trial_test(each_call_may_fail),
        trial_test(a_compiler_that_refuses),
        trial_test(a_crash_costs_one_gpu),
        trial_test(a_hang_ends_at_its_own_deadline),
        trial_test(copies_that_fail),
        trial_test(what_is_left_alone),
        trial_test(nothing_is_tried_where_cuda_does_not_start),
        trial_test(a_forged_answer_is_thrown_away),
    };
    if (getenv(DIRECTORY) == NULL)
        return start_again();
    int failed = cmocka_run_group_tests_name("trial", tests, NULL, NULL);
    nftw(getenv(DIRECTORY), tree_remove_one, 16, FTW_DEPTH | FTW_PHYS);
    return failed;
}
