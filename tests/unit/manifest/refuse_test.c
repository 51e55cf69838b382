/* SPDX-License-Identifier: MIT */
/* Manifests that are refused whatever subject they break: the shape, the types of values, the
 * bytes. What the rows of a subject must not say is in the test of that subject. */
#include "broken.h"
#include "manifest/agreement.h"
#include "manifest/error/log.h"
#include "manifest/error/message.h"
#include "manifest/gpu/device.h"
#include "manifest/gpu/gpu.h"
#include "manifest/gpu/instance.h"
#include "manifest/manifest.h"
#include "manifest/package/package.h"
#include "manifest/reader/problems.h"
#include "manifest/store/store.h"

/* Rows that are changed below. */
#define RELEASE  "cuda.rows[version=12.8.1]"
#define MAJOR    "cuda.majors[major=12]"
#define BRANCH   "driver.rows[branch=570]"
#define MODEL    "gpu.rows[name=H100 SXM5 80GB]"
#define CITATION "cuda.sources[notes-13.3]"

/* The line, from 1 on, that at is on. */
static size_t line_at(const char *text, const char *at)
{
    size_t line = 1;
    for (; text < at; text++)
        line += *text == '\n';
    return line;
}

static void test_joined_is_sound(void **state)
{
    (void)state;
    AUTO_ERROR struct error error = {0};
    AUTO_JSON json_t *json = joined_json();
    struct manifest *manifest = load_json(json, &error);
    assert_string_equal(error.why != NULL ? error.why : "", "");
    assert_non_null(manifest);
    assert_null(manifest_problem(manifest));
    manifest_free(manifest);
}

static void test_shape(void **state)
{
    (void)state;
    static const struct broken cases[] = {
        {"cuda", NULL, NULL, "expected an object, found nothing"},
        {"cuda", "[]", NULL, "expected an object, found []"},
        {"nonsense", "{}", NULL, "unknown subject \"nonsense\""},
        {"drivers", "{}", NULL, "unknown subject \"drivers\"; did you mean driver?"},
        {"cuda.schema", NULL, NULL, "expected schema 1, found nothing"},
        {"cuda.schema", "0", NULL, "found 0"},
        {"cuda.schema", "\"1\"", NULL, "found \"1\""},
        {"cuda.schema", "1.0", NULL, "found 1.0"},
        {"manifest.schema", "2", NULL, "found 2"},
        {"manifest.version", NULL, NULL, "a whole number"},
        {"manifest.version", "-1", NULL, "a whole number"},
        {"manifest.date", "\"20.11.2026\"", NULL, "a date"},
        {"manifest.rows", "[]", NULL, "unknown key"},
        {"manifest.sources", "{}", NULL, "unknown key"},
        {"cuda.sources", NULL, NULL, "an object"},
        {"cuda.sources", "[]", NULL, "an object"},
        {CITATION, "\"\"", NULL, "a citation"},
        {CITATION, "5", NULL, "a citation"},
        {"cuda.rows", NULL, NULL, "1 to 10000 rows"},
        {"cuda.rows", "[]", NULL, "1 to 10000 rows"},
        {"cuda.rows", "{}", NULL, "1 to 10000 rows"},
        {"cuda.majors", NULL, NULL, "1 to 10000 rows"},
        {"cuda.rowz", "[]", NULL, "unknown key \"rowz\"; did you mean rows?"},
        {RELEASE, "null", NULL, "expected an object, found null"},
        {"cuda.rows[+]", "{}", "cuda.rows[+].version", "a version such as"},
    };
    REFUSE(cases);
}

