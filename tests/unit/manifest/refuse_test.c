/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "base/json.h"
#include "manifest/manifest.h"

/* One row of everything. */
#define ROW_END "\"source\": [\"a\"], \"confidence\": \"high\"}"
static const char small[] =
    "{\"manifest\": {\"schema\": 1, \"version\": 7, \"date\": \"2026-11-20\"},"
    "\"cuda\": {\"schema\": 1, \"sources\": {\"a\": \"A book\"},"
    " \"majors\": [{\"major\": 12, \"driver_min\": \"525.60.13\", \"table_range\": "
    "\">=525,<580\", " ROW_END "],"
    " \"rows\": [{\"version\": \"12.8.0\", \"release\": \"12.8 GA\", \"stage\": \"ga\","
    " \"driver_min\": \"570.26\", " ROW_END ","
    " {\"version\": \"12.8.1\", \"release\": \"12.8 Update 1\", \"stage\": \"update\", " ROW_END
    "]},"
    "\"driver\": {\"schema\": 1, \"sources\": {\"a\": \"A book\"},"
    " \"rows\": [{\"branch\": 525, \"cuda\": \"12.0\", " ROW_END ","
    " {\"branch\": 570, \"cuda\": \"12.8\", \"latest\": \"570.211.01\", \"capability_min\": "
    "\"5.0\", "
    "\"first_release\": \"2025-01-27\", \"eol\": \"2026-02\", " ROW_END "]},"
    "\"capability\": {\"schema\": 1, \"sources\": {\"a\": \"A book\"},"
    " \"architectures\": [{\"architecture\": \"Hopper\", \"capabilities\": [\"9.0\"],"
    " \"open_module\": \"yes\", " ROW_END "],"
    " \"rows\": [{\"capability\": \"9.0\", \"sm\": \"sm_90\", \"architecture\": \"Hopper\","
    " \"first_cuda\": \"11.8\", \"first_branch\": 525, " ROW_END "]},"
    "\"gpu\": {\"schema\": 1, \"sources\": {\"a\": \"A book\", \"b\": \"B\"},"
    " \"rows\": [{\"name\": \"H100\", \"class\": \"data-centre\", \"architecture\": \"Hopper\","
    " \"capability\": \"9.0\", \"device_ids\": [\"2330\"], \"source\": [\"b\", \"a\"],"
    " \"confidence\": \"low\"}]},"
    "\"compat\": {\"schema\": 1, \"sources\": {\"a\": \"A book\"},"
    " \"rows\": [{\"cuda\": \"12.8\", \"branch\": 525, \"verdict\": \"yes\", " ROW_END "]},"
    "\"cudnn\": {\"schema\": 1, \"sources\": {\"a\": \"A book\"},"
    " \"majors\": [{\"major\": 9, \"required\": [\"libcudnn.so.9\"], " ROW_END "]},"
    "\"legacy\": {\"schema\": 1, \"sources\": {\"a\": \"A book\"},"
    " \"advice\": [{\"product\": \"cuda\", \"topic\": \"t\", \"versions\": \"<9\", \"text\": "
    "\"t\", " ROW_END "],"
    " \"archives\": [{\"version\": \"5.1\", \"cuda\": \"8.0\", \"file\": \"f\","
    " \"platform\": \"linux-x86_64\", " ROW_END "],"
    " \"runfiles\": [{\"version\": \"8.0.61\", \"file\": \"8.0.61\", \"platform\": "
    "\"linux-x86_64\","
    " \"kind\": \"local\", \"path\": \"/8.0.61\", " ROW_END "]},"
    "\"pin\": {\"schema\": 1, \"sources\": {\"a\": \"A book\"},"
    " \"rows\": [{\"product\": \"cuda\", \"version\": \"12.8.1\", \"pin\": \"none\","
    " \"path\": \"/compute/cuda/redist/redistrib_12.8.1.json\", " ROW_END "]}}";

static json_t *small_json(void)
{
    json_t *json = json_parse(small, strlen(small), MANIFEST_MAX, "small", NULL);
    assert_non_null(json);
    return json;
}

static struct manifest *load(const json_t *json, struct error *error)
{
    AUTO_TEXT struct text text = {0};
    json_append_text(json, &text);
    return manifest_load(text.data, text.size, "M", error);
}

