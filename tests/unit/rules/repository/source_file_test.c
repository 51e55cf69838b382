/* SPDX-License-Identifier: MIT */
#include "rules/repository/sources.h"

#define HTML     "apt_list_is_html"
#define CONFLICT "apt_signed_by_conflict"
#define LIST     "/etc/apt/sources.list.d/a.list"

static void a_file_that_is_a_page(void **state)
{
    (void)state;
    static const char group[] = "source_file/" LIST;
    struct facts *facts = world_with_sources();
    assert_check(facts, PURPOSE_RUN, HTML, CHECK_PASS, NULL);
    facts_set_integer(facts, "source_file", "count", 1, LIST);
    facts_set_string(facts, group, "path", LIST, LIST);
    facts_set_integer(facts, group, "line", 1, LIST);
    facts_set_string(facts, group, "text", "<!doctype html>", LIST);
    assert_found(facts, PURPOSE_RUN, HTML, SEVERITY_WARN, "is a web page");
    assert_found(facts, PURPOSE_BUILD, HTML, SEVERITY_FAIL, LIST);
    facts_set_string(facts, group, "text", "404: Not Found", LIST);
    assert_found(facts, PURPOSE_BUILD, HTML, SEVERITY_FAIL, "line 1 of " LIST);
    facts_free(facts);
    assert_needs(HTML, "source_file", "count");
}

static void two_entries_with_other_keyrings(void **state)
{
    (void)state;
    struct facts *facts = world_with_sources();
    free(world_source(facts, LIST, CUDA_2204, KEYRING, KEY));
    AUTO_FREE char *second =
        world_source(facts, "/etc/apt/sources.list.d/b.list", CUDA_2204 "/", "", KEY);
    assert_found(facts, PURPOSE_BUILD, CONFLICT, SEVERITY_FAIL, "b.list:1");
    struct judgement *judgement = world_judge(facts, PURPOSE_BUILD);
    assert_fix(found(judgement, CONFLICT), "b.list"); /* the one without a keyring goes */
    judgement_free(judgement);
    facts_set_boolean(facts, "apt_verifier", "joins_signed_by", true, "apt");
    assert_check(facts, PURPOSE_BUILD, CONFLICT, CHECK_PASS, NULL);
    world_list(facts, second, "signed_by", "/other.gpg");
    assert_found(facts, PURPOSE_BUILD, CONFLICT, SEVERITY_FAIL, "b.list:1");
    world_list(facts, second, "signed_by", KEYRING);
    assert_check(facts, PURPOSE_BUILD, CONFLICT, CHECK_PASS, NULL);
    world_list(facts, second, "signed_by", "/other.gpg");
    world_list(facts, second, "suites", "bookworm");
    assert_check(facts, PURPOSE_BUILD, CONFLICT, CHECK_PASS, NULL);
    facts_free(facts);
    assert_needs(CONFLICT, "apt_source", "count");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_file_that_is_a_page),
                                       cmocka_unit_test(two_entries_with_other_keyrings)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
