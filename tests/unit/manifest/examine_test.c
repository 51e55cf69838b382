/* SPDX-License-Identifier: MIT */
/* All problems of a document at once, as "gpuenv manifest check" wants them. */
#include "broken.h"
#include "manifest/manifest.h"
#include "manifest/reader/problems.h"

#define CHANGE(place, json)                                                                        \
    {                                                                                              \
        .at = (place), .value = (json)                                                             \
    }

/* The problems of the document with these changes. */
static struct manifest_problems examine(const json_t *document, const struct broken *changes,
                                        size_t count, size_t max)
{
    json_t *json = json_deep_copy(document);
    for (size_t i = 0; i < count; i++) {
        AUTO_PLACE struct broken_place place = broken_find(document, changes[i].at);
        json_t *value =
            changes[i].value != NULL ? json_loads(changes[i].value, JSON_DECODE_ANY, NULL) : NULL;
        assert_true(broken_put(json, &place, place.count, value));
    }
    AUTO_TEXT struct text text = {0};
    document_text(json, &text, NULL, NULL);
    json_decref(json);
    struct manifest_problems problems = {.max = max};
    struct manifest *manifest = manifest_examine(text.data, text.size, "M", &problems);
    assert_true((manifest == NULL) == (problems.count > 0));
    manifest_free(manifest);
    return problems;
}

/* What is wrong is all that is said, in the order of the lines. */
static void expect(const json_t *document, const struct broken *changes, size_t count, bool partial)
{
    AUTO_PROBLEMS struct manifest_problems problems =
        examine(document, changes, count, MANIFEST_PROBLEMS_MAX);
    for (size_t i = 0; i < problems.count && problems.count != count; i++)
        print_error("%s: %s\n", problems.items[i].error.where, problems.items[i].error.why);
    assert_int_equal(problems.count, count);
    assert_int_equal(problems.partial, partial);
    for (size_t i = 0; i < count; i++) {
        const struct manifest_problem *problem = &problems.items[i];
        AUTO_PLACE struct broken_place place = broken_find(document, changes[i].at);
        AUTO_FREE char *path = broken_path(&place);
        AUTO_FREE char *where = mem_printf("M:%zu: %s", problem->line, path);
        assert_string_equal(problem->key, path);
        assert_string_equal(problem->error.where, where);
        assert_int_equal(problem->error.kind, ERROR_DATA);
        assert_true(i == 0 || problem->line >= problems.items[i - 1].line);
    }
}
#define EXPECT(document, changes, partial)                                                         \
    expect(document, changes, sizeof(changes) / sizeof(*(changes)), partial)

static void test_sound(void **state)
{
    (void)state;
    AUTO_JSON json_t *document = joined_json();
    AUTO_PROBLEMS struct manifest_problems problems =
        examine(document, NULL, 0, MANIFEST_PROBLEMS_MAX);
    assert_int_equal(problems.count, 0);
    assert_false(problems.partial);
}

static void test_every_problem_is_found(void **state)
{
    (void)state;
    static const struct broken changes[] = {
        CHANGE("compat.rows[cuda=12.8,branch=535].verdict", "\"perhaps\""),
        CHANGE("cuda.sources[notes-13.3]", "\"\""),
        CHANGE("cuda.majors[major=12].table_range", "\">=580,<525\""),
        CHANGE("cuda.rows[version=12.8.0].stage", "\"beta\""),
        CHANGE("cuda.rows[version=12.8.1].driver_min", "5"),
        CHANGE("cuda.rows[version=12.8.1].colour", "\"red\""),
        CHANGE("cuda.rows[version=12.9.0].release", "\"12.8 GA\""),
        CHANGE("cuda.rows[version=13.0.0]", "null"),
        CHANGE("cuda.rowz", "[]"),
        CHANGE("gpu.rows[name=H100 SXM5 80GB].tdp_w", "\"700\""),
        CHANGE("gpu.rows[name=H100 SXM5 80GB].confidence", "\"sure\""),
        CHANGE("manifest.date", "\"today\""),
        CHANGE("nonsense", "1"),
    };
    AUTO_JSON json_t *document = joined_cut(changes, sizeof(changes) / sizeof(*changes));
    EXPECT(document, changes, true);
}