static void test_small_is_valid(void **state)
{
    (void)state;
    AUTO_ERROR struct error error = {0};
    struct manifest *manifest = manifest_load(small, strlen(small), "M", &error);
    assert_string_equal(error.why != NULL ? error.why : "", "");
    assert_non_null(manifest);
    assert_string_equal(manifest_version(manifest), "7");
    assert_null(manifest_problem(manifest));
    const struct manifest_gpu *gpu = manifest_gpu_by_name(manifest, "h100", NULL);
    assert_string_equal(gpu->source, "B; A book");
    manifest_free(manifest);
}

static void test_every_truncation_is_an_error(void **state)
{
    (void)state;
    for (size_t size = 0; size < strlen(small); size++) {
        AUTO_ERROR struct error error = {0};
        AUTO_FREE char *start = mem_string_n(small, size);
        assert_null(manifest_load(start, size, "M", &error));
        assert_int_equal(error.kind, ERROR_DATA);
        assert_true(string_starts(error.where, "M:"));
    }
}

/* Goes to the value at path ("cuda.rows[1].version"); returns its parent and leaves the last step.
 */
static json_t *walk(json_t *json, char *path, const char **ret_key, size_t *ret_index)
{
    json_t *parent = NULL;
    json_t *value = json;
    *ret_key = NULL;
    for (char *step = strtok(path, ".]["); step != NULL; step = strtok(NULL, ".][")) {
        parent = value;
        if (json_is_array(value)) {
            *ret_key = NULL;
            *ret_index = strtoul(step, NULL, 10);
            value = json_array_get(value, *ret_index);
        } else {
            *ret_key = step;
            value = json_object_get(value, step);
        }
    }
    return parent;
}

/* Puts value (JSON) at path; NULL takes what is there away. */
static void change(json_t *json, const char *path, const char *value)
{
    AUTO_FREE char *steps = mem_string(path);
    const char *key;
    size_t index = 0;
    json_t *parent = walk(json, steps, &key, &index);
    json_t *put = value != NULL ? json_loads(value, JSON_DECODE_ANY, NULL) : NULL;
    assert_true(value == NULL || put != NULL);
    if (key != NULL && put == NULL)
        assert_int_equal(json_object_del(parent, key), 0);
    else if (key != NULL)
        assert_int_equal(json_object_set_new(parent, key, put), 0);
    else if (index == json_array_size(parent))
        assert_int_equal(json_array_append_new(parent, put), 0);
    else
        assert_int_equal(json_array_set_new(parent, index, put), 0);
}

struct broken {
    const char *path;  /* what is changed */
    const char *value; /* into what; NULL: removed */
    const char *where; /* the path that the error has to name */
    const char *why;   /* a part of the reason */
};

static void refuse(const struct broken *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        AUTO_JSON json_t *json = small_json();
        change(json, cases[i].path, cases[i].value);
        AUTO_ERROR struct error error = {0};
        struct manifest *manifest = load(json, &error);
        if (manifest != NULL)
            print_message("taken: %s = %s\n", cases[i].path, cases[i].value);
        assert_null(manifest);
        assert_int_equal(error.kind, ERROR_DATA);
        AUTO_FREE char *where = mem_printf("M: %s", cases[i].where);
        assert_string_equal(error.where, where);
        if (strstr(error.why, cases[i].why) == NULL)
            print_message("%s: %s\n", error.where, error.why);
        assert_non_null(strstr(error.why, cases[i].why));
        assert_non_null(error.next);
    }
}

#define REFUSE(cases) refuse(cases, sizeof(cases) / sizeof(*(cases)))

static void test_shape(void **state)
{
    (void)state;
    static const struct broken cases[] = {
        {"cuda", NULL, "cuda", "expected an object, found nothing"},
        {"cuda", "[]", "cuda", "expected an object, found []"},
        {"nonsense", "{}", "nonsense", "no such subject"},
        {"cuda.schema", NULL, "cuda.schema", "expected schema 1, found nothing"},
        {"cuda.schema", "0", "cuda.schema", "found 0"},
        {"cuda.schema", "\"1\"", "cuda.schema", "found \"1\""},
        {"cuda.schema", "1.0", "cuda.schema", "found 1.0"},
        {"manifest.schema", "2", "manifest.schema", "found 2"},
        {"manifest.version", NULL, "manifest.version", "a whole number"},
        {"manifest.version", "-1", "manifest.version", "a whole number"},
        {"manifest.date", "\"20.11.2026\"", "manifest.date", "a date"},
        {"manifest.rows", "[]", "manifest.rows", "no such key"},
        {"manifest.sources", "{}", "manifest.sources", "no such key"},
        {"cuda.sources", NULL, "cuda.sources", "an object"},
        {"cuda.sources", "[]", "cuda.sources", "an object"},
        {"cuda.sources.a", "\"\"", "cuda.sources.a", "a citation"},
        {"cuda.sources.a", "5", "cuda.sources.a", "a citation"},
        {"cuda.rows", NULL, "cuda.rows", "1 to 10000 rows"},
        {"cuda.rows", "[]", "cuda.rows", "1 to 10000 rows"},
        {"cuda.rows", "{}", "cuda.rows", "1 to 10000 rows"},
        {"cuda.majors", NULL, "cuda.majors", "1 to 10000 rows"},
        {"cuda.rowz", "[]", "cuda.rowz", "no such key"},
        {"cuda.rows[1]", "null", "cuda.rows[1]", "expected an object, found null"},
    };
    REFUSE(cases);
}