static void test_values(void **state)
{
    (void)state;
    static const struct broken cases[] = {
        {RELEASE ".colour", "\"red\"", NULL, "unknown key \"colour\""},
        {RELEASE ".driver_mim", "\"450.80.02\"", NULL,
         "unknown key \"driver_mim\"; did you mean driver_min?"},
        {RELEASE ".version", NULL, NULL, "found nothing"},
        {RELEASE ".version", "12.8", NULL, "expected a version"},
        {RELEASE ".version", "\"12.8rc1\"", NULL, "found \"12.8rc1\""},
        {RELEASE ".version", "\"12.8.1\\n\"", NULL, "found \"12.8.1\\n\""},
        {RELEASE ".version", "\"12.9999999999.1\"", NULL, "a version"},
        {RELEASE ".driver_min", "\"\"", NULL, "a version"},
        {RELEASE ".driver_min", "null", NULL, "found null"},
        {RELEASE ".release", "\"\"", NULL, "a non-empty string"},
        {RELEASE ".stage", "\"beta\"", NULL,
         "one of \"preview\", \"rc\", \"ga\", \"update\", found \"beta\""},
        {RELEASE ".date", "\"2026-13\"", NULL, "a date"},
        {RELEASE ".date", "\"2026-1-1\"", NULL, "a date"},
        {RELEASE ".date", "\"2026-11-00\"", NULL, "a date"},
        {RELEASE ".date", "\"2026-11-201\"", NULL, "a date"},
        {RELEASE ".date", "\"2026/11/20\"", NULL, "a date"},
        {RELEASE ".source", NULL, NULL, "found nothing"},
        {RELEASE ".source", "[]", NULL, "keys from the table of sources"},
        {RELEASE ".source", "\"notes-13.3\"", NULL, "keys from the table"},
        {RELEASE ".source", "[\"notes-13.3\", \"no\"]", NULL, "found [\"notes-13.3\",\"no\"]"},
        {RELEASE ".source", "[\"notes-13.3\", 1]", NULL, "keys from the table"},
        {RELEASE ".confidence", NULL, NULL, "one of \"high\""},
        {RELEASE ".confidence", "\"sure\"", NULL, "found \"sure\""},
        {MAJOR ".table_range", "\"525\"", NULL, "versions such"},
        {MAJOR ".table_range", "\">=580,<525\"", NULL, "below"},
        {MAJOR ".table_range", "\">=1,>=2\"", NULL, "versions"},
        {MAJOR ".table_range", "\"\"", NULL, "versions such"},
        {MAJOR ".table_range", "5", NULL, "versions such"},
        {BRANCH ".branch", "0", NULL, "a whole number"},
        {BRANCH ".branch", "\"570\"", NULL, "a whole number"},
        {BRANCH ".branch", "570.5", NULL, "a whole number"},
        {BRANCH ".branch", "4294967297", NULL, "a whole number"},
        {MODEL ".fp32_tflops", "0", NULL, "a number above 0"},
        {MODEL ".fp32_tflops", "\"67\"", NULL, "a number above 0"},
        {MODEL ".fp32_tflops", "1e300", NULL, "a number above 0"},
        {MODEL ".class", NULL, NULL, "one of \"data-centre\""},
        {MODEL ".device_ids", "[]", NULL, "a list of"},
        {MODEL ".device_ids", "[\"2330\", \"2330\"]", NULL, "without duplicates"},
        {MODEL ".device_ids", "[2330]", NULL, "a list of"},
    };
    REFUSE(cases);
}

static void test_newer_schema_says_update(void **state)
{
    (void)state;
    AUTO_JSON json_t *document = joined_cut(NULL, 0);
    AUTO_JSON json_t *json = broken_json(document, "gpu.schema", "2");
    AUTO_ERROR struct error error = {0};
    assert_null(load_json(json, &error));
    assert_true(string_ends(error.where, ": gpu.schema"));
    assert_non_null(strstr(error.next, "update gpuenv"));
}

/* Nothing of the later subjects is known, and the others are. */
static void assert_nothing_later(struct manifest *manifest)
{
    const struct version driver = {.part = {570, 86, 15}, .count = 3};
    const struct version *first;
    size_t count;
    assert_non_null(manifest);
    assert_null(manifest_rows(manifest, &manifest_device_subject, 0, &count));
    assert_true(count == 0);
    assert_int_equal(manifest_device_listing(manifest, "2d05", &driver, NULL, &first),
                     LISTING_UNKNOWN);
    assert_null(manifest_instance_find(manifest, "p3"));
    assert_null(manifest_log_of(manifest, "nvidia", true, "NVRM: anything"));
    assert_false(manifest_log_is_known(manifest));
    assert_null(manifest_messages(manifest, &count));
    assert_true(count == 0);
    assert_null(manifest_clues(manifest, &count));
    assert_true(count == 0);
    assert_null(manifest_signer_find(manifest, "https://nvidia.github.io/libnvidia-container"));
    assert_non_null(manifest_gpu_all(manifest, &count));
    assert_non_null(manifest_repositories(manifest, &count));
    assert_false(manifest_missed(manifest));
    assert_null(manifest_problem(manifest));
    manifest_free(manifest);
}

