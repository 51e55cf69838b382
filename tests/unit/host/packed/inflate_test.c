/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "base/memory.h"
#include "host/packed/inflate.h"

/* A deflated run that is made as it is read: blocks that are stored (RFC 1951, 3.2.4), of bytes
 * that tell their place. */
#define BLOCK  60000u
#define PACKED (BLOCK + 5u)

struct run {
    uint64_t blocks;
    uint64_t broken_at; /* this byte of the input is another one; 0: none is */
    uint64_t lost_from; /* from here on it cannot be read; 0: all can */
};

static unsigned char byte_at(uint64_t at)
{
    return (unsigned char)(at ^ (at >> 8) ^ (at >> 16) ^ (at >> 24));
}

static unsigned char packed_at(const struct run *run, uint64_t at)
{
    uint64_t block = at / PACKED, in = at % PACKED;
    const unsigned char header[5] = {block + 1 == run->blocks, BLOCK & 0xff, BLOCK >> 8,
                                     (unsigned char)~(BLOCK & 0xff), (unsigned char)~(BLOCK >> 8)};
    unsigned char byte = in < 5 ? header[in] : byte_at(block * BLOCK + in - 5);
    return run->broken_at && at == run->broken_at ? (unsigned char)~byte : byte;
}

static bool read_run(void *context, uint64_t at, void *buffer, size_t size)
{
    const struct run *run = context;
    if (run->lost_from && at + size > run->lost_from)
        return false;
    for (size_t i = 0; i < size; i++)
        ((unsigned char *)buffer)[i] = packed_at(run, at + i);
    return true;
}

static struct inflater *open_run(struct run *run)
{
    const struct inflate_input input = {
        .read = read_run, .context = run, .packed = run->blocks * PACKED};
    return inflater_new(&input);
}

static void check_bytes(struct inflater *inflater, uint64_t at, size_t size)
{
    unsigned char bytes[300];
    assert_null(inflater_read(inflater, at, bytes, size));
    for (size_t i = 0; i < size; i++)
        assert_int_equal(bytes[i], byte_at(at + i));
}

static void test_any_order(void **state)
{
    (void)state;
    struct run run = {.blocks = 60}; /* 3.6 MB */
    struct inflater *inflater = open_run(&run);
    uint64_t all = run.blocks * BLOCK;
    static const unsigned places[] = {3, 0, 59, 58, 1, 30, 29, 31, 2, 59, 0};
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
        check_bytes(inflater, (uint64_t)places[i] * BLOCK + 59900, 100);
    check_bytes(inflater, 0, 300);
    check_bytes(inflater, all - 300, 300);
    check_bytes(inflater, BLOCK - 150, 300);
    inflater_free(inflater);
}

/* From the end of 120 MB, steps cost the way from the place before and not all of it. */
static void test_steps_are_short(void **state)
{
    (void)state;
    struct run run = {.blocks = 2000};
    struct inflater *inflater = open_run(&run);
    uint64_t all = run.blocks * BLOCK;
    check_bytes(inflater, all - 300, 300);
    assert_true(inflater_work(inflater) == all);
    for (uint64_t i = 1; i <= 10; i++)
        check_bytes(inflater, all - i * 10000000, 200);
    assert_true(inflater_work(inflater) < all + 10 * (6u << 20));
    check_bytes(inflater, all - 300, 300); /* and so are steps forwards, once the way is known */
    assert_true(inflater_work(inflater) < all + 11 * (6u << 20));
    inflater_free(inflater);
}

static void test_what_is_wrong(void **state)
{
    (void)state;
    struct run run = {.blocks = 3, .broken_at = 2 * PACKED + 1};
    unsigned char bytes[10];
    struct inflater *inflater = open_run(&run);
    assert_string_equal(inflater_read(inflater, 2 * BLOCK, bytes, 10), "it is not deflated");
    check_bytes(inflater, 2 * BLOCK - 10, 10); /* what is in front of it is still had */
    inflater_free(inflater);

    run = (struct run){.blocks = 3};
    inflater = open_run(&run);
    assert_string_equal(inflater_read(inflater, 3 * BLOCK - 5, bytes, 10),
                        "the data unpacks to fewer bytes than the directory states");
    assert_string_equal(inflater_read(inflater, UINT64_MAX - 10, bytes, 10),
                        "the data unpacks to fewer bytes than the directory states");
    inflater_free(inflater);

    run = (struct run){.blocks = 3, .lost_from = PACKED};
    inflater = open_run(&run);
    assert_string_equal(inflater_read(inflater, BLOCK, bytes, 10),
                        "the compressed data cannot be read");
    inflater_free(inflater);
}

static void test_input_ends(void **state)
{
    (void)state;
    struct run run = {.blocks = 2};
    unsigned char bytes[10];
    const struct inflate_input input = {.read = read_run, .context = &run, .packed = PACKED + 100};
    struct inflater *inflater = inflater_new(&input);
    check_bytes(inflater, BLOCK, 50);
    assert_string_equal(inflater_read(inflater, BLOCK + 90, bytes, 10),
                        "the compressed data is cut off");
    inflater_free(inflater);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_any_order),
        cmocka_unit_test(test_steps_are_short),
        cmocka_unit_test(test_what_is_wrong),
        cmocka_unit_test(test_input_ends),
    };
    return inflate_is_known() ? cmocka_run_group_tests(tests, NULL, NULL) : 77;
}
