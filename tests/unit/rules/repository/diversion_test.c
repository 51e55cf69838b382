/* SPDX-License-Identifier: MIT */
#include "rules/repository/sources.h"

#define STALE   "stale_diversion"
#define LIBCUDA "/usr/lib/x86_64-linux-gnu/libcuda.so.1"

static void set_diversion(struct facts *facts, const char *path, const char *by, bool installed,
                          bool there)
{
    AUTO_FREE char *group = facts_group_name("diversion", path);
    AUTO_FREE char *to = mem_printf("%s.distrib", path);
    facts_set_integer(facts, "diversion", "count", 1, "dpkg");
    facts_set_string(facts, group, "path", path, "dpkg");
    facts_set_string(facts, group, "to", to, "dpkg");
    facts_set_string(facts, group, "by", by, "dpkg");
    facts_set_boolean(facts, group, "by_installed", installed, "dpkg");
    facts_set_boolean(facts, group, "there", there, path);
    facts_set_boolean(facts, group, "diverted_there", true, to);
}

static void who_is_gone(void **state)
{
    (void)state;
    struct facts *facts = world_bare();
    facts_set_integer(facts, "diversion", "count", 0, "dpkg");
    assert_check(facts, PURPOSE_RUN, STALE, CHECK_PASS, NULL);
    set_diversion(facts, LIBCUDA, "shim", true, false);
    assert_check(facts, PURPOSE_RUN, STALE, CHECK_PASS, NULL);
    set_diversion(facts, LIBCUDA, "shim", false, true);
    assert_check(facts, PURPOSE_RUN, STALE, CHECK_PASS, NULL);
    set_diversion(facts, LIBCUDA, "shim", false, false);
    assert_found(facts, PURPOSE_RUN, STALE, SEVERITY_FAIL, "the package shim");
    assert_found(facts, PURPOSE_BUILD, STALE, SEVERITY_INFO, LIBCUDA ".distrib");
    assert_found_fix(facts, PURPOSE_RUN, STALE, "dpkg-divert --rename --remove " LIBCUDA);
    set_diversion(facts, LIBCUDA, NULL, false, false);
    assert_found(facts, PURPOSE_RUN, STALE, SEVERITY_FAIL, "administrator");
    assert_found_fix(facts, PURPOSE_RUN, STALE, "dpkg-divert --local --rename");
    facts_free(facts);
}

/* What CUDA needs comes before what the screen needs. */
static void opengl_alone(void **state)
{
    (void)state;
    struct facts *facts = world_bare();
    set_diversion(facts, "/usr/lib/libGL.so.1", "glx-diversions", false, false);
    assert_found(facts, PURPOSE_RUN, STALE, SEVERITY_INFO, "libGL.so.1");
    set_diversion(facts, LIBCUDA, "shim", false, false);
    assert_found(facts, PURPOSE_RUN, STALE, SEVERITY_FAIL, LIBCUDA);
    facts_free(facts);
}

static void nothing_is_known(void **state)
{
    (void)state;
    struct facts *facts = world_bare();
    assert_check(facts, PURPOSE_RUN, STALE, CHECK_SKIP, "where packages come from");
    facts_set_absent(facts, "diversion", "count", "dpkg");
    assert_check(facts, PURPOSE_RUN, STALE, CHECK_PASS, NULL);
    facts_set_unknown(facts, "diversion", "count", "permission denied", "dpkg");
    assert_check(facts, PURPOSE_RUN, STALE, CHECK_UNKNOWN, "permission denied");
    facts_free(facts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_is_gone),
        cmocka_unit_test(opengl_alone),
        cmocka_unit_test(nothing_is_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
