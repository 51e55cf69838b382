/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "code/lz4.h"

static const unsigned char matched[] = "\x35"
                                       "abc"
                                       "\x03\x00"
                                       "\x10"
                                       "!"
                                       "\x01\x00";
static const char whole[] = "abcabcabcabc!!!!!";

/* As much as the bytes and the room hold, at every size of both. */
static void test_beginnings(void **state)
{
    (void)state;
    for (size_t size = 0; size < sizeof(matched); size++)
        for (size_t room = 0; room <= sizeof(whole); room++) {
            unsigned char *packed = malloc(size + 1), *buffer = malloc(room + 1);
            assert_non_null(packed);
            assert_non_null(buffer);
            memcpy(packed, matched, size);
            size_t written = lz4_unpack(packed, size, buffer, room);
            assert_between(written, 0, room < sizeof(whole) - 1 ? room : sizeof(whole) - 1);
            assert_memory_equal(buffer, whole, written);
            if (size == sizeof(matched) - 1)
                assert_int_equal(written, room < sizeof(whole) - 1 ? room : sizeof(whole) - 1);
            free(packed);
            free(buffer);
        }
}

static void test_long_lengths(void **state)
{
    (void)state;
    unsigned char packed[] = {0x1f, 'x', 1, 0, 255, 255, 10};
    unsigned char buffer[1000];
    size_t wanted = 1 + 4 + 15 + 255 + 255 + 10;
    assert_int_equal(lz4_unpack(packed, sizeof(packed), buffer, sizeof(buffer)), wanted);
    for (size_t i = 0; i < wanted; i++)
        assert_int_equal(buffer[i], 'x');
}

static void test_unsound(void **state)
{
    (void)state;
    unsigned char before[] = {0x10, 'x', 2, 0}, nothing[] = {0x10, 'x', 0, 0},
                  endless[] = {0xf0, 255};
    unsigned char buffer[64];
    assert_int_equal(lz4_unpack(before, sizeof(before), buffer, sizeof(buffer)), 1);
    assert_int_equal(lz4_unpack(nothing, sizeof(nothing), buffer, sizeof(buffer)), 1);
    assert_int_equal(lz4_unpack(endless, sizeof(endless), buffer, sizeof(buffer)), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_beginnings),
        cmocka_unit_test(test_long_lengths),
        cmocka_unit_test(test_unsound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
