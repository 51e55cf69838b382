/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "base/fields.h"

static const char *const colours[] = {"red", "blue", NULL};
struct row {
    char *name;
    struct strlist words;
    uint64_t size;
    unsigned number;
    int64_t time;
    bool flag;
    struct version version;
    int colour;
    char *paint;
};
static const struct field fields[] = {
    FIELD(row, name, field_string, .required = true),
    FIELD(row, words, field_strings),
    FIELD(row, size, field_size),
    FIELD(row, number, field_number),
    FIELD(row, time, field_time),
    FIELD(row, flag, field_boolean),
    FIELD_AS(row, version, "release", field_version),
    FIELD(row, colour, field_choice, .choices = colours),
    FIELD(row, paint, field_one_of, .choices = colours),
    {.name = "list", .type = &field_list},
    {.name = "below", .type = &field_below},
    {.name = NULL},
};
static const struct fields_document document = {"file.json", "the file is not valid", NULL};

static void row_free(struct row *row)
{
    free(row->name);
    free(row->paint);
    strlist_free(&row->words);
}

static bool read_with(const struct fields_document *in, const char *text, struct row *row,
                      struct error *error)
{
    AUTO_JSON json_t *json = json_parse(text, strlen(text), 4096, "text", NULL);
    assert_non_null(json);
    return fields_read(fields, json, in, "rows[3]", row, error);
}

static void test_each_type(void **state)
{
    (void)state;
    struct row row = {.name = NULL};
    assert_true(read_with(
        &document,
        "{\"name\": \"a\", \"words\": [\"b\", \"\"], \"size\": 5000000000, "
        "\"number\": 7, \"time\": -3, \"flag\": true, \"release\": \"12.8\", "
        "\"colour\": \"blue\", \"paint\": \"red\", \"list\": [1], \"below\": {\"x\": null}}",
        &row, NULL));
    assert_string_equal(row.name, "a");
    assert_int_equal(row.words.count, 2);
    assert_true(row.size == UINT64_C(5000000000));
    assert_int_equal(row.number, 7);
    assert_true(row.time == -3);
    assert_true(row.flag);
    assert_int_equal(row.version.part[1], 8);
    assert_int_equal(row.colour, 1);
    assert_string_equal(row.paint, "red");
    row_free(&row);
}

static void test_what_is_not_required_may_lack(void **state)
{
    (void)state;
    struct row row = {.number = 9};
    assert_true(read_with(&document, "{\"name\": \"a\"}", &row, NULL));
    assert_int_equal(row.number, 9);
    row_free(&row);
}

static void test_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *where, *why;
    } rows[] = {
        {"[]", "file.json: rows[3]", "expected an object"},
        {"{}", "file.json: rows[3].name", "expected a non-empty string"},
        {"{\"name\": \"\"}", "file.json: rows[3].name", "expected a non-empty string"},
        {"{\"name\": 1}", "file.json: rows[3].name", "expected a non-empty string"},
        {"{\"name\": \"a\", \"names\": 1}", "file.json: rows[3].names", "expected no such key"},
        {"{\"name\": \"a\", \"\\u001b[2J\": 1}", "file.json: rows[3].\\x1b[2J",
         "expected no such key"},
        {"{\"name\": \"a\", \"words\": [1]}", "file.json: rows[3].words",
         "expected a list of strings"},
        {"{\"name\": \"a\", \"words\": \"b\"}", "file.json: rows[3].words",
         "expected a list of strings"},
        {"{\"name\": \"a\", \"size\": -1}", "file.json: rows[3].size",
         "expected a whole number, 0 or greater"},
        {"{\"name\": \"a\", \"number\": 4294967296}", "file.json: rows[3].number",
         "expected a whole number, 0 or greater"},
        {"{\"name\": \"a\", \"number\": 1.5}", "file.json: rows[3].number",
         "expected a whole number, 0 or greater"},
        {"{\"name\": \"a\", \"time\": \"1\"}", "file.json: rows[3].time",
         "expected a whole number"},
        {"{\"name\": \"a\", \"flag\": 1}", "file.json: rows[3].flag", "expected true or false"},
        {"{\"name\": \"a\", \"release\": \"x\"}", "file.json: rows[3].release",
         "expected a version such as \"12.8.1\""},
        {"{\"name\": \"a\", \"colour\": \"green\"}", "file.json: rows[3].colour",
         "expected one of red, blue"},
        {"{\"name\": \"a\", \"paint\": \"green\"}", "file.json: rows[3].paint",
         "expected one of red, blue"},
        {"{\"name\": \"a\", \"paint\": 1}", "file.json: rows[3].paint",
         "expected one of red, blue"},
        {"{\"name\": \"a\", \"list\": {}}", "file.json: rows[3].list", "expected a list"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        AUTO_ERROR struct error error = {0};
        struct row row = {.name = NULL};
        assert_false(read_with(&document, rows[i].text, &row, &error));
        assert_int_equal(error.kind, ERROR_DATA);
        assert_string_equal(error.what, "the file is not valid");
        assert_string_equal(error.where, rows[i].where);
        assert_string_equal(error.why, rows[i].why);
        assert_null(error.next);
        row_free(&row);
    }
}

static void test_next(void **state)
{
    (void)state;
    const struct fields_document with_next = {"f", "no", "write the file again"};
    AUTO_ERROR struct error error = {0};
    struct row row = {.name = NULL};
    assert_false(read_with(&with_next, "{}", &row, &error));
    assert_string_equal(error.next, "write the file again");
    assert_false(fields_refuse(&with_next, "", "key", "more", &error));
    assert_string_equal(error.where, "f: key");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_type),
        cmocka_unit_test(test_what_is_not_required_may_lack),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_next),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
