/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "base/memory.h"
#include "base/text.h"
#include "cli/engine/command.h"
#include "cli/synonym.h"

static void test_words_of_other_programs(void **state)
{
    (void)state;
    static const struct {
        const char *word, *says;
    } rows[] = {
        {"remove", "gpuenv uninstall"},   {"upgrade", "gpuenv install"},
        {"search", "gpuenv list"},        {"check", "gpuenv doctor"},
        {"fix", "gpuenv doctor --fix"},   {"diagnose", "gpuenv doctor"},
        {"info", "gpuenv gpu"},           {"update", "does not install drivers"},
        {"completions", "does not have"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const char *advice = synonym_advice(rows[i].word);
        assert_non_null(advice);
        assert_non_null(strstr(advice, rows[i].says));
    }
    assert_null(synonym_advice(""));
    assert_null(synonym_advice("nonsense"));
}

static void test_no_command_is_a_synonym(void **state)
{
    (void)state;
    for (size_t i = 0; command_table[i]; i++)
        assert_null(synonym_advice(command_table[i]->name));
}

static void test_each_advice_names_a_command(void **state)
{
    (void)state;
    static const char *const words[] = {"remove", "update", "add",    "search", "check", "diagnose",
                                        "info",   "fix",    "switch", "run",    "clean", "lock"};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        const char *at = strstr(synonym_advice(words[i]), "gpuenv ");
        assert_non_null(at);
        at += strlen("gpuenv ");
        AUTO_FREE char *name = mem_string_n(at, strcspn(at, " "));
        assert_non_null(command_find(name));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_words_of_other_programs),
        cmocka_unit_test(test_no_command_is_a_synonym),
        cmocka_unit_test(test_each_advice_names_a_command),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
