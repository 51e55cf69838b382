/* SPDX-License-Identifier: MIT */
/* A gpuenv whose built-in data is broken: this program brings a table of its own, which the linker
 * takes instead of the generated one. */
#include "test.h"

#include "manifest/gpu/gpu.h"
#include "manifest/manifest.h"
#include "manifest/store/embedded.h"
#include "manifest/toolkit/cudnn_major.h"
#include "manifest/versions/capability.h"
#include "manifest/versions/compat.h"
#include "manifest/versions/cuda.h"
#include "manifest/versions/driver.h"

#define COMMON "\"source\": [\"a\"], \"confidence\": \"high\"}"
static const char cuda[] = "{\"schema\": 1, \"sources\": {}";
static const char driver[] = "{\"schema\": 1, \"sources\": {\"a\": \"A\"}, \"rows\":"
                             " [{\"branch\": 570, \"cuda\": \"12.8\", " COMMON "]}";
/* Its second table is broken. */
static const char capability[] =
    "{\"schema\": 1, \"sources\": {\"a\": \"A\"},\n"
    "\"architectures\": [{\"architecture\": \"Hopper\", \"capabilities\": [\"9.0\"], " COMMON "],\n"
    "\"rows\": [{\"capability\": \"9.0\", \"sm\": \"sm_91\", \"architecture\": \"Hopper\", " COMMON
    "]}";
#define T4_ROW(name, device_ids)                                                                   \
    "{\"name\": \"" name "\", \"class\": \"data-centre\", \"architecture\": \"Turing\","           \
    " \"capability\": \"7.5\", \"device_ids\": [\"" device_ids "\"], " COMMON
static const char gpu[] =
    "{\"schema\": 1, \"sources\": {\"a\": \"A\"}, \"rows\":"
    " [{\"name\": \"H100\", \"device_ids\": [\"2330\"], " COMMON "],"
    " \"others\": [" T4_ROW("T4", "1eb8") "," T4_ROW("T4G", "\\u0031eb4") "]}";

static const char device[] = "{\"schema\": 1, \"sources\": {\"a\": \"A\"}, \"rows\":"
                             " [{\"name\": \"T5\", \"architecture\": \"Turing\","
                             " \"chip\": \"TU104\", \"device_ids\": [\"1eb5\"], " COMMON "]}";

#define SUBJECT(subject)                                                                           \
    {                                                                                              \
        .name = #subject, .text = (subject), .end = (subject) + sizeof(subject) - 1                \
    }
const struct manifest_subject_text manifest_embedded[] = {SUBJECT(capability), SUBJECT(cuda),
                                                          SUBJECT(device),     SUBJECT(driver),
                                                          SUBJECT(gpu),        {.name = NULL}};

static void test_lookups_find_nothing_and_say_why(void **state)
{
    (void)state;
    struct manifest *manifest = manifest_new();
    assert_null(manifest_problem(manifest));
    const struct version version = {.part = {12, 8}, .count = 2};
    assert_null(manifest_cuda_find(manifest, &version));
    assert_null(manifest_cuda_major_find(manifest, 12));

    const struct error *problem = manifest_problem(manifest);
    assert_non_null(problem);
    assert_int_equal(problem->kind, ERROR_INTERNAL);
    assert_true(string_starts(problem->where, "manifests/cuda.json:1:"));
    assert_non_null(problem->next);

    /* The first problem stays. */
    assert_null(manifest_gpu_by_device(manifest, "2330"));
    assert_null(manifest_gpu_by_name(manifest, "H100", NULL));
    assert_true(string_starts(manifest_problem(manifest)->where, "manifests/cuda.json:1:"));

    /* The subjects that are well still answer; those that are missing do not. */
    const struct version branch = {.part = {570}, .count = 1};
    assert_non_null(manifest_branch_find(manifest, &branch));
    assert_null(manifest_cudnn_major_find(manifest, 9));
    assert_null(manifest_capability_find(manifest, &version));
    assert_null(manifest_branch_newest(manifest, &version));
    assert_int_equal(manifest_compat_find(manifest, &version, 570, NULL), COMPAT_UNKNOWN);
    assert_null(manifest_version(manifest));
    assert_null(manifest_date(manifest));
    manifest_free(manifest);
}

static void test_path_of_a_broken_row(void **state)
{
    (void)state;
    struct manifest *manifest = manifest_new();
    size_t count = 7;
    assert_null(manifest_gpu_all(manifest, &count));
    assert_int_equal(count, 0);
    assert_string_equal(manifest_problem(manifest)->where,
                        "manifests/gpu.json:1: gpu.rows[0].class");
    manifest_free(manifest);
}

/* A table that was not asked for is not read; once one is found broken, none of the subject
 * answers. */
static void test_a_table_is_read_when_it_is_asked_for(void **state)
{
    (void)state;
    struct manifest *manifest = manifest_new();
    const struct version hopper = {.part = {9, 0}, .count = 2};
    const struct manifest_architecture *architecture =
        manifest_architecture_find(manifest, &hopper);
    assert_non_null(architecture);
    assert_string_equal(architecture->source, "A");
    assert_null(manifest_problem(manifest));
    assert_null(manifest_capability_find(manifest, &hopper));
    assert_string_equal(manifest_problem(manifest)->where,
                        "manifests/capability.json:3: capability.rows[0].sm");
    assert_null(manifest_architecture_find(manifest, &hopper));
    assert_string_equal(architecture->architecture, "Hopper"); /* still there */
    manifest_free(manifest);
}

/* Of a table that nobody asked for as a whole, rows that say nothing of what is sought are not
 * read, so that they can be broken; those that do are, and make all of it known as broken. */
static void test_rows_that_say_it_are_read_alone(void **state)
{
    (void)state;
    struct manifest *manifest = manifest_new();
    const struct manifest_gpu *t4 = manifest_gpu_by_device(manifest, "1EB8");
    assert_non_null(t4);
    assert_string_equal(t4->name, "T4");
    const struct manifest_gpu *t4g = manifest_gpu_by_device(manifest, "1eb4");
    assert_non_null(t4g); /* written with an escape */
    assert_string_equal(t4g->name, "T4G");
    assert_null(manifest_gpu_by_device(manifest, "2204"));
    assert_null(manifest_problem(manifest));
    assert_null(manifest_gpu_by_device(manifest, "2330"));
    assert_string_equal(manifest_problem(manifest)->where,
                        "manifests/gpu.json:1: gpu.rows[0].class");
    assert_null(manifest_gpu_by_device(manifest, "1eb8"));
    assert_string_equal(t4->source, "A"); /* still there */
    manifest_free(manifest);
}

static void test_a_missing_subject_is_named(void **state)
{
    (void)state;
    struct manifest *manifest = manifest_new();
    assert_null(manifest_version(manifest));
    assert_int_equal(manifest_problem(manifest)->kind, ERROR_INTERNAL);
    assert_string_equal(manifest_problem(manifest)->where, "manifests/manifest.json");
    manifest_free(manifest);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lookups_find_nothing_and_say_why),
        cmocka_unit_test(test_path_of_a_broken_row),
        cmocka_unit_test(test_a_table_is_read_when_it_is_asked_for),
        cmocka_unit_test(test_rows_that_say_it_are_read_alone),
        cmocka_unit_test(test_a_missing_subject_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
