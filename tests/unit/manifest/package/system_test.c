/* SPDX-License-Identifier: MIT */
#include "manifest/broken.h"

/* os_support.csv has 56 rows. */
static void test_counts(void **state)
{
    (void)state;
    AUTO_JSON json_t *json = joined_json();
    assert_true(joined_count(json, "system", "rows") >= 56);
    assert_true(joined_count(json, "system", "families") >= 3);
}

static const json_t *row_of(const json_t *rows, const char *version, const char *kind)
{
    for (size_t i = 0; i < json_array_size(rows); i++) {
        const json_t *row = json_array_get(rows, i);
        if (string_equal(json_string_value(json_object_get(row, "version")), version) &&
            string_equal(json_string_value(json_object_get(row, "kind")), kind))
            return row;
    }
    return NULL;
}

static bool lists(const json_t *row, const char *list, const char *release)
{
    const json_t *releases = json_object_get(row, list);
    for (size_t i = 0; i < json_array_size(releases); i++)
        if (string_equal(json_string_value(json_array_get(releases, i)), release))
            return true;
    return false;
}

/* Cells of os_support.csv. */
static void test_lists(void **state)
{
    (void)state;
    static const struct {
        const char *version, *kind, *list, *release;
        bool listed;
    } cases[] = {
        {"12.8.1", "image", "ubuntu", "24.04", true},
        {"12.8.1", "image", "ubuntu", "18.04", false},
        {"12.5.0", "image", "ubuntu", "24.04", false},
        {"12.5.1", "image", "ubuntu", "24.04", true},
        {"8.0", "image", "ubuntu", "16.04", true},
        {"9.2", "image", "rhel", "7", true},
        {"10.0", "guide", "ubuntu", "16.04", true},
        {"10.0", "image", "ubuntu", "18.04", true},
        {"11.2", "guide", "ubuntu", "16.04", true},
        {"11.2", "guide", "other", "sles 15", true},
        {"12.4.1", "guide", "rhel", "7", true},
        {"12.6.3", "guide", "rhel", "7", false},
        {"12.9.0", "image", "other", "azurelinux 3", true},
        {"13.0.0", "image", "debian", "12", false},
        {"13.0.1", "guide", "debian", "12", true},
        {"13.0.1", "guide", "ubuntu", "20.04", false},
        {"13.4.2", "guide", "ubuntu", "26.04", true},
        {NULL, "guide", "debian", "13", true},
        {NULL, "guide", "debian", "11", false},
    };
    AUTO_JSON json_t *json = joined_json();
    const json_t *rows = json_object_get(json_object_get(json, "system"), "rows");
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        const json_t *row = row_of(rows, cases[i].version, cases[i].kind);
        assert_non_null(row);
        if (lists(row, cases[i].list, cases[i].release) != cases[i].listed)
            print_error("%s %s\n", cases[i].version, cases[i].release);
        assert_int_equal(lists(row, cases[i].list, cases[i].release), cases[i].listed);
    }
}

/* The lowest glibc of a row of os_support.csv; an empty cell is unknown. */
static void test_glibc(void **state)
{
    (void)state;
    static const struct {
        const char *version, *kind, *glibc;
    } cases[] = {{"10.0", "guide", "2.23"},
                 {"12.4.0", "image", "2.17"},
                 {"12.8.1", "image", "2.28"},
                 {"13.4.2", "guide", NULL}};
    AUTO_JSON json_t *json = joined_json();
    const json_t *rows = json_object_get(json_object_get(json, "system"), "rows");
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        const json_t *row = row_of(rows, cases[i].version, cases[i].kind);
        const char *glibc = json_string_value(json_object_get(row, "glibc_min"));
        assert_non_null(row);
        assert_int_equal(glibc != NULL, cases[i].glibc != NULL);
        if (glibc != NULL)
            assert_string_equal(glibc, cases[i].glibc);
    }
}

#define IMAGE "system.rows[version=12.8.1]"

static void test_refused(void **state)
{
    (void)state;
    static const struct broken cases[] = {
        {IMAGE ".product", "\"opencl\"", NULL, "one of \"cuda\", \"driver\""},
        {IMAGE ".product", "\"driver\"", IMAGE ".version", "none for driver"},
        {IMAGE ".version", NULL, NULL, "a version for cuda"},
        {IMAGE ".version", "\"12.7\"", NULL, "after system/cuda-12.8.0-image"},
        {IMAGE ".version", "\"12.8.0\"", IMAGE ".product", "a unique row"},
        {IMAGE ".version", "\"12.8.7\"", NULL, "that cuda.rows lists"},
        {IMAGE ".kind", "\"rumour\"", NULL, "one of \"image\", \"guide\""},
        {IMAGE ".ubuntu", "[\"noble\"]", NULL, "releases such as 22.04, found noble"},
        {IMAGE ".ubuntu", "[]", NULL, "a list of"},
        {IMAGE ".rhel", "[\"8\", \"9x\"]", NULL, "found 9x"},
        {IMAGE ".debian", "[\"sid\"]", NULL, "found sid"},
        {IMAGE ".other", "[\"amzn2023\"]", NULL, "an ID and a VERSION_ID"},
        {IMAGE ".other", "[\"amzn \"]", NULL, "found amzn "},
        {IMAGE ".other", "[\"sles 15 6\"]", NULL, "found sles 15 6"},
        {IMAGE ".glibc_min", "\"two\"", NULL, "a version"},
        {"system.rows[version=12.6.3,kind=guide].rhel", NULL,
         "system.rows[version=12.6.3,kind=guide]", "a list of systems"},
        {"system.families[list=rhel].list", "\"suse\"", NULL, "one of \"ubuntu\""},
        {"system.families[list=rhel].list", "\"debian\"", NULL, "a unique row"},
        {"system.families[list=rhel].ids", "[\"RHEL\"]", NULL, "expected rhel, found RHEL"},
    };
    REFUSE(cases);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_lists),
        cmocka_unit_test(test_glibc),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
