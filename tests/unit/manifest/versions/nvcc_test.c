/* SPDX-License-Identifier: MIT */
#include "manifest/asked.h"
#include "manifest/broken.h"

#include "base/strlist.h"
#include "base/version.h"
#include "manifest/versions/nvcc.h"

/* host_compiler.csv has 33 rows, one of which says two things: 12.2 stops at clang 15, 12.2.2 takes
 * 16. nvcc_arch_by_toolkit.csv has 13. */
static void test_counts(void **state)
{
    (void)state;
    AUTO_JSON json_t *json = joined_json();
    assert_true(joined_count(json, "cuda", "compilers") >= 33 + 1);
    assert_true(joined_count(json, "cuda", "architectures") >= 13);
}

/* The rows of host_compiler.csv. */
static void test_compilers(void **state)
{
    static const struct {
        const char *asked, *id, *gcc_min, *gcc_max, *clang_min, *clang_max;
    } cases[] = {
        {"7.5.18", "compilers/7.5", "", "4.9", "3.5", ""},
        {"8.0.61", "compilers/8.0", "", "5", "3.8", "3.9"},
        {"10.1.105", "compilers/10.1.105", "5", "8", "3.8", "7"},
        {"10.1.168", "compilers/10.1.105", "5", "8", "3.8", "7"},
        {"10.1.243", "compilers/10.1.243", "5", "8", "3.8", "8"},
        {"10.1", "compilers/10.1.243", "5", "8", "3.8", "8"},
        {"11.4.0", "compilers/11.4.0", "6", "10", "6", "11"},
        {"11.4.3", "compilers/11.4.1", "6", "11", "6", "12"},
        {"11.8.0", "compilers/11.8", "6", "11", "7", "14"},
        {"12.2.1", "compilers/12.2", "6", "12", "7", "15"},
        {"12.2.2", "compilers/12.2.2", "6", "12", "7", "16"},
        {"12.8", "compilers/12.8", "6", "14", "7", "19"},
        {"13.0.2", "compilers/13.0", "6", "15", "7", "20"},
        {"13.4.2", "compilers/13.4", "6", "16", "7", "22"},
        {"13.5.0", "compilers/13.5", "", "16", "", "22"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct version cuda = version_of(cases[i].asked);
        const struct manifest_compilers *row = manifest_compilers_find(*state, &cuda);
        assert_non_null(row);
        assert_string_equal(row->id, cases[i].id);
        assert_version(&row->gcc_min, cases[i].gcc_min);
        assert_version(&row->gcc_max, cases[i].gcc_max);
        assert_version(&row->clang_min, cases[i].clang_min);
        assert_version(&row->clang_max, cases[i].clang_max);
    }
    static const char *const unlisted[] = {"", "12", "12.7", "7.0", "13.6", "14.0.0"};
    for (size_t i = 0; i < sizeof(unlisted) / sizeof(*unlisted); i++) {
        struct version cuda = version_of(unlisted[i]);
        assert_null(manifest_compilers_find(*state, &cuda));
    }
}

/* facts/README.md: gcc for CUDA 11.4.1 to 11.5 is 11 for one source and 10 for another. */
static void test_disagreement_is_noted(void **state)
{
    static const char *const asked[] = {"11.4.1", "11.5"};
    for (size_t i = 0; i < sizeof(asked) / sizeof(*asked); i++) {
        struct version cuda = version_of(asked[i]);
        const struct manifest_compilers *row = manifest_compilers_find(*state, &cuda);
        assert_non_null(strstr(row->notes, "sources differ on gcc"));
        assert_string_equal(row->confidence, "medium");
    }
}

/* The rows of nvcc_arch_by_toolkit.csv. */
static void test_architectures(void **state)
{
    static const struct {
        const char *asked, *id, *oldest, *newest;
        size_t count;
    } cases[] = {
        {"7.0", "nvcc/7.0", "2.0", "5.3", 8},       {"8.0.61", "nvcc/8.0", "2.0", "6.2", 11},
        {"9.0.176", "nvcc/9.0", "3.0", "7.0", 10},  {"9.1", "nvcc/9.1", "3.0", "7.2", 11},
        {"9.2.148", "nvcc/9.1", "3.0", "7.2", 11},  {"11.0.3", "nvcc/11.0", "3.5", "8.0", 12},
        {"11.8.0", "nvcc/11.8", "3.5", "9.0", 16},  {"12.6.3", "nvcc/12.0", "5.0", "9.0", 14},
        {"12.8.1", "nvcc/12.8", "5.0", "12.0", 17}, {"12.9", "nvcc/12.9", "5.0", "12.1", 19},
        {"13.0.2", "nvcc/13.0", "7.5", "12.1", 12}, {"13.3.1", "nvcc/13.0", "7.5", "12.1", 12},
        {"13.4.2", "nvcc/13.4", "7.5", "12.1", 13}, {"13.5.0", "nvcc/13.4", "7.5", "12.1", 13},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct version cuda = version_of(cases[i].asked);
        const struct manifest_nvcc *row = manifest_nvcc_find(*state, &cuda);
        assert_non_null(row);
        assert_string_equal(row->id, cases[i].id);
        assert_int_equal(row->capabilities.count, cases[i].count);
        assert_string_equal(row->capabilities.items[0], cases[i].oldest);
        assert_string_equal(row->capabilities.items[cases[i].count - 1], cases[i].newest);
    }
    static const char *const unlisted[] = {"", "12", "6.5", "12.7", "13.6"};
    for (size_t i = 0; i < sizeof(unlisted) / sizeof(*unlisted); i++) {
        struct version cuda = version_of(unlisted[i]);
        assert_null(manifest_nvcc_find(*state, &cuda));
    }
}

/* Thor is 10.1 in CUDA 12.8 and 12.9, and 11.0 from 13.0 on; Rubin came with 13.4. */
static void test_traps(void **state)
{
    static const struct {
        const char *cuda, *capability;
        bool has;
    } cases[] = {
        {"12.8", "10.1", true}, {"12.9", "10.1", true},  {"12.9", "11.0", false},
        {"13.0", "11.0", true}, {"13.0", "10.1", false}, {"13.0", "7.0", false},
        {"13.4", "10.7", true}, {"13.0", "10.7", false}, {"12.9", "7.0", true},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct version cuda = version_of(cases[i].cuda);
        const struct manifest_nvcc *row = manifest_nvcc_find(*state, &cuda);
        assert_int_equal(strlist_has(&row->capabilities, cases[i].capability), cases[i].has);
    }
    /* Known to be missing from the list alone. */
    struct version cuda = version_of("10.2");
    const struct manifest_nvcc *row = manifest_nvcc_find(*state, &cuda);
    assert_true(strlist_has(&row->omits, "3.2"));
    assert_non_null(strstr(row->notes, "3.2 (Tegra K1)"));
}

static void test_refused(void **state)
{
    (void)state;
    static const struct broken cases[] = {
        {"cuda.compilers[cuda=12.8].cuda", "\"12\"", NULL, "two or three numbers"},
        {"cuda.compilers[cuda=12.8].cuda", "\"12.5\"", NULL, "a unique row"},
        {"cuda.compilers[cuda=12.8].cuda", "\"12.5.1\"", NULL, "after compilers/12.6"},
        {"cuda.compilers[cuda=12.8].cuda", "\"12.7\"", NULL, "that cuda.rows lists"},
        {"cuda.compilers[cuda=12.8].gcc_max", "\"5\"", NULL, "at least the lower bound"},
        {"cuda.compilers[cuda=12.8].clang_max", "\"6.0\"", NULL, "at least the lower"},
        {"cuda.compilers[cuda=12.8].gcc_max", "14", NULL, "a version"},
        {"cuda.architectures[first=12.8].first", "\"12\"", NULL, "two numbers"},
        {"cuda.architectures[first=12.8].first", "\"12.6\"", NULL, "after nvcc/12.0"},
        {"cuda.architectures[first=12.8].last", "\"12.8.1\"", NULL, "two numbers"},
        {"cuda.architectures[first=12.8].last", "\"12.5\"", NULL, "at least the lower"},
        {"cuda.architectures[first=13.4].last", "\"13.99\"", NULL, "that cuda.rows lists"},
        {"cuda.architectures[first=12.8].last", "null", NULL, "a version"},
        {"cuda.architectures[first=13.0].capabilities", "[\"7.5\", \"6.6\"]", NULL,
         "capability.rows lists, found 6.6"},
        {"cuda.architectures[first=13.0].capabilities", "[\"7.5\"]", NULL,
         "expected 8.0, as capability/8.0 says"},
        {"cuda.architectures[first=13.0].omits", "[\"7.5\"]", NULL, "not in capabilities"},
        {"cuda.architectures[first=13.0].omits", "[\"7.0\"]", NULL, "capability/7.0"},
        {"cuda.architectures[first=10.0].omits", NULL,
         "cuda.architectures[first=10.0].capabilities", "expected 3.2"},
        {"cuda.architectures[first=11.8].last", "\"11.9\"", NULL, "cuda.rows lists"},
        {"capability.rows[capability=10.7].first_cuda", "\"13.5\"",
         "cuda.architectures[first=13.4].capabilities", "contradicts capability/10.7"},
    };
    REFUSE(cases);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts),
        cmocka_unit_test_setup_teardown(test_compilers, setup, teardown),
        cmocka_unit_test_setup_teardown(test_disagreement_is_noted, setup, teardown),
        cmocka_unit_test_setup_teardown(test_architectures, setup, teardown),
        cmocka_unit_test_setup_teardown(test_traps, setup, teardown),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
