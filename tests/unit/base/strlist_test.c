/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "base/memory.h"
#include "base/strlist.h"

static void lists_split_sort_and_join(void **state)
{
    (void)state;
    AUTO_STRLIST struct strlist list = {0};
    strlist_split(&list, "b::a", ':');
    assert_int_equal(list.count, 3);
    assert_string_equal(list.items[1], "");
    assert_false(strlist_add_new(&list, "a"));
    assert_true(strlist_add_new(&list, "c"));
    strlist_sort(&list);
    AUTO_FREE char *joined = strlist_join(&list, "|");
    assert_string_equal(joined, "|a|b|c");
}

static void what_is_empty_stays_so(void **state)
{
    (void)state;
    AUTO_STRLIST struct strlist none = {0}, one = {0};
    AUTO_FREE char *nothing = strlist_join(&none, "|");
    assert_string_equal(nothing, "");
    strlist_sort(&none);
    strlist_copy(&none, &one);
    assert_false(strlist_has(&none, ""));
    strlist_split(&one, "", ':'); /* one part, which is empty */
    assert_int_equal(one.count, 1);
    assert_true(strlist_has(&one, ""));
}

static void a_list_owns_its_strings(void **state)
{
    (void)state;
    char word[] = "word";
    AUTO_STRLIST struct strlist list = {0}, copy = {0};
    strlist_add(&list, word);
    strlist_take(&list, mem_string("taken"));
    strlist_copy(&copy, &list);
    word[0] = 'x';
    strlist_free(&list);
    assert_int_equal(list.count, 0);
    assert_string_equal(copy.items[0], "word");
    assert_string_equal(copy.items[1], "taken");
    strlist_add(&list, "again"); /* freed, it is an empty one */
    assert_int_equal(list.count, 1);
}

static void words_are_what_white_space_leaves(void **state)
{
    (void)state;
    AUTO_STRLIST struct strlist words = {0};
    strlist_split_words(&words, " \t0          0 4294967295\r\n");
    assert_int_equal(words.count, 3);
    assert_string_equal(words.items[0], "0");
    assert_string_equal(words.items[2], "4294967295");
    strlist_split_words(&words, " \n");
    strlist_split_words(&words, "");
    assert_int_equal(words.count, 3);
    strlist_split_any(&words, ",a b,,c", ",");
    assert_int_equal(words.count, 5);
    assert_string_equal(words.items[3], "a b");
    assert_string_equal(words.items[4], "c");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_split_sort_and_join),
        cmocka_unit_test(what_is_empty_stays_so),
        cmocka_unit_test(a_list_owns_its_strings),
        cmocka_unit_test(words_are_what_white_space_leaves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
