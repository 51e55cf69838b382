/* SPDX-License-Identifier: MIT */
/* The joined manifest with one thing of package.json broken: refused, with the path of the key. */
#include "test.h"

#include "base/json.h"
#include "manifest/manifest.h"

static json_t *joined(void)
{
    AUTO_ERROR struct error error = {0};
    FILE *file = fopen(TEST_BINARY_DIR "/gpuenv.manifest.json", "r");
    assert_non_null(file);
    AUTO_FREE char *text = mem_alloc(MANIFEST_MAX);
    size_t size = fread(text, 1, MANIFEST_MAX, file);
    assert_int_equal(fclose(file), 0);
    json_t *json = json_parse(text, size, MANIFEST_MAX, "joined", &error);
    assert_non_null(json);
    return json;
}

/* Whether the row has that value, text or number, below key; a key of NULL is no condition. */
static bool row_has(const json_t *row, const char *key, const char *value)
{
    if (key == NULL)
        return true;
    const json_t *cell = json_object_get(row, key);
    AUTO_FREE char *number = mem_printf("%lld", (long long)json_integer_value(cell));
    return string_equal(json_is_integer(cell) ? number : json_string_value(cell), value);
}

static size_t row_of(const json_t *table, const char *key, const char *value, const char *with,
                     const char *with_value)
{
    for (size_t i = 0; i < json_array_size(table); i++) {
        const json_t *row = json_array_get(table, i);
        if (row_has(row, key, value) && row_has(row, with, with_value))
            return i;
    }
    fail_msg("no row with %s %s", key, value);
    return 0;
}

/* at: the key that the error names. */
static void refused_at(const char *table, size_t row, const char *key, const char *value,
                       const char *at, const char *why)
{
    AUTO_JSON json_t *json = joined();
    AUTO_ERROR struct error error = {0};
    AUTO_TEXT struct text text = {0};
    json_t *rows = json_object_get(json_object_get(json, "package"), table);
    json_t *put = value != NULL ? json_loads(value, JSON_DECODE_ANY, NULL) : NULL;
    if (put != NULL)
        json_object_set_new(json_array_get(rows, row), key, put);
    else
        json_object_del(json_array_get(rows, row), key);
    json_append_text(json, &text);
    struct manifest *manifest = manifest_load(text.data, text.size, "M", &error);
    if (manifest != NULL)
        fail_msg("taken: %s[%zu].%s = %s", table, row, key, value);
    AUTO_FREE char *where = mem_printf("M: package.%s[%zu].%s", table, row, at);
    assert_string_equal(error.where, where);
    if (strstr(error.why, why) == NULL)
        fail_msg("%s: %s", error.where, error.why);
}

static void refused(const char *table, size_t row, const char *key, const char *value,
                    const char *why)
{
    refused_at(table, row, key, value, key, why);
}

static void test_rows(void **state)
{
    static const struct {
        const char *key, *value, *why;
    } cases[] = {
        {"flavour", "\"closed\"", "one of \"open\", \"proprietary\", \"either\""},
        {"use", NULL, "one of \"desktop\", \"data-centre\", \"server\""},
        {"packages", "[\"nvidia driver\"]", "names of letters, digits"},
        {"packages", "[]", "a list of 1 to 100 strings"},
        {"same", "[\"a;b\"]", "names of letters, digits"},
        {"system", "\"aaa\"", "a row above"},
        {"commands", "[\"sudo apt-get install x\"]", "commands without sudo"},
        {"commands", "[\"apt-get install x\\nreboot\"]", "printable ASCII"},
        {"commands", "[\"apt-get install nvidia-driver\"]", "BRANCH in them"},
        {"change", "[\"apt-get install nvidia-driver\"]", "BRANCH where commands have it"},
        {"branch_min", "470", "580, the first of branches"},
        {"branch_max", "620", "615, the last of branches"},
        {"branch_max", "1", "no branch below branch_min"},
        {"branches", "[\"580\", \"615\", \"595\"]", "branches such as 580"},
        {"branches", "[\"580\", \"580.1\"]", "branches such as 580"},
        {"branches", "[\"580\", \"583\", \"615\"]", "a branch that driver.rows has"},
    };
    AUTO_JSON json_t *json = joined();
    json_t *rows = json_object_get(json_object_get(json, "package"), "rows");
    size_t row = row_of(rows, "release", "24.04", "flavour", "open");
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
        refused("rows", row, cases[i].key, cases[i].value, cases[i].why);
    row = row_of(rows, "release", "12", "branch_min", "470");
    refused_at("rows", row, "branch_max", "550", "commands", "BRANCH in them, or one branch alone");
    refused_at("rows", row, "flavour", "\"open\"", "branch_min", "a branch with an open module");
}

static void test_repositories(void **state)
{
    static const struct {
        const char *key, *value, *why;
    } cases[] = {
        {"directory", "\"debian\"", "a row above repository/debian12"},
        {"directory", "\"debian13/x\"", "a name of letters, digits"},
        {"systems", "[\"debian\", \"ubuntu\\u0007\"]", "names of letters"},
        {"architectures", "[\"arm64\"]", "architectures that package.machines has"},
        {"release", "\"trixie\"", "a version such as"},
        {"format", "\"apk\"", "one of \"deb\", \"rpm\""},
        {"commands", "[\"apt-get update\"]", "URL in them"},
        {"source", "[\"nobody\"]", "keys of the table of sources"},
    };
    AUTO_JSON json_t *json = joined();
    json_t *rows = json_object_get(json_object_get(json, "package"), "repositories");
    size_t row = row_of(rows, "directory", "debian13", NULL, NULL);
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
        refused("repositories", row, cases[i].key, cases[i].value, cases[i].why);
}

/* Two directories for one release: said where the second one is. */
static void test_two_directories(void **state)
{
    AUTO_JSON json_t *json = joined();
    AUTO_ERROR struct error error = {0};
    AUTO_TEXT struct text text = {0};
    json_t *rows = json_object_get(json_object_get(json, "package"), "repositories");
    size_t row = row_of(rows, "directory", "debian13", NULL, NULL);
    json_object_set_new(json_array_get(rows, row), "release", json_string("12"));
    json_append_text(json, &text);
    (void)state;
    assert_null(manifest_load(text.data, text.size, "M", &error));
    AUTO_FREE char *where = mem_printf("M: package.repositories[%zu].systems", row);
    assert_string_equal(error.where, where);
    assert_non_null(strstr(error.why, "that repository/debian12 does not have, found debian"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_repositories),
        cmocka_unit_test(test_two_directories),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
