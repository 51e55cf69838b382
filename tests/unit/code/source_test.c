/* SPDX-License-Identifier: MIT */
#include "test.h"

#include <unistd.h>

#include "base/text.h"
#include "code/code.h"
#include "host/root/host.h"

static void test_part(void **state)
{
    (void)state;
    struct code_source all = code_source_memory("0123456789", 10);
    struct code_source part = code_source_part(&all, 2, 6);
    struct code_source inner = code_source_part(&part, 3, 100);
    char bytes[4] = "";
    assert_int_equal(part.size, 6);
    assert_int_equal(inner.size, 3);
    assert_true(code_source_read(&inner, 0, bytes, 3, "bytes", NULL));
    assert_string_equal(bytes, "567");
    assert_int_equal(code_source_origin(&inner), 5);
    assert_int_equal(code_source_part(&all, 11, 1).size, 0);
}

static void test_beyond_the_end(void **state)
{
    (void)state;
    struct code_source all = code_source_memory("0123456789", 10);
    struct code_source part = code_source_part(&all, 2, 6);
    AUTO_ERROR struct error error = {0};
    char bytes[8];
    assert_true(code_source_read(&part, 6, bytes, 0, "nothing", &error));
    assert_false(code_source_read(&part, 5, bytes, 2, "a header", &error));
    assert_int_equal(error.kind, ERROR_DATA);
    assert_string_equal(error.what, "truncated: a header does not fit");
    assert_string_equal(error.why, "offset 0x7: 2 bytes wanted, the file has 0x8");
    assert_false(code_source_read(&part, UINT64_MAX, bytes, 2, "a header", &error));
}

/* A file that shrinks while it is read is said to have done so. */
static void test_file(void **state)
{
    (void)state;
    char root[] = "/tmp/gpuenv-code-XXXXXX";
    assert_non_null(mkdtemp(root));
    AUTO_FREE char *path = mem_printf("%s/k.ptx", root);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fputs(".version 8.4\n.target sm_90\n", file);
    fclose(file);
    struct host *host = host_new(root, NULL);
    assert_non_null(host);
    AUTO_CODE_SOURCE struct code_source source = CODE_SOURCE_NONE;
    AUTO_ERROR struct error error = {0};
    assert_true(code_source_open(host, "/k.ptx", &source, &error));
    AUTO_CODE_LISTING struct code_listing listing = {0};
    assert_true(code_read(&source, &listing, &error));
    assert_int_equal(listing.count, 1);
    assert_int_equal(truncate(path, 5), 0);
    AUTO_CODE_LISTING struct code_listing again = {0};
    assert_false(code_read(&source, &again, &error));
    assert_string_equal(error.what, "the file became shorter while it was read");
    assert_int_equal(error.kind, ERROR_NO_INPUT);
    AUTO_CODE_SOURCE struct code_source missing = CODE_SOURCE_NONE;
    assert_false(code_source_open(host, "/nothing", &missing, &error));
    assert_false(code_source_open(host, "/", &missing, &error));
    host_free(host);
    remove(path);
    rmdir(root);
}

static void test_merge(void **state)
{
    (void)state;
    static const char first[] = ".version 8.4\n.target sm_90\n";
    static const char second[] = "// Cuda compilation tools, release 13.0, V13.0.48\n"
                                 ".version 9.0\n.target sm_90\n";
    struct code_source one = code_source_memory(first, sizeof(first) - 1);
    struct code_source two = code_source_memory(second, sizeof(second) - 1);
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
        cmocka_unit_test(test_part),
        cmocka_unit_test(test_beyond_the_end),
        cmocka_unit_test(test_file),
        cmocka_unit_test(test_merge),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
