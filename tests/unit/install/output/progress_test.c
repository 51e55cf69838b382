/* SPDX-License-Identifier: MIT */
#include "test.h"

#include <unistd.h>

#include "base/json.h"
#include "install/io/fd.h"
#include "install/output/progress.h"

/* stderr is a file in a test. */
struct capture {
    int file, saved;
};

static struct capture capture_begin(void)
{
    char name[] = "/tmp/progress_test.XXXXXX";
    struct capture capture = {.file = mkstemp(name), .saved = dup(STDERR_FILENO)};
    unlink(name);
    fflush(stderr);
    dup2(capture.file, STDERR_FILENO);
    return capture;
}

static char *capture_end(struct capture *capture)
{
    AUTO_TEXT struct text text = {0};
    dup2(capture->saved, STDERR_FILENO);
    close(capture->saved);
    lseek(capture->file, 0, SEEK_SET);
    fd_read_all(capture->file, 1u << 20, "", &text, NULL);
    close(capture->file);
    return text_steal(&text);
}

/* What is said of one run with two files, the second with a name that is meant to hurt. */
static char *said(const char *word, bool quiet)
{
    struct progress *progress = progress_new(word, quiet, NULL);
    assert_non_null(progress);
    struct capture capture = capture_begin();
    progress_total(progress, 3000, 2);
    progress_step(progress, "fetching", "a.tar.xz", 1000);
    progress_had(progress, 500);
    progress_bytes(progress, 500);
    progress_step(progress, "fetched", "a.tar.xz", 1000);
    progress_step(progress, "unpacking", "a.tar.xz", 1000);
    progress_note(progress, "retrying in %d s: \x1b[31m\xff", 2);
    progress_bytes(progress, 1000);
    progress_lost(progress, 1000);
    progress_step(progress, "fetched", "b\x1b]0;x\x07\n.tar.xz", 2000);
    progress_free(progress);
    return capture_end(&capture);
}

static void test_plain(void **state)
{
    (void)state;
    AUTO_FREE char *text = said("plain", false);
    assert_string_equal(text, "fetched 1/2 a.tar.xz (1.0 kB)\n"
                              "gpuenv: retrying in 2 s: \\x1b[31m\\xff\n"
                              "fetched 2/2 b\\x1b]0;x\\x07\\x0a.tar.xz (2.0 kB)\n");
}

static void test_quiet_and_none(void **state)
{
    (void)state;
    static const char *const words[] = {"plain", "bar", "none", "auto"};
    for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
        AUTO_FREE char *text = said(words[i], true);
        assert_string_equal(text, "gpuenv: retrying in 2 s: \\x1b[31m\\xff\n");
    }
    AUTO_FREE char *text = said("none", false);
    assert_string_equal(text, "gpuenv: retrying in 2 s: \\x1b[31m\\xff\n");
}

static void test_auto_is_plain_without_a_terminal(void **state)
{
    (void)state;
    struct capture capture = capture_begin();
    struct progress *progress = progress_new("auto", false, NULL);
    progress_total(progress, 10, 1);
    progress_bytes(progress, 10);
    progress_step(progress, "fetched", "a", 10);
    progress_free(progress);
    AUTO_FREE char *text = capture_end(&capture);
    assert_string_equal(text, "fetched 1/1 a (10 B)\n");
}

/* Every line is an object; events: how many there are of each. */
static void test_json(void **state)
{
    (void)state;
    AUTO_FREE char *text = said("json", false);
    char *cursor = text;
    unsigned steps = 0, notes = 0, totals = 0;
    for (char *line = string_next_line(&cursor); line; line = string_next_line(&cursor)) {
        AUTO_ERROR struct error error = {0};
        AUTO_JSON json_t *object = json_parse(line, strlen(line), 4096, "line", &error);
        assert_non_null(object);
        const char *event = json_string_value(json_object_get(object, "event"));
        steps += string_equal(event, "step");
        notes += string_equal(event, "note");
        totals += string_equal(event, "total");
        if (string_equal(event, "total"))
            assert_int_equal(json_integer_value(json_object_get(object, "bytes")), 3000);
        for (const char *c = line; *c; c++)
            assert_true((unsigned char)*c >= 0x20 && (unsigned char)*c < 0x7f);
    }
    assert_int_equal(steps, 4);
    assert_int_equal(notes, 1);
    assert_int_equal(totals, 1);
}

