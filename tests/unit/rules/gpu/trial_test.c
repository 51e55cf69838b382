/* SPDX-License-Identifier: MIT */
/* What came of --try: the rules judge it the same on the machine and from a record. */
#include "rules/engine/finding.h"
#include "rules/world.h"

#define PTX    "ptx_not_compiled"
#define FAILED "gpu_compute_failed"
#define WRONG  "gpu_compute_wrong"
#define COPY   "peer_copy_failed"

static void add_gpu(struct facts *facts, int number)
{
    AUTO_FREE char *nvml = mem_printf("nvml/%d", number);
    AUTO_FREE char *cuda = mem_printf("cuda/%d", number);
    AUTO_FREE char *trial = mem_printf("trial/%d", number);
    AUTO_FREE char *bus_id = mem_printf("0000:0%d:00.0", number + 1);
    facts_set_string(facts, nvml, "bus_id", bus_id, "NVML");
    facts_set_string(facts, nvml, "name", "NVIDIA H100 PCIe", "NVML");
    facts_set_integer(facts, nvml, "memory_total_bytes", INT64_C(80) << 30, "NVML");
    facts_set_integer(facts, nvml, "memory_used_bytes", 0, "NVML");
    facts_set_integer(facts, nvml, "memory_free_bytes", INT64_C(79) << 30, "NVML");
    world_list(facts, nvml, "processes", "");
    facts_set_string(facts, cuda, "bus_id", bus_id, "CUDA");
    facts_set_string(facts, cuda, "compute_mode", "default", "CUDA");
    facts_set_string(facts, trial, "outcome", "right", "comparison");
}

/* A healthy machine whose GPUs computed right. */
static struct facts *tried(int count)
{
    struct facts *facts = world_with_driver("570.86.15");
    world_answer(facts, "libcuda.so.1", 0, NULL, "12.8");
    world_answer(facts, "libnvidia-ml.so.1", 0, NULL, NULL);
    facts_set_integer(facts, "nvml", "count", count, "NVML");
    facts_set_integer(facts, "cuda", "count", count, "CUDA");
    facts_set_integer(facts, "trial", "count", count, "CUDA");
    facts_set_integer(facts, "peer_copy", "count", count > 1 ? count : 0, "CUDA");
    for (int i = 0; i < count; i++)
        add_gpu(facts, i);
    return facts;
}

static void call_fails(struct facts *facts, const char *group, const char *call, int error)
{
    facts_set_string(facts, group, "outcome", "failed", call);
    facts_set_string(facts, group, "call", call, call);
    facts_set_integer(facts, group, "error", error, call);
    facts_set_absent(facts, group, "error_name", call);
}

static void test_not_asked(void **state)
{
    (void)state;
    struct facts *facts = world_with_driver("570.86.15");
    assert_check(facts, PURPOSE_RUN, FAILED, CHECK_SKIP, "only --try"); /* an older record */
    facts_set_skipped(facts, "trial", "count", "only --try computes on a GPU", "--try");
    facts_set_skipped(facts, "peer_copy", "count", "only --try computes on a GPU", "--try");
    assert_check(facts, PURPOSE_RUN, PTX, CHECK_SKIP, "only --try");
    assert_check(facts, PURPOSE_RUN, FAILED, CHECK_SKIP, "only --try");
    assert_check(facts, PURPOSE_RUN, WRONG, CHECK_SKIP, "only --try");
    assert_check(facts, PURPOSE_RUN, COPY, CHECK_SKIP, "only --try");
    facts_set_unknown(facts, "trial", "count", "CUDA did not list its GPUs", "CUDA");
    facts_set_unknown(facts, "peer_copy", "count", "CUDA did not list its GPUs", "CUDA");
    assert_check(facts, PURPOSE_RUN, FAILED, CHECK_UNKNOWN, "did not list");
    assert_check(facts, PURPOSE_RUN, COPY, CHECK_UNKNOWN, "did not list");
    facts_free(facts);
}

static void test_right(void **state)
{
    (void)state;
    struct facts *facts = tried(2);
    facts_set_string(facts, "peer_copy/0-1", "outcome", "right", "comparison");
    facts_set_string(facts, "peer_copy/1-0", "outcome", "right", "comparison");
    assert_check(facts, PURPOSE_RUN, PTX, CHECK_PASS, NULL);
    assert_check(facts, PURPOSE_RUN, FAILED, CHECK_PASS, NULL);
    assert_check(facts, PURPOSE_RUN, WRONG, CHECK_PASS, NULL);
    assert_check(facts, PURPOSE_RUN, COPY, CHECK_PASS, NULL);
    facts_free(facts);
    facts = tried(1);
    assert_check(facts, PURPOSE_RUN, COPY, CHECK_SKIP, "fewer than two GPUs");
    facts_free(facts);
}

