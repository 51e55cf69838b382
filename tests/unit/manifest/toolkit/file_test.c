/* SPDX-License-Identifier: MIT */
#include "manifest/broken.h"

/* driver_files.csv has 36 rows, in that order. */
static void test_rows(void **state)
{
    (void)state;
    static const struct {
        const char *at, *value;
    } cases[] = {
        {"file.rows[0].names", "[\"/proc/driver/nvidia/version\"]"},
        {"file.rows[10].holds", "\"character device 195:N\""},
        {"file.rows[13].names", "[\"/dev/nvidia-uvm\",\"/dev/nvidia-uvm-tools\"]"},
        {"file.rows[18].names", "[\"/dev/dxg\"]"},
        {"file.rows[21].confidence", "\"medium\""},
        {"file.rows[24].kind", "\"environment\""},
        {"file.rows[31].names", "[\"modinfo -F license nvidia\"]"},
        {"file.rows[34].kind", "\"module\""},
        {"file.rows[35].names", "[\"HMM with KASLR\"]"},
    };
    AUTO_JSON json_t *json = joined_json();
    assert_true(joined_count(json, "file", "rows") >= 36);
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
        assert_cell(json, cases[i].at, cases[i].value);
}

static void test_refused(void **state)
{
    (void)state;
    static const struct broken cases[] = {
        {"file.rows[0].names", NULL, NULL, "a list of"},
        {"file.rows[1].names", "[\"/proc/driver/nvidia/version\"]", NULL, "a unique row"},
        {"file.rows[10].kind", "\"device\"", NULL, "one of \"file\""},
        {"file.rows[10].names", "[\"nvidia0\"]", NULL, "names of kind \"node\""},
        {"file.rows[19].names", "[\"usr/lib\"]", NULL, "names of kind \"directory\""},
        {"file.rows[24].names", "[\"Path\"]", NULL, "names of kind \"environment\""},
        {"file.rows[24].holds", "7", NULL, "a non-empty string"},
    };
    REFUSE(cases);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