/* What is left on a terminal: all after the last carriage return that was not cleared. */
static void test_bar_goes_away(void **state)
{
    (void)state;
    AUTO_FREE char *text = said("bar", false);
    assert_true(string_ends(text, "\r\x1b[K"));
    assert_non_null(strstr(text, "\r\x1b[Kgpuenv: retrying in 2 s: \\x1b[31m\\xff\n"));
    for (const char *c = text; *c; c++)
        if (*c == '\x1b')
            assert_memory_equal(c, "\x1b[K", 3);
}

static void check_bar(struct progress_view view, unsigned columns, const char *expected)
{
    AUTO_TEXT struct text line = {0};
    progress_append_bar(&view, columns, &line);
    assert_string_equal(text_string(&line), expected);
    assert_true(line.size <= columns);
}

static void test_bar(void **state)
{
    (void)state;
    struct progress_view view = {.done = 1250000000,
                                 .total = 2500000000,
                                 .files_done = 12,
                                 .files = 44,
                                 .step = "fetching",
                                 .file = "libcublas-linux-x86_64.tar.xz"};
    check_bar(view, 200,
              "[##########..........]  50 %  1.2 GB of 2.5 GB  12/44  fetching libcublas");
    view.rate = 100000000;
    check_bar(view, 79,
              "[#####.....]  50 %  1.2 GB of 2.5 GB  0:12 left  12/44  fetching libcublas");
    check_bar(view, 100,
              "[##########..........]  50 %  1.2 GB of 2.5 GB  100 MB/s  0:12 left  12/44  "
              "fetching libcublas");
    view.rate = 100000;
    check_bar(view, 70, "[#####.....]  50 %  1.2 GB of 2.5 GB  3:28:20 left  12/44");
    view.rate = 1;
    check_bar(view, 43, "[#####.....]  50 %  1.2 GB of 2.5 GB  12/44");
    view.file = "redistrib_12.8.1.json";
    check_bar(view, 60, "[#####.....]  50 %  1.2 GB of 2.5 GB  12/44  fetching redist");
    view = (struct progress_view){.done = 5, .total = 3, .rate = 1};
    check_bar(view, 79, "[##########] 100 %  5 B of 3 B");
    view.files = 2;
    view.files_done = 1;
    check_bar(view, 79, "[#########.]  99 %  5 B of 3 B  1/2");
    view.files_done = 2;
    check_bar(view, 79, "[##########] 100 %  5 B of 3 B  2/2");
    view = (struct progress_view){.step = "unpacking", .file = "\xc3\xbc\xc3\xbc\xc3\xbc\x1b"};
    check_bar(view, 79, "unpacking \xc3\xbc\xc3\xbc\xc3\xbc\\x1b");
    view.file = "12345678\xc3\xbc\xc3\xbc";
    check_bar(view, 20, "unpacking 12345678\xc3\xbc");
    view.file = "123456789\xc3\xbc\xc3\xbc";
    check_bar(view, 20, "unpacking 123456789");
}

static void test_words(void **state)
{
    (void)state;
    AUTO_ERROR struct error error = {0};
    assert_null(progress_new("loud", false, &error));
    assert_int_equal(error.kind, ERROR_USAGE);
    progress_total(NULL, 1, 1);
    progress_bytes(NULL, 1);
    progress_had(NULL, 1);
    progress_lost(NULL, 1);
    progress_step(NULL, "fetched", "a", 1);
    progress_note(NULL, "x");
    progress_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plain),
        cmocka_unit_test(test_quiet_and_none),
        cmocka_unit_test(test_auto_is_plain_without_a_terminal),
        cmocka_unit_test(test_json),
        cmocka_unit_test(test_bar_goes_away),
        cmocka_unit_test(test_bar),
        cmocka_unit_test(test_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