static void test_no_outcome(void **state)
{
    (void)state;
    struct facts *facts = tried(1);
    facts_set_unknown(facts, "trial/0", "outcome", "no answer in 30 s in cuCtxSynchronize", "CUDA");
    assert_check(facts, PURPOSE_RUN, PTX, CHECK_UNKNOWN, "no answer in 30 s");
    assert_check(facts, PURPOSE_RUN, FAILED, CHECK_UNKNOWN, "no answer in 30 s");
    assert_check(facts, PURPOSE_RUN, WRONG, CHECK_UNKNOWN, "no answer in 30 s");
    facts_set_skipped(facts, "trial/0", "outcome", "the GPU is in exclusive mode", "CUDA");
    assert_check(facts, PURPOSE_RUN, FAILED, CHECK_SKIP, "exclusive mode");
    facts_set_integer(facts, "trial/0", "outcome", 3, "a record that makes no sense");
    assert_check(facts, PURPOSE_RUN, FAILED, CHECK_UNKNOWN, "no outcome");
    facts_set_unknown(facts, "peer_copy/0-1", "outcome", "killed by signal 11", "CUDA");
    assert_check(facts, PURPOSE_RUN, COPY, CHECK_UNKNOWN, "from GPU 0 to GPU 1: killed");
    facts_set_string(facts, "trial/0", "outcome", "right", "comparison");
    facts_set_absent(facts, "trial/9", "call", "a record without an outcome");
    assert_check(facts, PURPOSE_RUN, WRONG, CHECK_UNKNOWN, "does not contain the outcome");
    facts_free(facts);
}

static void test_failed(void **state)
{
    (void)state;
    struct facts *facts = tried(2);
    call_fails(facts, "trial/1", "cuCtxSynchronize", 719);
    assert_found(facts, PURPOSE_RUN, FAILED, SEVERITY_FAIL,
                 "GPU 1 (NVIDIA H100 PCIe) cannot compute: cuCtxSynchronize returns error 719 "
                 "(CUDA_ERROR_LAUNCH_FAILED)");
    assert_found(facts, PURPOSE_BUILD, FAILED, SEVERITY_INFO, "cannot compute");
    assert_check(facts, PURPOSE_RUN, WRONG, CHECK_UNKNOWN, "gave no results");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_fix(found(judgement, FAILED), "--gpu-reset -i 1");
    assert_fix(found(judgement, FAILED), "cuCtxCreate_v2(c.byref(x), 0, 1)");
    judgement_free(judgement);
    call_fails(facts, "trial/1", "cuCtxCreate", 123456);
    assert_found(facts, PURPOSE_RUN, FAILED, SEVERITY_FAIL, "returns error 123456");
    /* The GPU is known to be broken: one fault. */
    facts_set_integer(facts, "nvml/1", "ecc_uncorrected_volatile", 3, "NVML");
    judgement = world_judge(facts, PURPOSE_RUN);
    assert_string_equal(found(judgement, FAILED)->caused_by, "GPU-003");
    judgement_free(judgement);
    facts_free(facts);
}

/* A warning is no excuse: the fault would end as "degraded". */
static void test_failed_with_a_warning(void **state)
{
    (void)state;
    struct facts *facts = tried(1);
    call_fails(facts, "trial/0", "cuMemcpyDtoH", 700);
    facts_set_boolean(facts, "nvml/0", "remap_pending", true, "NVML");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_null(found(judgement, FAILED)->caused_by);
    assert_non_null(strstr(found(judgement, FAILED)->why, "GPU-004 is likely its cause"));
    assert_int_equal(judgement->exit_code, EXIT_FOUND);
    judgement_free(judgement);
    facts_free(facts);
}

static void test_no_room(void **state)
{
    (void)state;
    struct facts *facts = tried(1);
    call_fails(facts, "trial/0", "cuCtxCreate", 2);
    assert_found(facts, PURPOSE_RUN, FAILED, SEVERITY_FAIL, "CUDA_ERROR_OUT_OF_MEMORY");
    world_list(facts, "nvml/0", "processes", "4242 1000");
    assert_check(facts, PURPOSE_RUN, FAILED, CHECK_UNKNOWN,
                 "had too little free memory for the trial");
    world_list(facts, "nvml/0", "processes", "");
    facts_set_integer(facts, "nvml/0", "memory_free_bytes", 1 << 20, "NVML");
    assert_check(facts, PURPOSE_RUN, FAILED, CHECK_UNKNOWN,
                 "had too little free memory for the trial");
    facts_set_integer(facts, "nvml/0", "memory_free_bytes", INT64_C(79) << 30, "NVML");
    call_fails(facts, "trial/0", "cuCtxCreate", 46);
    assert_found(facts, PURPOSE_RUN, FAILED, SEVERITY_FAIL, "CUDA_ERROR_DEVICE_UNAVAILABLE");
    facts_set_string(facts, "cuda/0", "compute_mode", "exclusive-process", "CUDA");
    assert_check(facts, PURPOSE_RUN, FAILED, CHECK_UNKNOWN,
                 "had too little free memory for the trial");
    facts_free(facts);
}

