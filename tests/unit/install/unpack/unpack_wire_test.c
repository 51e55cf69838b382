/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "install/unpack/unpack_private.h"

#define AUTO_READER AUTO(unpack_reader_free)

static const struct unpacker_cage cage = {.files = true};

static void put_member(struct text *text, enum unpack_type type, unsigned mode, uint64_t size,
                       const char *path, const char *target)
{
    struct unpack_member member = {.type = type,
                                   .mode = mode,
                                   .size = size,
                                   .path = (char *)(uintptr_t)path,
                                   .target = (char *)(uintptr_t)target};
    memset(member.sha256.bytes, 7, sizeof(member.sha256.bytes));
    unpack_wire_member(text, &member);
}

static void put_good(struct text *text)
{
    unpack_wire_cage(text, &cage);
    put_member(text, UNPACK_DIRECTORY, 0755, 0, "lib", NULL);
    put_member(text, UNPACK_FILE, 0644, UINT64_C(3) << 32, "lib/x.1", NULL);
    put_member(text, UNPACK_LINK, 0, 0, "lib64", "lib");
    unpack_wire_done(text, 3);
}

static bool feed(struct unpack_reader *reader, const struct text *text)
{
    reader->limits = unpack_limits_default;
    return unpack_reader_feed(reader, text_string(text), text->size);
}

static void assert_good(const struct unpack_reader *reader)
{
    const struct unpack_result *result = &reader->result;
    assert_true(reader->ended);
    assert_int_equal(reader->last, UNPACK_RECORD_DONE);
    assert_true(result->cage.files && !result->cage.calls);
    assert_int_equal(result->count, 3);
    assert_int_equal(result->members[0].type, UNPACK_DIRECTORY);
    assert_string_equal(result->members[1].path, "lib/x.1");
    assert_int_equal(result->members[1].mode, 0644);
    assert_int_equal(result->members[1].size, UINT64_C(3) << 32);
    assert_int_equal(result->members[1].sha256.bytes[31], 7);
    assert_null(result->members[1].target);
    assert_string_equal(result->members[2].target, "lib");
}

static void test_what_is_sent_is_what_comes(void **state)
{
    (void)state;
    AUTO_TEXT struct text text = {0};
    AUTO_READER struct unpack_reader whole = {.begun = false};
    AUTO_READER struct unpack_reader bytes = {.limits = unpack_limits_default};
    put_good(&text);
    assert_true(feed(&whole, &text));
    assert_good(&whole);
    for (size_t i = 0; i < text.size; i++) {
        assert_false(bytes.ended);
        assert_true(unpack_reader_feed(&bytes, text.data + i, 1));
    }
    assert_good(&bytes);
    assert_false(unpack_reader_feed(&bytes, "M", 1)); /* after the end */
}

static void test_errors_and_digests(void **state)
{
    (void)state;
    AUTO_TEXT struct text said = {0};
    AUTO_TEXT struct text other = {0};
    AUTO_READER struct unpack_reader reader = {.begun = false};
    AUTO_READER struct unpack_reader differs = {.begun = false};
    AUTO_ERROR struct error error = {0};
    AUTO_FREE char *long_words = mem_alloc(5000);
    struct digest digest;
    memset(long_words, 'w', 4999);
    error_set(&error, ERROR_CANNOT_WRITE, "what");
    error_why(&error, "%s", long_words);
    unpack_wire_error(&said, &error); /* the first: it could not even be confined */
    assert_true(feed(&reader, &said));
    assert_int_equal(reader.last, UNPACK_RECORD_ERROR);
    assert_int_equal(reader.error.kind, ERROR_CANNOT_WRITE);
    assert_string_equal(reader.error.what, "what");
    assert_null(reader.error.where);
    assert_int_equal(strlen(reader.error.why), 1900);
    memset(digest.bytes, 9, sizeof(digest.bytes));
    unpack_wire_cage(&other, &cage);
    unpack_wire_digest(&other, 4711, &digest);
    assert_true(feed(&differs, &other));
    assert_true(differs.result.digest_differs);
    assert_int_equal(differs.result.found_size, 4711);
    assert_true(digest_equal(&differs.result.found, &digest));
}

