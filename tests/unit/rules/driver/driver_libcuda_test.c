/* SPDX-License-Identifier: MIT */
#include "rules/engine/finding.h"
#include "rules/world.h"

#define CAUSE "libcuda_missing"

static struct facts *without_libcuda(void)
{
    struct facts *facts = world_with_driver("570.86.15");
    world_loader(facts, "libcuda.so.1", NULL, NULL, NULL);
    return facts;
}

static void test_module_without_libcuda_fails(void **state)
{
    (void)state;
    struct facts *facts = without_libcuda();
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    const struct finding *finding = found(judgement, CAUSE);
    assert_non_null(finding);
    assert_int_equal(finding->severity, SEVERITY_FAIL);
    assert_true(finding->fix_count > 0);
    assert_int_equal(judgement->exit_code, 1);
    judgement_free(judgement);
    judgement = world_judge(facts, PURPOSE_BUILD);
    assert_int_equal(found(judgement, CAUSE)->severity, SEVERITY_INFO);
    judgement_free(judgement);
    facts_free(facts);
}

static void test_in_a_container_the_runtime_mends_it(void **state)
{
    (void)state;
    struct facts *facts = without_libcuda();
    world_container(facts, "docker");
    struct judgement *judgement = world_judge(facts, PURPOSE_CONTAINER);
    const struct finding *finding = found(judgement, CAUSE);
    assert_non_null(finding);
    assert_non_null(strstr(finding->fixes[0].note, "--gpus all"));
    judgement_free(judgement);
    facts_free(facts);
}

static void world_aside(struct facts *facts, const char *path)
{
    AUTO_FREE char *group = facts_group_name("library", path);
    facts_set_string(facts, group, "path", path, path);
    facts_set_string(facts, group, "name", "libcuda", path);
    facts_set_boolean(facts, group, "stub", false, path);
    world_list(facts, group, "found_as", path);
}

/* NixOS and the GPU operator: programs that are meant to get it know the place. */
static void test_kept_aside_on_purpose(void **state)
{
    (void)state;
    struct facts *facts = without_libcuda();
    world_aside(facts, "/opt/x/lib64/libcuda.so.570.86.15");
    assert_found(facts, PURPOSE_RUN, CAUSE, SEVERITY_FAIL, "programs find no");
    world_aside(facts, "/run/nvidia/driver/usr/lib64/libcuda.so.570.86.15");
    assert_found(facts, PURPOSE_RUN, CAUSE, SEVERITY_INFO, "for containers");
    facts_free(facts);
    static const char *const google[] = {"/home/kubernetes/bin/nvidia", "/var/lib/nvidia"};
    for (size_t i = 0; i < 2; i++) {
        AUTO_FREE char *path = mem_printf("%s/lib64/libcuda.so.570.86.15", google[i]);
        facts = without_libcuda();
        world_aside(facts, path);
        assert_found(facts, PURPOSE_RUN, CAUSE, SEVERITY_INFO, google[i]);
        facts_free(facts);
    }
    facts = without_libcuda();
    world_aside(facts, "/run/opengl-driver/lib/libcuda.so.570.86.15");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    const struct finding *finding = found(judgement, CAUSE);
    assert_int_equal(finding->severity, SEVERITY_INFO);
    assert_true(fix_says(finding, "LD_LIBRARY_PATH=/run/opengl-driver/lib"));
    assert_int_equal(finding->fixes[0].kind, FIX_SHELL);
    judgement_free(judgement);
    world_container(facts, "docker");
    assert_found(facts, PURPOSE_CONTAINER, CAUSE, SEVERITY_FAIL, "programs find no");
    facts_free(facts);
}

static void test_healthy_passes(void **state)
{
    (void)state;
    struct facts *facts = world_with_driver("570.86.15");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_int_equal(check_of(judgement, CAUSE)->status, CHECK_PASS);
    judgement_free(judgement);
    facts_free(facts);
}

static void test_without_module_it_does_not_apply(void **state)
{
    (void)state;
    struct facts *facts = without_libcuda();
    facts_set_boolean(facts, "module", "nvidia", false, "/proc/modules");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_int_equal(check_of(judgement, CAUSE)->status, CHECK_SKIP);
    judgement_free(judgement);
    facts_free(facts);
}

static void test_an_unknown_search_is_unknown(void **state)
{
    (void)state;
    struct facts *facts = world_with_driver("570.86.15");
    facts_set_unknown(facts, "loader/libcuda.so.1", "path", "the cache is damaged", "loader");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_int_equal(check_of(judgement, CAUSE)->status, CHECK_UNKNOWN);
    judgement_free(judgement);
    facts_free(facts);
}

#define LINK "libcuda_dev_symlink_missing"

static void test_link_for_linkers(void **state)
{
    (void)state;
    struct facts *facts = world_with_driver("570.86.15");
    assert_check(facts, PURPOSE_BUILD, LINK, CHECK_SKIP, "links against libcuda.so");
    facts_set_string(facts, "framework/0", "package", "triton", "METADATA");
    facts_set_string(facts, "framework/0", "version", "2.1.0", "METADATA");
    assert_check(facts, PURPOSE_BUILD, LINK, CHECK_UNKNOWN, "libcuda.so");
    world_loader(facts, "libcuda.so", NULL, NULL, "ld.so.cache");
    assert_found(facts, PURPOSE_BUILD, LINK, SEVERITY_FAIL, "Triton 2.1.0");
    assert_found(facts, PURPOSE_RUN, LINK, SEVERITY_INFO, "libcuda.so.1 is in /usr/lib");
    struct judgement *judgement = world_judge(facts, PURPOSE_BUILD);
    assert_fix(found(judgement, LINK), "ln -sT libcuda.so.1 /usr/lib/libcuda.so");
    assert_string_equal(found(judgement, LINK)->manifest, "threshold/triton-libcuda");
    judgement_free(judgement);
    facts_set_string(facts, "framework/0", "version", "3.4.0+git", "METADATA");
    assert_check(facts, PURPOSE_BUILD, LINK, CHECK_SKIP, "links against libcuda.so");
    facts_set_string(facts, "framework/0", "version", "2.1.0", "METADATA");
    world_loader(facts, "libcuda.so", "/usr/lib/libcuda.so", "/usr/lib/libcuda.so.1", "cache");
    assert_check(facts, PURPOSE_BUILD, LINK, CHECK_PASS, NULL);
    world_loader(facts, "libcuda.so.1", NULL, NULL, "cache");
    assert_check(facts, PURPOSE_BUILD, LINK, CHECK_SKIP, "there is no libcuda.so.1");
    facts_free(facts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_module_without_libcuda_fails),
        cmocka_unit_test(test_in_a_container_the_runtime_mends_it),
        cmocka_unit_test(test_kept_aside_on_purpose),
        cmocka_unit_test(test_healthy_passes),
        cmocka_unit_test(test_link_for_linkers),
        cmocka_unit_test(test_without_module_it_does_not_apply),
        cmocka_unit_test(test_an_unknown_search_is_unknown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
