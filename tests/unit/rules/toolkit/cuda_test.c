/* SPDX-License-Identifier: MIT */
#include "rules/engine/finding.h"
#include "rules/world.h"

/* toolkit_incomplete */

#define INCOMPLETE "toolkit_incomplete"
#define TOOLKIT    "/usr/local/cuda-13.0"
#define GROUP      "toolkit/" TOOLKIT

static struct facts *with_toolkit(const char *missing)
{
    struct facts *facts = world_bare();
    world_default_toolkit(facts, TOOLKIT, "13.0");
    world_list(facts, GROUP, "missing", missing);
    return facts;
}

static void test_incomplete_blocks_builds(void **state)
{
    (void)state;
    struct facts *facts = with_toolkit("cicc:libdevice");
    assert_found(facts, PURPOSE_BUILD, INCOMPLETE, SEVERITY_FAIL, "lacks cicc, libdevice");
    assert_found(facts, PURPOSE_RUN, INCOMPLETE, SEVERITY_INFO, "lacks cicc, libdevice");
    struct judgement *judgement = world_judge(facts, PURPOSE_BUILD);
    assert_fix(found(judgement, INCOMPLETE), "cuda-toolkit-13-0");
    assert_int_equal(judgement->exit_code, 1);
    judgement_free(judgement);
    facts_free(facts);
}

static void test_what_its_own_headers_include(void **state)
{
    (void)state;
    struct facts *facts = with_toolkit("");
    world_list(facts, GROUP, "unmet_includes", "");
    assert_check(facts, PURPOSE_BUILD, INCOMPLETE, CHECK_PASS, NULL);
    AUTO_STRLIST struct strlist unmet = {0};
    strlist_split(&unmet, "cuda_fp16.h: nv/target,cuda_bf16.h: nv/target,mma.h: crt/mma.h", ',');
    facts_set_list(facts, GROUP, "unmet_includes", &unmet, TOOLKIT);
    assert_found(facts, PURPOSE_BUILD, INCOMPLETE, SEVERITY_FAIL,
                 "lacks nv/target, crt/mma.h, which its own header cuda_fp16.h includes");
    assert_check(facts, PURPOSE_RUN, INCOMPLETE, CHECK_PASS, NULL);
    facts_free(facts);
}

/* NVIDIA's repository for a system begins with the CUDA of its time. */
static void test_toolkits_older_than_the_repository(void **state)
{
    static const struct {
        const char *release, *cuda, *says;
    } rows[] = {
        {"20.04", "9.0.176", "local_installers/cuda_9.0.176_384.81_linux-run"},
        {"20.04", "10.2", "begin with CUDA 11.0"},
        {"20.04", "11.0", "install cuda-toolkit-11-0"},
        {"18.04", "10.2", "install cuda-toolkit-10-2"},
        {"6.06", "9.0", "install cuda-toolkit-9-0"}, /* nothing is known of it */
    };
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct facts *facts = world_bare();
        world_default_toolkit(facts, TOOLKIT, rows[i].cuda);
        world_list(facts, GROUP, "missing", "cicc");
        facts_set_string(facts, "os", "id", "ubuntu", "/etc/os-release");
        facts_set_string(facts, "os", "version_id", rows[i].release, "/etc/os-release");
        struct judgement *judgement = world_judge(facts, PURPOSE_BUILD);
        assert_fix(found(judgement, INCOMPLETE), rows[i].says);
        judgement_free(judgement);
        facts_free(facts);
    }
}

/* The HPC SDK has the mathematical libraries in a directory of their own. */
static void test_headers_beside(void **state)
{
    (void)state;
    struct facts *facts = with_toolkit("");
    world_list(facts, GROUP, "library_headers", "cublas_v2.h:cusparse.h:cusolverDn.h");
    facts_set_string(facts, GROUP, "library_headers_beside", "/sdk/math_libs/13.0/include", "sdk");
    assert_check(facts, PURPOSE_BUILD, INCOMPLETE, CHECK_PASS, NULL);
    world_list(facts, GROUP, "library_headers", "");
    assert_found(facts, PURPOSE_BUILD, INCOMPLETE, SEVERITY_INFO, "in its directory math_libs");
    assert_found_fix(facts, PURPOSE_BUILD, INCOMPLETE, "CPATH=/sdk/math_libs/13.0/include");
    facts_set_absent(facts, GROUP, "library_headers_beside", "sdk");
    assert_check(facts, PURPOSE_BUILD, INCOMPLETE, CHECK_PASS, NULL);
    facts_free(facts);
}

