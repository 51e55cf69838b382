/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "base/json.h"
#include "manifest/manifest.h"

/* The real manifest with one thing of the subject framework broken. */
struct broken {
    const char *table;
    const char *row;   /* "key=value,key=value": the first row that has them all */
    const char *key;   /* what is changed; the error has to name it */
    const char *value; /* JSON; NULL: taken away */
    const char *why;   /* a part of the reason */
    const char *where; /* "table[].key" that the error names where it is another one */
};

static json_t *joined_json(void)
{
    FILE *file = fopen(TEST_BINARY_DIR "/gpuenv.manifest.json", "r");
    assert_non_null(file);
    AUTO_FREE char *text = malloc(MANIFEST_MAX);
    assert_non_null(text);
    size_t size = fread(text, 1, MANIFEST_MAX, file);
    assert_int_equal(fclose(file), 0);
    json_t *json = json_parse(text, size, MANIFEST_MAX, "joined", NULL);
    assert_non_null(json);
    return json;
}

static bool row_has(json_t *row, const char *conditions)
{
    AUTO_STRLIST struct strlist list = {0};
    strlist_split(&list, conditions, ',');
    for (size_t i = 0; i < list.count; i++) {
        char *value = strchr(list.items[i], '=');
        assert_non_null(value);
        *value++ = '\0';
        if (!string_equal(json_string_value(json_object_get(row, list.items[i])), value))
            return false;
    }
    return true;
}

static json_t *row_find(json_t *document, const struct broken *broken)
{
    json_t *table = json_object_get(json_object_get(document, "framework"), broken->table);
    for (size_t i = 0; i < json_array_size(table); i++)
        if (row_has(json_array_get(table, i), broken->row))
            return json_array_get(table, i);
    print_error("no such row: %s\n", broken->row);
    fail();
    return NULL;
}

/* "M: framework.builds[14].cuda" as "builds[].cuda". */
static char *place_of(const char *where)
{
    const char *table = strstr(where, " framework.");
    assert_non_null(table);
    table += strlen(" framework.");
    const char *open = strchr(table, '[');
    const char *close = strchr(table, ']');
    assert_non_null(open);
    assert_non_null(close);
    return mem_printf("%.*s[]%s", (int)(open - table), table, close + 1);
}

static void refuse(json_t *document, const struct broken *broken)
{
    json_t *row = row_find(document, broken);
    AUTO_JSON json_t *before = json_copy(row);
    if (broken->value != NULL)
        json_object_set_new(row, broken->key, json_loads(broken->value, JSON_DECODE_ANY, NULL));
    else
        assert_int_equal(json_object_del(row, broken->key), 0);
    AUTO_TEXT struct text text = {0};
    json_append_text(document, &text);
    AUTO_ERROR struct error error = {0};
    struct manifest *manifest = manifest_load(text.data, text.size, "M", &error);
    if (manifest != NULL || strstr(error.why, broken->why) == NULL)
        print_error("%s, %s = %s: %s: %s\n", broken->row, broken->key, broken->value,
                    error.where != NULL ? error.where : "taken", error.why);
    assert_null(manifest);
    assert_int_equal(error.kind, ERROR_DATA);
    assert_non_null(strstr(error.why, broken->why));
    AUTO_FREE char *there = mem_printf("%s[].%s", broken->table, broken->key);
    AUTO_FREE char *place = place_of(error.where);
    assert_string_equal(place, broken->where != NULL ? broken->where : there);
    json_object_clear(row);
    json_object_update(row, before);
}

static void refuse_all(const struct broken *cases, size_t count)
{
    AUTO_JSON json_t *document = joined_json();
    for (size_t i = 0; i < count; i++)
        refuse(document, &cases[i]);
}
#define REFUSE(cases) refuse_all((cases), sizeof(cases) / sizeof(*(cases)))

#define TORCH "framework=pytorch,release=2.11.0,variant=cu130"
#define JAX   "framework=jax,release=0.11.0,variant=cuda12"

