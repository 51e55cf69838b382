/* SPDX-License-Identifier: MIT */
#include "test.h"

#include <dlfcn.h>

#include "base/error.h"
#include "base/text.h"
#include "host/child/vendor.h"
#include "host/tree.h"

struct functions {
    int (*newest)(void);
    int (*old)(void);
    int (*missing)(void);
    int untouched;
};

static const struct vendor_symbol symbols[] = {
    {.names = {"call_v3", "call_v2", "call"}, .field = offsetof(struct functions, newest)},
    {.names = {"other_v5", "other_v4", "other_v3", "other"},
     .field = offsetof(struct functions, old)},
    {.names = {"none_v2", "none"}, .field = offsetof(struct functions, missing)},
    {.names = {NULL}},
};

static int some_function(void)
{
    return -1;
}

static void test_newest_names_first(void **state)
{
    AUTO_ERROR struct error error = {0};
    AUTO_FREE char *path = mem_printf("%s/link.so", (char *)*state);
    AUTO_FREE char *real = mem_printf("%s/library.so.1.2", (char *)*state);
    struct functions functions = {.missing = some_function, .untouched = 7};
    struct vendor_library library = {0};
    assert_true(vendor_open(path, symbols, &functions, &library, &error));
    assert_false(error_is_set(&error));
    assert_int_equal(functions.newest(), 2);
    assert_int_equal(functions.old(), 10);
    assert_null(functions.missing);
    assert_int_equal(functions.untouched, 7);
    assert_string_equal(library.path, real);
    assert_string_equal(vendor_symbol_found(&library, &symbols[0]), "call_v2");
    assert_string_equal(vendor_symbol_found(&library, &symbols[1]), "other");
    assert_null(vendor_symbol_found(&library, &symbols[2]));
    /* what it defines is its own: nothing else is to be bound to it */
    assert_null(dlsym(RTLD_DEFAULT, "call_v2"));
    free(library.path);
    dlclose(library.handle);
}

/* By name alone, as the loader finds it. */
static void test_a_library_of_the_system(void **state)
{
    (void)state;
    const struct vendor_symbol one[] = {
        {.names = {"cos_v2", "cos"}, .field = offsetof(struct functions, newest)},
        {.names = {NULL}},
    };
    struct functions functions = {0};
    struct vendor_library library = {0};
    assert_true(vendor_open("libm.so.6", one, &functions, &library, NULL));
    assert_non_null(functions.newest);
    assert_string_equal(vendor_symbol_found(&library, &one[0]), "cos");
    assert_int_equal(library.path[0], '/');
    assert_int_equal(access(library.path, R_OK), 0);
    free(library.path);
    dlclose(library.handle);
}

static void test_the_loaders_own_words(void **state)
{
    const char *root = *state;
    static const char *const cases[][2] = {
        {"libgpuenv-none.so.1",
         "libgpuenv-none.so.1: cannot open shared object file: No such file"},
        {"/absent.so", "/absent.so: cannot open shared object file"},
        {"text.so", "file too short"},
        {"undefined.so", "undefined symbol: gpuenv_none"},
    };
    run_in(root, "echo text > text.so");
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        AUTO_ERROR struct error error = {0};
        AUTO_FREE char *path =
            i < 2 ? mem_string(cases[i][0]) : mem_printf("%s/%s", root, cases[i][0]);
        struct functions functions = {.newest = some_function};
        struct vendor_library library = {.path = (char *)""};
        assert_false(vendor_open(path, symbols, &functions, &library, &error));
        assert_int_equal(error.kind, ERROR_NO_INPUT);
        assert_non_null(strstr(error.why, cases[i][1]));
        assert_non_null(strstr(error.what, path));
        assert_true(functions.newest == some_function);
        assert_string_equal(library.path, "");
        assert_false(vendor_open(path, symbols, &functions, &library, NULL));
    }
}

static int setup(void **state)
{
    if (make_tree(state) != 0)
        return 1;
    run_in(*state,
           "echo 'int call(void) { return 1; } int call_v2(void) { return 2; }"
           "int other(void) { return 10; }' | ${CC:-cc} -shared -fPIC -xc - -o library.so.1.2\n"
           "ln -s library.so.1.2 library.so; ln -s library.so link.so\n"
           "echo 'int gpuenv_none(void); int call(void) { return gpuenv_none(); }' | "
           "${CC:-cc} -shared -fPIC -xc - -o undefined.so");
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_newest_names_first),
        cmocka_unit_test(test_a_library_of_the_system),
        cmocka_unit_test(test_the_loaders_own_words),
    };
    return cmocka_run_group_tests_name("vendor", tests, setup, remove_tree);
}
