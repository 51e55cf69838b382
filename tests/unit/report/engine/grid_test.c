/* SPDX-License-Identifier: MIT */
#include "report/engine/grid.h"
#include "test.h"

/* titles and cells: words between '|'. */
static void show(const char *titles, const char *cells, unsigned columns, const char *wanted,
                 const char *left_out)
{
    AUTO_GRID struct grid grid = {0};
    AUTO_STRLIST struct strlist names = {0};
    AUTO_TEXT struct text text = {0};
    strlist_split(&grid.titles, titles, '|');
    strlist_split(&grid.cells, cells, '|');
    grid_append(&grid, columns, &text, &names);
    assert_string_equal(text_string(&text), wanted);
    AUTO_FREE char *joined = strlist_join(&names, ",");
    assert_string_equal(joined, left_out);
}

static void columns_are_as_wide_as_they_need(void **state)
{
    (void)state;
    show("row|kind|date", "a|lts|2026|long one|x|", 80,
         "row       kind  date\n"
         "a         lts   2026\n"
         "long one  x\n",
         "");
}

static void empty_columns_are_left_out_silently(void **state)
{
    (void)state;
    show("row|kind|date", "a||2026|b||", 80, "row  date\na    2026\nb\n", "");
}

static void what_does_not_fit_is_named(void **state)
{
    (void)state;
    show("row|kind|date|x", "aaaa|bbbb|cccc|d", 13, "row   kind  x\naaaa  bbbb  d\n", "date");
    show("row|kind", "aaaa|bbbb", 4, "row\naaaa\n", "kind");
}

/* What few rows have gives way, wherever it stands. */
static void sparse_columns_come_last(void **state)
{
    (void)state;
    const char *cells = "a|rare|full|b||full|c||full|d||full|e||full";
    show("row|few|most", cells, 12,
         "row  most\na    full\nb    full\nc    full\nd    full\ne    full\n", "few");
    show("row|few|most", cells, 15,
         "row  few   most\na    rare  full\nb          full\nc          full\nd          full\n"
         "e          full\n",
         "");
}

static void long_cells_are_cut(void **state)
{
    (void)state;
    show("row|text|end", "a|abcdefghijklmnopqrstuvwxyz0123|e", 80,
         "row  text                        end\n"
         "a    abcdefghijklmnopqrstuvw...  e\n",
         "");
    /* The last column has all the room there is. */
    show("row|text", "a|abcdefghijklmnopqrstuvwxyz0123", 80,
         "row  text\n"
         "a    abcdefghijklmnopqrstuvwxyz0123\n",
         "");
    show("row|text", "a|abcdefghijklmnopqrstuvwxyz0123", 32,
         "row  text\n"
         "a    abcdefghijklmnopqrstuvwx...\n",
         "");
}

static void characters_are_counted_and_made_safe(void **state)
{
    (void)state;
    show("row|end", "\xc3\xa9\xc3\xa9|1|\x1b[m|2", 80,
         "row     end\n"
         "\xc3\xa9\xc3\xa9      1\n"
         "\\x1b[m  2\n",
         "");
    show("row|text|end",
         "a|\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9"
         "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9"
         "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9zzzz|e",
         80,
         "row  text                        end\n"
         "a    \xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9"
         "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9"
         "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9...  e\n",
         "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_are_as_wide_as_they_need),
        cmocka_unit_test(empty_columns_are_left_out_silently),
        cmocka_unit_test(what_does_not_fit_is_named),
        cmocka_unit_test(sparse_columns_come_last),
        cmocka_unit_test(long_cells_are_cut),
        cmocka_unit_test(characters_are_counted_and_made_safe),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