static size_t delete_later_tables(json_t *document)
{
    size_t count = 0;
    for (size_t i = 0; manifest_subjects[i] != NULL; i++)
        for (size_t k = 0; k < MANIFEST_TABLES && manifest_subjects[i]->tables[k].name; k++)
            if (manifest_subjects[i]->tables[k].later) {
                json_t *subject = json_object_get(document, manifest_subjects[i]->name);
                json_object_del(subject, manifest_subjects[i]->tables[k].name);
                count++;
            }
    return count;
}

/* Manifests that were made before a subject was thought of are read, also those that are read part
 * by part, as an updated one is. */
static void test_older_manifests(void **state)
{
    (void)state;
    AUTO_JSON json_t *document = joined_cut(NULL, 0);
    AUTO_JSON json_t *old = json_deep_copy(document);
    size_t later = 0;
    for (size_t i = 0; manifest_subjects[i] != NULL; i++) {
        const struct manifest_subject *subject = manifest_subjects[i];
        AUTO_JSON json_t *json = json_copy(document);
        AUTO_ERROR struct error error = {0};
        json_object_del(json, subject->name);
        struct manifest *manifest = load_json(json, &error);
        assert_true(subject->later == (manifest != NULL));
        if (subject->later)
            json_object_del(old, subject->name);
        later += subject->later;
        manifest_free(manifest);
    }
    assert_true(later >= 3);
    assert_true(delete_later_tables(old) >= 1);
    AUTO_ERROR struct error error = {0};
    AUTO_TEXT struct text text = {0};
    document_text(old, &text, NULL, NULL);
    struct manifest *manifest = load_json(old, &error);
    assert_nothing_later(manifest);
    manifest = manifest_load_again(text.data, text.size, "M");
    assert_nothing_later(manifest);
}

/* What begins with x_ is the writer's own business, at every level. */
static void test_x_keys_are_ignored(void **state)
{
    (void)state;
    static const char *const paths[] = {"x_mine", "cuda.x_mine", RELEASE ".x_mine",
                                        "manifest.x_mine"};
    AUTO_JSON json_t *document = joined_cut(NULL, 0);
    for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++) {
        AUTO_JSON json_t *json = broken_json(document, paths[i], "{\"anything\": [1, null]}");
        AUTO_ERROR struct error error = {0};
        struct manifest *manifest = load_json(json, &error);
        assert_non_null(manifest);
        manifest_free(manifest);
    }
}

/* Wherever a document ends too early, that is an error, on the last line. */
static void test_truncations_are_errors(void **state)
{
    (void)state;
    AUTO_JSON json_t *document = joined_cut(NULL, 0);
    AUTO_TEXT struct text text = {0};
    document_text(document, &text, NULL, NULL);
    size_t end = text.size;
    while (text.data[end - 1] != '}')
        end--;
    for (size_t i = 0; i < 100; i++) {
        AUTO_ERROR struct error error = {0};
        AUTO_FREE char *start = mem_string_n(text.data, (end - 1) * i / 99);
        AUTO_FREE char *where = mem_printf("M:%zu:", line_at(start, start + strlen(start)));
        assert_null(manifest_load(start, strlen(start), "M", &error));
        assert_int_equal(error.kind, ERROR_DATA);
        assert_true(string_starts(error.where, where));
    }
}

/* The joined document with bytes put behind a piece of it. */
#define ROW_START "{\"version\": \"12.8.1\", "
#define ROW_VALUE ROW_START "\"release\": \"12.8 Up"
struct damage {
    const char *behind;
    const char *bytes;
    size_t size;
    const char *key; /* what the error names, or begins with, behind the row; NULL: no key at all */
    const char *what;
};
#define BYTES(string) (string), sizeof(string) - 1

