/* SPDX-License-Identifier: MIT */
#include "rules/engine/finding.h"
#include "rules/world.h"

/* secure_boot_rejects_module */

#define REJECTED   "secure_boot_rejects_module"
#define RELEASE    "6.8.0-50-generic"
#define FILE_GROUP "module_file//lib/modules/" RELEASE "/updates/dkms/nvidia.ko"

/* The module is there, signed by signer (NULL: not signed), and not loaded; Secure Boot is on. */
static struct facts *with_signer(const char *signer)
{
    struct facts *facts = world_with_gpu();
    world_module_file(facts, RELEASE, "580.95.05");
    const char *group = FILE_GROUP;
    facts_set_boolean(facts, group, "signed", signer != NULL, group);
    facts_set_string(facts, group, "signer", signer, group);
    facts_set_boolean(facts, "machine", "secure_boot", true, "efivars");
    facts_set_absent(facts, "secure_boot", "enrolled", "MokListRT");
    facts_set_absent(facts, "secure_boot", "enrolled_serials", "MokListRT");
    facts_set_skipped(facts, "secure_boot", "kernel_keys", "only root sees them", "/proc/keys");
    return facts;
}

static void log_says(struct facts *facts, const char *boot)
{
    static const char *const group = "kernel_log/signature_rejected";
    facts_set_string(facts, group, "event", "signature_rejected", "/dev/kmsg");
    facts_set_string(facts, group, "boot", boot, "/dev/kmsg");
    facts_set_string(facts, group, "message", "Loading of unsigned module is rejected",
                     "/dev/kmsg");
}

static void assert_why(const struct facts *facts, const char *words)
{
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_non_null(found(judgement, REJECTED));
    assert_says(found(judgement, REJECTED)->why, words);
    judgement_free(judgement);
}

static void test_unsigned(void **state)
{
    (void)state;
    struct facts *facts = with_signer(NULL);
    assert_found(facts, PURPOSE_RUN, REJECTED, SEVERITY_FAIL, "Secure Boot is on");
    assert_found(facts, PURPOSE_RUN, REJECTED, SEVERITY_FAIL, "not signed");
    assert_found(facts, PURPOSE_BUILD, REJECTED, SEVERITY_INFO, "not signed");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_string_equal(judgement->findings[0]->cause, REJECTED);
    assert_string_equal(found(judgement, "module_not_loaded")->caused_by, "MOD-005");
    assert_int_equal(judgement->fail, 1);
    judgement_free(judgement);
    facts_free(facts);
}

static void test_a_local_key_that_is_not_enrolled(void **state)
{
    (void)state;
    struct facts *facts = with_signer("DKMS module signing key");
    assert_found(facts, PURPOSE_RUN, REJECTED, SEVERITY_FAIL, "which is not enrolled");
    facts_set_string(facts, "os", "id", "debian", "/etc/os-release");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_fix(found(judgement, REJECTED), "mokutil --import /var/lib/dkms/mok.pub");
    judgement_free(judgement);
    facts_set_boolean(facts, "secure_boot", "enrolment_pending", true, "MokNew");
    judgement = world_judge(facts, PURPOSE_RUN);
    assert_fix(found(judgement, REJECTED), "a key is waiting to be enrolled");
    judgement_free(judgement);
    facts_free(facts);
}

/* The same machine with the key enrolled, by name or by serial number: it is something else. */
static void test_the_certificate_of_the_signer(void **state)
{
    (void)state;
    struct facts *facts = with_signer("Local build for nvidia-driver-G06");
    facts_set_string(facts, "os", "id", "opensuse-tumbleweed", "/etc/os-release");
    world_list(facts, "secure_boot", "enrolled", "openSUSE Secure Boot CA");
    world_list(facts, "secure_boot", "local_keys", "another:Local build for nvidia-driver-G06");
    world_list(facts, "secure_boot", "local_key_paths",
               "/var/lib/dkms/mok.pub:/var/lib/nvidia-pubkeys/MOK-nvidia-driver-G06.der");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_fix(found(judgement, REJECTED), "--import /var/lib/nvidia-pubkeys/MOK-nvidia");
    judgement_free(judgement);
    facts_free(facts);
}

