/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "base/wrap.h"
#include "cli/engine/command.h"

static void assert_fits(const char *text)
{
    AUTO_FREE char *copy = mem_string(text);
    char *cursor = copy;
    for (char *line; (line = string_next_line(&cursor)) != NULL;) {
        if (wrap_width(line, strlen(line)) > 80)
            print_error("too long: %s\n", line);
        assert_true(wrap_width(line, strlen(line)) <= 80);
    }
}

static void help_fits_and_names_every_option(void **state)
{
    (void)state;
    for (size_t i = 0; command_table[i]; i++) {
        const struct command *command = command_table[i];
        AUTO_TEXT struct text text = {0};
        command_append_help(command, 80, &text);
        assert_fits(text_string(&text));
        assert_non_null(strstr(text_string(&text), command->usage));
        for (size_t k = 0; command->options[k]; k++) {
            AUTO_FREE char *name = mem_printf("--%s", command->options[k]->name);
            assert_non_null(strstr(text_string(&text), name));
        }
    }
}

static size_t count_of(const struct option *const options[], const struct option *option)
{
    size_t count = 0;
    for (size_t i = 0; options[i]; i++)
        count += options[i] == option;
    return count;
}

/* What a group explains is an option of the command, and stands in no other group. */
static void groups_are_parts_of_the_options(void **state)
{
    size_t grouped = 0;
    (void)state;
    for (size_t i = 0; command_table[i]; i++) {
        const struct command *command = command_table[i];
        const struct option_group *groups = command->groups;
        grouped += groups != NULL;
        for (size_t k = 0; groups && groups[k].title; k++)
            for (size_t n = 0; groups[k].options[n]; n++) {
                const struct option *option = groups[k].options[n];
                size_t count = 0;
                for (size_t other = 0; groups[other].title; other++)
                    count += count_of(groups[other].options, option);
                assert_int_equal(count, 1);
                assert_int_equal(count_of(command->options, option), 1);
            }
    }
    assert_true(grouped >= 4);
}

/* Of install's options the help of plan explains those alone that change a plan. */
static void plan_explains_what_changes_it(void **state)
{
    AUTO_TEXT struct text text = {0};
    (void)state;
    command_append_help(&command_plan, 80, &text);
    assert_non_null(strstr(text_string(&text), "      --profile NAME"));
    assert_null(strstr(text_string(&text), "      --accept-eula"));
    assert_non_null(strstr(text_string(&text), "without effect, so the options of another "
                                               "command can be reused:\n--dry-run, --accept-eula"));
}

/* "--json" of an example is an option of the command that it names. */
static void assert_option(const struct command *command, const char *word)
{
    AUTO_FREE const struct option **options = command_options(command);
    bool found = word[2] == '\0'; /* "--" before a command to run */
    for (size_t i = 0; options[i]; i++)
        found = found || string_equal(options[i]->name, word + 2);
    if (!found)
        print_error("%s has no %s\n", command->name, word);
    assert_true(found);
}

static void assert_example(const struct command *command, const char *example)
{
    AUTO_STRLIST struct strlist words = {0};
    const char *at = strstr(example, "gpuenv ");
    assert_non_null(at);
    strlist_split(&words, at, ' ');
    const struct command *named = command_find(words.items[1]);
    if (!named)
        named = command; /* behind it stands a quote */
    for (size_t i = 2; i < words.count && !string_equal(words.items[i - 1], "--"); i++)
        if (named->begins_command && named->begins_command(words.items[i]))
            break;
        else if (string_starts(words.items[i], "--"))
            assert_option(named, words.items[i]);
}

static void examples_are_of_this_program(void **state)
{
    (void)state;
    for (size_t i = 0; command_table[i]; i++) {
        const struct command *command = command_table[i];
        AUTO_STRLIST struct strlist lines = {0};
        AUTO_FREE char *begins = mem_printf("gpuenv %s", command->name);
        strlist_split(&lines, command->examples, '\n');
        assert_true(lines.count > 0);
        assert_non_null(strstr(lines.items[0], begins));
        for (size_t k = 0; k < lines.count; k++)
            assert_example(command, lines.items[k]);
    }
}

static void overview_fits_and_names_every_command(void **state)
{
    (void)state;
    AUTO_TEXT struct text text = {0};
    command_append_overview(80, &text);
    assert_fits(text_string(&text));
    for (size_t i = 0; command_table[i]; i++) {
        AUTO_FREE char *line = mem_printf("\n  %s ", command_table[i]->name);
        assert_non_null(strstr(text_string(&text), line));
    }
}

static void names_are_told_apart(void **state)
{
    (void)state;
    for (size_t i = 0; command_table[i]; i++) {
        const struct command *command = command_table[i];
        assert_ptr_equal(command_find(command->name), command);
        for (size_t k = 0; command->options[k]; k++) {
            for (size_t m = 0; m < k; m++) {
                const struct option *a = command->options[k], *b = command->options[m];
                assert_string_not_equal(a->name, b->name);
                assert_true(a->letter == 0 || a->letter != b->letter);
            }
        }
    }
    assert_null(command_find("doctors"));
}

/* What a row says must make sense: an alias is a switch that stands for something. */
static void rows_are_sound(void **state)
{
    (void)state;
    for (size_t i = 0; command_table[i]; i++) {
        for (size_t k = 0; command_table[i]->options[k]; k++) {
            const struct option *option = command_table[i]->options[k];
            assert_true((option->sets == NULL) == (option->sets_to == NULL));
            assert_false(option->sets && option->argument);
            assert_false(option->repeatable && option->argument == NULL);
            assert_true(strlen(option->help) > 0);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(help_fits_and_names_every_option),
        cmocka_unit_test(groups_are_parts_of_the_options),
        cmocka_unit_test(plan_explains_what_changes_it),
        cmocka_unit_test(examples_are_of_this_program),
        cmocka_unit_test(overview_fits_and_names_every_command),
        cmocka_unit_test(names_are_told_apart),
        cmocka_unit_test(rows_are_sound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
