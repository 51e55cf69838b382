/* SPDX-License-Identifier: MIT */
#include "broken.h"
#include "manifest/agreement.h"
#include "manifest/gpu/gpu.h"
#include "manifest/manifest.h"
#include "manifest/store/store.h"

static void show(const struct error *error)
{
    AUTO_TEXT struct text text = {0};
    error_format(error, &text);
    print_message("%s\n", text_string(&text));
}

/* What is built in file by file is the joined document, which is checked whole below. */
static void test_built_in_is_the_joined_document(void **state)
{
    (void)state;
    struct manifest *manifest = manifest_new();
    AUTO_JSON json_t *json = joined_json();
    const char *name;
    json_t *subject;
    json_object_foreach(json, name, subject)
    {
        size_t i = 0;
        while (manifest_subjects[i] != NULL && !string_equal(manifest_subjects[i]->name, name))
            i++;
        assert_non_null(manifest_subjects[i]);
        assert_true(json_equal(manifest_json(manifest, manifest_subjects[i]), subject));
    }
    assert_null(manifest_problem(manifest));
    manifest_free(manifest);
    manifest_free(NULL);
}

static void test_built_in_without_check(void **state)
{
    (void)state;
    struct manifest *manifest = manifest_new();
    AUTO_JSON json_t *json = joined_json();
    const json_t *about = json_object_get(json, "manifest");
    AUTO_FREE char *version =
        mem_printf("%" JSON_INTEGER_FORMAT, json_integer_value(json_object_get(about, "version")));
    assert_string_equal(manifest_version(manifest), version);
    assert_string_equal(manifest_date(manifest), json_string_value(json_object_get(about, "date")));
    assert_null(manifest_problem(manifest));
    manifest_free(manifest);
}

static void test_joined_document_says_the_same(void **state)
{
    (void)state;
    AUTO_ERROR struct error error = {0};
    size_t size;
    AUTO_FREE char *text = joined_text(&size);
    struct manifest *joined = manifest_load(text, size, "gpuenv.manifest.json", &error);
    if (joined == NULL)
        show(&error);
    assert_non_null(joined);
    struct manifest *built_in = manifest_new();
    size_t left_count;
    size_t right_count;
    const struct manifest_gpu *left = manifest_gpu_all(joined, &left_count);
    const struct manifest_gpu *right = manifest_gpu_all(built_in, &right_count);
    assert_true(left_count >= 114);
    assert_int_equal(left_count, right_count);
    for (size_t i = 0; i < left_count; i++) {
        assert_string_equal(left[i].id, right[i].id);
        assert_string_equal(left[i].source, right[i].source);
    }
    manifest_free(built_in);
    manifest_free(joined);
}

/* The document is not needed once it is loaded. */
static void test_document_may_be_freed(void **state)
{
    (void)state;
    size_t size;
    char *text = joined_text(&size);
    struct manifest *manifest = manifest_load(text, size, "gpuenv.manifest.json", NULL);
    free(text);
    assert_non_null(manifest);
    const struct manifest_gpu *gpu = manifest_gpu_by_device(manifest, "2330");
    assert_non_null(gpu);
    assert_string_equal(gpu->id, "gpu/h100-sxm5-80gb");
    assert_non_null(manifest_version(manifest));
    manifest_free(manifest);
}

/* The number of rows of each table: a row that is lost in an edit is noticed. */
static void test_row_counts(void **state)
{
    (void)state;
    static const struct {
        const char *subject;
        const char *table;
        size_t least;
    } tables[] = {
        {"cuda", "rows", 75},          {"cuda", "majors", 4},
        {"cuda", "compilers", 34},     {"cuda", "c_libraries", 4},
        {"cuda", "architectures", 13}, {"driver", "rows", 37},
        {"capability", "rows", 28},    {"capability", "architectures", 12},
        {"gpu", "rows", 114},          {"device", "chips", 59},
        {"device", "rows", 600},       {"device", "listed", 72},
        {"device", "boards", 46},      {"instance", "rows", 100},
        {"compat", "rows", 84},        {"compat", "rules", 12},
        {"compat", "containers", 24},  {"system", "rows", 56},
        {"package", "compilers", 9},   {"library", "sonames", 92},
        {"library", "versions", 24},   {"library", "wheels", 10},
        {"library", "releases", 8},    {"file", "rows", 36},
        {"cudnn", "majors", 5},        {"error", "cuda", 102},
        {"error", "nvml", 32},         {"error", "xid", 169},
        {"error", "messages", 40},     {"cudnn", "rows", 72},
        {"cudnn", "pairs", 167},       {"cudnn", "libraries", 19},
        {"threshold", "rows", 11},     {"log", "rows", 150},
    };
    AUTO_JSON json_t *json = joined_json();
    for (size_t i = 0; i < sizeof(tables) / sizeof(*tables); i++) {
        json_t *subject = json_object_get(json, tables[i].subject);
        assert_true(json_array_size(json_object_get(subject, tables[i].table)) >= tables[i].least);
    }
}

/* A citation that no row names is left over from something. */
static void test_every_source_is_used(void **state)
{
    (void)state;
    AUTO_JSON json_t *json = joined_json();
    const char *subject_name;
    json_t *subject;
    json_object_foreach(json, subject_name, subject)
    {
        AUTO_STRLIST struct strlist used = {0};
        const char *key;
        json_t *table;
        json_object_foreach(subject, key, table)
        {
            for (size_t i = 0; i < json_array_size(table); i++) {
                json_t *list = json_object_get(json_array_get(table, i), "source");
                for (size_t j = 0; j < json_array_size(list); j++)
                    strlist_add_new(&used, json_string_value(json_array_get(list, j)));
            }
        }
        assert_int_equal(used.count, json_object_size(json_object_get(subject, "sources")));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_built_in_is_the_joined_document),
        cmocka_unit_test(test_built_in_without_check),
        cmocka_unit_test(test_joined_document_says_the_same),
        cmocka_unit_test(test_document_may_be_freed),
        cmocka_unit_test(test_row_counts),
        cmocka_unit_test(test_every_source_is_used),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