static void test_an_enrolled_key_passes(void **state)
{
    (void)state;
    struct facts *facts = with_signer("DKMS module signing key");
    world_list(facts, "secure_boot", "enrolled", "Debian Secure Boot CA:DKMS module signing key");
    assert_check(facts, PURPOSE_RUN, REJECTED, CHECK_PASS, NULL);
    facts_set_string(facts, FILE_GROUP, "signer_serial", "1122", FILE_GROUP);
    world_list(facts, "secure_boot", "enrolled_serials",
               "33:44"); /* one of that name, gone since */
    assert_found(facts, PURPOSE_RUN, REJECTED, SEVERITY_FAIL, "which is not enrolled");
    world_list(facts, "secure_boot", "enrolled_serials", "1122:44"); /* another's number */
    assert_found(facts, PURPOSE_RUN, REJECTED, SEVERITY_FAIL, "which is not enrolled");
    world_list(facts, "secure_boot", "enrolled_serials", "33:1122");
    assert_check(facts, PURPOSE_RUN, REJECTED, CHECK_PASS, NULL);
    log_says(facts, "current"); /* of another module, then */
    assert_check(facts, PURPOSE_RUN, REJECTED, CHECK_PASS, NULL);
    facts_free(facts);
}

/* A module names who issued its key, so that the number tells. */
static void test_an_issued_key_passes(void **state)
{
    (void)state;
    struct facts *facts = with_signer("Example CA");
    facts_set_string(facts, FILE_GROUP, "signer_serial", "1122", FILE_GROUP);
    world_list(facts, "secure_boot", "enrolled", "Example modules");
    world_list(facts, "secure_boot", "enrolled_serials", "1122");
    assert_check(facts, PURPOSE_RUN, REJECTED, CHECK_PASS, NULL); /* a record without issuers */
    world_list(facts, "secure_boot", "enrolled_issuers", "Example CA");
    assert_check(facts, PURPOSE_RUN, REJECTED, CHECK_PASS, NULL);
    world_list(facts, "secure_boot", "enrolled_issuers", "Another CA"); /* which counts alike */
    log_says(facts, "current");
    assert_found(facts, PURPOSE_RUN, REJECTED, SEVERITY_FAIL, "Example CA");
    facts_free(facts);
}

static void test_the_distributions_key_passes(void **state)
{
    (void)state;
    struct facts *facts = with_signer("Canonical Ltd. Kernel Module Signing");
    assert_check(facts, PURPOSE_RUN, REJECTED, CHECK_PASS, NULL);
    facts_free(facts);
}

static void test_an_unknown_key_is_in_doubt(void **state)
{
    (void)state;
    struct facts *facts = with_signer("somebody's key");
    assert_found(facts, PURPOSE_RUN, REJECTED, SEVERITY_FAIL, "nothing here shows");
    assert_why(facts, "to check, run: sudo modprobe nvidia");
    world_list(facts, "secure_boot", "kernel_keys", "other");
    assert_found(facts, PURPOSE_RUN, REJECTED, SEVERITY_FAIL, "which is not enrolled");
    world_list(facts, "secure_boot", "kernel_keys", "somebody's key");
    assert_check(facts, PURPOSE_RUN, REJECTED, CHECK_PASS, NULL);
    facts_free(facts);
}

static void test_the_log_decides(void **state)
{
    (void)state;
    struct facts *facts = with_signer("somebody's key");
    facts_set_boolean(facts, "machine", "secure_boot", false, "efivars");
    assert_check(facts, PURPOSE_RUN, REJECTED, CHECK_PASS, NULL);
    log_says(facts, "earlier");
    assert_check(facts, PURPOSE_RUN, REJECTED, CHECK_PASS, NULL);
    log_says(facts, "current");
    assert_found(facts, PURPOSE_RUN, REJECTED, SEVERITY_FAIL, "its log says so");
    assert_why(facts, "Loading of unsigned module is rejected");
    facts_free(facts);
}

