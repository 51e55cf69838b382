/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "install/unpack/unpack_private.h"

static void test_places(void **state)
{
    (void)state;
    static const char *const left_out[] = {"builds/nsight_*", "builds/*/doc", "uninstall*"};
    static const char *const rows[] = {"builds/version.json -> version.json",
                                       "builds/*/include/ -> targets/{target}/include",
                                       "builds/cuda_*/ -> .", "builds/lib*/ -> ."};
    static const struct {
        const char *path;
        bool is_directory;
        const char *place;
    } cases[] = {
        {"builds/version.json", false, "version.json"},
        {"builds/cuda_nvcc/bin/nvcc", false, "bin/nvcc"},
        {"builds/cuda_nvcc", true, ""},
        {"builds/cuda_nvcc", false, NULL},
        {"builds/cuda_memcheck/include/a.h", false, "targets/x86_64-linux/include/a.h"},
        {"builds/cuda_memcheck/include", true, "targets/x86_64-linux/include"},
        {"builds/cuda_cudart/include", false, "include"}, /* a link */
        {"builds/libcublas/lib64", false, "lib64"},
        {"builds/nsight_compute/ncu", false, NULL},
        {"builds/cuda_nvcc/doc/a", false, NULL},
        {"builds/cuda_nvcc/documents", false, "documents"},
        {"builds/NVIDIA-Linux.run", false, NULL},
        {"builds", true, NULL},
        {"manifests/cuda.xml", false, NULL},
        {"uninstall_cuda.pl", false, NULL},
    };
    struct strlist left = {0}, places = {0};
    for (size_t i = 0; i < sizeof(left_out) / sizeof(*left_out); i++)
        strlist_add(&left, left_out[i]);
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
        strlist_add(&places, rows[i]);
    const struct unpack_places table = {
        .left_out = &left, .places = &places, .target = "x86_64-linux"};
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        AUTO_FREE char *place = NULL;
        bool has = unpack_place(&table, cases[i].path, cases[i].is_directory, &place);
        if (has != (cases[i].place != NULL) || (has && !string_equal(place, cases[i].place)))
            print_message("%s goes to %s\n", cases[i].path, has ? place : "nowhere");
        assert_int_equal(has, cases[i].place != NULL);
        if (has)
            assert_string_equal(place, cases[i].place);
    }
    strlist_free(&left);
    strlist_free(&places);
}

static void test_all_of_it(void **state)
{
    (void)state;
    struct strlist places = {0};
    strlist_add(&places, ". -> samples");
    const struct unpack_places table = {.places = &places};
    AUTO_FREE char *place = NULL;
    assert_true(unpack_place(&table, "0_Simple/a.cu", false, &place));
    assert_string_equal(place, "samples/0_Simple/a.cu");
    strlist_free(&places);
}

static void test_patterns(void **state)
{
    (void)state;
    static const struct {
        const char *pattern, *path;
        bool fits;
    } cases[] = {
        {"run_files/cuda-linux*.run", "run_files/cuda-linux.9.0.176-22781540.run", true},
        {"run_files/cuda-linux*.run", "run_files/cuda-linux64-rel-8.0.61-21551265.run", true},
        {"run_files/cuda-linux*.run", "run_files/cuda-samples-linux-8.0.61-21551265.run", false},
        {"run_files/cuda-linux*.run", "run_files/cuda-linux.run/x", false},
        {"run_files/cuda-linux*.run", "cuda-linux.run", false},
        {"a*a", "a", false},
        {"a*a", "aa", true},
        {"*", "x", true},
        {"*", "", false},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
        assert_int_equal(unpack_place_fits(cases[i].pattern, cases[i].path), cases[i].fits);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_places),
        cmocka_unit_test(test_all_of_it),
        cmocka_unit_test(test_patterns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
