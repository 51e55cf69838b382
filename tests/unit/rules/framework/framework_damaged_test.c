/* SPDX-License-Identifier: MIT */
#include "rules/engine/finding.h"
#include "rules/world_framework.h"

#define DAMAGED "library_damaged"
#define MISSING "framework_requirement_missing"
#define CUBLAS  SITE "/nvidia/cublas/lib/libcublasLt.so.12"

static void set_one(struct facts *facts, const char *group, const char *name, const char *item)
{
    AUTO_STRLIST struct strlist list = {0};
    strlist_add(&list, item);
    facts_set_list(facts, group, name, &list, SITE);
}

/* What no framework is known to load is a warning, and is said once. */
static void what_only_lies_there_is_a_warning(void **state)
{
    (void)state;
    struct facts *facts = world_with_torch();
    facts_set_string(facts, "wheel/0", "name", "nvidia-cublas-cu12", SITE);
    facts_set_string(facts, "wheel/0", "version", "12.4.5.8", SITE);
    facts_set_string(facts, "wheel/0", "environment", VENV, VENV);
    facts_set_string(facts, "wheel/0", "python", "python/0", VENV);
    set_one(facts, "wheel/0", "broken", "cut off: nvidia/cublas/lib/libcublasLt.so.12");
    assert_found(facts, PURPOSE_RUN, DAMAGED, SEVERITY_WARN,
                 "nvidia/cublas/lib/libcublasLt.so.12 of package nvidia-cublas-cu12");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_fix(found(judgement, DAMAGED), "nvidia-cublas-cu12==12.4.5.8");
    judgement_free(judgement);
    world_load(facts, 0, "cublasLt", "libcublasLt.so.12", CUBLAS, "RPATH");
    facts_set_string(facts, "framework_library/0", "damaged", CUBLAS ": truncated: …", SITE);
    assert_found(facts, PURPOSE_RUN, DAMAGED, SEVERITY_FAIL, "loads a damaged library");
    set_one(facts, "wheel/0", "broken", "of another size than RECORD says: nvidia/x.so");
    facts_set_absent(facts, "framework_library/0", "damaged", SITE);
    assert_check(facts, PURPOSE_RUN, DAMAGED, CHECK_PASS, NULL);
    facts_free(facts);
}

static void a_module_of_a_newer_release_is_gone(void **state)
{
    (void)state;
    struct facts *facts = world_with_driver("550.90.07");
    world_framework(facts, "numba-cuda", "numba-cuda", "0.20.1", "12");
    set_one(facts, "framework/0", "requires_missing", "numba.core.removerefctpass: numba 0.68.1");
    assert_found(facts, PURPOSE_RUN, MISSING, SEVERITY_FAIL,
                 "imports numba.core.removerefctpass, which numba 0.68.1 does not have");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_fix(found(judgement, MISSING), "install --upgrade numba-cuda");
    judgement_free(judgement);
    facts_free(facts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_only_lies_there_is_a_warning),
        cmocka_unit_test(a_module_of_a_newer_release_is_gone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
