/* SPDX-License-Identifier: MIT */
#include "test.h"

#include <unistd.h>

#include "host/root/byte_file.h"

/* A file that shrinks while it is read is said to have done so. */
static void test_file(void **state)
{
    (void)state;
    char root[] = "/tmp/gpuenv-byte-XXXXXX";
    assert_non_null(mkdtemp(root));
    AUTO_FREE char *path = mem_printf("%s/file", root);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fputs("0123456789", file);
    fclose(file);
    AUTO_HOST struct host *host = host_new(root, NULL);
    assert_non_null(host);
    AUTO_BYTE_FILE struct byte_source source = BYTE_SOURCE_NONE;
    AUTO_ERROR struct error error = {0};
    char bytes[11] = "";
    assert_int_equal(byte_file_open(host, "/file", &source, &error), HOST_OK);
    assert_int_equal(source.size, 10);
    assert_true(byte_source_read(&source, 3, bytes, 4, "bytes", &error));
    assert_string_equal(bytes, "3456");
    assert_int_equal(truncate(path, 5), 0);
    assert_false(byte_source_read(&source, 3, bytes, 4, "bytes", &error));
    assert_string_equal(error.what, "the file became shorter while it was read");
    assert_int_equal(error.kind, ERROR_NO_INPUT);
    AUTO_BYTE_FILE struct byte_source missing = BYTE_SOURCE_NONE;
    assert_int_equal(byte_file_open(host, "/nothing", &missing, &error), HOST_ABSENT);
    assert_int_equal(byte_file_open(host, "/", &missing, &error), HOST_FAILED);
    remove(path);
    rmdir(root);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
