/* SPDX-License-Identifier: MIT */
#include "report/machine/framework_list.h"
#include "test.h"

#include "report/sample.h"

static void add(struct facts *facts, unsigned index, const char *name, const char *package,
                const char *version, bool active)
{
    AUTO_FREE char *group = mem_printf("framework/%u", index);
    facts_set_string(facts, group, "name", name, "METADATA");
    facts_set_string(facts, group, "package", package, "METADATA");
    facts_set_string(facts, group, "version", version, "METADATA");
    facts_set_string(facts, group, "environment", "/home/u/venv", "/home/u/venv");
    facts_set_boolean(facts, group, "active", active, "PATH");
}

static void assert_summary(const struct facts *facts, const char *expected)
{
    AUTO_TEXT struct text text = {0};
    AUTO_STRLIST struct strlist sources = {0};
    struct report_input input = {.facts = facts, .columns = 80};
    framework_list_summary(&input, &text, &sources);
    assert_string_equal(text_string(&text), expected);
    assert_int_equal(sources.count, *expected ? 1 : 0);
}

static void assert_lines(const struct facts *facts, bool verbose, const char *expected)
{
    AUTO_TEXT struct text text = {0};
    struct report_input input = {.facts = facts, .columns = 80, .verbose = verbose};
    framework_list_append(&input, 11, &text);
    assert_string_equal(text_string(&text), expected);
}

static void nothing_is_said_of_what_was_not_looked_for(void **state)
{
    (void)state;
    struct facts *facts = sample_facts();
    assert_summary(facts, "");
    facts_set_integer(facts, "framework", "count", 0, "places");
    assert_summary(facts, "none found");
    facts_set_unknown(facts, "framework", "count", "no time left", "--timeout");
    assert_summary(facts, "unknown: no time left");
    assert_lines(facts, false, "");
    facts_free(facts);
}

static void one_is_the_summary(void **state)
{
    (void)state;
    struct facts *facts = sample_facts();
    add(facts, 0, "pytorch", "torch", "2.5.1", true);
    add(facts, 1, "torchvision", "torchvision", "0.20.1", true);
    facts_set_string(facts, "framework/0", "accelerator", "cuda", "version.py");
    facts_set_string(facts, "framework/0", "cuda", "12.4", "version.py");
    facts_set_string(facts, "framework/0", "cudnn_wanted", "9.1.0.70", "METADATA");
    facts_set_string(facts, "framework/0", "cudnn_carried", "9.1.0.70", "METADATA");
    assert_summary(
        facts,
        "pytorch 2.5.1, built for CUDA 12.4, includes cuDNN 9.1.0.70, in /home/u/venv (active)");
    assert_lines(facts, false, "");
    facts_free(facts);
}

static void each_of_several_has_a_line(void **state)
{
    (void)state;
    struct facts *facts = sample_facts();
    add(facts, 0, "onnxruntime", "onnxruntime-gpu", "1.19.2", false);
    add(facts, 1, "pytorch", "torch", "2.5.1+cpu", true);
    add(facts, 2, "bitsandbytes", "bitsandbytes", NULL, false);
    AUTO_STRLIST struct strlist cudas = {0};
    strlist_split(&cudas, "11.8:12.4", ':');
    facts_set_string(facts, "framework/1", "accelerator", "cpu", "version.py");
    facts_set_list(facts, "framework/2", "cudas", &cudas, "folder");
    facts_set_integer(facts, "framework", "count", 3, "places");
    assert_summary(facts, "3 found");
    assert_lines(facts, false,
                 "           pytorch 2.5.1+cpu, built only for CPUs, in /home/u/venv (active)\n"
                 "           onnxruntime (onnxruntime-gpu) 1.19.2, in /home/u/venv\n"
                 "           bitsandbytes of unknown version, built for CUDA 11.8, 12.4, in\n"
                 "              /home/u/venv\n");
    facts_free(facts);
}

static void more_than_a_few_are_counted(void **state)
{
    (void)state;
    struct facts *facts = sample_facts();
    for (unsigned i = 0; i < FRAMEWORKS_SHOWN + 2; i++)
        add(facts, i, "cupy", "cupy", "13.0", false);
    AUTO_STRLIST struct strlist lines = {0};
    framework_list_lines(facts, &lines);
    assert_int_equal(lines.count, FRAMEWORKS_SHOWN);
    assert_null(strstr(lines.items[0], "more"));
    assert_true(string_ends(lines.items[FRAMEWORKS_SHOWN - 1], "; 2 more: -v lists them"));
    AUTO_TEXT struct text text = {0};
    struct report_input input = {.facts = facts, .columns = 80, .verbose = true};
    framework_list_append(&input, 11, &text);
    assert_null(strstr(text_string(&text), "more"));
    facts_free(facts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_said_of_what_was_not_looked_for),
        cmocka_unit_test(one_is_the_summary),
        cmocka_unit_test(each_of_several_has_a_line),
        cmocka_unit_test(more_than_a_few_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
