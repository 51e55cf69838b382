/* SPDX-License-Identifier: MIT */
#include "test.h"

#include <search.h>

#include "base/memory.h"
#include "install/io/search.h"

static int compare(const void *one, const void *other)
{
    return strcmp(one, other);
}

static void append(void *item, void *data)
{
    char *word = item;
    strcat(data, word);
    word[0] = '\0'; /* as those do that take what they visit */
}

static void test_order(void **state)
{
    (void)state;
    static const char *const words[] = {"m", "c", "x", "a", "d", "b", "z", "y", "k", "l"};
    void *root = NULL;
    char said[32] = "";
    search_walk(&root, compare, append, said);
    assert_string_equal(said, "");
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        assert_non_null(tsearch(mem_string(words[i]), &root, compare));
    search_walk(&root, compare, append, said);
    assert_string_equal(said, "abcdklmxyz");
    tdestroy(root, free);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