static void test_values(void **state)
{
    (void)state;
    static const struct broken cases[] = {
        {"cuda.rows[1].colour", "\"red\"", "cuda.rows[1].colour", "no such key, found \"red\""},
        {"cuda.rows[1].version", NULL, "cuda.rows[1].version", "found nothing"},
        {"cuda.rows[1].version", "12.8", "cuda.rows[1].version", "expected a version"},
        {"cuda.rows[1].version", "\"12.8rc1\"", "cuda.rows[1].version", "found \"12.8rc1\""},
        {"cuda.rows[1].version", "\"12.8.1\\n\"", "cuda.rows[1].version", "found \"12.8.1\\n\""},
        {"cuda.rows[1].version", "\"12.9999999999.1\"", "cuda.rows[1].version", "a version"},
        {"cuda.rows[1].version", "\"12.8\"", "cuda.rows[1].version", "three numbers"},
        {"cuda.rows[0].driver_min", "\"\"", "cuda.rows[0].driver_min", "a version"},
        {"cuda.rows[0].driver_min", "null", "cuda.rows[0].driver_min", "found null"},
        {"cuda.rows[1].release", "\"\"", "cuda.rows[1].release", "not empty"},
        {"cuda.rows[1].stage", "\"beta\"", "cuda.rows[1].stage",
         "one of \"preview\", \"rc\", \"ga\", \"update\", found \"beta\""},
        {"cuda.rows[1].date", "\"2026-13\"", "cuda.rows[1].date", "a date"},
        {"cuda.rows[1].date", "\"2026-1-1\"", "cuda.rows[1].date", "a date"},
        {"cuda.rows[1].date", "\"2026-11-00\"", "cuda.rows[1].date", "a date"},
        {"cuda.rows[1].date", "\"2026-11-201\"", "cuda.rows[1].date", "a date"},
        {"cuda.rows[1].date", "\"2026/11/20\"", "cuda.rows[1].date", "a date"},
        {"cuda.rows[1].source", NULL, "cuda.rows[1].source", "found nothing"},
        {"cuda.rows[1].source", "[]", "cuda.rows[1].source", "keys of the table of sources"},
        {"cuda.rows[1].source", "\"a\"", "cuda.rows[1].source", "keys of the table"},
        {"cuda.rows[1].source", "[\"a\", \"c\"]", "cuda.rows[1].source", "found [\"a\",\"c\"]"},
        {"cuda.rows[1].source", "[\"a\", 1]", "cuda.rows[1].source", "keys of the table"},
        {"cuda.rows[1].confidence", NULL, "cuda.rows[1].confidence", "one of \"high\""},
        {"cuda.rows[1].confidence", "\"sure\"", "cuda.rows[1].confidence", "found \"sure\""},
        {"cuda.majors[0].table_range", "\"525\"", "cuda.majors[0].table_range", "versions such"},
        {"cuda.majors[0].table_range", "\">=580,<525\"", "cuda.majors[0].table_range", "below"},
        {"cuda.majors[0].table_range", "\">=1,>=2\"", "cuda.majors[0].table_range", "versions"},
        {"cuda.majors[0].table_range", "\"\"", "cuda.majors[0].table_range", "versions such"},
        {"cuda.majors[0].table_range", "5", "cuda.majors[0].table_range", "versions such"},
        {"driver.rows[1].branch", "0", "driver.rows[1].branch", "a whole number"},
        {"driver.rows[1].branch", "\"570\"", "driver.rows[1].branch", "a whole number"},
        {"driver.rows[1].branch", "570.5", "driver.rows[1].branch", "a whole number"},
        {"driver.rows[1].branch", "4294967297", "driver.rows[1].branch", "a whole number"},
        {"gpu.rows[0].fp32_tflops", "0", "gpu.rows[0].fp32_tflops", "a number above 0"},
        {"gpu.rows[0].fp32_tflops", "\"67\"", "gpu.rows[0].fp32_tflops", "a number above 0"},
        {"gpu.rows[0].fp32_tflops", "1e300", "gpu.rows[0].fp32_tflops", "a number above 0"},
        {"gpu.rows[0].class", NULL, "gpu.rows[0].class", "one of \"data-centre\""},
        {"gpu.rows[0].device_ids", "[]", "gpu.rows[0].device_ids", "a list of"},
        {"gpu.rows[0].device_ids", "[\"2330\", \"2330\"]", "gpu.rows[0].device_ids", "none twice"},
        {"gpu.rows[0].device_ids", "[2330]", "gpu.rows[0].device_ids", "a list of"},
        {"gpu.rows[0].device_ids", "[\"233G\"]", "gpu.rows[0].device_ids", "found 233G"},
        {"gpu.rows[0].device_ids", "[\"0x2330\"]", "gpu.rows[0].device_ids", "four small"},
    };
    REFUSE(cases);
}