static void refuse_damage(const struct damage *damage, const char *text, size_t size,
                          const char *row)
{
    const char *found = strstr(text, damage->behind);
    assert_non_null(found);
    size_t offset = (size_t)(found - text) + strlen(damage->behind);
    AUTO_TEXT struct text damaged = {0};
    text_append_n(&damaged, text, offset);
    text_append_n(&damaged, damage->bytes, damage->size);
    text_append_n(&damaged, text + offset, size - offset);
    AUTO_ERROR struct error error = {0};
    assert_null(manifest_load(damaged.data, damaged.size, "M", &error));
    assert_int_equal(error.kind, ERROR_DATA);
    AUTO_FREE char *where = mem_printf("M:%zu", line_at(text, text + offset));
    AUTO_FREE char *key = mem_printf(": %s%s", row, damage->key != NULL ? damage->key : "");
    AUTO_TEXT struct text shown = {0};
    error_format(&error, &shown);
    bool named =
        damage->key != NULL ? strstr(error.where, key) != NULL : strchr(error.where, ' ') == NULL;
    if (!named || !string_starts(error.where, where) ||
        strstr(text_string(&shown), damage->what) == NULL)
        print_error("%s\n", text_string(&shown));
    assert_true(named);
    assert_true(string_starts(error.where, where));
    assert_non_null(strstr(text_string(&shown), damage->what));
    assert_non_null(error.next);
}

static void test_damaged_bytes(void **state)
{
    (void)state;
    static const struct damage damages[] = {
        {"", BYTES("\xef\xbb\xbf"), NULL, "not valid JSON"},
        {"", BYTES("\xff\xfe{\0"), NULL, "not valid JSON"},
        {"", BYTES("// words "), NULL, "not valid JSON"},
        {"", BYTES("\0"), NULL, "not valid JSON"},
        {ROW_START, BYTES("\0"), "", "not valid JSON"},
        {ROW_START, BYTES("\"version\": \"12.8.2\", "), ".version", "duplicate"},
        {ROW_START, BYTES("\"x_a\": 1, \"x_a\": 1, "), ".x_a", "duplicate"},
        {ROW_START, BYTES("\"x_a\": 1e999, "), ".x_a", "overflow"},
        {ROW_START, BYTES("\"x_a\": 123456789012345678901234567890, "), ".x_a", "too big"},
        {ROW_START, BYTES("\"x_a\": 01, "), ".x_a", "not valid JSON"},
        {ROW_START, BYTES("\"x_a\": +1, "), ".x_a", "not valid JSON"},
        {ROW_START, BYTES("\"x_a\": NaN, "), ".x_a", "not valid JSON"},
        {ROW_START, BYTES("\"x_a\": [1, 2,], "), ".x_a[2]", "not valid JSON"},
        {ROW_START, BYTES("\"x_a\": [[[[[[[[[[[[[[[[[[[["), ".x_a[0]", "deeper than 16"},
        {ROW_START, BYTES("\"x_a\" 1, "), ".x_a", "not valid JSON"},
        {ROW_START, BYTES("x_a: 1, "), "", "not valid JSON"},
        {ROW_START, BYTES("'x_a': 1, "), "", "not valid JSON"},
        {ROW_START, BYTES("\"x_\\u0000\": 1, "), "", "not valid JSON"},
        {ROW_START, BYTES("/* words */ "), "", "not valid JSON"},
        {ROW_START, BYTES("}, "), "[", "not valid JSON"},
        {ROW_VALUE, BYTES("\0"), ".release", "not valid JSON"},
        {ROW_VALUE, BYTES("\x01"), ".release", "not valid JSON"},
        {ROW_VALUE, BYTES("\n"), ".release", "not valid JSON"},
        {ROW_VALUE, BYTES("\xff"), ".release", "not valid JSON"},
        {ROW_VALUE, BYTES("\xc0\xaf"), ".release", "not valid JSON"},
        {ROW_VALUE, BYTES("\xed\xa0\x80"), ".release", "not valid JSON"},
        {ROW_VALUE, BYTES("\xf4\x90\x80\x80"), ".release", "not valid JSON"},
        {ROW_VALUE, BYTES("\\x41"), ".release", "not valid JSON"},
        {ROW_VALUE, BYTES("\\ud800"), ".release", "not valid JSON"},
        {ROW_VALUE, BYTES("\\u0000"), ".release", "not valid JSON"},
        {ROW_VALUE, BYTES("\""), ".release", "not valid JSON"},
    };
    size_t size;
    AUTO_FREE char *text = joined_text(&size);
    AUTO_JSON json_t *document = joined_json();
    AUTO_PLACE struct broken_place place = broken_find(document, RELEASE);
    AUTO_FREE char *row = broken_path(&place);
    for (size_t i = 0; i < sizeof(damages) / sizeof(*damages); i++)
        refuse_damage(&damages[i], text, size,
                      damages[i].key == NULL || *damages[i].key != '[' ? row : "cuda.rows");
}

