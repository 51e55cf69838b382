/* SPDX-License-Identifier: MIT */
#include "rules/repository/sources.h"

#define ROTATED "apt_repo_key_rotated"
#define SHA1    "apt_key_sha1_rejected"
#define FILE    "/etc/apt/sources.list.d/cuda.list"
#define MIRROR  "http://mirror.example/cuda"

static void a_key_that_the_manifest_lists(void **state)
{
    (void)state;
    struct facts *facts = world_with_sources();
    AUTO_FREE char *group = world_source(facts, FILE, CUDA_2204, KEYRING, KEY);
    assert_check(facts, PURPOSE_BUILD, ROTATED, CHECK_PASS, NULL);
    world_list(facts, group, "keys", "F60F4B3D7FA2AF80");
    assert_found(facts, PURPOSE_BUILD, ROTATED, SEVERITY_FAIL, KEY);
    assert_found(facts, PURPOSE_RUN, ROTATED, SEVERITY_WARN, KEY);
    assert_found_fix(facts, PURPOSE_BUILD, ROTATED, "cuda-keyring");
    facts_set_boolean(facts, group, "trusted", true, FILE);
    assert_check(facts, PURPOSE_BUILD, ROTATED, CHECK_PASS, NULL);
    facts_set_boolean(facts, group, "trusted", false, FILE);
    world_list(facts, group, "unread_keyrings", KEYRING); /* it may be in there */
    assert_check(facts, PURPOSE_BUILD, ROTATED, CHECK_PASS, NULL);
    facts_free(facts);
}

static void a_key_of_the_file_that_arrived(void **state)
{
    (void)state;
    struct facts *facts = world_with_sources();
    AUTO_FREE char *group = world_source(facts, FILE, MIRROR, KEYRING, "1111111111111111");
    assert_check(facts, PURPOSE_BUILD, ROTATED, CHECK_PASS, NULL); /* nobody knows who signs it */
    facts_set_string(facts, group, "update", "stopped", FILE);
    world_list(facts, group, "signers", "2222222222222222");
    assert_found(facts, PURPOSE_BUILD, ROTATED, SEVERITY_FAIL, "2222222222222222");
    assert_check(facts, PURPOSE_RUN, ROTATED, CHECK_PASS, NULL); /* it is not NVIDIA's */
    world_list(facts, group, "signers", "1111111111111111");
    assert_check(facts, PURPOSE_BUILD, ROTATED, CHECK_PASS, NULL);
    world_list(facts, group, "expired_keys", "1111111111111111");
    assert_found(facts, PURPOSE_BUILD, ROTATED, SEVERITY_FAIL, "has expired");
    facts_set_string(facts, "apt_verifier", "program", "sqv", "/usr/bin/sqv");
    assert_found(facts, PURPOSE_BUILD, ROTATED, SEVERITY_FAIL, "has expired");
    facts_set_string(facts, group, "update", "whole", FILE); /* the signature is older */
    assert_check(facts, PURPOSE_BUILD, ROTATED, CHECK_PASS, NULL);
    world_list(facts, group, "keys", "");
    world_list(facts, group, "missing_keyrings", KEYRING);
    assert_found(facts, PURPOSE_BUILD, ROTATED, SEVERITY_FAIL, "does not exist");
    facts_free(facts);
    assert_needs(ROTATED, "apt_source", "count");
}

static void a_repository_without_signature(void **state)
{
    (void)state;
    struct facts *facts = world_with_sources();
    AUTO_FREE char *group = world_source(facts, FILE, MIRROR, KEYRING, "1111111111111111");
    facts_set_string(facts, group, "update", "unsigned", FILE);
    assert_found(facts, PURPOSE_BUILD, ROTATED, SEVERITY_FAIL, "has no signature");
    facts_set_boolean(facts, group, "trusted", true, FILE);
    assert_check(facts, PURPOSE_BUILD, ROTATED, CHECK_PASS, NULL);
    facts_free(facts);
}

static void a_key_that_sqv_rejects(void **state)
{
    (void)state;
    struct facts *facts = world_with_sources();
    AUTO_FREE char *group = world_source(facts, FILE, CUDA_2204, KEYRING, KEY);
    world_list(facts, group, "sha1_keys", KEY);
    assert_check(facts, PURPOSE_BUILD, SHA1, CHECK_PASS, NULL); /* gpgv takes it */
    facts_set_string(facts, "apt_verifier", "sha1_until", "2026-02-01", "policy");
    facts_set_boolean(facts, "apt_verifier", "sha1_rejected", true, "policy");
    assert_found(facts, PURPOSE_BUILD, SHA1, SEVERITY_FAIL, "SHA-1");
    world_list(facts, group, "keys", KEY ":97A5D4CB8793F200"); /* which does not sign this one */
    assert_found(facts, PURPOSE_BUILD, SHA1, SEVERITY_FAIL, "SHA-1");
    world_list(facts, group, "sha1_keys", "");
    assert_check(facts, PURPOSE_BUILD, SHA1, CHECK_PASS, NULL);
    facts_free(facts);
    assert_needs(SHA1, "apt_verifier", "sha1_rejected");
}

static void a_signature_of_sha1(void **state)
{
    (void)state;
    struct facts *facts = world_with_sources();
    AUTO_FREE char *group = world_source(facts, FILE, MIRROR, KEYRING, "1111111111111111");
    facts_set_string(facts, group, "update", "stopped", FILE);
    world_list(facts, group, "signers", "1111111111111111");
    world_list(facts, group, "sha1_signers", "");
    assert_check(facts, PURPOSE_BUILD, SHA1, CHECK_PASS, NULL);
    world_list(facts, group, "sha1_signers", "1111111111111111");
    assert_found(facts, PURPOSE_BUILD, SHA1, SEVERITY_FAIL, "rejects the signature");
    facts_free(facts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_key_that_the_manifest_lists),
        cmocka_unit_test(a_key_of_the_file_that_arrived),
        cmocka_unit_test(a_repository_without_signature),
        cmocka_unit_test(a_key_that_sqv_rejects),
        cmocka_unit_test(a_signature_of_sha1),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
