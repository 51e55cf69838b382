/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "code/code.h"

static void test_merge(void **state)
{
    (void)state;
    static const char first[] = ".version 8.4\n.target sm_90\n";
    static const char second[] = "// Cuda compilation tools, release 13.0, V13.0.48\n"
                                 ".version 9.0\n.target sm_90\n";
    struct byte_source one = byte_source_memory(first, sizeof(first) - 1);
    struct byte_source two = byte_source_memory(second, sizeof(second) - 1);
    AUTO_CODE_LISTING struct code_listing sum = {.file = CODE_FILE_ZIP};
    for (unsigned i = 0; i < 4; i++) {
        AUTO_CODE_LISTING struct code_listing listing = {0};
        assert_true(code_read(i < 3 ? &one : &two, &listing, NULL));
        assert_true(code_listing_merge(&sum, &listing, NULL));
    }
    assert_int_equal(sum.file, CODE_FILE_ZIP);
    assert_int_equal(sum.count, 2);
    assert_int_equal(sum.entries[0].count, 3);
    assert_int_equal(sum.entries[0].ptx_major, 8);
    assert_int_equal(sum.entries[1].count, 1);
    assert_string_equal(sum.toolkit, "Cuda compilation tools, release 13.0, V13.0.48");
    assert_int_equal(sum.cuda_major, 13);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_merge),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
