/* SPDX-License-Identifier: MIT */
#include "probe/tree.h"

#include "base/json.h"
#include "probe/engine/note.h"

static void run_missing(const struct probe_context *context, struct facts *facts)
{
    AUTO_ERROR struct error error = {0};
    error_set(&error, ERROR_DATA, "no good");
    error_why(&error, "broken");
    note_missing(facts, "os", "id", HOST_ABSENT, &error, "/a");
    note_missing(facts, "os", "id_like", HOST_FOREIGN, &error, "/b");
    note_missing(facts, "os", "version_id", HOST_FAILED, &error, "/c");
    note_missing_below(context->host, facts, "machine", "iommu", HOST_ABSENT, &error, "/d", "/sys");
    note_missing_below(context->host, facts, "machine", "wsl", HOST_ABSENT, &error, "/d", "/etc");
    note_unexpected(facts, "os", "pretty_name", "not a name",
                    "\033]0;0123456789012345678901234567890123456789", "/e");
}

static void tells_why_there_is_no_value(void **state)
{
    struct tree *tree = *state;
    tree_directory(tree, "/etc");
    tree_probe(tree, run_missing);
    assert_fact_absent(tree, "os", "id");
    assert_fact_skipped(tree, "os", "id_like", "not the tree");
    assert_fact_unknown(tree, "os", "version_id", "no good: broken");
    assert_fact_skipped(tree, "machine", "iommu", "the tree holds no /sys");
    assert_fact_absent(tree, "machine", "wsl");
    assert_fact_unknown(tree, "os", "pretty_name", "not a name: \"\\x1b]0;");
    assert_fact_unknown(tree, "os", "pretty_name", "…\"");
}

static void run_live(const struct probe_context *context, struct facts *facts)
{
    note_missing_below(context->host, facts, "machine", "iommu", HOST_ABSENT, NULL, "/d",
                       "/nonexistent-gpuenv");
}

static void the_live_machine_does_not_skip(void **state)
{
    struct tree *tree = *state;
    tree_probe_root(tree, "/", NULL, NULL, run_live);
    assert_fact_unknown(tree, "machine", "iommu", "there is no /nonexistent-gpuenv");
}

static void run_lines(const struct probe_context *context, struct facts *facts)
{
    note_line(context->host, facts, "os", "id", "/empty");
    note_line(context->host, facts, "os", "id_like", "/line");
    note_integer(context->host, facts, "pci", "count", "/number");
    note_integer(context->host, facts, "pci", "nvswitch_count", "/line");
    note_integer(context->host, facts, "memory", "total_bytes", "/huge");
    note_integer(context->host, facts, "memory", "available_bytes", "/hex");
}

static void reads_lines_and_numbers(void **state)
{
    struct tree *tree = *state;
    tree_file(tree, "/empty", "\n");
    tree_file(tree, "/line", "  a line \n");
    tree_file(tree, "/number", "42\n");
    tree_file(tree, "/huge", "18446744073709551615");
    tree_file(tree, "/hex", "0x10");
    tree_probe(tree, run_lines);
    assert_fact_unknown(tree, "os", "id", "empty");
    assert_fact(tree, "os", "id_like", "a line");
    assert_fact_integer(tree, "pci", "count", 42);
    assert_fact_unknown(tree, "pci", "nvswitch_count", "not a number: \"a line\"");
    assert_fact_unknown(tree, "memory", "total_bytes", "not a number");
    assert_fact_integer(tree, "memory", "available_bytes", 16);
}

static void run_text(const struct probe_context *context, struct facts *facts)
{
    (void)facts;
    AUTO_ERROR struct error error = {0};
    AUTO_TEXT struct text text = {0};
    assert_int_equal(note_read_text(context->host, "/nul", 100, &text, &error), HOST_FAILED);
    assert_string_equal(error.why, "it holds a NUL byte");
    assert_int_equal(note_read_text(context->host, "/nul", 2, &text, NULL), HOST_FAILED);
    assert_int_equal(note_read_text(context->host, "/none", 2, &text, NULL), HOST_ABSENT);
    assert_int_equal(note_read_text(context->host, "/text", 100, &text, NULL), HOST_OK);
    assert_string_equal(text.data, "ab");
}

static void refuses_nul_bytes_in_text(void **state)
{
    struct tree *tree = *state;
    tree_bytes(tree, "/nul", "a\0b", 3);
    tree_file(tree, "/text", "ab");
    tree_probe(tree, run_text);
}

static void run_json(const struct probe_context *context, struct facts *facts)
{
    (void)facts;
    AUTO_ERROR struct error error = {0};
    AUTO_JSON json_t *good = NULL;
    json_t *none = NULL;
    assert_int_equal(note_read_json(context->host, "/broken", 100, &none, &error), HOST_FAILED);
    assert_null(none);
    assert_string_equal(error.where, "/broken:1:1");
    assert_int_equal(note_read_json(context->host, "/none", 100, &none, NULL), HOST_ABSENT);
    assert_null(none);
    assert_int_equal(note_read_json(context->host, "/good", 100, &good, NULL), HOST_OK);
    assert_int_equal(json_integer_value(json_object_get(good, "a")), 1);
}

static void reads_json(void **state)
{
    struct tree *tree = *state;
    tree_file(tree, "/broken", "{");
    tree_file(tree, "/good", "{\"a\": 1}");
    tree_probe(tree, run_json);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        tree_test(tells_why_there_is_no_value),
        tree_test(the_live_machine_does_not_skip),
        tree_test(reads_lines_and_numbers),
        tree_test(refuses_nul_bytes_in_text),
        tree_test(reads_json),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
