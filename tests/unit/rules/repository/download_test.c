/* SPDX-License-Identifier: MIT */
#include "rules/repository/sources.h"

#define CAUSE  "tls_or_proxy_download_failure"
#define DIGEST "rpm_digest_refused_fips"
#define FILE   "/etc/apt/sources.list.d/cuda.list"

static void a_page_for_an_answer(void **state)
{
    (void)state;
    struct facts *facts = world_with_sources();
    AUTO_FREE char *group = world_source(facts, FILE, CUDA_2204, KEYRING, KEY);
    assert_check(facts, PURPOSE_RUN, CAUSE, CHECK_PASS, NULL);
    facts_set_string(facts, group, "update", "refused", "partial");
    facts_set_string(facts, group, "arrived", "<html>", "partial");
    assert_found(facts, PURPOSE_RUN, CAUSE, SEVERITY_WARN, CUDA_2204);
    facts_set_absent(facts, group, "update", "partial");
    facts_set_boolean(facts, group, "index_page", true, "partial");
    assert_found(facts, PURPOSE_BUILD, CAUSE, SEVERITY_FAIL, CUDA_2204);
    facts_free(facts);
    assert_needs(CAUSE, "trust", "untrusted");
}

static void no_certificates(void **state)
{
    (void)state;
    struct facts *facts = world_with_sources();
    AUTO_FREE char *group = world_source(facts, FILE, CUDA_2204, KEYRING, KEY);
    facts_set_absent(facts, "trust", "bundle", "/etc/ssl");
    assert_check(facts, PURPOSE_BUILD, CAUSE, CHECK_PASS, NULL); /* they lie elsewhere */
    facts_set_boolean(facts, "trust", "package", false, "/var/lib/dpkg/status");
    assert_found(facts, PURPOSE_BUILD, CAUSE, SEVERITY_FAIL, "ca-certificates");
    assert_found_fix(facts, PURPOSE_BUILD, CAUSE, "Verify-Peer=false"); /* no other way in */
    free(world_source(facts, FILE "2", "http://deb.example/", KEYRING, KEY));
    assert_found_fix(facts, PURPOSE_BUILD, CAUSE, "sudo apt-get install ca-certificates");
    facts_set_string(facts, group, "uri", "http://mirror.example/", FILE);
    assert_check(facts, PURPOSE_BUILD, CAUSE, CHECK_PASS, NULL);
    facts_free(facts);
}

static void a_certificate_that_is_not_trusted(void **state)
{
    (void)state;
    struct facts *facts = world_with_sources();
    world_list(facts, "trust", "untrusted", "/usr/local/share/ca-certificates/proxy.crt");
    assert_check(facts, PURPOSE_BUILD, CAUSE, CHECK_PASS, NULL); /* nothing is known to need it */
    facts_set_string(facts, "environment", "https_proxy", "http://proxy.example", "environment");
    assert_found(facts, PURPOSE_BUILD, CAUSE, SEVERITY_FAIL, "proxy.crt");
    assert_check(facts, PURPOSE_RUN, CAUSE, CHECK_PASS, NULL);
    assert_found_fix(facts, PURPOSE_BUILD, CAUSE, "update-ca-certificates");
    facts_free(facts);
}

static void a_digest_that_fips_refuses(void **state)
{
    (void)state;
    struct facts *facts = world_with_sources();
    world_list(facts, "package_log", "refused", "libnvidia-container1-1.17.8-1.x86_64");
    assert_check(facts, PURPOSE_RUN, DIGEST, CHECK_PASS, NULL);
    facts_set_boolean(facts, "package_log", "fips", true, "/proc");
    assert_found(facts, PURPOSE_RUN, DIGEST, SEVERITY_WARN, "FIPS");
    assert_found(facts, PURPOSE_BUILD, DIGEST, SEVERITY_FAIL, "1.17.8");
    facts_free(facts);
    assert_needs(DIGEST, "package_log", "refused");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_page_for_an_answer),
        cmocka_unit_test(no_certificates),
        cmocka_unit_test(a_certificate_that_is_not_trusted),
        cmocka_unit_test(a_digest_that_fips_refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
