/* SPDX-License-Identifier: MIT */
#include "rules/engine/finding.h"
#include "rules/world_framework.h"

#define MISMATCH   "framework_parts_mismatch"
#define INCOMPLETE "framework_incomplete"
#define HIDDEN     "framework_hidden"

/* framework/1 beside PyTorch 2.5.1 of CUDA 12.4, with a library of its own. */
static struct facts *with_extension(const char *name, const char *wanted)
{
    static const char group[] = "framework/1";
    struct facts *facts = world_with_torch();
    facts_set_integer(facts, "framework", "count", 2, "probe");
    facts_set_string(facts, group, "name", name, SITE);
    facts_set_string(facts, group, "package", name, SITE);
    facts_set_string(facts, group, "version", "0.9.1", SITE);
    facts_set_string(facts, group, "environment", VENV, VENV);
    facts_set_string(facts, group, "python", "python/0", VENV);
    facts_set_boolean(facts, group, "active", true, VENV);
    facts_set_string(facts, group, "accelerator", "cuda", SITE);
    facts_set_boolean(facts, group, "cpu_only", false, SITE);
    facts_set_string(facts, group, "library", SITE "/x/_C.so", SITE);
    facts_set_string(facts, group, "torch_wanted", wanted, SITE);
    return facts;
}

static void an_extension_is_for_one_minor_of_pytorch(void **state)
{
    (void)state;
    struct facts *facts = with_extension("flash-attn", "2.5");
    assert_check(facts, PURPOSE_RUN, MISMATCH, CHECK_PASS, NULL);
    facts_set_string(facts, "framework/1", "torch_wanted", "2.4", SITE);
    assert_found(facts, PURPOSE_RUN, MISMATCH, SEVERITY_FAIL,
                 "is built for PyTorch 2.4, but 2.5.1");
    assert_found(facts, PURPOSE_BUILD, MISMATCH, SEVERITY_INFO, "2.4");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_fix(found(judgement, MISMATCH), "made for PyTorch 2.5.1, or install PyTorch 2.4");
    judgement_free(judgement);
    facts_free(facts);
}

/* It says so, and goes on without its modules. */
static void xformers_is_warned_of(void **state)
{
    (void)state;
    struct facts *facts = with_extension("xformers", "2.4.0");
    assert_found(facts, PURPOSE_RUN, MISMATCH, SEVERITY_WARN, "is built for PyTorch 2.4.0");
    facts_free(facts);
}

/* Without modules of its own nothing of PyTorch's interface is used; and a major alone tells no
 * minor. */
static void what_cannot_clash_is_let_pass(void **state)
{
    (void)state;
    struct facts *facts = with_extension("flash-attn", "2.4");
    facts_set_absent(facts, "framework/1", "library", SITE);
    assert_check(facts, PURPOSE_RUN, MISMATCH, CHECK_PASS, NULL);
    facts_free(facts);
    facts = with_extension("flash-attn", "3");
    assert_check(facts, PURPOSE_RUN, MISMATCH, CHECK_PASS, NULL);
    facts_free(facts);
}

static void a_plugin_is_for_one_jaxlib(void **state)
{
    (void)state;
    struct facts *facts = world_with_driver("550.90.07");
    world_framework(facts, "jax", "jax-cuda12-plugin", "0.4.35", "12");
    world_list(facts, "framework/0", "beside", "jaxlib 0.4.35");
    assert_check(facts, PURPOSE_RUN, MISMATCH, CHECK_PASS, NULL);
    world_list(facts, "framework/0", "beside", "jaxlib 0.4.34");
    assert_found(facts, PURPOSE_RUN, MISMATCH, SEVERITY_FAIL, "but jaxlib is 0.4.34");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_fix(found(judgement, MISMATCH), "install 'jax[cuda12]==0.4.34'");
    judgement_free(judgement);
    facts_free(facts);
}

static void bitsandbytes_has_a_library_for_each_cuda(void **state)
{
    (void)state;
    struct facts *facts = with_extension("bitsandbytes", NULL);
    world_list(facts, "framework/1", "cudas", "11.8:12.4");
    assert_check(facts, PURPOSE_RUN, MISMATCH, CHECK_PASS, NULL);
    world_list(facts, "framework/1", "cudas", "11.8:12.1");
    assert_found(facts, PURPOSE_RUN, MISMATCH, SEVERITY_FAIL, "libraries are for 11.8, 12.1");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_fix(found(judgement, MISMATCH), "install --upgrade bitsandbytes");
    judgement_free(judgement);
    facts_free(facts);
}

static void without_frameworks_there_is_nothing_to_judge(void **state)
{
    (void)state;
    struct facts *facts = world_with_driver("550.90.07");
    assert_check(facts, PURPOSE_RUN, MISMATCH, CHECK_SKIP, "no framework");
    assert_check(facts, PURPOSE_RUN, INCOMPLETE, CHECK_SKIP, "no framework");
    facts_set_unknown(facts, "framework", "count", "more than gpuenv keeps", "probe");
    assert_check(facts, PURPOSE_RUN, MISMATCH, CHECK_UNKNOWN, "more than gpuenv keeps");
    assert_check(facts, PURPOSE_RUN, INCOMPLETE, CHECK_UNKNOWN, "more than gpuenv keeps");
    facts_free(facts);
}

/* What RECORD names and is not there: one after the other, with a NULL at the end. */
static void world_broken(struct facts *facts, const char *const *names)
{
    AUTO_STRLIST struct strlist list = {0};
    for (; *names; names++)
        strlist_take(&list, mem_printf("missing: onnxruntime/%s", *names));
    facts_set_list(facts, "framework/0", "broken", &list, SITE);
}