static void test_builds(void **state)
{
    (void)state;
    static const struct broken cases[] = {
        {"builds", TORCH, "colour", "\"red\"", "no such key", NULL},
        {"builds", TORCH, "framework", NULL, "found nothing", NULL},
        {"builds", TORCH, "framework", "\"theano\"", "a row above", "builds[].framework"},
        {"builds", TORCH, "release", "\"2.9.5\"", "above framework/pytorch-2.11.0+cu129", NULL},
        {"builds", TORCH, "release", "\"2.11.0 final\"", "one word", NULL},
        {"builds", TORCH, "variant", "\"cu129\"", "of its own", "builds[].framework"},
        {"builds", TORCH, "kind", "\"egg\"", "one of \"wheel\"", NULL},
        {"builds", TORCH, "kind", "\"conda\"", "the channel of a conda package",
         "builds[].channel"},
        {"builds", TORCH, "channel", "\"pytorch\"", "none, since kind", NULL},
        {"builds", TORCH, "stage", "\"nightly\"", "one of \"planned\"", NULL},
        {"builds", TORCH, "os_also", "\"windows\"", "another system than os", NULL},
        {"builds", TORCH, "uses_cuda", "\"maybe\"", "one of \"yes\"", NULL},
        {"builds", TORCH, "uses_cuda", "\"no\"", "none, since uses_cuda", "builds[].cuda"},
        {"builds", TORCH, "cuda", "\"13\"", "two numbers at least", NULL},
        {"builds", TORCH, "cuda", "\"13.9\"", "that cuda.rows has, found 13.9", NULL},
        {"builds", TORCH, "cuda", "\"13.x\"", "a version such as", NULL},
        {"builds", TORCH, "cudas", "[\"12\", \"12.1x\"]", "12.x or 11.2+, found 12.1x", NULL},
        {"builds", TORCH, "cudas", "[\"12.1.x\"]", "12.x or 11.2+", NULL},
        {"builds", TORCH, "cudas", "[\"14.x\"]", "versions that cuda.rows has", NULL},
        {"builds", TORCH, "cudas", "[\"12.7\"]", "versions that cuda.rows has", NULL},
        {"builds", JAX, "cuda_range", "\">=12.10\"", "a version within cuda_range",
         "builds[].cuda"},
        {"builds", JAX, "cudnn", "\"8.9\"", "a version within cudnn_range", NULL},
        {"builds", JAX, "cudnn_range", "\">=9.8,<9.1\"", "the lower bound below", NULL},
        {"builds", JAX, "driver_min", "\"529\"", "a branch that driver.rows has", NULL},
        {"builds", "framework=triton,release=26.07", "driver_listed", "\"591.1\"",
         "a branch that driver.rows has", NULL},
        {"builds", TORCH, "sass", "[\"sm_90\"]", "such as 8.6 or 9.0a, found sm_90", NULL},
        {"builds", TORCH, "sass", "[\"9\"]", "such as 8.6 or 9.0a", NULL},
        {"builds", TORCH, "sass", "[\"9.0ab\"]", "such as 8.6 or 9.0a", NULL},
        {"builds", TORCH, "ptx", "[\"12.9\"]", "that capability.rows has, found 12.9", NULL},
        {"builds", TORCH, "sass", "[\"7.0\"]", "CUDA 13.0 compiles for", NULL},
        {"builds", "framework=pytorch,release=2.6.0,variant=cu126", "sass", "[\"12.0\"]",
         "CUDA 12.6 compiles for", NULL},
        {"builds", TORCH, "capability_min", "\"7\"", "two numbers", NULL},
        {"builds", "framework=rapids,release=25.06,variant=cu11", "capability_max", "\"6.0\"",
         "nothing below capability_min", NULL},
        {"builds", "framework=pytorch,release=2.11.0,variant=cu128", "is_default", "\"yes\"",
         "framework/pytorch-2.11.0+cu128 is it", "builds[].is_default"},
        {"builds", TORCH, "source", "[\"nobody\"]", "keys of the table of sources", NULL},
    };
    REFUSE(cases);
}

static void test_other_tables(void **state)
{
    (void)state;
    static const struct broken cases[] = {
        {"frameworks", "framework=keras", "backends", NULL, "a rider runs on", NULL},
        {"frameworks", "framework=keras", "backends", "[\"theano\"]", "framework.frameworks has",
         NULL},
        {"frameworks", "framework=keras", "backends", "[\"keras\"]", "other frameworks", NULL},
        {"frameworks", "framework=pytorch", "backends", "[\"jax\"]", "native is not", NULL},
        {"frameworks", "framework=pytorch", "native", "\"no\"", "builds of its own",
         "builds[].framework"},
        {"frameworks", "framework=pytorch", "names", "[\"tf\", \"TensorFlow\"]",
         "that framework/pytorch has not", NULL},
        {"frameworks", "framework=pytorch", "framework", "\"PyTorch\"", "small letters", NULL},
        {"frameworks", "framework=pytorch", "framework", "\"aaa\"", "a row above", NULL},
        {"frameworks", "framework=jax", "framework", "\"jay\"", "framework.frameworks has",
         "frameworks[].backends"},
        {"pins", "release=2.18-2.21,package=nvidia-nccl-cu12", "framework", "\"theano\"",
         "framework.frameworks has", NULL},
        {"pins", "framework=jax,package=nvidia-cufft", "spec", "\"12.0\"", "\">=\" or \"==\"",
         NULL},
        {"pins", "framework=tensorflow,release=2.16.1", "release", "\"2.1\"", "a row above", NULL},
        {"riders", "framework=sonnet", "backend", "\"jax\"", "framework/sonnet has", NULL},
        {"riders", "framework=sonnet", "version", "\">=2\"", "a version such as", NULL},
        {"indexes", "index=cu126", "order", "7", "one more than", NULL},
        {"indexes", "index=cu126", "index", "\"cu127\"", "expected cu126", NULL},
        {"indexes", "index=cu126", "driver_min", "\"580\"", "no more than", NULL},
        {"indexes", "index=cu80", "driver_min", "\"333.1\"", "driver.rows has", NULL},
        {"capabilities", "capability=8.6", "capability", "\"6.0\"", "of its own",
         "capabilities[].framework"},
        {"capabilities", "capability=8.6", "capability", "\"7.3\"", "a row above", NULL},
        {"capabilities", "capability=9.0", "capability", "\"9.9\"", "capability.rows has", NULL},
        {"capabilities", "capability=8.6", "cudas", "[\"new\"]", "such as 12.0", NULL},
    };
    REFUSE(cases);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_builds),
        cmocka_unit_test(test_other_tables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
