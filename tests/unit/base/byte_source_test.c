/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "base/byte_source.h"
#include "base/byte_window.h"

static void test_part(void **state)
{
    (void)state;
    struct byte_source all = byte_source_memory("0123456789", 10);
    struct byte_source part = byte_source_part(&all, 2, 6);
    struct byte_source inner = byte_source_part(&part, 3, 100);
    char bytes[4] = "";
    assert_int_equal(part.size, 6);
    assert_int_equal(inner.size, 3);
    assert_true(byte_source_read(&inner, 0, bytes, 3, "bytes", NULL));
    assert_string_equal(bytes, "567");
    assert_int_equal(byte_source_origin(&inner), 5);
    assert_int_equal(byte_source_part(&all, 11, 1).size, 0);
}

static void test_beyond_the_end(void **state)
{
    (void)state;
    struct byte_source all = byte_source_memory("0123456789", 10);
    struct byte_source part = byte_source_part(&all, 2, 6);
    AUTO_ERROR struct error error = {0};
    char bytes[8];
    assert_true(byte_source_read(&part, 6, bytes, 0, "nothing", &error));
    assert_false(byte_source_read(&part, 5, bytes, 2, "a header", &error));
    assert_int_equal(error.kind, ERROR_DATA);
    assert_string_equal(error.what, "truncated: a header does not fit");
    assert_string_equal(error.why, "offset 0x7: 2 bytes needed, but the file ends at 0x8");
    assert_false(byte_source_read(&part, UINT64_MAX, bytes, 2, "a header", &error));
}

static void test_malformed(void **state)
{
    (void)state;
    struct byte_source all = byte_source_memory("0123456789", 10);
    struct byte_source part = byte_source_part(&all, 2, 6);
    AUTO_ERROR struct error error = {0};
    assert_false(byte_source_malformed(&error, "thing", &part, 3, "%d of %d", 1, 2));
    assert_int_equal(error.kind, ERROR_DATA);
    assert_string_equal(error.what, "not a valid thing");
    assert_string_equal(error.why, "offset 0x5: 1 of 2");
}

struct counted {
    unsigned reads;
    size_t bytes;
};

static bool read_counted(const struct byte_source *source, uint64_t offset, void *buffer,
                         size_t count, struct error *error)
{
    struct counted *counted = (struct counted *)(uintptr_t)source->data;
    (void)error;
    counted->reads++;
    counted->bytes += count;
    for (size_t i = 0; i < count; i++)
        ((unsigned char *)buffer)[i] = (unsigned char)(offset + i);
    return true;
}

static void test_window(void **state)
{
    (void)state;
    struct counted counted = {.reads = 0};
    struct byte_source source = {.size = 1000, .read = read_counted, .data = &counted, .fd = -1};
    AUTO_FREE struct byte_window *window = byte_window_new();
    AUTO_ERROR struct error error = {0};
    assert_int_equal(byte_window_left(window, &source, 0), 0);
    const unsigned char *bytes = byte_window_at(window, &source, 100, 4, 64, "four", NULL);
    assert_int_equal(bytes[0], 100);
    assert_int_equal(byte_window_left(window, &source, 101), 63);
    bytes = byte_window_at(window, &source, 160, 4, 64, "four", NULL);
    assert_int_equal(bytes[0], 160);
    assert_int_equal(counted.reads, 1);
    bytes = byte_window_at(window, &source, 161, 4, 64, "four", NULL); /* one byte too many */
    assert_int_equal(bytes[0], 161);
    assert_int_equal(counted.reads, 2);
    bytes = byte_window_at(window, &source, 990, 10, 64, "ten", NULL); /* no more is there */
    assert_int_equal(bytes[9], (unsigned char)999);
    assert_int_equal(counted.bytes, 64 + 64 + 10);
    assert_null(byte_window_at(window, &source, 991, 10, 64, "ten", &error));
    assert_string_equal(error.what, "truncated: ten does not fit");
    assert_null(byte_window_at(window, &source, UINT64_MAX, 2, 64, "two", NULL));
    assert_int_equal(byte_window_left(window, &source, 990), 0); /* nothing of a failed read */
    struct byte_source other = source;
    assert_non_null(byte_window_at(window, &source, 0, 1, 0, "one", NULL));
    assert_int_equal(byte_window_left(window, &other, 0), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_part),
        cmocka_unit_test(test_beyond_the_end),
        cmocka_unit_test(test_malformed),
        cmocka_unit_test(test_window),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