/* Of subjects that are sound all contradictions are told. */
static void test_contradictions_between_subjects(void **state)
{
    (void)state;
    static const struct broken changes[] = {
        CHANGE("capability.rows[capability=9.0].first_branch", "521"),
        CHANGE("compat.rows[cuda=12.8,branch=570].verdict", "\"no\""),
        CHANGE("compat.rows[cuda=12.8,branch=580].verdict", "\"yes\""),
        CHANGE("cuda.majors[major=12].driver_min", "\"526.1\""),
        CHANGE("cuda.rows[version=12.8.0].driver_min", "\"525.60.13\""),
        CHANGE("gpu.rows[name=H100 SXM5 80GB].architecture", "\"Ada\""),
    };
    AUTO_JSON json_t *document = joined_cut(changes, sizeof(changes) / sizeof(*changes));
    EXPECT(document, changes, false);
}

/* A subject that is broken makes no problems of those that lean on it. */
static void test_consequences_are_no_problems(void **state)
{
    (void)state;
    AUTO_JSON json_t *document = joined_json();
    static const struct broken branches[] = {CHANGE("driver.rows[branch=570].branch", "\"570\"")};
    EXPECT(document, branches, true);
    static const struct broken all_gone[] = {CHANGE("driver", NULL)};
    EXPECT(document, all_gone, true);
    static const struct broken citations[] = {CHANGE("cuda.sources[notes-13.2.2]", "7")};
    EXPECT(document, citations, true);
    static const struct broken sources[] = {CHANGE("cuda.sources", NULL)};
    EXPECT(document, sources, true);
    /* The rows on both sides of the broken one are still compared with one another. */
    static const struct broken order[] = {CHANGE("cuda.rows[version=12.8.0].version", "12"),
                                          CHANGE("cuda.rows[version=12.8.1].version", "\"1.8.1\"")};
    AUTO_PROBLEMS struct manifest_problems problems =
        examine(document, order, 2, MANIFEST_PROBLEMS_MAX);
    assert_int_equal(problems.count, 2);
    assert_non_null(strstr(problems.items[1].error.why, "a row that sorts after cuda/12.6.3"));
}

static void test_newer_subject_says_update_once(void **state)
{
    (void)state;
    static const struct broken changes[] = {CHANGE("cuda.schema", "2"), CHANGE("cuda.newer", "[]")};
    AUTO_JSON json_t *document = joined_cut(changes, 2);
    AUTO_PROBLEMS struct manifest_problems problems =
        examine(document, changes, 2, MANIFEST_PROBLEMS_MAX);
    assert_int_equal(problems.count, 1);
    assert_string_equal(problems.items[0].key, "cuda.schema");
    assert_non_null(strstr(problems.items[0].error.next, "update gpuenv"));
}

static void test_no_more_than_wanted(void **state)
{
    (void)state;
    AUTO_TEXT struct text rows = {0};
    for (int i = 0; i < 5000; i++)
        text_printf(&rows, "%s{\"x_%d\": 1}", i > 0 ? "," : "[", i);
    text_append(&rows, "]");
    const struct broken changes[] = {CHANGE("gpu.rows", text_string(&rows))};
    AUTO_JSON json_t *document = joined_cut(changes, 1);
    AUTO_PROBLEMS struct manifest_problems problems =
        examine(document, changes, 1, MANIFEST_PROBLEMS_MAX);
    assert_int_equal(problems.count, MANIFEST_PROBLEMS_MAX);
    AUTO_PROBLEMS struct manifest_problems few = examine(document, changes, 1, 3);
    assert_int_equal(few.count, 3);
    assert_string_equal(few.items[0].key, "gpu.rows[0].name");
}

/* Row after row that is there already. */
static void test_duplicates(void **state)
{
    (void)state;
    static const struct broken changes[] = {
        CHANGE("compat.rows[cuda=12.8,branch=580].branch", "570"),
        CHANGE("driver.rows[branch=575].branch", "570"),
        CHANGE("driver.rows[branch=580].branch", "570"),
    };
    AUTO_JSON json_t *document = joined_cut(changes, sizeof(changes) / sizeof(*changes));
    AUTO_PROBLEMS struct manifest_problems problems =
        examine(document, changes, 3, MANIFEST_PROBLEMS_MAX);
    size_t twins = 0;
    for (size_t i = 0; i < problems.count; i++)
        twins += strstr(problems.items[i].error.why, "already has") != NULL;
    assert_int_equal(twins, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sound),
        cmocka_unit_test(test_every_problem_is_found),
        cmocka_unit_test(test_contradictions_between_subjects),
        cmocka_unit_test(test_consequences_are_no_problems),
        cmocka_unit_test(test_newer_subject_says_update_once),
        cmocka_unit_test(test_no_more_than_wanted),
        cmocka_unit_test(test_duplicates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
