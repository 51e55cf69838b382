/* SPDX-License-Identifier: MIT */
#include "test.h"

#include <string.h>

#include "base/text.h"
#include "match/search.h"

static void note(void *context, const struct search_found *found)
{
    text_printf(context, "%u@%llu ", found->pattern, (unsigned long long)found->line);
}

/* What is found in text, given in pieces of a size: "PATTERN@LINE ". */
static char *found_in(const char *const *words, size_t count, const char *text, size_t size,
                      size_t piece)
{
    AUTO_TEXT struct text notes = {0};
    struct pattern patterns[8];
    for (size_t i = 0; i < count; i++)
        assert_null(pattern_parse(words[i], NULL, &patterns[i]));
    struct search *search = search_new(patterns, count, NULL, note, &notes);
    for (size_t at = 0; at < size; at += piece)
        search_feed(search, text + at, size - at < piece ? size - at : piece);
    search_end(search);
    search_free(search);
    for (size_t i = 0; i < count; i++)
        pattern_free(&patterns[i]);
    return text_steal(&notes);
}

static const char *const words[] = {"fallen off the bus", "off the bus and is",
                                    "not supported by open nvidia.ko", "device {number} failed"};
#define WORDS (sizeof(words) / sizeof(*words))

static void assert_found(const char *text, const char *expected)
{
    for (size_t piece = 1; piece <= strlen(text) + 1; piece += piece < 9 ? 1 : strlen(text)) {
        AUTO_FREE char *found = found_in(words, WORDS, text, strlen(text), piece);
        assert_string_equal(found, expected);
    }
}

static void test_found(void **state)
{
    (void)state;
    assert_found("", "");
    assert_found("nothing\nhere\n", "");
    assert_found("x\nGPU has fallen off the bus.\n", "0@2 ");
    assert_found("GPU has fallen off the bus and is lost", "0@1 1@1 ");
    assert_found("it is not supported by open\n[ 1.5] NVRM: nvidia.ko because", "2@2 ");
    assert_found("device 3 failed\r\ndevice 4 failed\r\n", "3@1 3@2 ");
    assert_found("device \x1b[31m3\x1b[0m failed", "3@1 ");
    assert_found("device three failed, device 3 was it, device 3 failed", "3@1 ");
}

/* A text that is larger than all that is kept, with a message at its start, in a long line and at
 * its end. */
static void test_large(void **state)
{
    (void)state;
    AUTO_TEXT struct text text = {0};
    text_append(&text, "device 1 failed\n");
    for (unsigned i = 0; i < 200000; i++)
        text_append(&text, "word ");
    text_append(&text, "device 2 failed");
    for (unsigned i = 0; i < 20000; i++)
        text_append(&text, "\nanother line of the log");
    text_append(&text, "\nfallen off the bus");
    static const size_t pieces[] = {4096, 65536, 1u << 22};
    for (size_t i = 0; i < sizeof(pieces) / sizeof(*pieces); i++) {
        AUTO_FREE char *found = found_in(words, WORDS, text.data, text.size, pieces[i]);
        assert_string_equal(found, "3@1 3@2 0@20003 ");
    }
}

/* Each byte ends a match of each of several nested strings. */
static void test_many(void **state)
{
    (void)state;
    static const char *const nested[] = {"aa aa aa", "aa aa aa aa", "aa aa"};
    AUTO_TEXT struct text text = {0};
    for (unsigned i = 0; i < 30000; i++)
        text_append(&text, "aa ");
    AUTO_FREE char *found = found_in(nested, 3, text.data, text.size, 1000);
    size_t count = 0;
    for (const char *c = found; *c != '\0'; c++)
        count += *c == '@';
    assert_int_equal(count, 3 * 30000 - 1 - 2 - 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_found),
        cmocka_unit_test(test_large),
        cmocka_unit_test(test_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
