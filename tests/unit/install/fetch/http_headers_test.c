/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "base/memory.h"
#include "install/fetch/http_headers.h"

static void take(struct http_answer *answer, const char *line)
{
    http_answer_take_line(answer, line, strlen(line));
}

static struct http_answer answer_of(const char *line)
{
    struct http_answer answer;
    http_answer_clear(&answer);
    take(&answer, line);
    return answer;
}

static void assert_value(const char *line, const char *expected)
{
    size_t size = 77;
    const char *value = http_header_value(line, strlen(line), "location", &size);
    if (expected == NULL) {
        assert_null(value);
        assert_int_equal(size, 77);
        return;
    }
    assert_non_null(value);
    assert_int_equal(size, strlen(expected));
    assert_memory_equal(value, expected, size);
}

static void test_value(void **state)
{
    (void)state;
    assert_value("Location: http://me:secret@host/x\r\n", "http://me:secret@host/x");
    assert_value("LOCATION:\t../a b \t\r\n", "../a b");
    assert_value("location:", "");
    assert_value("Location: \r\n", "");
    assert_value("Location", NULL);
    assert_value("Location : x", NULL);
    assert_value("Content-Location: x", NULL);
    assert_value("", NULL);
}

static void test_nothing(void **state)
{
    (void)state;
    static const char *const lines[] = {
        "",
        "\r\n",
        ":",
        "HTTP/",
        "Content-Range",
        "Content-Range:",
        "X: y\r\n",
        "Content-Type",
        " Content-Range: bytes 1-2/3\r\n",
        "Retry-After:",
        "Content-Range : bytes 1-2/3\r\n",
    };
    for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
        struct http_answer answer = answer_of(lines[i]);
        assert_int_equal(answer.status, 0);
        assert_int_equal(answer.length, -1);
        assert_int_equal(answer.range_start, -1);
        assert_int_equal(answer.range_end, -1);
        assert_int_equal(answer.range_total, -1);
        assert_int_equal(answer.retry_after_s, 0);
        assert_string_equal(answer.type, "");
        assert_string_equal(answer.encoding, "");
    }
}

static void test_ranges(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        int64_t start, end, total;
    } cases[] = {
        {"Content-Range: bytes 5-99/100\r\n", 5, 99, 100},
        {"content-range:bytes 0-0/1", 0, 0, 1},
        {"CONTENT-RANGE: \t Bytes 5-99/*  \r\n", 5, 99, -1},
        {"Content-Range: bytes 1-999999999999999998/999999999999999999\r\n", 1, 999999999999999998,
         999999999999999999},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct http_answer answer = answer_of(cases[i].line);
        assert_int_equal(answer.range_start, cases[i].start);
        assert_int_equal(answer.range_end, cases[i].end);
        assert_int_equal(answer.range_total, cases[i].total);
    }
}

static void test_what_is_no_range(void **state)
{
    (void)state;
    static const char *const values[] = {
        "bytes 5-99",         "bytes 5-99/",
        "bytes 5-/100",       "bytes -99/100",
        "bytes */100",        "bytes 5-4/100",
        "bytes 5-99/99",      "bytes 5-99/0",
        "bytes 5-99/-100",    "bytes +5-99/100",
        "bytes 5 -99/100",    "bytes 5-99/100, 7-8/100",
        "bytes 5-99/100 x",   "bytes 5-99/1000000000000000000",
        "bits 5-99/100",      "bytes=5-99/100",
        "5-99/100",           "bytes 0x5-99/100",
        "bytes 5-99/100\x01", "bytes  5-99/100",
    };
    for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++) {
        AUTO_FREE char *line = mem_printf("Content-Range: %s\r\n", values[i]);
        struct http_answer answer = answer_of("Content-Range: bytes 1-2/3\r\n");
        take(&answer, line); /* nor does an earlier one stay */
        if (answer.range_start != -1 || answer.range_end != -1 || answer.range_total != -1)
            fail_msg("taken: %s", line);
    }
    static const char nul[] = "Content-Range: bytes 5-99/100\0000\r\n";
    struct http_answer answer = answer_of("");
    http_answer_take_line(&answer, nul, sizeof(nul) - 1);
    assert_int_equal(answer.range_start, -1);
}

/* What stands behind much room is not cut off to become good. */
static void test_long_values(void **state)
{
    (void)state;
    AUTO_FREE char *line = mem_printf("Content-Range: bytes 5-99/100%*s\r\n", 300, "x");
    assert_int_equal(answer_of(line).range_start, -1);
    AUTO_FREE char *type = mem_printf("Content-Type: %0*d\r\n", 300, 1);
    assert_int_equal(strlen(answer_of(type).type), sizeof(((struct http_answer *)0)->type) - 1);
    AUTO_FREE char *encoding = mem_printf("Content-Encoding: %0*d\r\n", 300, 1);
    assert_int_equal(strlen(answer_of(encoding).encoding),
                     sizeof(((struct http_answer *)0)->encoding) - 1);
}

static void test_words(void **state)
{
    (void)state;
    struct http_answer answer = answer_of("Content-Type:  Text/HTML; charset=utf-8\r\n");
    assert_string_equal(answer.type, "text/html");
    take(&answer, "Content-Encoding: gzip\r\n");
    assert_string_equal(answer.encoding, "gzip");
    take(&answer, "Content-Type: a\x1b]0;b\r\n");
    assert_string_equal(answer.type, "a?]0");
    take(&answer, "HTTP/1.1 200 OK\r\n");
    assert_string_equal(answer.type, "");
    assert_string_equal(answer.encoding, "");
}

static void test_retry_after(void **state)
{
    (void)state;
    assert_int_equal(answer_of("Retry-After: 120\r\n").retry_after_s, 120);
    assert_int_equal(answer_of("Retry-After: 0\r\n").retry_after_s, 0);
    assert_true(answer_of("Retry-After: 99999999999999999999\r\n").retry_after_s == INT64_MAX);
    assert_int_equal(answer_of("Retry-After: -5\r\n").retry_after_s, 0);
    assert_int_equal(answer_of("Retry-After: 5 s\r\n").retry_after_s, 0);
    assert_int_equal(answer_of("Retry-After: Fri, 31 Dec 2027 23:59:59 GMT\r\n").retry_after_s, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_value),       cmocka_unit_test(test_nothing),
        cmocka_unit_test(test_ranges),      cmocka_unit_test(test_what_is_no_range),
        cmocka_unit_test(test_long_values), cmocka_unit_test(test_words),
        cmocka_unit_test(test_retry_after),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