static void test_contradictions(void **state)
{
    (void)state;
    static const struct broken cases[] = {
        {"cuda.rows[1].version", "\"12.8.0\"", "cuda.rows[1].version",
         "a row of its own, found cuda/12.8.0, which rows[0] has already"},
        {"cuda.rows[1].version", "\"12.6.1\"", "cuda.rows[1].version", "above cuda/12.8.0"},
        {"cuda.rows[1].release", "\"12.9 GA\"", "cuda.rows[1].release", "begins with 12.8"},
        {"cuda.majors[0].driver_min", "\"590.1\"", "cuda.majors[0].driver_min",
         "within table_range, found 590.1"},
        {"cuda.majors[0].driver_min", NULL, "cuda.majors[0].driver_min", "found nothing"},
        {"cuda.majors[0].driver_min", "\"530.41.03\"", "cuda.majors[0].driver_min",
         "a branch that driver.rows has"},
        {"cuda.rows[0].driver_min", "\"999.1\"", "cuda.rows[0].driver_min", "found branch 999"},
        {"cuda.rows[0].driver_min", "\"525.60.13\"", "cuda.rows[0].driver_min",
         "which driver/525 does not"},
        {"driver.rows[1].branch", "525", "driver.rows[1].branch", "which rows[0] has already"},
        {"driver.rows[1].branch", "510", "driver.rows[1].branch", "above driver/525"},
        {"driver.rows[1].cuda", "\"11.8\"", "driver.rows[1].cuda", "no less than driver/525"},
        {"driver.rows[1].cuda", "\"12.8.1\"", "driver.rows[1].cuda", "two numbers"},
        {"driver.rows[1].latest", "\"575.1\"", "driver.rows[1].latest", "of branch 570"},
        {"driver.rows[1].eol", "\"2024-12\"", "driver.rows[1].eol", "first_release 2025-01-27"},
        {"capability.rows[0].capability", "\"9\"", "capability.rows[0].capability", "two numbers"},
        {"capability.rows[0].sm", "\"sm_91\"", "capability.rows[0].sm", "expected sm_90"},
        {"capability.rows[0].last_cuda", "\"11.7\"", "capability.rows[0].last_cuda",
         "nothing below first_cuda"},
        {"capability.rows[0].dropped_in", "\"13.0\"", "capability.rows[0].dropped_in", "last_cuda"},
        {"capability.rows[0].last_branch", "470", "capability.rows[0].last_branch",
         "nothing below first_branch"},
        {"capability.rows[0].last_branch", "570", "capability.rows[0].last_branch",
         "as architecture/hopper has it"},
        {"capability.rows[0].first_branch", "520", "capability.rows[0].first_branch",
         "found branch 520"},
        {"capability.rows[0].architecture", "\"Ada\"", "capability.rows[0].architecture", "Hopper"},
        {"capability.rows[0].renamed_to", "\"11.0\"", "capability.rows[0].renamed_to", "11.0"},
        {"capability.architectures[0].capabilities", "[\"9\"]",
         "capability.architectures[0].capabilities", "such as 9.0"},
        {"capability.architectures[0].open_module_from", "515",
         "capability.architectures[0].open_module_from", "found branch 515"},
        {"gpu.rows[0].capability", "\"9.1\"", "gpu.rows[0].capability", "capability.rows has"},
        {"gpu.rows[0].architecture", "\"Ada\"", "gpu.rows[0].architecture", "Hopper"},
        {"compat.rows[0].branch", "530", "compat.rows[0].branch", "found branch 530"},
        {"compat.rows[0].branch", "570", "compat.rows[0].verdict", "expected \"paired\""},
        {"compat.rows[0].verdict", "\"no\"", "compat.rows[0].verdict", "expected \"yes\""},
        {"compat.rows[0].cuda", "\"12.9\"", "compat.rows[0].cuda", "that cuda.rows has"},
        {"compat.rows[0].cuda", "\"12.8.0\"", "compat.rows[0].cuda", "two numbers"},
        {"cudnn.majors[0].required", "[\"libcudnn.so.8\"]", "cudnn.majors[0].required", ".so.9"},
        {"cudnn.majors[0].optional", "[\"libcudnn.so.9\"]", "cudnn.majors[0].optional",
         "no soname that is required"},
        {"cudnn.majors[0].optional", "[\"/lib/x.so.9\"]", "cudnn.majors[0].optional", "libcudnn"},
    };
    REFUSE(cases);
}