/* One of the SDK's that nothing leads to lacks nothing, and is no runtime. */
static void test_idle_sdk(void **state)
{
    (void)state;
    struct facts *facts = world_bare();
    world_toolkit(facts, "/opt/nvidia/hpc_sdk/Linux_x86_64/25.9/cuda/12.9", "12.9", "/sdk", "cicc");
    assert_check(facts, PURPOSE_BUILD, INCOMPLETE, CHECK_FAIL, NULL);
    facts_set_string(facts, "toolkit//opt/nvidia/hpc_sdk/Linux_x86_64/25.9/cuda/12.9", "origin",
                     "hpc-sdk", "sdk");
    assert_check(facts, PURPOSE_BUILD, INCOMPLETE, CHECK_SKIP, "meant for building");
    assert_found(facts, PURPOSE_BUILD, "nvcc_missing", SEVERITY_WARN, "is only in /opt/nvidia");
    facts_free(facts);
}

static void test_what_is_incomplete(void **state)
{
    static const char *const incomplete[] = {
        "headers",
        "cudart",
        "nvcc",
        "ptxas:cicc:libdevice",
        "nvcc:ptxas:cicc",
        "nvcc:ptxas:cicc:libdevice:cudart", /* headers alone */
        "nvcc:cicc:cudart",
    };
    static const char *const complete[] = {
        "", "nvcc:ptxas:cicc:libdevice",            /* libraries and headers */
        "nvcc:ptxas:cicc:libdevice:headers",        /* libraries alone */
        "nvcc:ptxas:cicc:libdevice:headers:cudart", /* other libraries */
    };
    (void)state;
    for (size_t i = 0; i < sizeof(incomplete) / sizeof(incomplete[0]); i++) {
        struct facts *facts = with_toolkit(incomplete[i]);
        assert_check(facts, PURPOSE_BUILD, INCOMPLETE, CHECK_FAIL, NULL);
        facts_free(facts);
    }
    for (size_t i = 0; i < sizeof(complete) / sizeof(complete[0]); i++) {
        struct facts *facts = with_toolkit(complete[i]);
        assert_check(facts, PURPOSE_RUN, INCOMPLETE, CHECK_PASS, NULL);
        facts_free(facts);
    }
}

static void test_runtime_only_is_not_for_building(void **state)
{
    (void)state;
    struct facts *facts = with_toolkit("nvcc:ptxas:cicc:libdevice:headers");
    assert_check(facts, PURPOSE_BUILD, INCOMPLETE, CHECK_SKIP, "meant for building");
    world_toolkit(facts, "/opt/cuda", "12.8", "/opt/cuda", "");
    assert_check(facts, PURPOSE_BUILD, INCOMPLETE, CHECK_PASS, NULL);
    facts_free(facts);
}

static void test_another_complete_toolkit_makes_it_a_warning(void **state)
{
    (void)state;
    struct facts *facts = with_toolkit("");
    world_toolkit(facts, "/opt/cuda", "12.8", "/opt/cuda", "cicc");
    assert_found(facts, PURPOSE_BUILD, INCOMPLETE, SEVERITY_WARN, "/opt/cuda");
    facts_free(facts);
    facts = with_toolkit("cicc"); /* it is the default that is broken */
    world_toolkit(facts, "/opt/cuda", "12.8", "/opt/cuda", "");
    assert_found(facts, PURPOSE_BUILD, INCOMPLETE, SEVERITY_FAIL, TOOLKIT);
    facts_free(facts);
}

