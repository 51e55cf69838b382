/* SPDX-License-Identifier: MIT */
#include "test.h"

#include <ctype.h>

#include "base/text.h"
#include "rules/engine/finding.h"
#include "rules/engine/rule.h"
#include "rules/rules.h"

static void test_codes_and_causes_are_unique(void **state)
{
    (void)state;
    for (const struct rule *a = rule_table; a->code; a++)
        for (const struct rule *b = a + 1; b->code; b++) {
            assert_string_not_equal(a->code, b->code);
            assert_string_not_equal(a->cause, b->cause);
        }
}

static void test_codes_have_group_and_number(void **state)
{
    (void)state;
    for (const struct rule *rule = rule_table; rule->code; rule++) {
        assert_int_equal(strlen(rule->code), 7);
        assert_int_equal(rule->code[3], '-');
        for (int i = 0; i < 7; i++)
            assert_true(i == 3 || (i < 3 ? isupper(rule->code[i]) : isdigit(rule->code[i])));
        for (const char *c = rule->cause; *c; c++)
            assert_true(islower(*c) || isdigit(*c) || *c == '_');
    }
}

/* Whole sentences, without hard line breaks: the report wraps them. */
static void assert_paragraph(const char *code, const char *key, const char *text)
{
    if (text == NULL || strlen(text) <= 40)
        fail_msg("%s: .%s is missing, or no whole sentence", code, key);
    if (strchr(text, '\n') || strstr(text, "  ") || !utf8_valid(text, strlen(text)))
        fail_msg("%s: line break, two spaces or no UTF-8 in .%s: \"%s\"", code, key, text);
}

static void test_texts_are_there(void **state)
{
    (void)state;
    for (const struct rule *rule = rule_table; rule->code; rule++) {
        assert_non_null(rule->judge);
        assert_true(rule->title && *rule->title && strlen(rule->title) <= 72);
        assert_paragraph(rule->code, "meaning", rule->meaning);
        assert_paragraph(rule->code, "detected", rule->detected);
        assert_paragraph(rule->code, "fix", rule->fix);
        assert_paragraph(rule->code, "mistaken", rule->mistaken);
        if (strstr(rule->detected, "By hand"))
            fail_msg("%s: what is looked at by hand stands in by_hand", rule->code);
    }
}

/* A clause for the tables of symptoms; commands, a line each, that can be copied. */
static void test_what_decides_is_there(void **state)
{
    (void)state;
    for (const struct rule *rule = rule_table; rule->code; rule++) {
        if (rule->decides == NULL || rule->by_hand == NULL)
            fail_msg("%s: lacks decides or by_hand", rule->code);
        size_t size = strlen(rule->decides);
        if (strchr(rule->decides, '\n') || size > 160 || rule->decides[size - 1] == '.')
            fail_msg("%s: no clause: %s", rule->code, rule->decides);
        AUTO_FREE char *lines = mem_string(rule->by_hand);
        char *cursor = lines;
        for (char *line; (line = string_next_line(&cursor)) != NULL;)
            if (*line == '\0' || *line == ' ' || strlen(line) > 110)
                fail_msg("%s: no command: \"%s\"", rule->code, line);
    }
}

static void test_severities_are_there(void **state)
{
    (void)state;
    for (const struct rule *rule = rule_table; rule->code; rule++) {
        unsigned any = 0;
        for (int purpose = PURPOSE_RUN; purpose <= PURPOSE_CONTAINER; purpose++)
            any |= rule->severities[purpose];
        if (any == 0 || any >> (SEVERITY_FAIL + 1) != 0)
            fail_msg("%s: lacks severities", rule->code);
    }
}

/* Each is a cause of a rule that runs before. */
static void test_causes_run_before_consequences(void **state)
{
    (void)state;
    for (const struct rule *rule = rule_table; rule->code; rule++) {
        AUTO_FREE char *follows = mem_string(rule->follows ? rule->follows : "");
        char *rest = NULL;
        for (char *cause = strtok_r(follows, " ", &rest); cause;
             cause = strtok_r(NULL, " ", &rest)) {
            const struct rule *earlier = rule_find(cause);
            if (earlier == NULL || earlier >= rule)
                fail_msg("%s: %s is no rule that runs before it", rule->code, cause);
        }
    }
}

static void test_every_rule_has_a_block(void **state)
{
    (void)state;
    for (const struct rule *rule = rule_table; rule->code; rule++)
        assert_true(rule->block < BLOCK_COUNT);
    for (int block = 0; block < BLOCK_COUNT; block++)
        assert_true(*block_name((enum block)block) != '\0');
    assert_int_equal(rule_find("GPU-001")->block, BLOCK_GPU);
    assert_int_equal(rule_find("DRV-001")->block, BLOCK_DRIVER);
    assert_int_equal(rule_find("DNN-001")->block, BLOCK_CUDNN);
    assert_int_equal(rule_find("CUD-001")->block, BLOCK_CUDA);
}

