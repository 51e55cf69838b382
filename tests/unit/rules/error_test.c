/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "facts/dictionary.h"
#include "manifest/error/error.h"
#include "manifest/manifest.h"
#include "rules/engine/rule.h"
#include "rules/rules.h"

/* What manifests/error.json says of findings and facts is there. */

typedef void row_test(const struct manifest_error *row);

static void each_row(row_test *test)
{
    struct manifest *manifest = manifest_new();
    for (enum manifest_error_list list = 0; list < ERROR_LISTS; list++) {
        size_t count;
        const struct manifest_error *rows = manifest_errors(manifest, list, &count);
        assert_true(count > 0);
        for (size_t i = 0; i < count; i++)
            test(&rows[i]);
    }
    manifest_free(manifest);
}

static void assert_findings(const struct manifest_error *row)
{
    for (size_t i = 0; i < row->findings.count; i++) {
        const struct rule *rule = rule_find(row->findings.items[i]);
        if (rule == NULL || !string_equal(rule->cause, row->findings.items[i]))
            fail_msg("%s: no rule has the cause %s", row->id, row->findings.items[i]);
        if (string_ends(rule->cause, "_init_failed"))
            fail_msg("%s: %s is a symptom, which explains nothing", row->id, rule->cause);
    }
}

static void test_every_finding_is_a_rule(void **state)
{
    (void)state;
    each_row(assert_findings);
}

static bool is_fact(const char *fact)
{
    AUTO_FREE char *kind = mem_string(fact);
    char *name = strchr(kind, '.');
    *name++ = '\0';
    AUTO_FREE char *instance = mem_printf("%s/x", kind);
    return dictionary_entry(kind, name) || dictionary_entry(instance, name);
}

static void assert_facts(const struct manifest_error *row)
{
    for (size_t i = 0; i < row->facts.count; i++) {
        AUTO_STRLIST struct strlist names = {0};
        assert_non_null(manifest_error_fact(row->facts.items[i], &names));
        for (size_t k = 0; k < names.count; k++)
            if (!is_fact(names.items[k]))
                fail_msg("%s: no fact %s", row->id, names.items[k]);
    }
}

static void test_every_fact_is_in_the_dictionary(void **state)
{
    (void)state;
    assert_true(is_fact("pci.count"));
    assert_true(is_fact("nvml.fabric_state"));
    assert_true(is_fact("environment.CUDA_ANYTHING"));
    assert_false(is_fact("nvml.fabric"));
    assert_false(is_fact("nothing.count"));
    each_row(assert_facts);
}

/* The numbers that need most care say which facts tell their causes apart. */
static void test_the_hard_ones_have_facts(void **state)
{
    (void)state;
    static const int numbers[] = {2,   3,   34,  35,  36,  46,  100, 101, 209,
                                  222, 304, 700, 719, 802, 803, 804, 999};
    struct manifest *manifest = manifest_new();
    for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
        const struct manifest_error *row = manifest_error(manifest, ERRORS_CUDA, numbers[i]);
        assert_true(row->facts.count > 0);
        assert_non_null(row->cause);
        assert_non_null(row->fix);
        assert_non_null(row->remaining);
        assert_true(row->findings.count > 0 || numbers[i] == 802);
    }
    manifest_free(manifest);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_finding_is_a_rule),
        cmocka_unit_test(test_every_fact_is_in_the_dictionary),
        cmocka_unit_test(test_the_hard_ones_have_facts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