/* What no unpacker says: members, each after the ones of put_good(). */
static void test_members_that_are_refused(void **state)
{
    (void)state;
    static const struct {
        enum unpack_type type;
        unsigned mode;
        uint64_t size;
        const char *path, *target;
    } cases[] = {
        {UNPACK_FILE, 0644, 0, "lib/x.1", NULL},
        {UNPACK_FILE, 0644, 0, "a", NULL},
        {UNPACK_FILE, 0644, 0, "z/y", NULL},
        {UNPACK_FILE, 0644, 0, "lib64/x", NULL},
        {UNPACK_FILE, 0644, 0, "", NULL},
        {UNPACK_FILE, 0644, 0, "/z", NULL},
        {UNPACK_FILE, 0644, 0, "z/", NULL},
        {UNPACK_FILE, 0644, 0, "z/.", NULL},
        {UNPACK_FILE, 0644, 0, "m/../z", NULL},
        {UNPACK_FILE, 0644, 0, "m//z", NULL},
        {UNPACK_FILE, 0644, 0, "z\n", NULL},
        {UNPACK_FILE, 0644, 0, "z\xff", NULL},
        {UNPACK_FILE, 0666, 0, "z", NULL},
        {UNPACK_FILE, 04755, 0, "z", NULL},
        {UNPACK_FILE, 0, 0, "z", NULL},
        {UNPACK_FILE, 0644, UINT64_MAX, "z", NULL},
        {UNPACK_FILE, 0644, 0, "z", "lib"},
        {UNPACK_DIRECTORY, 0777, 0, "z", NULL},
        {UNPACK_DIRECTORY, 0755, 1, "z", NULL},
        {UNPACK_DIRECTORY, 0755, 0, "z", "lib"},
        {UNPACK_LINK, 0, 0, "z", NULL},
        {UNPACK_LINK, 0, 0, "z", "/etc"},
        {UNPACK_LINK, 0, 0, "z", ".."},
        {UNPACK_LINK, 0, 0, "z", "a/.."},
        {UNPACK_LINK, 0755, 0, "z", "lib"},
        {UNPACK_LINK, 0, 5, "z", "lib"},
        {(enum unpack_type)3, 0644, 0, "z", NULL},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        AUTO_TEXT struct text text = {0};
        AUTO_READER struct unpack_reader reader = {.begun = false};
        unpack_wire_cage(&text, &cage);
        put_member(&text, UNPACK_DIRECTORY, 0755, 0, "lib", NULL);
        put_member(&text, UNPACK_FILE, 0644, 1, "lib/x.1", NULL);
        put_member(&text, UNPACK_LINK, 0, 0, "lib64", "lib");
        put_member(&text, UNPACK_DIRECTORY, 0755, 0, "m", NULL);
        assert_true(feed(&reader, &text));
        text_clear(&text);
        put_member(&text, cases[i].type, cases[i].mode, cases[i].size, cases[i].path,
                   cases[i].target);
        if (feed(&reader, &text))
            fail_msg("%zu: %s", i, cases[i].path);
        assert_int_equal(reader.result.count, 4);
    }
}

static void assert_refused(const struct text *text)
{
    AUTO_READER struct unpack_reader reader = {.begun = false};
    assert_false(feed(&reader, text));
}

/* A record by its bytes. */
static void put_raw(struct text *text, char type, size_t size, const char *bytes, size_t there)
{
    text_append_char(text, type);
    for (unsigned i = 0; i < 4; i++)
        text_append_char(text, (char)(size >> (8 * i)));
    text_append_n(text, bytes, there);
}