static void libraries_that_are_gone(void **state)
{
    (void)state;
    struct facts *facts = world_with_driver("550.90.07");
    world_framework(facts, "onnxruntime", "onnxruntime-gpu", "1.20.1", "12.6");
    world_broken(facts, (const char *const[]){NULL});
    assert_check(facts, PURPOSE_RUN, INCOMPLETE, CHECK_PASS, NULL);
    world_broken(facts, (const char *const[]){"LICENSE", NULL});
    assert_check(facts, PURPOSE_RUN, INCOMPLETE, CHECK_PASS, NULL);
    world_broken(facts, (const char *const[]){"LICENSE", "capi/libx.so", NULL});
    assert_found(facts, PURPOSE_RUN, INCOMPLETE, SEVERITY_FAIL,
                 "onnxruntime/capi/libx.so of package onnxruntime-gpu is missing");
    assert_found(facts, PURPOSE_BUILD, INCOMPLETE, SEVERITY_INFO, "libx.so");
    world_broken(facts, (const char *const[]){"libx.so", "liby.so", NULL});
    assert_found(facts, PURPOSE_RUN, INCOMPLETE, SEVERITY_FAIL,
                 "libx.so and another library of package onnxruntime-gpu are missing");
    world_broken(facts, (const char *const[]){"libx.so", "liby.so", "libz.so", NULL});
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_says(found(judgement, INCOMPLETE)->message, "libx.so and 2 other libraries of package");
    assert_fix(found(judgement, INCOMPLETE),
               "install --force-reinstall --no-deps onnxruntime-gpu==1.20.1");
    judgement_free(judgement);
    world_idle(facts);
    assert_found(facts, PURPOSE_RUN, INCOMPLETE, SEVERITY_INFO, "libx.so");
    facts_free(facts);
}

/* With RECORD, that is the yardstick: a description of a machine may leave files out. */
static void a_part_that_another_needs(void **state)
{
    (void)state;
    struct facts *facts = world_with_torch();
    AUTO_STRLIST struct strlist unmet = {0};
    AUTO_STRLIST struct strlist broken = {0};
    strlist_add(&unmet, "libc10.so: " SITE "/torch/lib/libtorch_cuda.so");
    facts_set_list(facts, "framework/0", "unmet", &unmet, SITE);
    facts_set_list(facts, "framework/0", "broken", &broken, SITE);
    assert_check(facts, PURPOSE_RUN, INCOMPLETE, CHECK_PASS, NULL);
    strlist_add(&broken, "no RECORD");
    facts_set_list(facts, "framework/0", "broken", &broken, SITE);
    assert_found(facts, PURPOSE_RUN, INCOMPLETE, SEVERITY_FAIL,
                 "libc10.so, which " SITE "/torch/lib/libtorch_cuda.so needs, is missing");
    assert_found(facts, PURPOSE_BUILD, INCOMPLETE, SEVERITY_INFO, "libc10.so");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_fix(found(judgement, INCOMPLETE), "install --force-reinstall --no-deps torch==2.5.1");
    judgement_free(judgement);
    facts_free(facts);
}

static void a_part_of_another_package(void **state)
{
    (void)state;
    AUTO_STRLIST struct strlist parts = {0};
    struct facts *facts = world_with_driver("550.90.07");
    world_framework(facts, "rapids", "cudf-cu12", "25.6.0", "12");
    strlist_add(&parts, "librmm-cu12==25.6.0: librmm/lib64/librmm.so");
    facts_set_list(facts, "framework/0", "parts_broken", &parts, SITE);
    assert_found(facts, PURPOSE_RUN, INCOMPLETE, SEVERITY_FAIL,
                 "librmm/lib64/librmm.so of package librmm-cu12 is missing");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_fix(found(judgement, INCOMPLETE),
               "install --force-reinstall --no-deps librmm-cu12==25.6.0");
    judgement_free(judgement);
    facts_free(facts);
}

static void another_module_has_the_name(void **state)
{
    (void)state;
    struct facts *facts = world_with_driver("550.90.07");
    assert_check(facts, PURPOSE_RUN, HIDDEN, CHECK_SKIP, "no framework");
    facts_set_unknown(facts, "framework", "count", "more than gpuenv keeps", "probe");
    assert_check(facts, PURPOSE_RUN, HIDDEN, CHECK_UNKNOWN, "more than gpuenv keeps");
    facts_free(facts);
    facts = world_with_torch();
    facts_set_absent(facts, "framework/0", "hidden_by", "PYTHONPATH");
    assert_check(facts, PURPOSE_RUN, HIDDEN, CHECK_PASS, NULL);
    facts_set_string(facts, "framework/0", "hidden_by", "/home/u/projects/torch", "PYTHONPATH");
    assert_found(facts, PURPOSE_RUN, HIDDEN, SEVERITY_FAIL,
                 "is hidden: Python imports /home/u/projects/torch instead");
    assert_found(facts, PURPOSE_BUILD, HIDDEN, SEVERITY_INFO, "/home/u/projects/torch");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_fix(found(judgement, HIDDEN), "remove /home/u/projects from PYTHONPATH");
    judgement_free(judgement);
    facts_free(facts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_extension_is_for_one_minor_of_pytorch),
        cmocka_unit_test(xformers_is_warned_of),
        cmocka_unit_test(what_cannot_clash_is_let_pass),
        cmocka_unit_test(a_plugin_is_for_one_jaxlib),
        cmocka_unit_test(bitsandbytes_has_a_library_for_each_cuda),
        cmocka_unit_test(without_frameworks_there_is_nothing_to_judge),
        cmocka_unit_test(libraries_that_are_gone),
        cmocka_unit_test(a_part_that_another_needs),
        cmocka_unit_test(a_part_of_another_package),
        cmocka_unit_test(another_module_has_the_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
