/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "base/wrap.h"
#include "cli/explain/explain.h"
#include "manifest/manifest.h"
#include "rules/engine/rule.h"
#include "rules/rules.h"

static void test_clauses(void **state)
{
    (void)state;
    AUTO_STRLIST struct strlist list = {0};
    explain_clauses(NULL, &list);
    assert_int_equal(list.count, 0);
    explain_clauses("one", &list);
    explain_clauses("a;b; and c", &list);
    assert_int_equal(list.count, 3);
    assert_string_equal(list.items[0], "one");
    assert_string_equal(list.items[1], "a;b");
    assert_string_equal(list.items[2], "and c");
}

/* A command may be longer: it can be copied. */
static void assert_fits(const struct manifest_error *row, const char *text)
{
    AUTO_FREE char *copy = mem_string(text);
    char *cursor = copy;
    for (char *line; (line = string_next_line(&cursor)) != NULL;) {
        bool command = (row->command && strstr(line, row->command)) || strstr(line, row->id) ||
                       string_starts(line, "       "); /* of a finding */
        if (!command && wrap_width(line, strlen(line)) > 80)
            fail_msg("%s: longer than 80 columns: %s", row->id, line);
        if (strlen(line) > 0 && line[strlen(line) - 1] == ' ')
            fail_msg("%s: blank at the end of a line: %s", row->id, line);
    }
}

/* The same words, whatever the line breaks between them. */
static void assert_has_words(const char *text, const char *words)
{
    AUTO_FREE char *one = mem_string(text);
    size_t at = 0;
    for (const char *c = text; *c; c++) {
        bool blank = *c == ' ' || *c == '\n';
        if (!blank || at == 0 || one[at - 1] != ' ')
            one[at++] = blank ? ' ' : *c;
    }
    one[at] = '\0';
    if (strstr(one, words) == NULL)
        fail_msg("lacks \"%s\": %s", words, one);
}

static void assert_object(const struct manifest_error *row, const json_t *object)
{
    static const char *const lists[] = {"causes", "fix", "findings", "facts", "remaining"};
    for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++)
        assert_true(json_is_array(json_object_get(object, lists[i])));
    AUTO_FREE char *code = row->text ? mem_string(row->text) : mem_printf("%u", row->code);
    assert_string_equal(json_string_value(json_object_get(object, "code")), code);
    assert_string_equal(json_string_value(json_object_get(object, "row")), row->id);
    assert_non_null(json_string_value(json_object_get(object, "cause")));
    const json_t *meaning = json_object_get(object, "meaning");
    assert_true(row->meaning ? json_is_string(meaning) : json_is_null(meaning));
    assert_int_equal(json_array_size(json_object_get(object, "findings")), row->findings.count);
    assert_int_equal(json_array_size(json_object_get(object, "facts")), row->facts.count);
}

static void test_every_error_is_explained(void **state)
{
    (void)state;
    struct manifest *manifest = manifest_new();
    for (enum manifest_error_list list = 0; list < ERROR_LISTS; list++) {
        size_t count;
        const struct manifest_error *rows = manifest_errors(manifest, list, &count);
        for (size_t i = 0; i < count; i++) {
            if (rows[i].error)
                continue; /* what it stands for is explained */
            AUTO_TEXT struct text text = {0};
            explain_error_text(manifest, list, &rows[i], 80, &text);
            assert_fits(&rows[i], text_string(&text));
            assert_has_words(text_string(&text),
                             rows[i].meaning ? rows[i].meaning : "has only the name of this error");
            assert_has_words(text_string(&text), rows[i].source);
            AUTO_JSON json_t *object = explain_error_json(manifest, list, &rows[i]);
            assert_object(&rows[i], object);
        }
    }
    manifest_free(manifest);
}

/* Of many findings the first three are told whole, and all by their codes. */
static void test_many_findings(void **state)
{
    (void)state;
    struct manifest *manifest = manifest_new();
    const struct manifest_error *row = manifest_error(manifest, ERRORS_CUDA, 999);
    assert_true(row->findings.count > 20);
    AUTO_TEXT struct text text = {0};
    explain_error_text(manifest, ERRORS_CUDA, row, 80, &text);
    AUTO_JSON json_t *object = explain_error_json(manifest, ERRORS_CUDA, row);
    size_t facts = 0;
    for (const char *at = text_string(&text); (at = strstr(at, "fact: ")) != NULL; at++)
        facts++;
    assert_int_equal(facts, 3);
    for (size_t i = 0; i < row->findings.count; i++) {
        const struct rule *rule = rule_find(row->findings.items[i]);
        assert_non_null(strstr(text_string(&text), rule->code));
        const json_t *finding = json_array_get(json_object_get(object, "findings"), i);
        assert_string_equal(json_string_value(json_object_get(finding, "decides")), rule->decides);
        assert_true(json_array_size(json_object_get(finding, "by_hand")) > 0);
    }
    manifest_free(manifest);
}

static void test_names(void **state)
{
    (void)state;
    struct manifest *manifest = manifest_new();
    AUTO_STRLIST struct strlist names = {0};
    explain_error_names(manifest, &names);
    assert_true(strlist_has(&names, "CUDA_ERROR_NO_DEVICE"));
    assert_true(strlist_has(&names, "cudaErrorInsufficientDriver"));
    assert_true(strlist_has(&names, "NVML_ERROR_GPU_IS_LOST"));
    assert_true(strlist_has(&names, "GSP_ERROR"));
    assert_true(strlist_has(&names, "CUDNN_STATUS_ALLOC_FAILED"));
    assert_true(strlist_has(&names, "ncclSystemError"));
    manifest_free(manifest);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_clauses),
        cmocka_unit_test(test_every_error_is_explained),
        cmocka_unit_test(test_many_findings),
        cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
