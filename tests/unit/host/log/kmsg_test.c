/* SPDX-License-Identifier: MIT */
#include "host/tree.h"

#include <sys/sysmacros.h>

#include "base/error.h"
#include "base/text.h"
#include "host/log/kmsg.h"

static bool parse(const char *line, char *text, size_t size, uint64_t *time_us)
{
    AUTO_FREE char *copy = mem_string(line);
    struct kmsg_record record;
    uint64_t sequence = 0;
    if (!kmsg_parse(copy, &record, &sequence))
        return false;
    snprintf(text, size, "%s", record.text);
    *time_us = record.time_us;
    return true;
}

static void records_are_taken_apart(void **state)
{
    (void)state;
    char text[100];
    uint64_t time_us;
    assert_true(parse("6,1581,5461564700,-;gpuenv: hello; you\n SUBSYSTEM=pci\n DEVICE=+pci:0\n",
                      text, sizeof(text), &time_us));
    assert_string_equal(text, "gpuenv: hello; you");
    assert_int_equal(time_us, 5461564700);
    assert_true(
        parse("3,0,0,-,caller=T1;NVRM: one\\x0aNVRM: two\\x5cx", text, sizeof(text), &time_us));
    assert_string_equal(text, "NVRM: one\nNVRM: two\\x");
    assert_true(parse("4,1,2;old kernels have no flags", text, sizeof(text), &time_us));
    assert_string_equal(text, "old kernels have no flags");
    assert_true(parse("4,1,2,-;\\x00 \\xzz \\", text, sizeof(text), &time_us));
    assert_string_equal(text, "\\x00 \\xzz \\");
}

static void what_programs_wrote_is_left_out(void **state)
{
    (void)state;
    char text[100];
    uint64_t time_us;
    assert_false(parse("12,5,100,-;NVRM: Xid (PCI:0000:01:00): 79", text, sizeof(text), &time_us));
    static const char *const wrong[] = {"",
                                        ";",
                                        "x,1,2,-;text",
                                        "1,2;text",
                                        "1,2,3",
                                        "1,,3,-;text",
                                        "99999999999999999999999,1,1,-;t"};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        assert_false(parse(wrong[i], text, sizeof(text), &time_us));
}

static bool add_line(const struct kmsg_record *record, void *data)
{
    text_printf(data, "%s\n", record->text);
    return true;
}

static void a_file_of_a_tree_is_read(void **state)
{
    AUTO_TEXT struct text text = {0};
    bool complete = false;
    run_in(*state, "mkdir dev; printf '%s\\n' '6,0,1,-;one' ' KEY=value' '12,1,2,-;not the "
                   "kernel' nonsense '6,2,3,-;two' >dev/kmsg");
    struct host *host = host_new(*state, NULL);
    assert_int_equal(kmsg_each(host, add_line, &text, &complete, NULL), HOST_OK);
    assert_string_equal(text.data, "one\ntwo\n");
    assert_true(complete);
    run_in(*state, "printf '6,7,1,-;later\\n' >dev/kmsg");
    assert_int_equal(kmsg_each(host, add_line, &text, &complete, NULL), HOST_OK);
    assert_false(complete);
    host_free(host);
}

static void other_things_are_not_opened(void **state)
{
    AUTO_TEXT struct text text = {0};
    AUTO_ERROR struct error error = {0};
    bool complete = true;
    struct host *host = host_new(*state, NULL);
    assert_int_equal(kmsg_each(host, add_line, &text, &complete, &error), HOST_ABSENT);
    run_in(*state, "mkdir dev; mkfifo dev/kmsg");
    assert_int_equal(kmsg_each(host, add_line, &text, &complete, &error), HOST_FAILED);
    assert_non_null(strstr(error.why, "not the kernel's log"));
    run_in(*state, "rm dev/kmsg");
    AUTO_FREE char *node = mem_printf("%s/dev/kmsg", (char *)*state);
    if (mknod(node, S_IFCHR | 0666, makedev(1, 11)) == 0) {
        assert_int_equal(kmsg_each(host, add_line, &text, &complete, &error), HOST_FAILED);
        assert_non_null(strstr(error.why, "in a tree"));
    }
    assert_int_equal(text.size, 0);
    host_free(host);
}

static void the_live_log_is_read_to_its_end(void **state)
{
    (void)state;
    AUTO_TEXT struct text text = {0};
    bool complete = false;
    struct host *host = host_new("/", NULL);
    enum host_status status = kmsg_each(host, add_line, &text, &complete, NULL);
    assert_true(status == HOST_OK || status == HOST_DENIED || status == HOST_ABSENT);
    if (status == HOST_OK && access("/dev/kmsg", R_OK) == 0)
        assert_true(text.size > 0);
    host_free(host);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_are_taken_apart),
        cmocka_unit_test(what_programs_wrote_is_left_out),
        cmocka_unit_test_setup_teardown(a_file_of_a_tree_is_read, make_tree, remove_tree),
        cmocka_unit_test_setup_teardown(other_things_are_not_opened, make_tree, remove_tree),
        cmocka_unit_test(the_live_log_is_read_to_its_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
