/* SPDX-License-Identifier: MIT */
#include "test.h"

#include <sys/mman.h>

#include "install/unpack/unpack_private.h"

static void test_formats(void **state)
{
    (void)state;
    static const struct {
        const char *path;
        int format;
    } cases[] = {
        {"compute/cuda/redist/x/linux-x86_64/x-1.2-archive.tar.xz", UNPACK_TAR_XZ},
        {"cudnn-8.0-linux-x64-v5.1.tgz", UNPACK_TAR_GZ},
        {"x.tar.gz", UNPACK_TAR_GZ},
        {"x.zip", UNPACK_ZIP},
        {"x.tar", -1},
        {"x.tar.zst", -1},
        {"x.xz", -1},
        {"x.tar.xz.sig", -1},
        {"x.run", -1},
        {"", -1},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        enum unpack_format format = UNPACK_TAR_XZ;
        bool known = unpack_format_of(cases[i].path, &format);
        assert_int_equal(known ? (int)format : -1, cases[i].format);
    }
}

static void test_paths(void **state)
{
    (void)state;
    static const struct {
        const char *raw, *path, *why;
    } cases[] = {
        {"top/lib/x", "lib/x", NULL},
        {"./top//lib/./x/", "lib/x", NULL},
        {"top", "", NULL},
        {"top/", "", NULL},
        {"top/.", "", NULL},
        {".", NULL, NULL},
        {"./", NULL, NULL},
        {"", NULL, NULL},
        {"top/...", "...", NULL},
        {"top/-rf", "-rf", NULL},
        {"top/a\\b c", "a\\b c", NULL},
        {"top/\xc3\xa4", "\xc3\xa4", NULL},
        {"top/..x/x..", "..x/x..", NULL},
        {"/top/x", NULL, "absolute"},
        {"//top/x", NULL, "absolute"},
        {"../x", NULL, "contains .."},
        {"..", NULL, "contains .."},
        {"top/..", NULL, "contains .."},
        {"top/a/../b", NULL, "contains .."},
        {"top/a/..", NULL, "contains .."},
        {"topp/x", NULL, "not in the archive's directory"},
        {"to/x", NULL, "not in the archive's directory"},
        {"x", NULL, "not in the archive's directory"},
        {"top\\x", NULL, "not in the archive's directory"},
        {"top/a\nb", NULL, "control characters"},
        {"top/a\033b", NULL, "control characters"},
        {"top/\xff", NULL, "UTF-8"},
        {"top/\xc3", NULL, "UTF-8"},
        {"top/\xe2\x80\xae", NULL, "control characters"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const char *why = "not set";
        AUTO_FREE char *path = unpack_path(cases[i].raw, "top", &why);
        if (!string_equal(path, cases[i].path) ||
            (cases[i].why ? why == NULL || strstr(why, cases[i].why) == NULL : why != NULL))
            fail_msg("%s: %s, %s", cases[i].raw, path ? path : "NULL", why ? why : "accepted");
    }
}

/* The longest that is taken, and one byte more. */
static void test_long_paths(void **state)
{
    (void)state;
    const char *why;
    char raw[1100] = "top/";
    memset(raw + 4, 'x', 255);
    AUTO_FREE char *step = unpack_path(raw, "top", &why);
    assert_int_equal(strlen(step), 255);
    raw[259] = 'x';
    assert_null(unpack_path(raw, "top", &why));
    assert_non_null(strstr(why, "255"));
    for (size_t i = 0; i < 1024; i++)
        raw[4 + i] = i % 2 ? '/' : 'x';
    raw[4 + 1023] = 'x'; /* x/x/…/xx */
    raw[4 + 1024] = '\0';
    AUTO_FREE char *path = unpack_path(raw, "top", &why);
    assert_int_equal(strlen(path), 1024);
    raw[4 + 1024] = 'x';
    assert_null(unpack_path(raw, "top", &why));
    assert_non_null(strstr(why, "1024"));
}

static void test_targets(void **state)
{
    (void)state;
    static const struct {
        const char *path, *target, *leads, *why;
    } cases[] = {
        {"lib/x", "x.1", "lib/x.1", NULL},
        {"lib/x", "./x.1", "lib/x.1", NULL},
        {"lib64", "lib", "lib", NULL},
        {"lib64", "lib/", "lib", NULL},
        {"lib64", ".", "", NULL},
        {"a/b/c", "../../lib//x", "lib/x", NULL},
        {"a/b/c", "../..", "", NULL},
        {"a/b/c", "./.././../x", "x", NULL},
        {"a", "..x", "..x", NULL},
        {"a", "", NULL, "empty"},
        {"a", "..", NULL, "leads out"},
        {"a", "../top/x", NULL, "leads out"},
        {"a/b/c", "../../..", NULL, "leads out"},
        {"a/b/c", "../../../x", NULL, "leads out"},
        {"a/b/c", "x/../..", NULL, "after a name"},
        {"a/b/c", "../b/../c", NULL, "after a name"},
        {"a", "/x", NULL, "absolute"},
        {"a", "/", NULL, "absolute"},
        {"a", "x\ny", NULL, "control characters"},
        {"a", "\xff", NULL, "UTF-8"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const char *why = unpack_target_problem(cases[i].path, cases[i].target);
        if (cases[i].why ? why == NULL || strstr(why, cases[i].why) == NULL : why != NULL)
            fail_msg("%s -> %s: %s", cases[i].path, cases[i].target, why ? why : "accepted");
        if (why)
            continue;
        AUTO_FREE char *leads = unpack_target_path(cases[i].path, cases[i].target);
        assert_string_equal(leads, cases[i].leads);
    }
}

static void put_header(char *block, char flag, const char *size, const char *mode)
{
    memset(block, 0, 512);
    block[156] = flag;
    memcpy(block + 124, size, strlen(size));
    memcpy(block + 100, mode, strlen(mode));
}

static void test_tar_headers(void **state)
{
    (void)state;
    char headers[6 * 512];
    char flag = '?';
    unsigned mode = 0;
    put_header(headers, 'x', "00000000777", "0000644"); /* 511 bytes */
    memset(headers + 512, 'Z', 512);
    put_header(headers + 1024, 'L', "  1000 ", "");
    memset(headers + 1536, 'Z', 512);
    put_header(headers + 2048, '2', "77777777777", "0104755");
    assert_true(unpack_tar_look(headers, 2560, &flag, &mode));
    assert_int_equal(flag, '2');
    assert_int_equal(mode, 04755); /* the file type is no part of it */
    for (size_t size = 0; size < 2560; size++)
        assert_false(unpack_tar_look(headers, size, &flag, &mode));
    static const struct {
        char flag;
        const char *size, *mode;
    } bad[] = {
        {'x', "\x80", "644"}, {'x', "", "644"},       {'x', "9", "644"},
        {'K', "-1", "644"},   {'g', "100000", "644"}, {'x', "777777777777", "644"},
        {'0', "0", ""},       {'0', "0", "xyz"},      {'0', "0", "\x80"},
        {'0', "0", "6448"},
    };
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        put_header(headers, bad[i].flag, bad[i].size, bad[i].mode);
        put_header(headers + 512, '0', "0", "644");
        assert_false(unpack_tar_look(headers, 1024, &flag, &mode));
    }
}

/* xz of nothing. */
static const unsigned char empty_xz[] = {
    0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00, 0x00, 0x00, 0xff, 0x12, 0xd9, 0x41, 0x00, 0x00, 0x00, 0x00,
    0x1c, 0xdf, 0x44, 0x21, 0x06, 0x72, 0x9e, 0x7a, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x59, 0x5a};

/* xz of "hello\n", one block: header at 12, index at 36, footer at 44. */
static const unsigned char hello_xz[] = {
    0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00, 0x00, 0x01, 0x69, 0x22, 0xde, 0x36, 0x02, 0x00, 0x21,
    0x01, 0x16, 0x00, 0x00, 0x00, 0x74, 0x2f, 0xe5, 0xa3, 0x01, 0x00, 0x05, 0x68, 0x65, 0x6c,
    0x6c, 0x6f, 0x0a, 0x00, 0x00, 0x00, 0x20, 0x30, 0x3a, 0x36, 0x00, 0x01, 0x1a, 0x06, 0xc5,
    0xea, 0xc8, 0x79, 0x90, 0x42, 0x99, 0x0d, 0x01, 0x00, 0x00, 0x00, 0x00, 0x01, 0x59, 0x5a};
enum { DICTIONARY_AT = 16, FLAGS_AT = 13, INDEX_AT = 40 };

static bool look(const void *bytes, size_t size, struct unpack_xz *ret_xz, struct error *error)
{
    AUTO_CLOSE int fd = memfd_create("xz", MFD_CLOEXEC);
    assert_true(fd >= 0 && write(fd, bytes, size) == (ssize_t)size);
    return unpack_xz_look(fd, 0, size, ret_xz, error);
}

static void test_xz(void **state)
{
    (void)state;
    struct unpack_xz xz;
    unsigned char bytes[sizeof(hello_xz) + sizeof(empty_xz) + 8] = {0};
    assert_true(look(hello_xz, sizeof(hello_xz), &xz, NULL));
    assert_int_equal(xz.blocks, 1);
    assert_int_equal(xz.unpacked, 6);
    assert_int_equal(xz.dictionary, 8 << 20);
    assert_true(look(empty_xz, sizeof(empty_xz), &xz, NULL));
    assert_int_equal(xz.blocks, 0);
    memcpy(bytes, hello_xz, sizeof(hello_xz));
    memcpy(bytes + sizeof(hello_xz) + 4, empty_xz, sizeof(empty_xz));
    assert_true(look(bytes, sizeof(bytes), &xz, NULL)); /* two streams, padding after each */
    assert_false(look(bytes, sizeof(bytes) - 1, &xz, NULL));
    for (size_t size = 0; size < sizeof(hello_xz); size++) {
        AUTO_ERROR struct error error = {0};
        assert_false(look(hello_xz, size, &xz, &error));
        assert_int_equal(error.kind, ERROR_DATA);
        assert_non_null(error.why);
    }
}

static void test_xz_dictionaries(void **state)
{
    (void)state;
    struct unpack_xz xz;
    unsigned char bytes[sizeof(hello_xz)];
    static const struct {
        unsigned char bits;
        uint64_t size;
    } cases[] = {{0, 4096},        {1, 6144}, {22, 8 << 20}, {37, UINT64_C(3) << 29},
                 {40, UINT32_MAX}, {41, 0},   {0xff, 0}};
    memcpy(bytes, hello_xz, sizeof(bytes));
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        bytes[DICTIONARY_AT] = cases[i].bits;
        assert_int_equal(look(bytes, sizeof(bytes), &xz, NULL), cases[i].size > 0);
        if (cases[i].size > 0)
            assert_int_equal(xz.dictionary, cases[i].size);
    }
}

