/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "base/text.h"
#include "code/zip.h"
#include "host/packed/inflate.h"

/* An archive, as its parts are added. */
struct archive {
    struct text body, directory;
    unsigned count;
};

static void put(struct text *text, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        text_append_char(text, (char)(i < 8 ? value >> (8 * i) : 0));
}

struct part {
    const char *name;
    unsigned flags, method;
    const char *packed;
    size_t packed_size, size;
};

static void add(struct archive *archive, const struct part *part)
{
    size_t at = archive->body.size, name = strlen(part->name);
    put(&archive->body, 0x04034b50, 4);
    put(&archive->body, 20, 2);
    put(&archive->body, part->flags, 2);
    put(&archive->body, part->method, 2);
    put(&archive->body, 0, 8);
    put(&archive->body, part->packed_size, 4);
    put(&archive->body, part->size, 4);
    put(&archive->body, name, 2);
    put(&archive->body, 0, 2);
    text_append(&archive->body, part->name);
    text_append_n(&archive->body, part->packed, part->packed_size);
    put(&archive->directory, 0x02014b50, 4);
    put(&archive->directory, 20, 2);
    put(&archive->directory, 20, 2);
    put(&archive->directory, part->flags, 2);
    put(&archive->directory, part->method, 2);
    put(&archive->directory, 0, 8);
    put(&archive->directory, part->packed_size, 4);
    put(&archive->directory, part->size, 4);
    put(&archive->directory, name, 2);
    put(&archive->directory, 0, 12);
    put(&archive->directory, at, 4);
    text_append(&archive->directory, part->name);
    archive->count++;
}

static void end(struct archive *archive, const char *comment)
{
    size_t at = archive->body.size;
    text_append_n(&archive->body, text_string(&archive->directory), archive->directory.size);
    put(&archive->body, 0x06054b50, 4);
    put(&archive->body, 0, 4);
    put(&archive->body, archive->count, 2);
    put(&archive->body, archive->count, 2);
    put(&archive->body, archive->directory.size, 4);
    put(&archive->body, at, 4);
    put(&archive->body, strlen(comment), 2);
    text_append(&archive->body, comment);
}

static void archive_free(struct archive *archive)
{
    text_free(&archive->body);
    text_free(&archive->directory);
}
#define AUTO_ARCHIVE AUTO(archive_free)

/* "hello" in a stored block (RFC 1951, 3.2.4). */
static const char hello_packed[] = "\x01\x05\x00\xfa\xffhello";
static const struct part stored = {"a/one.bin", 0, 0, "plain", 5, 5};
static const struct part deflated = {"a/two.bin", 0, 8, hello_packed, 10, 5};

static bool open_archive(const struct archive *archive, struct zip *zip, struct error *error)
{
    struct byte_source source = byte_source_memory(archive->body.data, archive->body.size);
    return zip_open(&source, zip, error);
}

static void expect_member(const struct zip *zip, size_t index, const char *name, const char *bytes)
{
    AUTO_ZIP_BYTES struct zip_bytes open = {.stream = NULL};
    AUTO_ERROR struct error error = {.kind = ERROR_NONE};
    char got[16];
    const struct zip_member *member = &zip->members[index];
    assert_int_equal(member->name_size, strlen(name));
    assert_memory_equal(member->name, name, member->name_size);
    assert_int_equal(member->size, strlen(bytes));
    assert_true(zip_member_open(zip, member, &open, &error));
    assert_true(byte_source_read(&open.source, 1, got, strlen(bytes) - 1, "it", &error));
    assert_memory_equal(got, bytes + 1, strlen(bytes) - 1);
    assert_true(byte_source_read(&open.source, 0, got, strlen(bytes), "it", &error));
    assert_memory_equal(got, bytes, strlen(bytes));
    assert_false(byte_source_read(&open.source, 1, got, strlen(bytes), "it", &error));
}

static void test_members(void **state)
{
    (void)state;
    AUTO_ARCHIVE struct archive archive = {.count = 0};
    AUTO_ZIP struct zip zip = {.count = 0};
    AUTO_ERROR struct error error = {.kind = ERROR_NONE};
    add(&archive, &stored);
    if (inflate_is_known())
        add(&archive, &deflated);
    end(&archive, "a comment, with PK in it");
    assert_true(open_archive(&archive, &zip, &error));
    assert_int_equal(zip.count, archive.count);
    assert_int_equal(zip.twins, 0);
    expect_member(&zip, 0, "a/one.bin", "plain");
    if (inflate_is_known())
        expect_member(&zip, 1, "a/two.bin", "hello");
}