static void test_wheels_are_what_they_are(void **state)
{
    (void)state;
    struct facts *facts = with_toolkit("nvcc:headers");
    facts_set_string(facts, GROUP, "origin", "wheel", TOOLKIT);
    assert_check(facts, PURPOSE_BUILD, INCOMPLETE, CHECK_SKIP, "meant for building");
    facts_free(facts);
}

static void test_incomplete_skip_and_unknown(void **state)
{
    (void)state;
    struct facts *facts = world_bare();
    assert_check(facts, PURPOSE_BUILD, INCOMPLETE, CHECK_SKIP, "no CUDA toolkit");
    facts_set_unknown(facts, "toolkit", "count", "permission denied", "/usr/local");
    assert_check(facts, PURPOSE_BUILD, INCOMPLETE, CHECK_UNKNOWN, "permission denied");
    facts_free(facts);
    facts = with_toolkit("");
    facts_set_unknown(facts, GROUP, "missing", "permission denied", TOOLKIT);
    assert_check(facts, PURPOSE_BUILD, INCOMPLETE, CHECK_UNKNOWN, TOOLKIT);
    facts_free(facts);
}

/* usr_local_cuda_wrong_version */

#define WRONG "usr_local_cuda_wrong_version"

static void test_dangling_link(void **state)
{
    (void)state;
    struct facts *facts = world_bare();
    facts_set_string(facts, "toolkit", "default_link", "/usr/local/cuda-12.4", "/usr/local/cuda");
    assert_found(facts, PURPOSE_BUILD, WRONG, SEVERITY_FAIL,
                 "/usr/local/cuda-12.4, which does not exist");
    assert_found(facts, PURPOSE_RUN, WRONG, SEVERITY_WARN, "/usr/local/cuda-12.4");
    world_toolkit(facts, "/usr/local/cuda-13.0", "13.0", "/usr/local/cuda-13.0", "");
    struct judgement *judgement = world_judge(facts, PURPOSE_BUILD);
    assert_fix(found(judgement, WRONG),
               "sudo mv -nT /usr/local/cuda /usr/local/cuda.old && sudo ln -sT "
               "/usr/local/cuda-13.0 /usr/local/cuda");
    judgement_free(judgement);
    facts_free(facts);
}

static void test_default_that_is_no_toolkit(void **state)
{
    (void)state;
    struct facts *facts = world_bare();
    facts_set_string(facts, "toolkit", "default", "/usr/local/cuda-12.4", "/usr/local/cuda");
    assert_found(facts, PURPOSE_BUILD, WRONG, SEVERITY_WARN, "not a CUDA toolkit");
    assert_found(facts, PURPOSE_RUN, WRONG, SEVERITY_INFO, "not a CUDA toolkit");
    facts_free(facts);
}

static void test_home_differs_from_default(void **state)
{
    (void)state;
    struct facts *facts = with_toolkit("");
    world_toolkit(facts, "/opt/cuda-12.4", "12.4.1", "CUDA_HOME", "");
    assert_found(facts, PURPOSE_RUN, WRONG, SEVERITY_INFO, "CUDA_HOME leads to CUDA 12.4.1");
    assert_found(facts, PURPOSE_BUILD, WRONG, SEVERITY_WARN, "/usr/local/cuda leads to CUDA 13.0");
    facts_free(facts);
}

static void test_nvcc_on_path_differs_from_default(void **state)
{
    (void)state;
    struct facts *facts = with_toolkit("");
    world_toolkit(facts, "/usr", "11.5", "/usr", "");
    facts_set_string(facts, "toolkit", "nvcc_on_path", "/usr/bin/nvcc", "PATH");
    assert_found(facts, PURPOSE_BUILD, WRONG, SEVERITY_WARN, "nvcc on PATH leads to CUDA 11.5");
    facts_free(facts);
}

