/* SPDX-License-Identifier: MIT */
#include "manifest/asked.h"
#include "manifest/broken.h"

#include "base/version.h"
#include "manifest/package/system.h"

/* os_support.csv has 56 rows. */
static void test_counts(void **state)
{
    (void)state;
    AUTO_JSON json_t *json = joined_json();
    assert_true(joined_count(json, "system", "rows") >= 56);
    assert_true(joined_count(json, "system", "families") >= 3);
}

/* The id names the row of os_support.csv. */
static void test_answers(void **state)
{
    static const struct {
        const char *cuda, *os_id, *os_release;
        enum manifest_support support;
        const char *id;
    } cases[] = {
        {"12.8.1", "ubuntu", "24.04", SUPPORT_LISTED, "system/cuda-12.8.1-image"},
        {"12.8.1", "ubuntu", "18.04", SUPPORT_NOT_LISTED, "system/cuda-12.8.1-image"},
        {"12.5.0", "ubuntu", "24.04", SUPPORT_NOT_LISTED, "system/cuda-12.5.0-image"},
        {"12.5.1", "ubuntu", "24.04", SUPPORT_LISTED, "system/cuda-12.5.1-image"},
        {"12.5", "ubuntu", "24.04", SUPPORT_LISTED, "system/cuda-12.5.1-image"},
        {"8.0.61", "ubuntu", "16.04", SUPPORT_LISTED, "system/cuda-8.0-image"},
        {"9.2.148", "centos", "7", SUPPORT_LISTED, "system/cuda-9.2-image"},
        {"10.0.130", "ubuntu", "16.04", SUPPORT_LISTED, "system/cuda-10.0-guide"},
        {"10.0.130", "ubuntu", "18.04", SUPPORT_LISTED, "system/cuda-10.0-image"},
        /* The guide of 11.2 has what the images of its last update have not. */
        {"11.2.2", "ubuntu", "16.04", SUPPORT_LISTED, "system/cuda-11.2-guide"},
        {"11.2.2", "sles", "15.3", SUPPORT_LISTED, "system/cuda-11.2-guide"},
        {"12.4.1", "rhel", "7.9", SUPPORT_LISTED, "system/cuda-12.4.1-guide"},
        {"12.6.3", "rhel", "7.9", SUPPORT_NOT_LISTED, "system/cuda-12.6.3-guide"},
        {"12.9.0", "azurelinux", "3.0", SUPPORT_LISTED, "system/cuda-12.9.0-image"},
        {"12.9.0", "mariner", "2.0", SUPPORT_LISTED, "system/cuda-12.9.0-image"},
        {"13.0.0", "debian", "12", SUPPORT_NOT_LISTED, "system/cuda-13.0.0-image"},
        {"13.0.0", "opensuse-leap", "15.6", SUPPORT_LISTED, "system/cuda-13.0.0-image"},
        {"13.0.1", "debian", "12", SUPPORT_LISTED, "system/cuda-13.0.1-guide"},
        {"13.0.1", "ubuntu", "20.04", SUPPORT_NOT_LISTED, "system/cuda-13.0.1-guide"},
        {"13.0.1", "rocky", "10.0", SUPPORT_LISTED, "system/cuda-13.0.1-guide"},
        {"13.0.1", "kylin", "V10", SUPPORT_LISTED, "system/cuda-13.0.1-guide"},
        {"13.0.1", "fedora", "41", SUPPORT_NOT_LISTED, "system/cuda-13.0.1-guide"},
        {"13.4.2", "ubuntu", "26.04", SUPPORT_LISTED, "system/cuda-13.4.2-guide"},
        /* The nearest earlier release stands for one without a row. */
        {"13.0.3", "debian", "12", SUPPORT_LISTED, "system/cuda-13.0.1-guide"},
        {"12.9.2", "ubuntu", "24.04", SUPPORT_LISTED, "system/cuda-12.9.1-image"},
        /* The driver. */
        {"", "debian", "13", SUPPORT_LISTED, "system/driver-guide"},
        {"", "debian", "11", SUPPORT_NOT_LISTED, "system/driver-guide"},
        {"", "almalinux", "9.4", SUPPORT_NOT_LISTED, "system/driver-guide"},
        {"", "ol", "9.4", SUPPORT_LISTED, "system/driver-guide"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct version cuda = version_of(cases[i].cuda);
        const struct manifest_os_list *row;
        if (manifest_system_find(*state, &cuda, cases[i].os_id, cases[i].os_release, &row) !=
            cases[i].support)
            print_error("%s on %s %s\n", cases[i].cuda, cases[i].os_id, cases[i].os_release);
        assert_int_equal(
            manifest_system_find(*state, &cuda, cases[i].os_id, cases[i].os_release, &row),
            cases[i].support);
        assert_string_equal(row->id, cases[i].id);
    }
}

static void test_unknown(void **state)
{
    static const struct {
        const char *cuda, *os_id, *os_release;
    } cases[] = {
        {"7.5.18", "ubuntu", "14.04"}, {"13.4.1", "ubuntu", "24.04"}, {"13.1.0", "ubuntu", "24.04"},
        {"13.5.0", "ubuntu", "24.04"}, {"12.8.1", NULL, "24.04"},     {"12.8.1", "debian", NULL},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct version cuda = version_of(cases[i].cuda);
        const struct manifest_os_list *row = (const struct manifest_os_list *)state;
        assert_int_equal(
            manifest_system_find(*state, &cuda, cases[i].os_id, cases[i].os_release, &row),
            SUPPORT_UNKNOWN);
        assert_null(row);
    }
}

/* The lowest glibc of a row of os_support.csv; an empty cell is unknown. */
static void test_glibc(void **state)
{
    static const struct {
        const char *cuda, *glibc;
    } cases[] = {{"10.0", "2.23"}, {"12.4.0", "2.17"}, {"12.8.1", "2.28"}, {"13.4.2", ""}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct version cuda = version_of(cases[i].cuda);
        const struct manifest_os_list *row;
        manifest_system_find(*state, &cuda, "debian", "1", &row);
        assert_version(&row->glibc_min, cases[i].glibc);
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
        {IMAGE ".version", "\"12.7\"", NULL, "above system/cuda-12.8.0-image"},
        {IMAGE ".version", "\"12.8.0\"", IMAGE ".product", "a row of its own"},
        {IMAGE ".version", "\"12.8.7\"", NULL, "that cuda.rows has"},
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
        {"system.families[list=rhel].list", "\"debian\"", NULL, "a row of its own"},
        {"system.families[list=rhel].ids", "[\"RHEL\"]", NULL, "expected rhel, found RHEL"},
    };
    REFUSE(cases);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts),
        cmocka_unit_test_setup_teardown(test_answers, setup, teardown),
        cmocka_unit_test_setup_teardown(test_unknown, setup, teardown),
        cmocka_unit_test_setup_teardown(test_glibc, setup, teardown),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
