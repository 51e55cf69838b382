/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "facts/dictionary.h"
#include "facts/facts.h"

static void keeps_order_and_replaces(void **state)
{
    (void)state;
    struct facts *facts = facts_new();
    facts_set_string(facts, "module", "version", "1", "a");
    facts_set_boolean(facts, "module", "nvidia", true, "b");
    facts_set_unknown(facts, "module", "version", "no answer", "c");
    assert_int_equal(facts_count(facts, "module"), 2);
    const struct fact *fact = facts_at(facts, "module", 0);
    assert_string_equal(fact->name, "version");
    assert_int_equal(fact->state, FACT_UNKNOWN);
    assert_null(fact->string);
    assert_null(facts_string(facts, "module", "version"));
    assert_true(facts_true(facts, "module", "nvidia"));
    facts_free(facts);
    facts_free(NULL);
}

static void gives_values_of_the_asked_type_only(void **state)
{
    (void)state;
    struct facts *facts = facts_new();
    facts_set_integer(facts, "pci", "count", 0, "s");
    facts_set_string(facts, "os", "id", NULL, "s");
    int64_t number = 5;
    bool truth = true;
    assert_true(facts_integer(facts, "pci", "count", &number));
    assert_int_equal(number, 0);
    assert_false(facts_boolean(facts, "pci", "count", &truth));
    assert_null(facts_list(facts, "pci", "count"));
    assert_int_equal(facts_get(facts, "os", "id")->state, FACT_ABSENT);
    assert_null(facts_get(facts, "os", "nothing"));
    assert_null(facts_get(facts, "nothing", "id"));
    assert_false(facts_true(facts, "nothing", "id"));
    facts_free(facts);
}

static void walks_instances(void **state)
{
    (void)state;
    struct facts *facts = facts_new();
    facts_set_integer(facts, "pci", "count", 2, "s");
    facts_set_string(facts, "pci/0000:01:00.0", "device_id", "2330", "s");
    facts_set_string(facts, "pcix/other", "a", "b", "s");
    AUTO_FREE char *hostile = facts_group_name("pci", "a\n\xff");
    facts_set_string(facts, hostile, "device_id", "2331", "s");
    size_t cursor = 0;
    assert_string_equal(facts_next(facts, "pci", &cursor), "pci/0000:01:00.0");
    assert_string_equal(facts_next(facts, "pci", &cursor), "pci/a\\x0a\\xff");
    assert_null(facts_next(facts, "pci", &cursor));
    assert_null(facts_next(facts, "pci", &cursor));
    cursor = 0;
    assert_string_equal(facts_next(facts, "pcix", &cursor), "pcix/other");
    assert_null(facts_next(facts, "pcix", &cursor));
    cursor = 0;
    assert_null(facts_next(facts, "pc", &cursor));
    facts_set_string(facts, "pci/second", "device_id", "2330", "s");
    assert_string_equal(facts_find(facts, "pci", "device_id", "2330"), "pci/0000:01:00.0");
    assert_string_equal(facts_find(facts, "pci", "device_id", "2331"), hostile);
    assert_null(facts_find(facts, "pci", "device_id", "2332"));
    assert_null(facts_find(facts, "pci", "a", "b"));
    assert_null(facts_find(facts, "pci", "class", NULL));
    assert_null(facts_find(facts, "pc", "device_id", "2330"));
    facts_free(facts);
}

static void finds_each_of_many_groups(void **state)
{
    (void)state;
    struct facts *facts = facts_new();
    for (int i = 0; i < 20000; i++) {
        char group[32];
        snprintf(group, sizeof(group), "pci/%d", i);
        facts_set_integer(facts, group, "link_width", i, "s");
    }
    assert_int_equal(facts_group_count(facts), 20000);
    for (int i = 0; i < 20000; i++) {
        char group[32];
        snprintf(group, sizeof(group), "pci/%d", i);
        int64_t value = -1;
        assert_true(facts_integer(facts, group, "link_width", &value));
        assert_int_equal(value, i);
    }
    assert_null(facts_get(facts, "pci/20000", "link_width"));
    facts_free(facts);
}

static void finds_each_of_many_facts(void **state)
{
    (void)state;
    struct facts *facts = facts_new();
    for (int i = 0; i < 20000; i++) { /* in no order of names */
        AUTO_FREE char *name = mem_printf("CUDA_%d", i * 7919 % 20000);
        facts_set_integer(facts, "environment", name, i, "s");
    }
    facts_set_integer(facts, "environment", "CUDA_0", -1, "s");
    assert_int_equal(facts_count(facts, "environment"), 20000);
    for (int i = 1; i < 20000; i++) {
        AUTO_FREE char *name = mem_printf("CUDA_%d", i * 7919 % 20000);
        int64_t value = -1;
        assert_true(facts_integer(facts, "environment", name, &value));
        assert_int_equal(value, i);
        assert_string_equal(facts_at(facts, "environment", (size_t)i)->name, name);
    }
    assert_int_equal(facts_at(facts, "environment", 0)->integer, -1);
    assert_null(facts_get(facts, "environment", "CUDA_20000"));
    facts_free(facts);
}

static bool is_pci(const char *group)
{
    return strncmp(group, "pci", 3) == 0;
}

static void copies_wanted_groups(void **state)
{
    (void)state;
    struct facts *source = facts_new();
    struct facts *target = facts_new();
    AUTO_STRLIST struct strlist list = {0};
    strlist_add(&list, "x");
    facts_set_list(source, "pci/a", "bar_bytes", &list, "s");
    facts_set_skipped(source, "os", "id", "r", "s");
    facts_set_string(target, "pci/a", "bar_bytes", "old", "t");
    facts_copy(target, source, is_pci);
    assert_int_equal(facts_group_count(target), 1);
    assert_string_equal(facts_list(target, "pci/a", "bar_bytes")->items[0], "x");
    facts_free(source);
    facts_free(target);
}

static void dictionary_is_consistent(void **state)
{
    (void)state;
    for (const struct fact_entry *entry = fact_entries; entry->kind; entry++) {
        const struct fact_kind *kind = dictionary_kind(entry->kind);
        assert_non_null(kind);
        assert_true(kind->instances || !entry->of_instance);
        assert_true(strlen(entry->meaning) > 0);
        for (const struct fact_entry *other = entry + 1; other->kind; other++)
            assert_false(strcmp(entry->kind, other->kind) == 0 &&
                         strcmp(entry->name, other->name) == 0 &&
                         entry->of_instance == other->of_instance);
    }
    assert_null(dictionary_kind("pcix"));
    assert_null(dictionary_kind("os/x"));
    assert_string_equal(dictionary_kind("pci/0000:01:00.0")->kind, "pci");
    assert_non_null(dictionary_entry("environment", "CUDA_HOME"));
    assert_null(dictionary_entry("pci", "device_id"));
    assert_non_null(dictionary_entry("pci/x", "device_id"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keeps_order_and_replaces),
        cmocka_unit_test(gives_values_of_the_asked_type_only),
        cmocka_unit_test(walks_instances),
        cmocka_unit_test(finds_each_of_many_groups),
        cmocka_unit_test(finds_each_of_many_facts),
        cmocka_unit_test(copies_wanted_groups),
        cmocka_unit_test(dictionary_is_consistent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
