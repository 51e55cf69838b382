/* SPDX-License-Identifier: MIT */
#include "rules/container/engines.h"

#define CAUSE   "toolkit_release_defect"
#define PACKAGE "package/libnvidia-container1"

static void one_release_alone(void **state)
{
    (void)state;
    struct facts *facts = world_with_docker();
    assert_check(facts, PURPOSE_RUN, CAUSE, CHECK_SKIP, "enroot is not installed");
    world_engine(facts, "enroot", "enroot", "/etc/enroot/enroot.conf", "");
    assert_check(facts, PURPOSE_RUN, CAUSE, CHECK_PASS, NULL);
    world_package(facts, "libnvidia-container1", "installed");
    facts_set_string(facts, PACKAGE, "version", "1.17.7-1", "/var/lib/dpkg/status");
    assert_found(facts, PURPOSE_RUN, CAUSE, SEVERITY_FAIL, "libnvidia-container1 1.17.7-1");
    facts_set_string(facts, PACKAGE, "version", "1.17.8-1", "/var/lib/dpkg/status");
    assert_check(facts, PURPOSE_RUN, CAUSE, CHECK_PASS, NULL);
    facts_set_unknown(facts, "package", "count", "I/O error", "/var/lib/dpkg/status");
    assert_check(facts, PURPOSE_RUN, CAUSE, CHECK_UNKNOWN, "I/O error");
    facts_free(facts);
}

#define CACHE  "driver_libs_not_in_ldcache"
#define LOADER "loader/libnvidia-ml.so.1"

static void libraries_that_the_cache_lacks(void **state)
{
    (void)state;
    struct facts *facts = world_with_docker();
    assert_check(facts, PURPOSE_CONTAINER, CACHE, CHECK_PASS, NULL);
    assert_check(facts, PURPOSE_RUN, CACHE, CHECK_SKIP, "--for container");
    facts_set_string(facts, LOADER, "why", "default directory", "/usr/lib");
    assert_found(facts, PURPOSE_CONTAINER, CACHE, SEVERITY_FAIL, "the loader's cache");
    struct judgement *judgement = world_judge(facts, PURPOSE_CONTAINER);
    assert_fix(found(judgement, CACHE), "ldconfig");
    judgement_free(judgement);
    facts_set_string(facts, TOOLKIT, "mode", "cdi", "/etc"); /* which does not look there */
    assert_check(facts, PURPOSE_CONTAINER, CACHE, CHECK_PASS, NULL);
    facts_set_unknown(facts, TOOLKIT, "mode", "I/O error", "/etc");
    assert_check(facts, PURPOSE_CONTAINER, CACHE, CHECK_UNKNOWN, "I/O error");
    facts_free(facts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_release_alone),
                                       cmocka_unit_test(libraries_that_the_cache_lacks)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
