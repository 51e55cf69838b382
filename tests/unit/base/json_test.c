/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "base/json.h"

static json_t *parse(const char *text, struct error *error)
{
    return json_parse(text, strlen(text), 4096, "test.json", error);
}

static void refuses_what_is_not_strict(void **state)
{
    (void)state;
    static const char *const texts[] = {"",
                                        "{",
                                        "{}x",
                                        "{\"a\":1,\"a\":2}",
                                        "[NaN]",
                                        "// c\n{}",
                                        "\xef\xbb\xbf{}",
                                        "{\"a\":\"\xff\"}",
                                        "{\"a\":\"\\u0000\"}",
                                        "[1,]",
                                        "'a'"};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        AUTO_ERROR struct error error = {0};
        assert_null(parse(texts[i], &error));
        assert_int_equal(error.kind, ERROR_DATA);
        assert_non_null(strstr(error.where, "test.json"));
        assert_non_null(error.why);
    }
}

static void sets_strings_and_lists(void **state)
{
    (void)state;
    AUTO_JSON json_t *object = json_object();
    AUTO_STRLIST struct strlist list = {0};
    AUTO_TEXT struct text text = {0};
    strlist_add(&list, "x");
    json_set_string(object, "a", "b\xff");
    json_set_string(object, "none", NULL);
    json_set_list(object, "list", &list);
    json_set_list(object, "empty", NULL);
    json_append_text(object, &text);
    assert_string_equal(text_string(&text),
                        "{\n  \"a\": \"b\\\\xff\",\n  \"list\": [\n    \"x\"\n  "
                        "],\n  \"empty\": []\n}\n");
}

static void limits_depth_and_size(void **state)
{
    (void)state;
    AUTO_TEXT struct text deep = {0};
    for (int i = 0; i < 100000; i++)
        text_append_char(&deep, '[');
    AUTO_ERROR struct error error = {0};
    assert_null(json_parse(deep.data, deep.size, 1 << 20, "deep", &error));
    assert_non_null(strstr(error.what, "16 levels"));
    assert_null(json_parse("[]      ", 8, 7, "large", &error));
    assert_non_null(strstr(error.what, "larger than the limit of 7"));

    AUTO_JSON json_t *in_strings = parse("{\"a\": \"[[[[[[[[[[[[[[[[[[\\\"[[[[\"}", &error);
    assert_non_null(in_strings);
}

static void limits_the_number_of_values(void **state)
{
    (void)state;
    AUTO_TEXT struct text many = {0};
    text_append(&many, "[\"");
    for (int i = 0; i < JSON_VALUES; i++)
        text_append_char(&many, ','); /* in a string: no values */
    text_append(&many, "\"");
    for (int i = 1; i < JSON_VALUES - 1; i++)
        text_append(&many, ",1");
    text_append_char(&many, ']');
    AUTO_ERROR struct error error = {0};
    AUTO_JSON json_t *most = json_parse(many.data, many.size, 1 << 20, "most", &error);
    assert_int_equal(json_array_size(most), JSON_VALUES - 1);
    many.data[many.size - 1] = ',';
    text_append(&many, "1]");
    assert_null(json_parse(many.data, many.size, 1 << 20, "many", &error));
    assert_int_equal(error.kind, ERROR_DATA);
    assert_non_null(strstr(error.what, "more than 131072 values"));
    assert_string_equal(error.where, "many:1");
}

/* Where the good part ends, for each way to fail. */
static void tells_where_a_text_ceases_to_be_good(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t offset;
        const char *where;
    } cases[] = {
        {"", 0, "test.json:1:0"},
        {"{\n \"a\": 1,\n \"a\": 2}", 15, "test.json:3:4"},
        {"[1,\n 2", 6, "test.json:2:2"},
        {"[1,\n 1e999]", 10, "test.json:2:6"},
        {"[\n[[[[[[[[[[[[[[[[[[", 18, "test.json:2"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        size_t offset = 99;
        AUTO_ERROR struct error error = {0};
        const char *text = cases[i].text;
        assert_null(json_parse_offset(text, strlen(text), 1 << 20, "test.json", &offset, &error));
        assert_int_equal(offset, cases[i].offset);
        assert_string_equal(error.where, cases[i].where);
    }
}

static void writes_numbers_as_they_were(void **state)
{
    (void)state;
    AUTO_ERROR struct error error = {0};
    AUTO_JSON json_t *numbers = parse("[3352.3, 0.1, 67, 1e8]", &error);
    AUTO_TEXT struct text text = {0};
    json_append_text(numbers, &text);
    assert_string_equal(text_string(&text), "[\n  3352.3,\n  0.1,\n  67,\n  100000000.0\n]\n");
}

static void writes_ascii_without_control_characters(void **state)
{
    (void)state;
    AUTO_JSON json_t *object = json_object();
    json_object_set_new(object, "a", json_from_string("\x1b[31m\x7f\xe2\x80\xae\xff\n"));
    AUTO_TEXT struct text text = {0};
    json_append_text(object, &text);
    for (size_t i = 0; i < text.size; i++)
        assert_true(text.data[i] == '\n' || (text.data[i] >= 0x20 && text.data[i] < 0x7f));
    AUTO_ERROR struct error error = {0};
    AUTO_JSON json_t *again = parse(text_string(&text), &error);
    assert_true(json_equal(object, again));
}

static void writes_versions(void **state)
{
    (void)state;
    struct version version = {.count = 0};
    AUTO_JSON json_t *none = json_from_version(&version);
    assert_true(json_is_null(none));
    assert_true(version_parse("580.95.05", &version));
    AUTO_JSON json_t *some = json_from_version(&version);
    assert_string_equal(json_string_value(some), "580.95.05");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refuses_what_is_not_strict),
        cmocka_unit_test(sets_strings_and_lists),
        cmocka_unit_test(limits_depth_and_size),
        cmocka_unit_test(limits_the_number_of_values),
        cmocka_unit_test(tells_where_a_text_ceases_to_be_good),
        cmocka_unit_test(writes_numbers_as_they_were),
        cmocka_unit_test(writes_ascii_without_control_characters),
        cmocka_unit_test(writes_versions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