static void test_xz_damage(void **state)
{
    (void)state;
    struct unpack_xz xz;
    static const struct {
        size_t at;
        unsigned char byte;
        const char *why;
    } cases[] = {
        {0, 'x', "first bytes are not"},
        {12, 0, "not where the index says"},
        {12, 0xff, "not where the index says"},
        {FLAGS_AT, 4, "header is damaged"},
        {FLAGS_AT, 3, "header is damaged"},
        {15, 2, "header is damaged"},
        {INDEX_AT, 1, "index is damaged"},
        {INDEX_AT + 1, 2, "index is damaged"},
        {INDEX_AT + 1, 0, "index is damaged"}, /* the rest is no padding */
        {INDEX_AT + 1, 0x80, "index is damaged"},
        {INDEX_AT + 2, 0, "index is damaged"},
        {INDEX_AT + 2, 0x7f, "index is damaged"},
        {INDEX_AT + 2, 0x14, "do not match"},
        {52, 9, "index is damaged"},
        {53, 0xff, "index is damaged"},
        {58, 'Z', "cut off"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        AUTO_ERROR struct error error = {0};
        unsigned char bytes[sizeof(hello_xz)];
        memcpy(bytes, hello_xz, sizeof(bytes));
        bytes[cases[i].at] = cases[i].byte;
        if (look(bytes, sizeof(bytes), &xz, &error) || strstr(error.why, cases[i].why) == NULL)
            fail_msg("case %zu: %s", i, error.why ? error.why : "accepted");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_formats),         cmocka_unit_test(test_paths),
        cmocka_unit_test(test_long_paths),      cmocka_unit_test(test_targets),
        cmocka_unit_test(test_tar_headers),     cmocka_unit_test(test_xz),
        cmocka_unit_test(test_xz_dictionaries), cmocka_unit_test(test_xz_damage),
    };
    return cmocka_run_group_tests_name("unpack_parts", tests, NULL, NULL);
}
