/* SPDX-License-Identifier: MIT */
#include "host/tree.h"

#include "journal_make.h"

#include "base/error.h"
#include "base/text.h"
#include "host/log/journal.h"

static struct journal_make make;

static void write_journal(const char *root, size_t size)
{
    AUTO_FREE char *path = mem_printf("%s/j", root);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(make.bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static void add_line(const struct journal_entry *entry, void *data)
{
    text_printf(data, "%.2s %llu %llu %s\n", entry->boot,
                (unsigned long long)entry->real_us / 1000000,
                (unsigned long long)entry->since_boot_us / 1000000, entry->message);
}

static enum host_status read_journal(const char *root, struct text *text,
                                     struct journal_summary *summary, struct error *error)
{
    struct host *host = host_new(root, NULL);
    enum host_status status = journal_each_kernel(host, "/j", add_line, text, summary, error);
    host_free(host);
    return status;
}

static void assert_messages(void **state, bool compact)
{
    AUTO_TEXT struct text text = {0};
    struct journal_summary summary;
    journal_begin(&make, compact);
    for (unsigned i = 0; i < 8; i++) {
        AUTO_FREE char *message = mem_printf("line %u", i);
        journal_add(&make, message, i < 3 ? 0xaa : 0xbb, 1700000000 + i, i);
    }
    write_journal(*state, make.size);
    assert_int_equal(read_journal(*state, &text, &summary, NULL), HOST_OK);
    assert_string_equal(text.data, "aa 1700000000 0 line 0\naa 1700000001 1 line 1\n"
                                   "aa 1700000002 2 line 2\nbb 1700000003 3 line 3\n"
                                   "bb 1700000004 4 line 4\nbb 1700000005 5 line 5\n"
                                   "bb 1700000006 6 line 6\nbb 1700000007 7 line 7\n");
    assert_int_equal(summary.entries, 8);
    assert_int_equal(summary.read, 8);
    assert_int_equal(summary.unreadable, 0);
    assert_false(summary.cut);
}

static void finds_the_kernel_s_messages(void **state)
{
    assert_messages(state, false);
    assert_messages(state, true);
}

static void a_journal_without_the_kernel_is_empty(void **state)
{
    AUTO_TEXT struct text text = {0};
    struct journal_summary summary;
    journal_begin(&make, false);
    write_journal(*state, make.size);
    assert_int_equal(read_journal(*state, &text, &summary, NULL), HOST_OK);
    assert_int_equal(summary.entries, 0);
    memset(make.bytes + 272, 0, 64); /* no field at all */
    write_journal(*state, make.size);
    assert_int_equal(read_journal(*state, &text, &summary, NULL), HOST_OK);
    assert_int_equal(text.size, 0);
}

static void compressed_messages_are_counted_and_not_read(void **state)
{
    AUTO_TEXT struct text text = {0};
    struct journal_summary summary;
    journal_begin(&make, false);
    journal_add(&make, "first", 1, 1, 1);
    journal_add(&make, "squeezed", 1, 2, 2);
    unsigned char *message = memmem(make.bytes, make.size, "MESSAGE=squeezed", 16);
    assert_non_null(message);
    *(message - 64 + 1) = 4; /* zstd */
    write_journal(*state, make.size);
    assert_int_equal(read_journal(*state, &text, &summary, NULL), HOST_OK);
    assert_string_equal(text.data, "01 1 1 first\n");
    assert_int_equal(summary.unreadable, 1);
}

static void refuses_what_is_no_journal(void **state)
{
    static const struct {
        size_t at;
        unsigned char byte;
        const char *why;
    } damages[] = {
        {0, 'X', "not a journal file"}, {12, 0x80, "newer journal file format"},
        {95, 1, "header is damaged"},   {127, 1, "header is damaged"},
        {135, 1, "header is damaged"},
    };
    for (size_t i = 0; i < sizeof(damages) / sizeof(damages[0]); i++) {
        AUTO_TEXT struct text text = {0};
        AUTO_ERROR struct error error = {0};
        struct journal_summary summary;
        journal_begin(&make, false);
        journal_add(&make, "line", 1, 1, 1);
        make.bytes[damages[i].at] = damages[i].byte;
        write_journal(*state, make.size);
        assert_int_equal(read_journal(*state, &text, &summary, &error), HOST_FAILED);
        if (strstr(error.why, damages[i].why) == NULL)
            fail_msg("%s: does not say \"%s\"", error.why, damages[i].why);
    }
    AUTO_TEXT struct text text = {0};
    struct journal_summary summary;
    run_in(*state, "rm j");
    assert_int_equal(read_journal(*state, &text, &summary, NULL), HOST_ABSENT);
}

/* Every byte of a small file turned over, and every length of it: it ends, and says only lines. */
static void survives_any_damage(void **state)
{
    (void)state;
    static struct journal_make whole;
    struct host *host = host_new("/", NULL);
    journal_begin(&whole, false);
    journal_add(&whole, "one", 1, 1, 1);
    journal_add(&whole, "two", 1, 2, 2);
    journal_add(&whole, "three", 1, 3, 3);
    FILE *file = tmpfile();
    assert_non_null(file);
    for (size_t i = 0; i < whole.size; i++) {
        AUTO_TEXT struct text text = {0};
        struct journal_summary summary;
        make = whole;
        make.bytes[i] ^= 0xff;
        size_t size = i % 2 ? whole.size : i;
        rewind(file);
        assert_int_equal(ftruncate(fileno(file), 0), 0);
        assert_int_equal(fwrite(make.bytes, 1, size, file), size);
        assert_int_equal(fflush(file), 0);
        journal_walk(host, fileno(file), add_line, &text, &summary);
        assert_true(summary.read <= 3);
    }
    fclose(file);
    host_free(host);
}

/* A chain of entry arrays, of fields and of values that leads back to itself ends. */
static void circles_end(void **state)
{
    AUTO_TEXT struct text text = {0};
    struct journal_summary summary;
    journal_begin(&make, false);
    for (unsigned i = 0; i < 6; i++)
        journal_add(&make, "line", 1, i, i);
    journal_put(&make, make.transport + 56, 1000000000);
    journal_put(&make, make.last_array + 16, make.last_array);
    write_journal(*state, make.size);
    assert_int_equal(read_journal(*state, &text, &summary, NULL), HOST_OK);
    assert_int_equal(summary.read, 6);

    journal_begin(&make, false);
    journal_put(&make, make.transport + 32, make.transport);
    unsigned char *field = memmem(make.bytes, make.size, "_TRANSPORT", 10);
    memcpy(field, "_TRANSPORX", 10);
    journal_put(&make, (size_t)(field - make.bytes) - 40 + 24, (uint64_t)(field - make.bytes) - 40);
    write_journal(*state, make.size);
    assert_int_equal(read_journal(*state, &text, &summary, NULL), HOST_FAILED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(finds_the_kernel_s_messages, make_tree, remove_tree),
        cmocka_unit_test_setup_teardown(a_journal_without_the_kernel_is_empty, make_tree,
                                        remove_tree),
        cmocka_unit_test_setup_teardown(compressed_messages_are_counted_and_not_read, make_tree,
                                        remove_tree),
        cmocka_unit_test_setup_teardown(refuses_what_is_no_journal, make_tree, remove_tree),
        cmocka_unit_test(survives_any_damage),
        cmocka_unit_test_setup_teardown(circles_end, make_tree, remove_tree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
