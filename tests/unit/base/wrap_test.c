/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "base/wrap.h"

static void words_go_on_a_line_while_they_fit(void **state)
{
    (void)state;
    AUTO_TEXT struct text text = {0};
    wrap_paragraph(&text, 10, 2, "one two three  four");
    assert_string_equal(text_string(&text), "  one two\n  three\n  four\n");
    text_clear(&text);
    wrap_paragraph(&text, 9, 2, "one two"); /* to the last column */
    assert_string_equal(text_string(&text), "  one two\n");
    text_clear(&text);
    wrap_paragraph(&text, 9, 2, "");
    assert_string_equal(text_string(&text), "  \n");
}

static void a_long_word_is_not_split(void **state)
{
    (void)state;
    AUTO_TEXT struct text text = {0};
    wrap_paragraph(&text, 6, 0, "a abcdefghij b");
    assert_string_equal(text_string(&text), "a\nabcdefghij\nb\n");
}

/* What stands before it on the line counts, and lines after the first have their own indent. */
static void a_label_stands_before_it(void **state)
{
    (void)state;
    AUTO_TEXT struct text text = {0};
    struct wrap wrap;
    text_append(&text, "why: ");
    wrap_begin(&wrap, &text, 12, 5, 3);
    wrap_printf(&wrap, "%s %d", "number", 12);
    wrap_words(&wrap, "and more");
    wrap_end(&wrap);
    assert_string_equal(text_string(&text), "why: number\n   12 and\n   more\n");
}

static void what_a_terminal_would_obey_is_made_safe(void **state)
{
    (void)state;
    AUTO_TEXT struct text text = {0};
    struct wrap wrap;
    wrap_begin(&wrap, &text, 80, 0, 0);
    wrap_words(&wrap, "a\033[31m\n\\");
    wrap_words_again(&wrap, "\\x1b");
    wrap_end(&wrap);
    assert_string_equal(text_string(&text), "a\\x1b[31m\\x0a\\\\ \\x1b\n");
}

/* A command is one thing to copy: whole on this line, or unsplit on the next. */
static void commands_stay_whole(void **state)
{
    (void)state;
    AUTO_TEXT struct text text = {0};
    struct wrap wrap;
    wrap_begin(&wrap, &text, 10, 0, 0);
    wrap_words(&wrap, "run");
    wrap_whole(&wrap, "echo 'a  \\' b");
    wrap_end(&wrap);
    assert_string_equal(text_string(&text), "run echo 'a  \\' b\n");
    text_clear(&text);
    wrap_begin(&wrap, &text, 10, 0, 0);
    wrap_words(&wrap, "run");
    wrap_unsplit(&wrap, "ls  -l /x");
    wrap_end(&wrap);
    assert_string_equal(text_string(&text), "run\nls  -l /x\n");
}

static void a_character_takes_a_column(void **state)
{
    (void)state;
    assert_int_equal(wrap_width("abc", 3), 3);
    assert_int_equal(wrap_width("\xc3\xa9\xe2\x80\xa6", 5), 2); /* é… */
    AUTO_TEXT struct text text = {0};
    wrap_paragraph(&text, 5, 0, "\xc3\xa9\xc3\xa9 \xc3\xa9\xc3\xa9");
    assert_string_equal(text_string(&text), "\xc3\xa9\xc3\xa9 \xc3\xa9\xc3\xa9\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_go_on_a_line_while_they_fit),
        cmocka_unit_test(a_long_word_is_not_split),
        cmocka_unit_test(a_label_stands_before_it),
        cmocka_unit_test(what_a_terminal_would_obey_is_made_safe),
        cmocka_unit_test(commands_stay_whole),
        cmocka_unit_test(a_character_takes_a_column),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
