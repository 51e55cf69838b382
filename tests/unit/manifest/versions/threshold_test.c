/* SPDX-License-Identifier: MIT */
#include "manifest/broken.h"

#include "manifest/manifest.h"
#include "manifest/versions/threshold.h"

static void test_rows(void **state)
{
    (void)state;
    struct manifest *manifest = manifest_new();
    const struct manifest_threshold *room = manifest_threshold_find(manifest, "installer-tmp");
    const struct manifest_threshold *busy = manifest_threshold_find(manifest, "gpu-busy");
    const struct manifest_threshold *guest = manifest_threshold_find(manifest, "vm-geforce");
    assert_non_null(room);
    assert_string_equal(room->id, "threshold/installer-tmp");
    assert_string_equal(room->finding, "tmp_too_small_for_installer");
    assert_int_equal(room->bytes, 4LL << 30);
    assert_int_equal(busy->percent, 20);
    assert_int_equal(guest->version.part[0], 465);
    assert_null(manifest_threshold_find(manifest, "installer"));
    manifest_free(manifest);
}

#define ROW "threshold.rows[name=memlock]"
static void test_refused(void **state)
{
    (void)state;
    static const struct broken cases[] = {
        {ROW ".name", "\"Mem Lock\"", NULL, "mem-lock"},
        {ROW ".name", "\"a\"", NULL, "a row that sorts after"},
        {ROW ".bytes", NULL, ROW, "one of bytes, percent and version"},
        {ROW ".percent", "5", ROW, "one of bytes, percent and version"},
        {ROW ".bytes", "0", NULL, "a whole number above 0"},
        {"threshold.rows[name=gpu-busy].percent", "101", NULL, "100"},
        {ROW ".finding", NULL, NULL, "string"},
        {ROW ".meaning", NULL, NULL, "string"},
        {ROW ".source", NULL, NULL, "list"},
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