static void test_something_ahead(void **state)
{
    (void)state;
    AUTO_ARCHIVE struct archive archive = {.count = 0};
    AUTO_TEXT struct text whole = {0};
    AUTO_ZIP struct zip zip = {.count = 0};
    AUTO_ERROR struct error error = {.kind = ERROR_NONE};
    add(&archive, &stored);
    end(&archive, "");
    text_append(&whole, "#!/bin/sh\nexec unzip\n");
    size_t ahead = whole.size;
    text_append_n(&whole, archive.body.data, archive.body.size);
    struct byte_source source = byte_source_memory(whole.data, whole.size);
    assert_true(zip_open(&source, &zip, &error));
    assert_int_equal(zip.ahead, ahead);
    expect_member(&zip, 0, "a/one.bin", "plain");
}

static void test_no_member(void **state)
{
    (void)state;
    AUTO_ARCHIVE struct archive archive = {.count = 0};
    AUTO_ZIP struct zip zip = {.count = 0};
    end(&archive, "");
    assert_true(open_archive(&archive, &zip, NULL));
    assert_int_equal(zip.count, 0);
}

static void test_twins(void **state)
{
    (void)state;
    AUTO_ARCHIVE struct archive archive = {.count = 0};
    AUTO_ZIP struct zip zip = {.count = 0};
    add(&archive, &stored);
    add(&archive, &deflated);
    add(&archive, &stored);
    add(&archive, &stored);
    end(&archive, "");
    assert_true(open_archive(&archive, &zip, NULL));
    assert_int_equal(zip.twins, 2);
    assert_false(zip.members[0].twin);
    assert_false(zip.members[1].twin);
    assert_true(zip.members[2].twin);
    assert_true(zip.members[3].twin);
}

static void refused(const struct text *bytes, const char *why)
{
    AUTO_ZIP struct zip zip = {.count = 0};
    AUTO_ERROR struct error error = {.kind = ERROR_NONE};
    struct byte_source source = byte_source_memory(bytes->data, bytes->size);
    assert_false(zip_open(&source, &zip, &error));
    assert_int_equal(error.kind, ERROR_DATA);
    if (strstr(error.why, why) == NULL)
        fail_msg("wanted \"%s\": %s", why, error.why);
    assert_true(string_starts(error.why, "offset 0x"));
}

/* Where things are in an archive of `stored` and `deflated`. */
#define DIRECTORY_AT (30u + 9 + 5 + 30 + 9 + 10)
#define SECOND_AT    (DIRECTORY_AT + 46u + 9)
#define END_AT       (DIRECTORY_AT + 2 * (46u + 9))

static void test_refused(void **state)
{
    static const struct {
        size_t at;
        unsigned value, bytes;
        const char *why;
    } cases[] = {
        {END_AT, 0, 4, "no end record of a directory"},
        {END_AT + 4, 1, 2, "split into several files"},
        {END_AT + 8, 1, 2, "split into several files"},
        {END_AT + 8, 0x00030003, 4, "do not fit into"},
        {END_AT + 8, 0x00010001, 4, "extra data after the last record"},
        {END_AT + 8, 0x40004000, 4, "do not fit into"},
        {END_AT + 12, 0xffff, 4, "outside the file"},
        {END_AT + 16, 0xffff, 4, "outside the file"},
        {DIRECTORY_AT, 0, 4, "this is not a member record"},
        {DIRECTORY_AT + 8, 1u << 13, 2, "directory is encrypted"},
        {DIRECTORY_AT + 20, 6, 4, "packed bytes cannot unpack"},
        {SECOND_AT + 24, 0x7fffffff, 4, "packed bytes cannot unpack"},
        {SECOND_AT + 20, 0x7fffffff, 4, "outside the archive"},
        {SECOND_AT + 28, 0, 2, "without a valid name"},
        {SECOND_AT + 30, 0xffff, 2, "a record longer than the directory"},
        {SECOND_AT + 34, 1, 2, "split into several files"},
        {SECOND_AT + 42, 0, 4, "overlaps"},
        {SECOND_AT + 42, 20, 4, "overlaps"},
        {SECOND_AT + 42, END_AT, 4, "outside the archive"},
        {SECOND_AT + 42, DIRECTORY_AT - 20, 4, "outside the archive"},
    };
    (void)state;
    AUTO_ARCHIVE struct archive archive = {.count = 0};
    add(&archive, &stored);
    add(&archive, &deflated);
    end(&archive, "");
    assert_int_equal(archive.body.size, END_AT + 22);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        AUTO_TEXT struct text copy = {0};
        text_append_n(&copy, archive.body.data, archive.body.size);
        for (unsigned k = 0; k < cases[i].bytes; k++)
            copy.data[cases[i].at + k] = (char)(cases[i].value >> (8 * k));
        if (cases[i].at == SECOND_AT + 28)
            copy.data[SECOND_AT + 32] = 9; /* the name counts as a comment */
        refused(&copy, cases[i].why);
    }
}

