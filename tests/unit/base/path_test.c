/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "base/memory.h"
#include "base/path.h"
#include "base/strlist.h"

static void joined(void **state)
{
    (void)state;
    AUTO_FREE char *below_root = path_join("/", "usr");
    AUTO_FREE char *below = path_join("/usr", "lib/x");
    assert_string_equal(below_root, "/usr");
    assert_string_equal(below, "/usr/lib/x");
}

static void parts(void **state)
{
    (void)state;
    static const struct {
        const char *path, *parent, *base;
    } rows[] = {
        {"/usr/lib", "/usr", "lib"}, {"/usr", "/", "usr"}, {"/", "/", ""},
        {"/usr/", "/usr", ""},       {"lib", "/", "lib"},  {"", "/", ""},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        AUTO_FREE char *parent = path_parent(rows[i].path);
        assert_string_equal(parent, rows[i].parent);
        assert_string_equal(path_base(rows[i].path), rows[i].base);
    }
}

static void components(void **state)
{
    (void)state;
    assert_true(path_has_component("/a/stubs/b", "stubs"));
    assert_true(path_has_component("/a/stubs", "stubs"));
    assert_true(path_has_component("stubs/a", "stubs"));
    assert_false(path_has_component("/a/stubs2/xstubs", "stubs"));
    assert_false(path_has_component("", "stubs"));
}

static void below(void **state)
{
    (void)state;
    assert_true(path_is_below("/opt/conda/lib", "/opt/conda"));
    assert_true(path_is_below("/opt/conda", "/opt/conda/"));
    assert_true(path_is_below("/opt", "/"));
    assert_false(path_is_below("/opt/conda2", "/opt/conda"));
    assert_false(path_is_below("/opt", "/opt/conda"));
}

static void named(void **state)
{
    (void)state;
    AUTO_STRLIST struct strlist paths = {0};
    assert_false(path_is_named(&paths, "a.run"));
    strlist_add(&paths, "/srv/a.run/b.tgz");
    strlist_add(&paths, "c.run");
    assert_true(path_is_named(&paths, "b.tgz"));
    assert_true(path_is_named(&paths, "c.run"));
    assert_false(path_is_named(&paths, "a.run"));
    assert_false(path_is_named(&paths, "run"));
    assert_false(path_is_named(&paths, NULL));
    assert_false(path_is_named(NULL, "c.run"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(joined), cmocka_unit_test(parts), cmocka_unit_test(components),
        cmocka_unit_test(below),  cmocka_unit_test(named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
