/* SPDX-License-Identifier: MIT */
#include "facts/record_lines.h"

#include "test.h"
#include "facts/record.h"

static void take_all(const char *text, struct facts *facts, size_t *ret_parts, size_t *ret_taken)
{
    AUTO_FREE char *copy = mem_string(text);
    char *cursor = copy;
    struct record_lines reader = {.facts = facts, .name = "page.md"};
    *ret_taken = 0;
    for (const char *line; (line = string_next_line(&cursor)) != NULL;)
        *ret_taken += record_lines_take(&reader, line);
    *ret_parts = reader.parts;
    record_lines_end(&reader);
}

/* The same values, whatever the sources. */
static void assert_same(const struct facts *a, const struct facts *b)
{
    assert_int_equal(facts_group_count(a), facts_group_count(b));
    for (size_t i = 0; i < facts_group_count(a); i++) {
        const char *group = facts_group_at(a, i);
        assert_int_equal(facts_count(a, group), facts_count(b, group));
        for (size_t k = 0; k < facts_count(a, group); k++) {
            const struct fact *fact = facts_at(a, group, k);
            AUTO_JSON json_t *one = record_fact_to_json(fact);
            AUTO_JSON json_t *other = record_fact_to_json(facts_get(b, group, fact->name));
            json_object_del(one, "source");
            json_object_del(other, "source");
            assert_true(json_equal(one, other));
        }
    }
}

static void fill(struct facts *facts)
{
    static const char *const groups[] = {"pci/0000:01:00.0", "pci/0000:02:00.0",
                                         "pci/0000:03:00.0"};
    AUTO_STRLIST struct strlist list = {0};
    strlist_add(&list, "a \"quoted\" one, ] as [");
    strlist_add(&list, "");
    for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++) {
        facts_set_string(facts, groups[i], "driver", i == 2 ? "vfio-pci" : "nvidia", "x");
        facts_set_integer(facts, groups[i], "link_width", 16 - (int64_t)i, "x");
        facts_set_boolean(facts, groups[i], "vgpu_host", i == 1, "x");
        facts_set_absent(facts, groups[i], "iommu_group", "x");
        facts_set_skipped(facts, groups[i], "acs_redirects", "only \"root\": may", "x");
        facts_set_skipped(facts, groups[i], "bar_bytes", "only \"root\": may", "x");
        facts_set_unknown(facts, groups[i], "bridge", i == 0 ? "no answer" : "other", "x");
    }
    facts_set_list(facts, "os", "device_groups", &list, "x");
    facts_set_string(facts, "os", "id", "```\n# gpuenv record 1: x\n[os]\nid = 3", "x");
    facts_set_list(facts, "os", "empty", &(struct strlist){.count = 0}, "x");
}

static void test_round(void **state)
{
    (void)state;
    AUTO_FACTS struct facts *facts = facts_new();
    AUTO_FACTS struct facts *again = facts_new();
    AUTO_TEXT struct text text = {0};
    size_t parts, taken;
    fill(facts);
    text_append(&text, "words before it\n[os]\nid = 7\n```text\n");
    record_lines_append(facts, "all", NULL, NULL, &text);
    text_append(&text, "```\nid = 8\n[os]\n");
    assert_non_null(strstr(text_string(&text), "[pci/0000:02:00.0] as [pci/0000:01:00.0]\n"));
    assert_null(strstr(strstr(text_string(&text), "# gpuenv"), "```\n#"));
    take_all(text_string(&text), again, &parts, &taken);
    assert_int_equal(parts, 1);
    assert_same(facts, again);
    assert_string_equal(facts_get(again, "os", "id")->source, "page.md:23");
}

static void test_hostile(void **state)
{
    (void)state;
    static const char *const lines[] = {
        "name",          "name = ",        "name = {\"a\": 1}", "name = [1]",
        "name = \"open", "- unknown x: a", "- skipped \"a\"",   "[",
        "a b = 1",       "name = 1.5",     "- absent",          "[]",
        "- nothing: a",  "name = maybe",
    };
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        AUTO_FACTS struct facts *facts = facts_new();
        AUTO_FREE char *text = mem_printf("# gpuenv record 1: x\n[os]\n%s\nid = 1\n", lines[i]);
        size_t parts, taken;
        take_all(text, facts, &parts, &taken);
        assert_int_equal(taken, 2); /* behind a line of no record nothing is taken */
        assert_int_equal(facts_group_count(facts), 0);
    }
    AUTO_FACTS struct facts *facts = facts_new();
    size_t parts, taken;
    take_all("# gpuenv record 1: x\n[a/1] as [a/1]\n[a/2] as [b]\nx = 99999999999999999999\n",
             facts, &parts, &taken);
    assert_int_equal(taken, 3);
    assert_int_equal(facts_group_count(facts), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round),
        cmocka_unit_test(test_hostile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