static void test_cut_anywhere(void **state)
{
    (void)state;
    AUTO_ARCHIVE struct archive archive = {.count = 0};
    add(&archive, &stored);
    end(&archive, "");
    for (size_t size = 0; size < archive.body.size; size++) {
        AUTO_TEXT struct text copy = {0};
        text_append_n(&copy, archive.body.data, size);
        refused(&copy, size < 22 ? "too short" : "no end record of a directory");
    }
}

static void test_two_ends(void **state)
{
    (void)state;
    AUTO_ARCHIVE struct archive archive = {.count = 0};
    AUTO_TEXT struct text record = {0};
    add(&archive, &stored);
    end(&archive, "");
    archive.body.data[archive.body.size - 2] = 22; /* its comment is another record */
    put(&record, 0x06054b50, 4);
    put(&record, 0, 18);
    text_append_n(&archive.body, record.data, record.size);
    refused(&archive.body, "there are two possible end records");
}

static void not_opened(const struct archive *archive, size_t index, const char *why)
{
    AUTO_ZIP struct zip zip = {.count = 0};
    AUTO_ZIP_BYTES struct zip_bytes open = {.stream = NULL};
    AUTO_ERROR struct error error = {.kind = ERROR_NONE};
    assert_true(open_archive(archive, &zip, &error));
    assert_false(zip_member_open(&zip, &zip.members[index], &open, &error));
    assert_int_equal(error.kind, ERROR_DATA);
    assert_non_null(strstr(error.why, why));
}

static void test_member_refused(void **state)
{
    static const struct part encrypted = {"x", 1, 0, "", 0, 0}, odd = {"y", 0, 93, "zz", 2, 9};
    (void)state;
    AUTO_ARCHIVE struct archive archive = {.count = 0};
    add(&archive, &encrypted);
    add(&archive, &odd);
    add(&archive, &stored);
    add(&archive, &stored);
    size_t fourth = archive.body.size - 30 - 9 - 5, third = fourth - 30 - 9 - 5;
    end(&archive, "");
    archive.body.data[third + 30] = 'b';
    archive.body.data[fourth + 28] = 1; /* an extra field that reaches into the directory */
    not_opened(&archive, 0, "encrypted");
    not_opened(&archive, 1, "method 93");
    not_opened(&archive, 2, "different names");
    not_opened(&archive, 3, "overlaps");
    archive.body.data[fourth] = 'Q';
    not_opened(&archive, 3, "this is not a member header");
    archive.body.data[third + 8] = 8;
    not_opened(&archive, 2, "the header and the directory do not match");
}

static void test_bytes_are_not_deflated(void **state)
{
    static const struct part bad = {"bad", 0, 8, "\xff\xff\xff", 3, 50};
    (void)state;
    AUTO_ARCHIVE struct archive archive = {.count = 0};
    AUTO_ZIP struct zip zip = {.count = 0};
    AUTO_ZIP_BYTES struct zip_bytes open = {.stream = NULL};
    AUTO_ERROR struct error error = {.kind = ERROR_NONE};
    char got[50];
    if (!inflate_is_known())
        skip();
    add(&archive, &bad);
    end(&archive, "");
    assert_true(open_archive(&archive, &zip, &error));
    assert_true(zip_member_open(&zip, &zip.members[0], &open, &error));
    assert_false(byte_source_read(&open.source, 0, got, 50, "it", &error));
    assert_int_equal(error.kind, ERROR_DATA);
    assert_non_null(strstr(error.why, "not deflated"));
}

/* The directory promises more than anybody waits for. */
static void test_a_member_without_end(void **state)
{
    (void)state;
    AUTO_ARCHIVE struct archive archive = {.count = 0};
    AUTO_ZIP struct zip zip = {.count = 0};
    AUTO_ZIP_BYTES struct zip_bytes open = {.stream = NULL};
    AUTO_ERROR struct error error = {.kind = ERROR_NONE};
    char got[4];
    if (!inflate_is_known())
        skip();
    add(&archive, &deflated);
    end(&archive, "");
    assert_true(open_archive(&archive, &zip, &error));
    struct zip_member huge = zip.members[0];
    huge.size = ZIP_WORK_MAX * 2;
    assert_true(zip_member_open(&zip, &huge, &open, &error));
    assert_true(byte_source_read(&open.source, 1, got, 4, "it", &error));
    assert_memory_equal(got, "ello", 4);
    assert_false(byte_source_read(&open.source, huge.size - 4, got, 4, "it", &error));
    assert_int_equal(error.kind, ERROR_DATA);
    assert_non_null(strstr(error.why, "would unpack to more than 64 GiB"));
    assert_int_equal(zip_bytes_work(&open), 5);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_members),
        cmocka_unit_test(test_something_ahead),
        cmocka_unit_test(test_no_member),
        cmocka_unit_test(test_twins),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_cut_anywhere),
        cmocka_unit_test(test_two_ends),
        cmocka_unit_test(test_member_refused),
        cmocka_unit_test(test_bytes_are_not_deflated),
        cmocka_unit_test(test_a_member_without_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
