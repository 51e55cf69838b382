/* SPDX-License-Identifier: MIT */
#include "facts/dictionary.h"

#include "test.h"
#include "facts/dictionary.h"

/* Rows name facts that there are, and a search finds each: they are sorted. */
static void test_absences(void **state)
{
    (void)state;
    for (const struct fact_absence *row = fact_absences; row->kind; row++) {
        AUTO_FREE char *group = mem_printf("%s%s", row->kind, row->of_instance ? "/0" : "");
        assert_non_null(dictionary_entry(group, row->name));
        assert_ptr_equal(dictionary_absence(group, row->name), row->why);
        assert_false(dictionary_is_missing(group, row->name));
    }
    assert_true(dictionary_is_missing("kernel", "release"));
    assert_false(dictionary_is_missing("environment", "LANG"));
    assert_false(dictionary_is_missing("kernel", "of_a_newer_gpuenv"));
}

static void test_exceptions(void **state)
{
    (void)state;
    for (const struct fact_exception *row = fact_exceptions; row->kind; row++) {
        AUTO_FREE char *group = mem_printf("%s%s", row->kind, row->of_instance ? "/0" : "");
        const struct fact_entry *entry = dictionary_entry(group, row->name);
        assert_non_null(entry);
        assert_int_equal(dictionary_need(entry), row->need);
    }
}

/* What is noted: the unknown, the skipped and the missing, once. */
static void test_watch(void **state)
{
    (void)state;
    const char *group;
    struct facts *facts = facts_new();
    facts_set_unknown(facts, "pci", "count", "no answer", "sysfs");
    facts_set_absent(facts, "kernel", "release", "uname");
    facts_set_absent(facts, "environment", "LANG", "environ");
    facts_set_string(facts, "os", "id", "debian", "os-release");
    facts_watch(facts, true);
    for (size_t i = 0; facts_next(facts, "pci", &i);)
        continue;
    facts_true(facts, "pci", "count");
    facts_string(facts, "kernel", "release");
    facts_string(facts, "environment", "LANG");
    facts_string(facts, "os", "id");
    assert_string_equal(facts_lacking(facts, 0, &group)->reason, "no answer");
    assert_string_equal(group, "pci");
    assert_string_equal(facts_lacking(facts, 1, &group)->name, "release");
    assert_null(facts_lacking(facts, 2, &group));
    facts_watch(facts, false);
    facts_string(facts, "kernel", "release");
    assert_null(facts_lacking(facts, 0, &group));
    facts_free(facts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_absences),
        cmocka_unit_test(test_exceptions),
        cmocka_unit_test(test_watch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
