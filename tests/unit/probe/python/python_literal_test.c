/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "test.h"

#include "base/text.h"
#include "probe/python/python_literal.h"

static char *assigned(const char *text, const char *name)
{
    char *value = NULL;
    return python_assigned(text, strlen(text), name, &value) ? value : NULL;
}

static void assert_assigned(const char *text, const char *name, const char *expected)
{
    AUTO_FREE char *value = assigned(text, name);
    if (!string_equal(value, expected))
        fail_msg("%s is \"%s\" in \"%s\"", name, value ? value : "not found", text);
}

static void assignments_old_and_new(void **state)
{
    (void)state;
    static const char newer[] = "from typing import Optional\n__all__ = ['cuda', 'hip']\n"
                                "__version__ = '2.5.1+cu124'\ncuda: Optional[str] = '12.4'\n"
                                "hip: Optional[str] = None\n";
    assert_assigned(newer, "cuda", "12.4");
    assert_assigned(newer, "hip", "None");
    assert_assigned(newer, "__version__", "2.5.1+cu124");
    assert_assigned(newer, "xpu", NULL);
    assert_assigned("cuda = '9.0.176'", "cuda", "9.0.176");
    assert_assigned("cuda=\"10\"\n", "cuda", "10");
    assert_assigned("x_cuda = '1'\ncuda_x = '2'\n cuda = '3'\n", "cuda", NULL);
    assert_assigned("use_cuda = True\n", "use_cuda", "True");
    assert_assigned("n = 12030\r\n", "n", "12030");
}

static void what_is_no_literal_is_not_found(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "cuda == '1'", "cuda = f('1')", "cuda = '1\n'", "cuda = '",        "cuda =",
        "cuda",        "cuda = x[0]",   "cuda = ['1']", "cuda: '1'\n='2'", "cuda = a * b",
    };
    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
        assert_assigned(texts[i], "cuda", NULL);
    assert_assigned("cuda = f('1')\ncuda = '2'\n", "cuda", "2");
}

static void long_values_are_not_found(void **state)
{
    (void)state;
    AUTO_TEXT struct text text = {0};
    text_append(&text, "cuda = '");
    for (size_t i = 0; i < LITERAL_MAX + 1; i++)
        text_append_char(&text, 'x');
    text_append(&text, "'\n");
    assert_assigned(text_string(&text), "cuda", NULL);
}

static void assert_item(const char *text, const char *key, const char *expected)
{
    AUTO_STRLIST struct strlist values = {0};
    bool found = python_item(text, strlen(text), key, &values);
    AUTO_FREE char *joined = strlist_join(&values, ",");
    if (found != (expected != NULL) || (found && !string_equal(joined, expected)))
        fail_msg("%s is \"%s\" in \"%s\"", key, found ? joined : "not found", text);
}

static void items_of_dictionaries(void **state)
{
    (void)state;
    static const char info[] =
        "build_info = collections.OrderedDict([('cpu_compiler', '/usr/bin/gcc'), "
        "('cuda_compute_capabilities', ['sm_60', 'compute_90']), ('cuda_version', '12.3'), "
        "('is_cuda_build', True)])";
    assert_item(info, "cuda_version", "12.3");
    assert_item(info, "cuda_compute_capabilities", "sm_60,compute_90");
    assert_item(info, "is_cuda_build", "True");
    assert_item(info, "cudnn_version", NULL);
    assert_item("{\"a\": {\"cuda\": 1201}, \"b\": null}", "cuda", "1201");
    assert_item("{\"b\": null}", "b", "null");
    assert_null(python_item_one("{\"b\": null}", 11, "b"));
    assert_item("{\"a\":\n [\"x\" ,\n \"y\"]}", "a", "x,y");
    assert_item("{\"a\": [\"x\", [1]]}", "a", NULL);
    assert_item("{\"a\": []}", "a", "");
    assert_item("'a', 'b'", "a", "b");
    assert_item("'a", "a", NULL);
    assert_item("'a'", "a", NULL);
    assert_item("'a':", "a", NULL);
    assert_item("", "a", NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(assignments_old_and_new),
        cmocka_unit_test(what_is_no_literal_is_not_found),
        cmocka_unit_test(long_values_are_not_found),
        cmocka_unit_test(items_of_dictionaries),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
