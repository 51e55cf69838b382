/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "base/text.h"
#include "manifest/reader/locate.h"

/* Lines are counted from 1; the text below begins on line 1. */
static const char document[] = "{\n"                                    /* 1 */
                               " \"cuda\": {\n"                         /* 2 */
                               "  \"rows\": [\n"                        /* 3 */
                               "   {\"version\": \"12.8.0\",\n"         /* 4 */
                               "    \"notes\": \"a ] } \\\" \\\\\"},\n" /* 5 */
                               "   {\"version\":\n"                     /* 6 */
                               "      \"12.8.1\"}, 7, [], {}\n"         /* 7 */
                               "   ],\n"                                /* 8 */
                               "  \"x_\\u0061\\u00e9\": -1.5e3,\n"      /* 9 */
                               "  \"\\u0064river\": true\n"             /* 10 */
                               " },\n"                                  /* 11 */
                               " \"gpu\": {\"rows\": [\n"               /* 12 */
                               "  null\n"                               /* 13 */
                               " ]}\n"                                  /* 14 */
                               "}\n";

#define KEY(name)                                                                                  \
    {                                                                                              \
        .key = (name)                                                                              \
    }
#define ITEM(number)                                                                               \
    {                                                                                              \
        .index = (number)                                                                          \
    }

static const struct {
    struct locate_step steps[4];
    size_t count;
    size_t line;
} places[] = {
    {{KEY("cuda")}, 0, 1},
    {{KEY("cuda")}, 1, 2},
    {{KEY("cuda"), KEY("rows")}, 2, 3},
    {{KEY("cuda"), KEY("rows"), ITEM(0)}, 3, 4},
    {{KEY("cuda"), KEY("rows"), ITEM(0), KEY("version")}, 4, 4},
    {{KEY("cuda"), KEY("rows"), ITEM(0), KEY("notes")}, 4, 5},
    {{KEY("cuda"), KEY("rows"), ITEM(1), KEY("version")}, 4, 6},
    {{KEY("cuda"), KEY("rows"), ITEM(2)}, 3, 7},
    {{KEY("cuda"), KEY("rows"), ITEM(4)}, 3, 7},
    {{KEY("cuda"), KEY("x_a\xc3\xa9")}, 2, 9},
    {{KEY("cuda"), KEY("driver")}, 2, 10},
    {{KEY("gpu")}, 1, 12},
    {{KEY("gpu"), KEY("rows"), ITEM(0)}, 3, 13},
    /* What is not there is missing from the last that is. */
    {{KEY("driver")}, 1, 1},
    {{KEY("cuda"), KEY("row")}, 2, 2},
    {{KEY("cuda"), KEY("rows"), ITEM(1), KEY("date")}, 4, 6},
    {{KEY("cuda"), KEY("rows"), ITEM(5)}, 3, 3},
    {{KEY("cuda"), KEY("rows"), KEY("version")}, 3, 3},
    {{KEY("cuda"), ITEM(0)}, 2, 2},
    {{KEY("gpu"), KEY("rows"), ITEM(0), KEY("name")}, 4, 13},
    {{ITEM(0)}, 1, 1},
};
#define PLACES (sizeof(places) / sizeof(places[0]))

static void test_lines(void **state)
{
    (void)state;
    for (size_t i = 0; i < PLACES; i++) {
        struct locator locator = {.text = document, .size = strlen(document)};
        assert_int_equal(locate_line(&locator, places[i].steps, places[i].count), places[i].line);
    }
}

/* One locator, whatever it was asked before. */
static void test_searches_do_not_disturb_one_another(void **state)
{
    (void)state;
    struct locator locator = {.text = document, .size = strlen(document)};
    for (size_t i = 0; i < PLACES; i++) {
        for (size_t k = 0; k < PLACES; k++) {
            assert_int_equal(locate_line(&locator, places[i].steps, places[i].count),
                             places[i].line);
            assert_int_equal(locate_line(&locator, places[k].steps, places[k].count),
                             places[k].line);
        }
    }
}