/* Codes never change meaning. */
static const char *const pairs[][2] = {
    {"GPU-001", "gpu_absent_from_pci"},
    {"DRV-001", "driver_not_installed"},
    {"DRV-002", "module_not_loaded"},
    {"DRV-003", "nouveau_loaded"},
    {"DRV-004", "driver_library_mismatch"},
    {"DRV-005", "driver_too_old"},
    {"DRV-006", "stub_libcuda_loaded"},
    {"DRV-007", "uvm_module_not_loaded"},
    {"DNN-001", "cudnn_missing"},
    {"DNN-002", "cudnn_sublibrary_mixed"},
    {"CUD-001", "toolkit_incomplete"},
    {"CUD-002", "usr_local_cuda_wrong_version"},
    {"CUD-003", "cuda_home_malformed"},
    {"GPU-002", "gpu_count_short_vs_pci"},
    {"GPU-003", "ecc_uncorrectable"},
    {"GPU-004", "row_remap_pending"},
    {"GPU-005", "row_remap_failure"},
    {"GPU-006", "gpu_throttled_power_thermal"},
    {"GPU-007", "mixed_gpu_architectures"},
    {"GPU-008", "mig_enabled_no_instance"},
    {"GPU-009", "compute_mode_exclusive"},
    {"GPU-010", "gpu_memory_taken_by_other"},
    {"GPU-011", "orphan_process_holds_gpu"},
    {"REQ-001", "requirement_not_met"},
    {"DRV-008", "libcuda_kmod_version_mismatch"},
    {"DRV-009", "forward_compat_unsupported_gpu"},
    {"DRV-010", "dev_nodes_missing_after_boot"},
    {"DRV-011", "uvm_device_nodes_missing"},
    {"DRV-012", "device_nodes_permission"},
    {"DRV-013", "cuda_init_failed"},
    {"DRV-014", "nvml_init_failed"},
    {"DRV-016", "vendor_library_not_trusted"},
    {"DNN-003", "cudnn_wrong_major"},
    {"DNN-004", "cudnn_not_on_loader_path"},
    {"CUD-004", "nvcc_missing"},
    {"GPU-012", "cuda_visible_devices_bad_index"},
    {"DRV-028", "selinux_denies_device"},
    {"DRV-029", "cgroup_device_denied"},
    {"DRV-030", "cgroup_lost_after_daemon_reload"},
    {"DRV-031", "fabric_manager_not_running"},
    {"DRV-032", "fabric_manager_version_mismatch"},
    {"DRV-033", "fabric_not_completed"},
    {"DRV-035", "ptx_toolchain_newer_than_driver"},
    {"MOD-001", "kmod_missing_headers"},
    {"MOD-002", "kmod_compiler_mismatch"},
    {"MOD-003", "dkms_build_failed"},
    {"MOD-004", "kmod_not_built_for_kernel"},
    {"MOD-005", "secure_boot_rejects_module"},
    {"MOD-006", "legacy_gpu_dropped_by_driver"},
    {"MOD-007", "open_kmod_unsupported_gpu"},
    {"MOD-008", "open_kmod_required"},
    {"MOD-009", "gpu_bound_to_vfio"},
    {"MOD-010", "custom_kmod_userspace_mismatch"},
    {"MOD-011", "uvm_stale_after_suspend"},
    {"MOD-012", "gsp_firmware_missing"},
    {"DNN-005", "cudnn_older_than_framework"},
    {"FRM-001", "cpu_only_framework_build"},
    {"FRM-002", "gpu_newer_than_framework_build"},
    {"FRM-003", "gpu_too_old_for_framework"},
    {"FRM-004", "cuda_visible_devices_uuid_unparsed"},
    {"FRM-005", "mig_uuid_parse_zero_devices"},
    {"FRM-006", "onnxruntime_cpu_gpu_packages_clash"},
    {"FRM-007", "jetson_wrong_wheel"},
    {"FRM-008", "jetson_arch_missing_in_build"},
    {"FRM-009", "framework_does_not_fit"},
    {"FRM-010", "framework_ptx_newer_than_driver"},
    {"FRM-011", "framework_parts_mismatch"},
    {"FRM-012", "framework_incomplete"},
    {"FRM-013", "framework_for_another_system"},
    {"FRM-014", "framework_requirement_missing"},
    {"FRM-015", "framework_packages_clash"},
    {"FRM-016", "python_environment_broken"},
    {"FRM-017", "framework_hidden"},
    {"LIB-001", "cuda_libs_missing"},
    {"LIB-002", "cuda_libs_wrong_version"},
    {"LIB-003", "cuda_libs_dependency_of_library"},
    {"LIB-004", "ld_library_path_shadows_wheel_libs"},
    {"LIB-005", "nvrtc_missing_or_stub"},
    {"LIB-006", "libdevice_missing"},
    {"LIB-007", "glibc_too_old"},
    {"LIB-008", "jetson_libs_missing"},
    {"LIB-009", "library_damaged"},
    {"LIB-010", "library_call_failed"},
};

static void test_codes_are_fixed(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
        const struct rule *rule = rule_find(pairs[i][0]);
        assert_non_null(rule);
        assert_string_equal(rule->cause, pairs[i][1]);
        assert_ptr_equal(rule_find(pairs[i][1]), rule);
    }
}

static void test_find_ignores_case_and_knows_its_limits(void **state)
{
    (void)state;
    assert_ptr_equal(rule_find("drv-004"), rule_find("DRV-004"));
    assert_null(rule_find("DRV-999"));
    assert_null(rule_find(""));
    assert_null(rule_find("DRV-00"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_codes_and_causes_are_unique),
        cmocka_unit_test(test_codes_have_group_and_number),
        cmocka_unit_test(test_texts_are_there),
        cmocka_unit_test(test_what_decides_is_there),
        cmocka_unit_test(test_severities_are_there),
        cmocka_unit_test(test_causes_run_before_consequences),
        cmocka_unit_test(test_every_rule_has_a_block),
        cmocka_unit_test(test_codes_are_fixed),
        cmocka_unit_test(test_find_ignores_case_and_knows_its_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
