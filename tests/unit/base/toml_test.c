/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "base/toml.h"

static json_t *parse(const char *text, struct error *error)
{
    return toml_parse(text, strlen(text), 4096, "test.toml", error);
}

/* The document as JSON without blanks. */
static void assert_reads(const char *text, const char *expected)
{
    AUTO_ERROR struct error error = {0};
    AUTO_JSON json_t *document = parse(text, &error);
    if (document == NULL)
        fail_msg("%s: %s", text, error.why);
    AUTO_FREE char *written = json_dumps(document, JSON_COMPACT | JSON_ENSURE_ASCII);
    assert_string_equal(written, expected);
}

static void reads_tables_and_values(void **state)
{
    static const struct {
        const char *text, *expected;
    } rows[] = {
        {"", "{}"},
        {"# nothing\n\n", "{}"},
        {"\xEF\xBB\xBF"
         "a = 1",
         "{\"a\":1}"},
        {"a = true # yes\nb=false\r\n", "{\"a\":true,\"b\":false}"},
        {"a.b.\"c d\" = 'x'", "{\"a\":{\"b\":{\"c d\":\"x\"}}}"},
        {"[a]\nb = 1\n[a.c]\nd = 2\n", "{\"a\":{\"b\":1,\"c\":{\"d\":2}}}"},
        {"[plugins.'io.x.v1'.r.\"nvidia\"]\nk = \"v\"",
         "{\"plugins\":{\"io.x.v1\":{\"r\":{\"nvidia\":{\"k\":\"v\"}}}}}"},
        {"a = [ # first\n  \"x\",\n  'y', # last\n]\n", "{\"a\":[\"x\",\"y\"]}"},
        {"a = [[1], [], {b = 2}]", "{\"a\":[[1],[],{\"b\":2}]}"},
        {"a = { b.c = 1, d = {} }", "{\"a\":{\"b\":{\"c\":1},\"d\":{}}}"},
        {"[[p]]\na = 1\n[p.q]\nb = 2\n[[p]]\na = 3",
         "{\"p\":[{\"a\":1,\"q\":{\"b\":2}},{\"a\":3}]}"},
        {"a = 1_000\nb = -7\nc = 0x1f\nd = +3", "{\"a\":1000,\"b\":-7,\"c\":31,\"d\":3}"},
        {"a = 1.5\nb = 1979-05-27T07:32:00Z\nc = inf\nd = -nan",
         "{\"a\":\"1.5\",\"b\":\"1979-05-27T07:32:00Z\",\"c\":\"inf\",\"d\":\"-nan\"}"},
        {"a = \"q\\\"\\t\\u00e9\\U0001F600\"", "{\"a\":\"q\\\"\\t\\u00E9\\uD83D\\uDE00\"}"},
        {"a = '\\d'", "{\"a\":\"\\\\d\"}"},
        {"a = \"\"\"\none \\\n   two\"\"\"", "{\"a\":\"one two\"}"},
        {"a = '''it's'''\nb = \"\"\nc = ''", "{\"a\":\"it's\",\"b\":\"\",\"c\":\"\"}"},
        {"a = '\xff'", "{\"a\":\"\\\\xff\"}"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        assert_reads(rows[i].text, rows[i].expected);
}

static void says_what_is_wrong_and_in_which_line(void **state)
{
    static const struct {
        const char *text, *why;
    } rows[] = {
        {"a", "line 1: a key without"},
        {"a = 1\n= 2", "line 2: no key"},
        {"a = ", "line 1: a value that TOML does not have"},
        {"a = yes", "line 1: a value that TOML does not have"},
        {"a = 1 b = 2", "line 1: more text than one value"},
        {"a = 1\n\na = 2", "line 3: a key that is set twice"},
        {"a = 1\n[a.b]", "line 2: a key that has a value is used as a table"},
        {"a = 1\n[[a]]", "line 2: a key that has a value is used as an array of tables"},
        {"a = []\n[a.b]", "line 2: a key that has a value is used as a table"},
        {"[a", "line 1: a table's name that does not end"},
        {"a = \"x\ny\"", "line 1: a string that does not end"},
        {"a = '''x\n", "line 2: a string that does not end"},
        {"a = [1, 2", "line 1: an array that does not end"},
        {"a = [1 2]", "line 1: an array that does not end"},
        {"a = {b = 1", "line 1: an inline table that does not end"},
        {"a = \"\\q\"", "line 1: an escape that TOML does not have"},
        {"a = \"\\u12\"", "line 1: an escape without its digits"},
        {"a = \"\\ud800\"", "line 1: an escape that is no character"},
        {"\"\xff\" = 1", "line 1: a key that is not UTF-8"},
        {"a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p.q = 1", "line 1: a key of too many parts"},
        {"a = [[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]", "line 1: nested too deep"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        AUTO_ERROR struct error error = {0};
        if (parse(rows[i].text, &error))
            fail_msg("read: %s", rows[i].text);
        assert_int_equal(error.kind, ERROR_DATA);
        assert_string_equal(error.where, "test.toml");
        if (strstr(error.why, rows[i].why) == NULL)
            fail_msg("%s: %s", rows[i].text, error.why);
    }
}

static void refuses_what_is_too_much(void **state)
{
    AUTO_ERROR struct error error = {0};
    AUTO_TEXT struct text text = {0};
    (void)state;
    assert_null(toml_parse("a = 1", 5, 4, "test.toml", &error));
    assert_non_null(strstr(error.why, "more than 4 bytes"));
    error_clear(&error);
    text_append(&text, "a = [");
    for (size_t i = 0; i < TOML_VALUES; i++)
        text_append(&text, "1,");
    text_append(&text, "]");
    assert_null(toml_parse(text_string(&text), text.size, text.size, "test.toml", &error));
    assert_non_null(strstr(error.why, "more values than gpuenv reads"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_tables_and_values),
        cmocka_unit_test(says_what_is_wrong_and_in_which_line),
        cmocka_unit_test(refuses_what_is_too_much),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