/* Whole files that are no manifest. */
static void test_not_a_manifest(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *where;
        const char *why;
    } files[] = {
        {"", "M:1:0", "'[' or '{' expected"},
        {"\n\n", "M:3:0", "'[' or '{' expected"},
        {"[]", "M:1", "an object with one key per subject"},
        {"\n\n[]", "M:3", "an object with one key per subject"},
        {"null", "M:1:4", "'[' or '{' expected"},
        {"7", "M:1:1", "'[' or '{' expected"},
        {"\"cuda\"", "M:1:6", "'[' or '{' expected"},
        {"{", "M:1:1", "string or '}' expected"},
        {"{}\n{}", "M:2:1", "end of file expected"},
        {"{\n\"cuda\": {},\n\"cuda\": {}}", "M:3:6: cuda", "duplicate"},
        {"{}", "M:1: manifest", "expected an object, found nothing"},
        {"\n{\"schema\": 1, \"rows\": []}", "M:2", "a single subject"},
    };
    for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
        AUTO_ERROR struct error error = {0};
        assert_null(manifest_load(files[i].text, strlen(files[i].text), "M", &error));
        assert_int_equal(error.kind, ERROR_DATA);
        assert_string_equal(error.where, files[i].where);
        assert_non_null(strstr(error.why, files[i].why));
        assert_non_null(error.next);
        assert_null(manifest_load(files[i].text, strlen(files[i].text), "M", NULL));
    }
}

static void test_limits(void **state)
{
    (void)state;
    size_t joined_size;
    AUTO_FREE char *joined = joined_text(&joined_size);
    size_t size = MANIFEST_MAX + 1;
    AUTO_FREE char *large = malloc(size);
    assert_non_null(large);
    memset(large, ' ', size);
    memcpy(large, joined, joined_size);
    struct manifest *manifest = manifest_load(large, MANIFEST_MAX, "M", NULL);
    assert_non_null(manifest);
    manifest_free(manifest);
    AUTO_ERROR struct error error = {0};
    assert_null(manifest_load(large, size, "M", &error));
    assert_non_null(strstr(error.what, "larger than the limit"));

    AUTO_FREE char *deep = mem_alloc(100001);
    memset(deep, '[', 100000);
    assert_null(manifest_load(deep, 100000, "M", &error));
    assert_non_null(strstr(error.what, "deeper than 16"));

    AUTO_TEXT struct text rows = {0};
    text_append(&rows, "[0");
    for (int i = 0; i < 10000; i++)
        text_append(&rows, ",0");
    text_append(&rows, "]");
    const struct broken cases[] = {
        {"cuda.rows", text_string(&rows), NULL, "1 to 10000 rows, found [0,0,0,"}};
    REFUSE(cases);
}

/* A value of any length makes a short error, and no raw byte of it reaches the terminal. */
static void test_error_is_short_and_safe(void **state)
{
    (void)state;
    AUTO_TEXT struct text value = {0};
    text_append(&value, "\"\\u001b[31m");
    for (int i = 0; i < 100000; i++)
        text_append(&value, "x");
    text_append(&value, "\"");
    AUTO_JSON json_t *document = joined_cut(NULL, 0);
    AUTO_JSON json_t *json = broken_json(document, RELEASE ".version", text_string(&value));
    AUTO_ERROR struct error error = {0};
    assert_null(load_json(json, &error));
    AUTO_TEXT struct text shown = {0};
    error_format(&error, &shown);
    assert_true(shown.size < 400);
    assert_null(strchr(text_string(&shown), '\x1b'));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_joined_is_sound),
        cmocka_unit_test(test_shape),
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_newer_schema_says_update),
        cmocka_unit_test(test_older_manifests),
        cmocka_unit_test(test_x_keys_are_ignored),
        cmocka_unit_test(test_truncations_are_errors),
        cmocka_unit_test(test_damaged_bytes),
        cmocka_unit_test(test_not_a_manifest),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_error_is_short_and_safe),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