static void test_records_that_are_refused(void **state)
{
    (void)state;
    static const struct {
        bool with_cage;
        char type;
        size_t size, there;
        const char *bytes;
    } cases[] = {
        {false, 'F', 8, 8, "\0\0\0\0\0\0\0"}, /* before the cage */
        {false, 'D', 40, 40, "0123456789012345678901234567890123456789"},
        {false, 'C', 2, 2, "\1\2"},
        {false, 'C', 3, 3, "\1\1\1"},
        {false, 'C', 1, 1, "\1"},
        {true, 'C', 2, 2, "\1\1"}, /* once more */
        {true, 'X', 0, 0, ""},
        {true, '\0', 0, 0, ""},
        {true, 'F', 8, 8, "\1\0\0\0\0\0\0"}, /* one member too few */
        {true, 'F', 7, 7, "\0\0\0\0\0\0"},
        {true, 'D', 39, 39, "012345678901234567890123456789012345678"},
        {true, 'M', 8193, 0, ""}, /* too long, before it has come */
        {true, 'M', 0xffffffff, 0, ""},
        {true, 'M', 0, 0, ""},
        {true, 'E', 10, 10, "\2\0\0\0\0\0\0\0\0\0"},  /* no words */
        {true, 'E', 10, 10, "\0\1\0x\0\0\0\0\0\0"},   /* no kind */
        {true, 'E', 10, 10, "\1\1\0x\0\0\0\0\0\0"},   /* not its kind: usage */
        {true, 'E', 11, 11, "\2\2\0x\0\0\0\0\0\0\0"}, /* a NUL in it */
        {true, 'E', 10, 10, "\2\5\0x\0\0\0\0\0\0"},   /* longer than the record */
        {true, 'E', 11, 11, "\2\1\0x\0\0\0\0\0\0\0"}, /* shorter */
        {true, 'E', 10, 10, "\2\xff\xffx\0\0\0\0\0\0"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        AUTO_TEXT struct text text = {0};
        if (cases[i].with_cage)
            unpack_wire_cage(&text, &cage);
        put_raw(&text, cases[i].type, cases[i].size, cases[i].bytes, cases[i].there);
        assert_refused(&text);
    }
    AUTO_TEXT struct text text = {0};
    put_good(&text);
    unpack_wire_cage(&text, &cage);
    assert_refused(&text);
}

static void test_limits(void **state)
{
    (void)state;
    AUTO_TEXT struct text text = {0};
    AUTO_READER struct unpack_reader few = {.limits = {.files = 2, .bytes = UINT64_MAX}};
    AUTO_READER struct unpack_reader small = {.limits = {.files = 9, .bytes = 1000}};
    put_good(&text);
    assert_false(unpack_reader_feed(&few, text.data, text.size));
    assert_false(unpack_reader_feed(&small, text.data, text.size));
}

/* Names without an end: they are not kept without an end. */
static void test_names_are_bounded(void **state)
{
    (void)state;
    AUTO_TEXT struct text text = {0};
    AUTO_READER struct unpack_reader reader = {.limits = unpack_limits_default};
    char path[1025] = "";
    unsigned i = 0;
    memset(path, 'x', sizeof(path) - 1);
    for (size_t at = 100; at < sizeof(path) - 1; at += 100)
        path[at] = '/';
    unpack_wire_cage(&text, &cage);
    for (size_t at = 100; at < sizeof(path) - 1; at += 100) {
        AUTO_FREE char *parent = mem_string_n(path, at);
        put_member(&text, UNPACK_DIRECTORY, 0755, 0, parent, NULL);
    }
    assert_true(unpack_reader_feed(&reader, text.data, text.size));
    do {
        text_clear(&text);
        snprintf(path + 1001, sizeof(path) - 1001, "%06u%017u", i++, 0);
        put_member(&text, UNPACK_FILE, 0644, 0, path, NULL);
    } while (unpack_reader_feed(&reader, text.data, text.size) && i < 50000);
    assert_between(i, UNPACK_NAMES_MAX / 1024 - 20, UNPACK_NAMES_MAX / 1024 + 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_sent_is_what_comes),
        cmocka_unit_test(test_errors_and_digests),
        cmocka_unit_test(test_members_that_are_refused),
        cmocka_unit_test(test_records_that_are_refused),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_names_are_bounded),
    };
    return cmocka_run_group_tests_name("unpack_wire", tests, NULL, NULL);
}