/* A conda environment with a compiler of its own, and a CUDA_PATH from elsewhere. */
static void test_cuda_path_differs_from_an_environment(void **state)
{
    (void)state;
    struct facts *facts = with_toolkit("");
    world_list(facts, GROUP, "named_by", "/usr/local/cuda:CUDA_PATH");
    world_toolkit(facts, "/opt/conda/envs/a", "11.8", "CONDA_PREFIX:PATH", "");
    facts_set_string(facts, "toolkit//opt/conda/envs/a", "origin", "conda", "conda-meta");
    assert_found(facts, PURPOSE_BUILD, WRONG, SEVERITY_WARN, "CUDA_PATH leads to CUDA 13.0");
    struct judgement *judgement = world_judge(facts, PURPOSE_BUILD);
    assert_fix(found(judgement, WRONG), "export CUDA_HOME=/opt/conda/envs/a PATH=");
    judgement_free(judgement);
    facts_free(facts);
}

/* Modules of a cluster set both: the default is for nobody. */
static void test_home_and_path_that_agree_are_healthy(void **state)
{
    (void)state;
    struct facts *facts = with_toolkit("");
    world_toolkit(facts, "/opt/cuda-12.4", "12.4", "CUDA_HOME:PATH", "");
    assert_found(facts, PURPOSE_BUILD, WRONG, SEVERITY_INFO, "CUDA_HOME leads to CUDA 12.4");
    assert_check(facts, PURPOSE_BUILD, WRONG, CHECK_PASS, NULL);
    facts_free(facts);
}

static void test_wrong_version_passes(void **state)
{
    (void)state;
    struct facts *facts = with_toolkit("");
    assert_check(facts, PURPOSE_RUN, WRONG, CHECK_PASS, NULL);
    world_list(facts, GROUP, "named_by", "/usr/local/cuda:CUDA_HOME:PATH");
    assert_check(facts, PURPOSE_RUN, WRONG, CHECK_PASS, NULL);
    facts_free(facts);
    facts = with_toolkit(""); /* a patch release is no difference */
    world_toolkit(facts, "/opt/cuda-13.0.2", "13.0.2", "CUDA_HOME", "");
    assert_check(facts, PURPOSE_RUN, WRONG, CHECK_PASS, NULL);
    /* toolkits that nothing leads to do not disagree */
    world_toolkit(facts, "/usr/local/cuda-11.8", "11.8", "/usr/local/cuda-11.8", "");
    assert_check(facts, PURPOSE_RUN, WRONG, CHECK_PASS, NULL);
    facts_free(facts);
}

static void test_wrong_version_skip_and_unknown(void **state)
{
    (void)state;
    struct facts *facts = world_bare();
    assert_check(facts, PURPOSE_BUILD, WRONG, CHECK_SKIP, "there is no /usr/local/cuda");
    facts_set_unknown(facts, "toolkit", "default", "loop of links", "/usr/local/cuda");
    assert_check(facts, PURPOSE_BUILD, WRONG, CHECK_UNKNOWN, "loop of links");
    facts_free(facts);
    facts = with_toolkit("");
    world_toolkit(facts, "/opt/cuda", NULL, "CUDA_HOME", "");
    assert_check(facts, PURPOSE_BUILD, WRONG, CHECK_UNKNOWN, "cannot compare");
    facts_free(facts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_incomplete_blocks_builds),
        cmocka_unit_test(test_what_its_own_headers_include),
        cmocka_unit_test(test_toolkits_older_than_the_repository),
        cmocka_unit_test(test_what_is_incomplete),
        cmocka_unit_test(test_headers_beside),
        cmocka_unit_test(test_idle_sdk),
        cmocka_unit_test(test_runtime_only_is_not_for_building),
        cmocka_unit_test(test_another_complete_toolkit_makes_it_a_warning),
        cmocka_unit_test(test_wheels_are_what_they_are),
        cmocka_unit_test(test_incomplete_skip_and_unknown),
        cmocka_unit_test(test_dangling_link),
        cmocka_unit_test(test_default_that_is_no_toolkit),
        cmocka_unit_test(test_home_differs_from_default),
        cmocka_unit_test(test_nvcc_on_path_differs_from_default),
        cmocka_unit_test(test_cuda_path_differs_from_an_environment),
        cmocka_unit_test(test_home_and_path_that_agree_are_healthy),
        cmocka_unit_test(test_wrong_version_passes),
        cmocka_unit_test(test_wrong_version_skip_and_unknown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
