/* SPDX-License-Identifier: MIT */
#include "test.h"

#include <string.h>

#include "base/text.h"
#include "match/fold.h"
#include "match/pattern.h"

/* A list "unit" that takes "ok" and "bad", and nothing else. */
static size_t take_unit(void *context, unsigned list, const char *text, size_t size,
                        uint32_t *ret_row)
{
    (void)context;
    assert_int_equal(list, 0);
    *ret_row = size >= 3 && memcmp(text, "bad", 3) == 0;
    return *ret_row ? 3 : size >= 2 && memcmp(text, "ok", 2) == 0 ? 2 : 0;
}
static const char *const names[] = {"unit"};
static const struct pattern_lists lists = {.names = names, .count = 1, .take = take_unit};

/* Whether the pattern stands in text at its first anchor; ret_value: what is in its last hole. */
static bool stands(const char *words, const char *bytes, char **ret_value)
{
    AUTO_FREE char *text = mem_printf(" %s", bytes);
    struct pattern pattern;
    struct pattern_match match;
    bool found = false;
    assert_null(pattern_parse(words, &lists, &pattern));
    for (size_t end = 0; end <= strlen(text) && !found; end++) {
        size_t at = 0;
        for (size_t start = 0; start < end && !found; start++) {
            at = start;
            found = fold_matches(pattern.anchor, text, strlen(text), &at) && at == end &&
                    pattern_matches(&pattern, &lists, text, strlen(text), end, &match);
        }
    }
    if (found && ret_value && match.count > 0)
        *ret_value =
            mem_string_n(match.values[match.count - 1].bytes, match.values[match.count - 1].size);
    pattern_free(&pattern);
    return found;
}

static void assert_value(const char *words, const char *text, const char *value)
{
    AUTO_FREE char *found = NULL;
    if (!stands(words, text, &found))
        fail_msg("\"%s\" is not found in \"%s\"", words, text);
    assert_string_equal(found, value);
}

static void test_fold(void **state)
{
    (void)state;
    AUTO_FREE char *folded = fold_text("Failed: 'CUDA_ERROR'  (2)");
    assert_string_equal(folded, "failed cuda_error 2 ");
    size_t at = 0;
    assert_true(fold_matches("a b", "A\n -- B", 7, &at));
    assert_int_equal(at, 7);
    at = 0;
    assert_false(fold_matches("a b", "ab", 2, &at));
    assert_int_equal(at, 0);
    assert_true(fold_matches("ab ", "ab", 2, &at)); /* the end is a blank */
    at = 0;
    assert_false(fold_matches("ab c", "ab", 2, &at));
}

static void test_holes(void **state)
{
    (void)state;
    assert_value("failed with {number}", "failed with -19.", "19");
    assert_value("failed with {number}", "failed with (0x1F)", "0x1F");
    assert_value("kernel module {version}", "Kernel Module  580.119.02  Thu", "580.119.02");
    assert_value("cannot open {path}", "cannot open '/dev/nvidia0'", "/dev/nvidia0");
    assert_value("cannot open {path}:", "cannot open ~/a.b: no", "~/a.b");
    assert_value("GPU at {address}:", "GPU at 0000:01:00.0: x", "0000:01:00.0");
    assert_value("device {name} is", "Device nvidia.com/gpu=all is", "nvidia.com/gpu=all");
    assert_value("symbol: {symbol}", "symbol: _ZN3c104cuda, x", "_ZN3c104cuda");
    assert_value("begin {text} end", "begin of all that end", "of all that");
    assert_value("begin {text}", "begin of all\nend", "of all");
    assert_value("status {unit}", "status bad", "bad");
    assert_false(stands("status {unit}", "status good", NULL));
    assert_false(stands("begin {text} end", "begin x\ny end", NULL)); /* of one line */
    assert_false(stands("failed with {number}", "failed with nothing", NULL));
}

static void test_bounds_and_relations(void **state)
{
    (void)state;
    assert_true(stands("'compute_{number 0-53}'", "'compute_35'", NULL));
    assert_false(stands("'compute_{number 0-53}'", "'compute_86'", NULL));
    assert_true(stands("'compute_{number 80-}'", "'compute_120'", NULL));
    assert_true(stands("loaded {version} built {version >}", "loaded 8.0.5 built 8.1.0", NULL));
    assert_false(stands("loaded {version} built {version >}", "loaded 8.9.5 built 8.1.0", NULL));
    assert_true(stands("loaded {number} built {number !}", "loaded 7 built 8", NULL));
    assert_false(stands("loaded {number} built {number !}", "loaded 8 built 8", NULL));
    assert_true(stands("loaded {number} built {number =}", "loaded 8 built 8", NULL));
}

/* Where words begin and end counts; case, quotes and line breaks do not. */
static void test_words(void **state)
{
    (void)state;
    assert_true(stands("has fallen off", "it HAS\n  fallen 'off'", NULL));
    assert_false(stands("has fallen off", "it has fallen offside", NULL));
    assert_true(stands("libcudnn{name}: cannot", "libcudnn.so.9: cannot", NULL));
}

static void test_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "",
        "abc",
        "{number} things happened",
        "what of {number",
        "what of {nothing}",
        "what of {number}{path}",
        "what of {number 9-1}",
        "what of {path 1-2}",
        "what of {number ?}",
        ("a long text {number} b {number} c {number} d {number} e {number} f {number} g {number} "
         "h {number} i {number}"),
    };
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        struct pattern pattern;
        if (pattern_parse(bad[i], &lists, &pattern) == NULL)
            fail_msg("\"%s\" is taken", bad[i]);
        assert_null(pattern.parts);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fold),
        cmocka_unit_test(test_holes),
        cmocka_unit_test(test_bounds_and_relations),
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
