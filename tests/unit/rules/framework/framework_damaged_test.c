/* SPDX-License-Identifier: MIT */
#include "rules/engine/finding.h"
#include "rules/world_framework.h"

#define DAMAGED "library_damaged"
#define BROKEN  "python_environment_broken"
#define CLASH   "framework_packages_clash"
#define CUBLAS  SITE "/nvidia/cublas/lib/libcublasLt.so.12"

static void set_one(struct facts *facts, const char *group, const char *name, const char *item)
{
    AUTO_STRLIST struct strlist list = {0};
    strlist_add(&list, item);
    facts_set_list(facts, group, name, &list, SITE);
}

static void without_frameworks_there_is_nothing_to_judge(void **state)
{
    (void)state;
    struct facts *facts = world_with_driver("550.90.07");
    assert_check(facts, PURPOSE_RUN, DAMAGED, CHECK_SKIP, "no framework");
    assert_check(facts, PURPOSE_RUN, CLASH, CHECK_SKIP, "no framework");
    assert_check(facts, PURPOSE_RUN, BROKEN, CHECK_SKIP, "no Python environment");
    facts_set_unknown(facts, "framework", "count", "more than gpuenv keeps", "probe");
    facts_set_unknown(facts, "python", "count", "more than gpuenv looks at", "probe");
    assert_check(facts, PURPOSE_RUN, DAMAGED, CHECK_UNKNOWN, "more than gpuenv keeps");
    assert_check(facts, PURPOSE_RUN, CLASH, CHECK_UNKNOWN, "more than gpuenv keeps");
    assert_check(facts, PURPOSE_RUN, BROKEN, CHECK_UNKNOWN, "more than gpuenv looks at");
    facts_free(facts);
}

static void what_a_framework_loads_is_a_failure(void **state)
{
    (void)state;
    struct facts *facts = world_with_torch();
    world_load(facts, 0, "cublasLt", "libcublasLt.so.12", CUBLAS, "RPATH");
    assert_check(facts, PURPOSE_RUN, DAMAGED, CHECK_PASS, NULL);
    facts_set_string(facts, "framework_library/0", "damaged", CUBLAS ": truncated: …", SITE);
    assert_found(facts, PURPOSE_RUN, DAMAGED, SEVERITY_FAIL, CUBLAS ": truncated");
    assert_found(facts, PURPOSE_BUILD, DAMAGED, SEVERITY_INFO, CUBLAS);
    facts_free(facts);
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

static void an_environment_without_its_python(void **state)
{
    (void)state;
    static const char link[] =
        VENV "/bin/python is a link to /opt/python3.12, which does not exist";
    struct facts *facts = world_with_torch();
    facts_set_absent(facts, "python/0", "program_broken", VENV);
    assert_check(facts, PURPOSE_RUN, BROKEN, CHECK_PASS, NULL);
    facts_set_string(facts, "python/0", "program_broken", link, VENV);
    assert_found(facts, PURPOSE_RUN, BROKEN, SEVERITY_FAIL, "has no Python: " VENV "/bin/python");
    world_idle(facts);
    assert_found(facts, PURPOSE_RUN, BROKEN, SEVERITY_INFO, VENV);
    facts_free(facts);
}

static void two_packages_of_one_folder(void **state)
{
    (void)state;
    static const char *const names[][2] = {{"framework/0", "faiss-gpu-cu12"},
                                           {"framework/1", "faiss-cpu"}};
    struct facts *facts = world_with_driver("550.90.07");
    world_framework(facts, "faiss", "faiss-gpu-cu12", "1.14.1", "12");
    facts_set_string(facts, "framework/0", "directory", SITE "/faiss", SITE);
    assert_check(facts, PURPOSE_RUN, CLASH, CHECK_PASS, NULL);
    facts_set_integer(facts, "framework", "count", 2, "probe");
    for (size_t i = 0; i < 2; i++) {
        facts_set_string(facts, names[i][0], "name", "faiss", SITE);
        facts_set_string(facts, names[i][0], "package", names[i][1], SITE);
        facts_set_string(facts, names[i][0], "version", "1.14.1", SITE);
        facts_set_string(facts, names[i][0], "environment", VENV, VENV);
        facts_set_string(facts, names[i][0], "python", "python/0", VENV);
        facts_set_boolean(facts, names[i][0], "active", true, VENV);
        facts_set_string(facts, names[i][0], "origin", "wheel", SITE);
        facts_set_string(facts, names[i][0], "directory", SITE "/faiss", SITE);
    }
    assert_found(facts, PURPOSE_RUN, CLASH, SEVERITY_FAIL, "share one folder");
    facts_set_string(facts, "framework/1", "directory", SITE "/other", SITE);
    assert_check(facts, PURPOSE_RUN, CLASH, CHECK_PASS, NULL);
    facts_free(facts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_frameworks_there_is_nothing_to_judge),
        cmocka_unit_test(what_a_framework_loads_is_a_failure),
        cmocka_unit_test(what_only_lies_there_is_a_warning),
        cmocka_unit_test(an_environment_without_its_python),
        cmocka_unit_test(two_packages_of_one_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