static void test_newer_schema_says_update(void **state)
{
    (void)state;
    AUTO_JSON json_t *json = small_json();
    change(json, "gpu.schema", "2");
    AUTO_ERROR struct error error = {0};
    assert_null(load(json, &error));
    assert_string_equal(error.where, "M: gpu.schema");
    assert_non_null(strstr(error.next, "update gpuenv"));
}

/* What begins with x_ is the writer's own business, at every level. */
static void test_x_keys_are_ignored(void **state)
{
    (void)state;
    static const char *const paths[] = {"x_mine", "cuda.x_mine", "cuda.rows[0].x_mine",
                                        "manifest.x_mine"};
    for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++) {
        AUTO_JSON json_t *json = small_json();
        change(json, paths[i], "{\"anything\": [1, null]}");
        AUTO_ERROR struct error error = {0};
        struct manifest *manifest = load(json, &error);
        assert_non_null(manifest);
        manifest_free(manifest);
    }
}

static void test_not_json(void **state)
{
    (void)state;
    static const char *const documents[] = {
        "",
        "[]",
        "null",
        "7",
        "\"cuda\"",
        "{",
        "{} {}",
        "{\"cuda\": NaN}",
        "// no\n{}",
        "\xef\xbb\xbf{}",
        "{\"cuda\": {}, \"cuda\": {}}",
        "{\"cuda\": \"\xff\"}",
        "{\"a\\u0000\": 1}",
    };
    for (size_t i = 0; i < sizeof(documents) / sizeof(*documents); i++) {
        AUTO_ERROR struct error error = {0};
        assert_null(manifest_load(documents[i], strlen(documents[i]), "M", &error));
        assert_int_equal(error.kind, ERROR_DATA);
        assert_true(string_starts(error.where, "M"));
        assert_non_null(error.next);
        assert_null(manifest_load(documents[i], strlen(documents[i]), "M", NULL));
    }
}

static void test_limits(void **state)
{
    (void)state;
    size_t size = MANIFEST_MAX + 1;
    AUTO_FREE char *large = malloc(size);
    assert_non_null(large);
    for (size_t i = 0; i < size; i++)
        large[i] = i < sizeof(small) - 1 ? small[i] : ' ';
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
        {"cuda.rows", text_string(&rows), "cuda.rows", "1 to 10000 rows, found [0,0,0,"}};
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
    AUTO_JSON json_t *json = small_json();
    change(json, "cuda.rows[0].version", text_string(&value));
    AUTO_ERROR struct error error = {0};
    assert_null(load(json, &error));
    AUTO_TEXT struct text shown = {0};
    error_format(&error, &shown);
    assert_true(shown.size < 400);
    assert_null(strchr(text_string(&shown), '\x1b'));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_small_is_valid),
        cmocka_unit_test(test_every_truncation_is_an_error),
        cmocka_unit_test(test_shape),
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_contradictions),
        cmocka_unit_test(test_newer_schema_says_update),
        cmocka_unit_test(test_x_keys_are_ignored),
        cmocka_unit_test(test_not_json),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_error_is_short_and_safe),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
