/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "facts/record.h"

static struct facts *sample(void)
{
    struct facts *facts = facts_new();
    AUTO_STRLIST struct strlist list = {0};
    strlist_add(&list, "plain");
    strlist_add(&list, "\xff\n");
    facts_set_string(facts, "os", "id", "debian", "/etc/os-release");
    facts_set_string(facts, "os", "pretty_name", "\x1b[31m\xfe", "/etc/os-release");
    facts_set_integer(facts, "memory", "total_bytes", INT64_MAX, "/proc/meminfo");
    facts_set_boolean(facts, "module", "nvidia", false, "/proc/modules");
    facts_set_list(facts, "library//x\\xff", "found_as", &list, "loader");
    facts_set_absent(facts, "module", "version", "/proc/driver/nvidia/version");
    facts_set_unknown(facts, "module", "flavour", "no answer in 10 s", "x");
    facts_set_skipped(facts, "module", "compiler", "a tree holds no \"module\"", "x\xff");
    return facts;
}

static char *text_of(const struct facts *facts)
{
    AUTO_JSON json_t *json = record_to_json(facts);
    AUTO_TEXT struct text text = {0};
    json_append_text(json, &text);
    return text_steal(&text);
}

static void comes_back_as_it_was(void **state)
{
    (void)state;
    struct facts *facts = sample();
    AUTO_FREE char *text = text_of(facts);
    AUTO_ERROR struct error error = {0};
    struct facts *again = record_load(text, strlen(text), "r.json", &error);
    assert_non_null(again);
    assert_string_equal(facts_string(again, "os", "pretty_name"), "\x1b[31m\xfe");
    assert_string_equal(facts_list(again, "library//x\\xff", "found_as")->items[1], "\xff\n");
    assert_string_equal(facts_get(again, "module", "flavour")->reason, "no answer in 10 s");
    assert_int_equal(facts_get(again, "module", "compiler")->state, FACT_SKIPPED);
    AUTO_FREE char *second = text_of(again);
    assert_string_equal(text, second);
    facts_free(facts);
    facts_free(again);
}

static void takes_the_envelope(void **state)
{
    (void)state;
    static const char text[] = "{\"schema_version\": 1, \"facts\": {\"os\": {\"id\": "
                               "{\"value\": \"debian\", \"source\": \"s\"}}}}";
    AUTO_ERROR struct error error = {0};
    struct facts *facts = record_load(text, sizeof(text) - 1, "r.json", &error);
    assert_string_equal(facts_string(facts, "os", "id"), "debian");
    facts_free(facts);
}

static void refuses_other_forms(void **state)
{
    (void)state;
    static const struct {
        const char *text, *where;
    } rows[] = {
        {"[]", "r.json"},
        {"{\"schema_version\": 1}", "r.json"},
        {"{\"schema_version\": 2, \"facts\": {}}", "r.json"},
        {"{\"os\": 3}", "facts.os"},
        {"{\"os\": {\"id\": {\"value\": \"x\"}}}", "facts.os.id"},
        {"{\"os\": {\"id\": {\"source\": \"x\"}}}", "facts.os.id"},
        {"{\"os\": {\"id\": {\"value\": null, \"source\": \"x\"}}}", "facts.os.id"},
        {"{\"os\": {\"id\": {\"value\": 1.5, \"source\": \"x\"}}}", "facts.os.id"},
        {"{\"os\": {\"id\": {\"value\": [1], \"source\": \"x\"}}}", "facts.os.id"},
        {"{\"os\": {\"id\": {\"absent\": false, \"source\": \"x\"}}}", "facts.os.id"},
        {"{\"os\": {\"id\": {\"value\": \"x\", \"bytes\": \"0\", \"source\": \"x\"}}}",
         "facts.os.id"},
        {"{\"os\": {\"id\": {\"value\": \"x\", \"bytes\": \"00\", \"source\": \"x\"}}}",
         "facts.os.id"},
        {"{\"os\": {\"id\": {\"value\": [\"x\"], \"bytes\": [], \"source\": \"x\"}}}",
         "facts.os.id"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        AUTO_ERROR struct error error = {0};
        assert_null(record_load(rows[i].text, strlen(rows[i].text), "r.json", &error));
        assert_int_equal(error.kind, ERROR_DATA);
        assert_non_null(strstr(error.where, rows[i].where));
    }
}

static void every_truncation_is_an_error(void **state)
{
    (void)state;
    struct facts *facts = sample();
    AUTO_FREE char *text = text_of(facts);
    facts_free(facts);
    size_t last = strlen(text) - 2; /* without the newline and the last brace */
    for (size_t size = 0; size <= last; size++) {
        AUTO_ERROR struct error error = {0};
        assert_null(record_load(text, size, "r.json", &error));
        assert_true(error_is_set(&error));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(comes_back_as_it_was),
        cmocka_unit_test(takes_the_envelope),
        cmocka_unit_test(refuses_other_forms),
        cmocka_unit_test(every_truncation_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