static void test_other_ways_to_enforce(void **state)
{
    (void)state;
    struct facts *facts = with_signer(NULL);
    facts_set_boolean(facts, "secure_boot", "validation_disabled", true, "MokSBStateRT");
    assert_check(facts, PURPOSE_RUN, REJECTED, CHECK_PASS, NULL);
    facts_set_string(facts, "secure_boot", "lockdown", "none", "securityfs");
    assert_check(facts, PURPOSE_RUN, REJECTED, CHECK_PASS, NULL);
    facts_set_string(facts, "secure_boot", "lockdown", "integrity", "securityfs");
    assert_found(facts, PURPOSE_RUN, REJECTED, SEVERITY_FAIL, "locked down");
    facts_set_boolean(facts, "secure_boot", "sig_enforce", true, "/sys/module");
    assert_found(facts, PURPOSE_RUN, REJECTED, SEVERITY_FAIL, "sig_enforce");
    facts_free(facts);
}

/* A line in modprobe.d, or nouveau, explains it as well: without a log they come first. */
static void test_something_else_keeps_it_away(void **state)
{
    static const char file[] = "modprobe//etc/modprobe.d/off.conf";
    (void)state;
    struct facts *facts = with_signer(NULL);
    world_gpu(facts, "0000:01:00.0", "2330", "nouveau");
    assert_check(facts, PURPOSE_RUN, REJECTED, CHECK_SKIP, "another driver holds the GPU");
    log_says(facts, "current");
    assert_found(facts, PURPOSE_RUN, REJECTED, SEVERITY_FAIL, "not signed");
    facts_free(facts);

    facts = with_signer(NULL);
    facts_set_string(facts, file, "path", "/etc/modprobe.d/off.conf", "/etc/modprobe.d/off.conf");
    world_list(facts, file, "lines", "blacklist nvidia");
    assert_check(facts, PURPOSE_RUN, REJECTED, CHECK_SKIP, "/etc/modprobe.d/off.conf");
    facts_free(facts);
}

/* A file that could not be read through accuses nobody. */
static void test_signature_unknown(void **state)
{
    (void)state;
    struct facts *facts = with_signer(NULL);
    facts_set_unknown(facts, FILE_GROUP, "signed", "it is compressed", FILE_GROUP);
    assert_check(facts, PURPOSE_RUN, REJECTED, CHECK_UNKNOWN,
                 "it is not known who signed the module");
    log_says(facts, "current");
    assert_found(facts, PURPOSE_RUN, REJECTED, SEVERITY_FAIL, "Secure Boot is on");
    facts_free(facts);
}

static void test_pass_skip_unknown(void **state)
{
    (void)state;
    struct facts *facts = with_signer(NULL);
    world_module(facts, "580.95.05"); /* it runs */
    assert_check(facts, PURPOSE_RUN, REJECTED, CHECK_PASS, NULL);
    facts_set_unknown(facts, "module", "nvidia", "permission denied", "/proc/modules");
    assert_check(facts, PURPOSE_RUN, REJECTED, CHECK_UNKNOWN, "permission denied");
    facts_free(facts);
    facts = with_signer(NULL);
    world_container(facts, "docker");
    assert_check(facts, PURPOSE_CONTAINER, REJECTED, CHECK_SKIP, "the host's");
    facts_free(facts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_unsigned),
        cmocka_unit_test(test_a_local_key_that_is_not_enrolled),
        cmocka_unit_test(test_the_certificate_of_the_signer),
        cmocka_unit_test(test_an_enrolled_key_passes),
        cmocka_unit_test(test_an_issued_key_passes),
        cmocka_unit_test(test_the_distributions_key_passes),
        cmocka_unit_test(test_an_unknown_key_is_in_doubt),
        cmocka_unit_test(test_the_log_decides),
        cmocka_unit_test(test_other_ways_to_enforce),
        cmocka_unit_test(test_something_else_keeps_it_away),
        cmocka_unit_test(test_signature_unknown),
        cmocka_unit_test(test_pass_skip_unknown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