static void test_wrong(void **state)
{
    (void)state;
    struct facts *facts = tried(1);
    facts_set_string(facts, "trial/0", "outcome", "wrong", "comparison");
    facts_set_integer(facts, "trial/0", "wrong", 5, "comparison");
    facts_set_string(facts, "trial/0", "first_wrong", "number 7 of 65536 is 1, not 2", "c");
    assert_found(facts, PURPOSE_RUN, WRONG, SEVERITY_FAIL, "5 wrong numbers");
    assert_found(facts, PURPOSE_BUILD, WRONG, SEVERITY_INFO, "5 wrong numbers");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_non_null(strstr(found(judgement, WRONG)->why, "number 7 of 65536"));
    assert_fix(found(judgement, WRONG), "stop using this GPU");
    judgement_free(judgement);
    assert_check(facts, PURPOSE_RUN, FAILED, CHECK_PASS, NULL);
    facts_free(facts);
}

static void test_ptx(void **state)
{
    (void)state;
    struct facts *facts = tried(2);
    call_fails(facts, "trial/0", "cuModuleLoadDataEx", 221);
    call_fails(facts, "trial/1", "cuModuleLoadDataEx", 221);
    assert_found(facts, PURPOSE_RUN, PTX, SEVERITY_FAIL, "CUDA_ERROR_JIT_COMPILER_NOT_FOUND");
    assert_found(facts, PURPOSE_BUILD, PTX, SEVERITY_INFO, "does not compile PTX");
    assert_check(facts, PURPOSE_RUN, FAILED, CHECK_UNKNOWN, "could not be compiled");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    size_t count = 0;
    for (size_t i = 0; i < judgement->finding_count; i++)
        count += string_equal(judgement->findings[i]->cause, PTX);
    assert_int_equal(count, 1);
    judgement_free(judgement);
    call_fails(facts, "trial/1", "cuModuleLoadDataEx", 2); /* not about the PTX */
    assert_found(facts, PURPOSE_RUN, FAILED, SEVERITY_FAIL, "GPU 1");
    facts_set_string(facts, "environment", "CUDA_DISABLE_PTX_JIT", "1", "environment");
    call_fails(facts, "trial/0", "cuModuleLoadDataEx", 223);
    assert_found(facts, PURPOSE_RUN, PTX, SEVERITY_WARN, "JIT_COMPILATION_DISABLED");
    judgement = world_judge(facts, PURPOSE_RUN);
    assert_fix(found(judgement, PTX), "unset CUDA_DISABLE_PTX_JIT");
    judgement_free(judgement);
    facts_free(facts);
}

static void test_copies(void **state)
{
    (void)state;
    struct facts *facts = tried(2);
    facts_set_string(facts, "peer_copy/0-1", "outcome", "wrong", "comparison");
    facts_set_integer(facts, "peer_copy/0-1", "wrong", 9, "comparison");
    facts_set_boolean(facts, "peer_copy/0-1", "direct", true, "CUDA");
    assert_found(
        facts, PURPOSE_RUN, COPY, SEVERITY_FAIL,
        "the copy from GPU 0 to GPU 1 arrives with wrong data, without an error: 9 wrong numbers");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_fix(found(judgement, COPY), "NCCL_P2P_DISABLE=1");
    judgement_free(judgement);
    facts_set_boolean(facts, "peer_copy/0-1", "direct", false, "CUDA");
    judgement = world_judge(facts, PURPOSE_RUN);
    assert_non_null(strstr(found(judgement, COPY)->why, "through the machine's memory"));
    judgement_free(judgement);
    call_fails(facts, "peer_copy/0-1", "cuMemcpyPeer", 719);
    assert_found(facts, PURPOSE_RUN, COPY, SEVERITY_FAIL,
                 "fails: cuMemcpyPeer returns error 719 (CUDA_ERROR_LAUNCH_FAILED)");
    facts_free(facts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_not_asked),
        cmocka_unit_test(test_right),
        cmocka_unit_test(test_no_outcome),
        cmocka_unit_test(test_failed),
        cmocka_unit_test(test_failed_with_a_warning),
        cmocka_unit_test(test_no_room),
        cmocka_unit_test(test_wrong),
        cmocka_unit_test(test_ptx),
        cmocka_unit_test(test_copies),
    };
    return cmocka_run_group_tests_name("trial", tests, NULL, NULL);
}