static void test_without_a_text(void **state)
{
    (void)state;
    struct locator none = {.text = NULL};
    struct locator empty = {.text = ""};
    assert_int_equal(locate_line(&none, places[3].steps, places[3].count), 0);
    assert_int_equal(locate_line(&empty, places[3].steps, places[3].count), 1);
    AUTO_FREE char *path = locate_path("", 0, 0);
    assert_string_equal(path, "");
}

/* Nothing outside the text is read (ASan sees), and no line beyond it is named. */
static void test_every_cut_of_a_text(void **state)
{
    (void)state;
    for (size_t size = 0; size < strlen(document); size++) {
        AUTO_FREE char *cut = malloc(size > 0 ? size : 1);
        assert_non_null(cut);
        memcpy(cut, document, size);
        struct locator locator = {.text = cut, .size = size};
        size_t lines = 1;
        for (size_t i = 0; i < size; i++)
            lines += cut[i] == '\n';
        for (size_t i = 0; i < PLACES; i++) {
            size_t line = locate_line(&locator, places[i].steps, places[i].count);
            assert_true(line >= 1 && line <= lines && line <= places[i].line);
        }
        AUTO_FREE char *path = locate_path(cut, size, size);
        assert_true(strlen(path) < size + 40);
    }
}

static void test_what_is_no_json(void **state)
{
    (void)state;
    static const char *const texts[] = {"{\"cuda\" {}}",
                                        "{\"cuda\": }",
                                        "{cuda: 1}",
                                        "{\"a\": @, \"cuda\": 1}",
                                        "{\"a\": \"\n\", \"cuda\": 1}",
                                        "{\"a\": [1 2], \"cuda\": 1}",
                                        "[\"cuda\"]",
                                        "\"cuda\"",
                                        "{\"a\": [}, \"cuda\": 1}",
                                        "{,\"cuda\": 1}",
                                        "{\"a\\"};
    const struct locate_step steps[] = {KEY("cuda"), KEY("rows")};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        struct locator locator = {.text = texts[i], .size = strlen(texts[i])};
        assert_int_equal(locate_line(&locator, steps, 2), 1);
    }
}

static void test_members(void **state)
{
    (void)state;
    static const char text[] =
        " {\"a\": [1, {\"b\": 2}] , \"b\":\"x\\\"\", \"c\" : 3.5 , \"\\u0064\": [}";
    static const struct {
        const char *key;
        const char *value; /* NULL: none */
    } members[] = {
        {"a", "[1, {\"b\": 2}]"},
        {"b", "\"x\\\"\""},
        {"c", "3.5"},
        {"d", NULL},
        {"e", NULL},
        {"", NULL},
    };
    const char *start;
    size_t size;
    for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
        bool found = locate_member(text, strlen(text), members[i].key, &start, &size);
        assert_int_equal(found, members[i].value != NULL);
        AUTO_FREE char *value = found ? mem_string_n(start, size) : NULL;
        assert_true(string_equal(value, members[i].value));
    }
    assert_false(locate_member("[1]", 3, "a", &start, &size));
    assert_false(locate_member("", 0, "a", &start, &size));
    assert_false(locate_member("{\"a\": [1, 2", 11, "a", &start, &size));
}

static void test_members_one_by_one(void **state)
{
    (void)state;
    static const char text[] = "{\"a\": [1, {\"b\": 2}], \"s\": \"}\", \"b\":3 "
                               ",\"\\u0063\":{\"x\":\"{\"}, \"a\": 9, \"cut\": [1";
    /* Also those that were walked over before. */
    static const char *const wanted[][2] = {{"b", "3"},     {"a", "[1, {\"b\": 2}]"},
                                            {"s", "\"}\""}, {"c", "{\"x\":\"{\"}"},
                                            {"none", NULL}, {"cut", NULL},
                                            {"cut", NULL},  {"b", "3"}};
    struct locate_members members = {.scan = {.at = text, .end = text + strlen(text)}};
    for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
        const struct locate_member *member = locate_members_find(&members, wanted[i][0]);
        AUTO_FREE char *value = member ? mem_string_n(member->value, member->size) : NULL;
        assert_true(string_equal(value, wanted[i][1]));
    }
    assert_int_equal(members.count, 5);
    free(members.items);
    struct locate_members none = {.items = NULL};
    assert_null(locate_members_find(&none, "a"));
}

