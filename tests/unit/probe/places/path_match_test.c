/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "base/text.h"
#include "probe/cuda_tree.h"
#include "probe/places/path_match.h"

static void test_list(void **state)
{
    (void)state;
    AUTO_STRLIST struct strlist none = {0};
    assert_true(path_list(NULL, &none));
    assert_int_equal(none.count, 0);
    AUTO_STRLIST struct strlist list = {0};
    assert_true(path_list("/a:.::relative:/b:/a:", &list));
    AUTO_FREE char *joined = strlist_join(&list, " ");
    assert_string_equal(joined, "/a /b");
    AUTO_TEXT struct text many = {0};
    for (int i = 0; i < PATH_LIST_MAX; i++)
        text_printf(&many, "/%d:", i);
    AUTO_STRLIST struct strlist most = {0};
    assert_true(path_list(many.data, &most));
    text_append(&many, "/more");
    AUTO_STRLIST struct strlist cut = {0};
    assert_false(path_list(many.data, &cut));
    assert_int_equal(cut.count, PATH_LIST_MAX);
}

static void test_base_is_no_pattern(void **state)
{
    (void)state;
    struct tree *tree = tree_new();
    tree_file(tree, "/a*[x]/lib/one.h", "");
    tree_file(tree, "/ab/lib/two.h", "");
    AUTO_STRLIST struct strlist found = {0};
    path_match(tree->host, "/a*[x]", "*/*.h", &found);
    assert_int_equal(found.count, 1);
    assert_string_equal(found.items[0], "/a*[x]/lib/one.h");
    assert_false(path_matches(tree->host, "/a?", "lib/two.h"));
    assert_true(path_matches(tree->host, "/ab", "l*/two.h"));
    tree_free(tree);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_list),
        cmocka_unit_test(test_base_is_no_pattern),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
