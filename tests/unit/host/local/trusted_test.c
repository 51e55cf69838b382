/* SPDX-License-Identifier: MIT */
#include "test.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/text.h"
#include "host/local/trusted.h"

struct place {
    char directory[64], path[96];
};

static int make_place(void **state)
{
    static struct place place;
    strcpy(place.directory, "/tmp/trusted_test.XXXXXX");
    if (mkdtemp(place.directory) == NULL)
        return -1;
    snprintf(place.path, sizeof(place.path), "%s/file", place.directory);
    *state = &place;
    return 0;
}

static int remove_place(void **state)
{
    const struct place *place = *state;
    unlink(place->path);
    return rmdir(place->directory);
}

static void make_file(const struct place *place, mode_t mode)
{
    int fd = open(place->path, O_WRONLY | O_CREAT, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, "abc", 3), 3);
    assert_int_equal(fchmod(fd, mode), 0);
    close(fd);
}

static enum trusted_result read_place(const struct place *place, size_t max, const char *why)
{
    AUTO_TEXT struct text text = {0};
    AUTO_ERROR struct error error = {0};
    enum trusted_result result = local_read_trusted(place->path, max, &text, &error);
    assert_int_equal(error_is_set(&error), result == TRUSTED_REFUSED);
    if (result == TRUSTED_REFUSED)
        assert_string_equal(error.why, why);
    if (result == TRUSTED_READ)
        assert_string_equal(text_string(&text), "abc");
    return result;
}

static void test_what_is_there(void **state)
{
    const struct place *place = *state;
    assert_int_equal(read_place(place, 3, NULL), TRUSTED_ABSENT);
    make_file(place, 0644);
    assert_int_equal(read_place(place, 3, NULL), TRUSTED_READ);
    assert_int_equal(read_place(place, 2, "it is larger than it may be"), TRUSTED_REFUSED);
}

static void test_what_others_may_write(void **state)
{
    const struct place *place = *state;
    make_file(place, 0666);
    assert_int_equal(read_place(place, 3, "other users may write to it"), TRUSTED_REFUSED);
}

static void test_a_file_of_another_user(void **state)
{
    const struct place *place = *state;
    if (geteuid() != 0)
        skip();
    make_file(place, 0644);
    assert_int_equal(chown(place->path, 65534, 65534), 0);
    assert_int_equal(read_place(place, 3, "it belongs to another user"), TRUSTED_REFUSED);
}

static void test_root_trusts_no_directory_of_others(void **state)
{
    const struct place *place = *state;
    if (geteuid() != 0)
        skip();
    make_file(place, 0644);
    assert_int_equal(chmod(place->directory, 0777), 0);
    assert_int_equal(
        read_place(place, 3, "its directory belongs to another user, or others may write to it"),
        TRUSTED_REFUSED);
    assert_int_equal(chmod(place->directory, 0755), 0);
    assert_int_equal(chown(place->directory, 65534, 65534), 0);
    assert_int_equal(
        read_place(place, 3, "its directory belongs to another user, or others may write to it"),
        TRUSTED_REFUSED);
}

static void test_a_link_to_the_directory(void **state)
{
    const struct place *place = *state;
    AUTO_TEXT struct text text = {0};
    AUTO_FREE char *link = mem_printf("%s.link", place->directory);
    AUTO_FREE char *path = mem_printf("%s/file", link);
    make_file(place, 0644);
    assert_int_equal(symlink(place->directory, link), 0);
    assert_int_equal(local_read_trusted(path, 3, &text, NULL), TRUSTED_READ);
    assert_int_equal(unlink(link), 0);
}

static void test_a_link_and_what_is_no_file(void **state)
{
    const struct place *place = *state;
    assert_int_equal(symlink("/etc/passwd", place->path), 0);
    assert_int_equal(read_place(place, 1 << 20, "it is a link"), TRUSTED_REFUSED);
    unlink(place->path);
    assert_int_equal(mkfifo(place->path, 0600), 0);
    assert_int_equal(read_place(place, 3, "it is not a regular file"), TRUSTED_REFUSED);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, make_place, remove_place)
    const struct CMUnitTest tests[] = {
        TEST(test_what_is_there),           TEST(test_what_others_may_write),
        TEST(test_a_file_of_another_user),  TEST(test_root_trusts_no_directory_of_others),
        TEST(test_a_link_to_the_directory), TEST(test_a_link_and_what_is_no_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