static void test_items(void **state)
{
    (void)state;
    static const struct {
        const char *array;
        const char *items; /* with a ; behind each */
    } arrays[] = {
        {"[]", ""},
        {"[1]", "1;"},
        {" [ [1], {\"a\": [2, 3]},\n\"],[\" , null ] , 4", "[1];{\"a\": [2, 3]};\"],[\";null;"},
        {"[[], []]", "[];[];"},
        {"[1, 2", "1;2;"},
        {"[1, {]", "1;{];"}, /* brackets are only counted */
        {"[[\"]\"], [\"\\\"]\"], \"a\\\\\"]", "[\"]\"];[\"\\\"]\"];\"a\\\\\";"},
        {"[[\"a\\\\\\\"]\"], 2]", "[\"a\\\\\\\"]\"];2;"},
        {"[[\"a", ""},
        {"[1,]", "1;"},
        {"[,1]", ""},
        {"[", ""},
        {"", ""},
        {"{\"a\": 1}", ""},
        {"7", ""},
    };
    for (size_t i = 0; i < sizeof(arrays) / sizeof(arrays[0]); i++) {
        AUTO_TEXT struct text items = {0};
        struct locate_scan scan = {arrays[i].array, arrays[i].array + strlen(arrays[i].array), 1};
        const char *start;
        size_t size;
        while (locate_item(&scan, &start, &size)) {
            text_append_n(&items, start, size);
            text_append(&items, ";");
        }
        assert_string_equal(text_string(&items), arrays[i].items);
    }
}

static void test_path_at_an_offset(void **state)
{
    (void)state;
    static const struct {
        const char *text; /* up to where it is read */
        const char *path;
    } cases[] = {
        {"", ""},
        {"{", ""},
        {"{}", ""},
        {"{\"cuda", ""},
        {"{\"cuda\"", "cuda"},
        {"{\"cuda\": 1", "cuda"},
        {"{\"cuda\": 1,", ""},
        {"{\"cuda\": {\"rows\": [", "cuda.rows[0]"},
        {"{\"cuda\": {\"rows\": [{\"a\": [1], \"b\": 2}, {\"c\": 1, \"d", "cuda.rows[1]"},
        {"{\"cuda\": {\"rows\": [{\"a\": [1], \"b\": 2}, {\"c\": 1, \"d\"", "cuda.rows[1].d"},
        {"{\"cuda\": {\"rows\": [1, 2]}, \"gpu\": [[], [", "gpu[1][0]"},
        {"{\"cuda\": {\"rows\": [1 2", "cuda.rows[0]"},
        {"[[[[[[[[[[[[[[[[[[", "[0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0]"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        AUTO_FREE char *longer = mem_printf("%s\"]}", cases[i].text);
        size_t size = strlen(cases[i].text);
        AUTO_FREE char *path = locate_path(longer, strlen(longer), size);
        assert_string_equal(path, cases[i].path);
        AUTO_FREE char *at_end = locate_path(cases[i].text, size, 1000);
        assert_string_equal(at_end, cases[i].path);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_searches_do_not_disturb_one_another),
        cmocka_unit_test(test_without_a_text),
        cmocka_unit_test(test_every_cut_of_a_text),
        cmocka_unit_test(test_what_is_no_json),
        cmocka_unit_test(test_members),
        cmocka_unit_test(test_members_one_by_one),
        cmocka_unit_test(test_items),
        cmocka_unit_test(test_path_at_an_offset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
