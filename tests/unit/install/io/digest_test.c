/* SPDX-License-Identifier: MIT */
#include "test.h"

#include <unistd.h>

#include "install/fetch/mirror.h"
#include "install/io/digest.h"
#include "install/io/source_path.h"

/* FIPS 180-4 examples: "abc", and the empty message. */
#define ABC   "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
#define EMPTY "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

static void test_known_answers(void **state)
{
    (void)state;
    AUTO_ERROR struct error error = {0};
    struct digest digest;
    char hex[DIGEST_HEX_SIZE];
    assert_true(digest_of_bytes("abc", 3, &digest, &error));
    assert_string_equal(digest_hex(&digest, hex), ABC);
    assert_true(digest_of_bytes("", 0, &digest, &error));
    assert_string_equal(digest_hex(&digest, hex), EMPTY);
}

static void test_in_parts(void **state)
{
    (void)state;
    AUTO_ERROR struct error error = {0};
    struct digest digest;
    char hex[DIGEST_HEX_SIZE];
    struct digest_stream *stream = digest_stream_new(&error);
    assert_non_null(stream);
    assert_true(digest_stream_add(stream, "a", 1, &error));
    assert_true(digest_stream_add(stream, "bc", 2, &error));
    assert_true(digest_stream_finish(stream, &digest, &error));
    digest_stream_free(stream);
    digest_stream_free(NULL);
    assert_string_equal(digest_hex(&digest, hex), ABC);
}

static void test_file_is_hashed_from_its_start(void **state)
{
    (void)state;
    AUTO_ERROR struct error error = {0};
    char name[] = "/tmp/digest_test.XXXXXX";
    AUTO_CLOSE int fd = mkstemp(name);
    assert_true(fd >= 0);
    unlink(name);
    assert_int_equal(write(fd, "abc", 3), 3); /* the offset is at the end now */
    struct digest digest;
    uint64_t size;
    char hex[DIGEST_HEX_SIZE];
    assert_true(digest_of_file(fd, 3, "f", &digest, &size, &error));
    assert_int_equal(size, 3);
    assert_string_equal(digest_hex(&digest, hex), ABC);
    assert_false(digest_of_file(fd, 2, "f", &digest, &size, &error));
    assert_int_equal(error.kind, ERROR_DATA);
    assert_string_equal(error.where, "f");
}

static void test_parse(void **state)
{
    (void)state;
    struct digest digest, kept;
    char hex[DIGEST_HEX_SIZE];
    assert_true(digest_parse(ABC, &digest));
    assert_string_equal(digest_hex(&digest, hex), ABC);
    assert_true(
        digest_parse("BA7816BF8F01CFEA414140DE5DAE2223B00361A396177A9CB410FF61F20015AD", &kept));
    assert_true(digest_equal(&digest, &kept));
    static const char *const bad[] = {
        NULL,
        "",
        "ab",
        ABC "0",
        " " ABC,
        "xa7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f2001"
        "5ad"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
        assert_false(digest_parse(bad[i], &kept));
    assert_true(digest_equal(&digest, &kept));
    kept.bytes[31] ^= 1;
    assert_false(digest_equal(&digest, &kept));
}

static void test_paths(void **state)
{
    (void)state;
    static const char *const good[] = {"a", "a/b.tar.xz", "-x", "a/...", "a b", "ü/x"};
    static const char *const bad[] = {"",    "/a",   "a/",   "a//b",  ".",    "..", "a/../b",
                                      "./a", "a\\b", "a\nb", "a\x7f", "\xff", "a/."};
    for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++)
        assert_true(source_path_is_safe(good[i]));
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
        assert_false(source_path_is_safe(bad[i]));
    AUTO_FREE char *step = malloc(300);
    memset(step, 'a', 299);
    step[255] = '\0';
    assert_true(source_path_is_safe(step));
    step[255] = 'a';
    step[256] = '\0';
    assert_false(source_path_is_safe(step));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_answers),
        cmocka_unit_test(test_in_parts),
        cmocka_unit_test(test_file_is_hashed_from_its_start),
        cmocka_unit_test(test_parse),
        cmocka_unit_test(test_paths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
