/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "cli/engine/options.h"

static const struct option option_root = {.name = "root", .argument = "DIR", .help = "where"};
static const struct option option_output = {
    .name = "output", .letter = 'o', .argument = "FILE", .help = "to"};
static const struct option option_only = {
    .name = "only", .argument = "CODE,...", .repeatable = true, .help = "these"};
static const struct option option_facts = {
    .name = "facts", .argument = "FILE", .once = true, .help = "a record"};
static const struct option option_format = {.name = "format", .argument = "FORMAT", .help = "how"};
static const struct option option_json = {
    .name = "json", .help = "JSON", .sets = "format", .sets_to = "json"};
static const struct option option_quiet = {.name = "quiet", .letter = 'q', .help = "less"};
static const struct option option_verbose = {.name = "verbose", .letter = 'v', .help = "more"};
static const struct option option_no_color = {.name = "no-color", .help = "plain"};
static const struct option option_help = {.name = "help", .help = "help", .no_twin = true};

static const struct option *const table[] = {
    &option_root,    &option_output,   &option_only,  &option_format, &option_json, &option_quiet,
    &option_verbose, &option_no_color, &option_facts, &option_help,   NULL,
};

/* An environment of name, value, name, value, …, NULL. */
static const char *get(const void *context, const char *name)
{
    for (const char *const *pair = context; pair[0]; pair += 2)
        if (strcmp(pair[0], name) == 0)
            return pair[1];
    return NULL;
}

/* What one call gave. */
struct outcome {
    bool ok;
    struct arguments arguments;
    struct error error;
};
#define AUTO_OUTCOME AUTO(outcome_clear)

static void outcome_clear(struct outcome *outcome)
{
    arguments_free(&outcome->arguments);
    error_clear(&outcome->error);
}

/* Parses words up to NULL. */
static struct outcome parse_in(const char *const *variables, const char *const *words)
{
    struct outcome outcome = {0};
    struct option_environment environment = {.get = get, .context = variables};
    int count = 0;
    while (words[count])
        count++;
    outcome.ok = options_parse(table, "gpuenv doctor", count, (char *const *)words, NULL,
                               &environment, &outcome.arguments, &outcome.error);
    return outcome;
}

#define NO_VARIABLES      ((const char *const[]){NULL})
#define PARSE(...)        parse_in(NO_VARIABLES, (const char *[]){__VA_ARGS__, NULL})
#define VARIABLES(...)    ((const char *const[]){__VA_ARGS__, NULL})
#define PARSE_IN(in, ...) parse_in(in, (const char *[]){__VA_ARGS__ __VA_OPT__(, ) NULL})

static void assert_refused(const struct outcome *outcome, const char *what, const char *next)
{
    assert_false(outcome->ok);
    assert_int_equal(outcome->error.kind, ERROR_USAGE);
    assert_string_equal(outcome->error.what, what);
    assert_string_equal(outcome->error.next, next);
    assert_int_equal(outcome->arguments.count, 0);
}

static void long_forms(void **state)
{
    (void)state;
    AUTO_OUTCOME struct outcome outcome =
        PARSE("--root=/mnt", "word", "--output", "a=b", "--quiet", "other");
    assert_true(outcome.ok);
    assert_string_equal(arguments_get(&outcome.arguments, "root"), "/mnt");
    assert_string_equal(arguments_get(&outcome.arguments, "output"), "a=b");
    assert_string_equal(arguments_origin(&outcome.arguments, "root"), "--root");
    assert_true(arguments_have(&outcome.arguments, "quiet"));
    assert_false(arguments_have(&outcome.arguments, "verbose"));
    assert_null(arguments_get(&outcome.arguments, "quiet"));
    assert_int_equal(outcome.arguments.words.count, 2);
    assert_string_equal(outcome.arguments.words.items[1], "other");
}

static void given_once(void **state)
{
    (void)state;
    AUTO_OUTCOME struct outcome one = PARSE("--facts", "a");
    assert_true(one.ok);
    AUTO_OUTCOME struct outcome two = PARSE("--facts", "a", "--facts=b");
    assert_refused(&two, "--facts is given twice; give only one FILE", "try gpuenv doctor --help");
    AUTO_OUTCOME struct outcome beside = PARSE_IN(VARIABLES("GPUENV_FACTS", "b"), "--facts", "a");
    assert_true(beside.ok);
    assert_string_equal(arguments_get(&beside.arguments, "facts"), "a");
}

static void short_forms(void **state)
{
    (void)state;
    AUTO_OUTCOME struct outcome together = PARSE("-qvo", "file");
    assert_true(together.ok);
    assert_true(arguments_have(&together.arguments, "quiet"));
    assert_true(arguments_have(&together.arguments, "verbose"));
    assert_string_equal(arguments_get(&together.arguments, "output"), "file");
    AUTO_OUTCOME struct outcome attached = PARSE("-ofile", "-");
    assert_string_equal(arguments_get(&attached.arguments, "output"), "file");
    assert_string_equal(attached.arguments.words.items[0], "-");
}

static void dashes_end_the_options(void **state)
{
    (void)state;
    AUTO_OUTCOME struct outcome outcome = PARSE("-q", "--", "--root", "--", "-x");
    assert_true(outcome.ok);
    assert_false(arguments_have(&outcome.arguments, "root"));
    assert_int_equal(outcome.arguments.words.count, 3);
    assert_string_equal(outcome.arguments.words.items[1], "--");
}

static void a_value_may_look_like_an_option(void **state)
{
    (void)state;
    AUTO_OUTCOME struct outcome outcome = PARSE("--root", "--", "--output", "-q");
    assert_true(outcome.ok);
    assert_string_equal(arguments_get(&outcome.arguments, "root"), "--");
    assert_string_equal(arguments_get(&outcome.arguments, "output"), "-q");
    assert_false(arguments_have(&outcome.arguments, "quiet"));
}

static void the_last_one_counts(void **state)
{
    (void)state;
    AUTO_OUTCOME struct outcome outcome =
        PARSE("--root", "/a", "--root=/b", "--format", "text", "--json");
    assert_string_equal(arguments_get(&outcome.arguments, "root"), "/b");
    assert_string_equal(arguments_get(&outcome.arguments, "format"), "json");
    AUTO_OUTCOME struct outcome other = PARSE("--json", "--format=text");
    assert_string_equal(arguments_get(&other.arguments, "format"), "text");
}

static void repeated_values_add_up(void **state)
{
    (void)state;
    AUTO_OUTCOME struct outcome outcome = PARSE("--only", "a, b,,", "--only=c");
    const struct strlist *only = arguments_all(&outcome.arguments, "only");
    assert_int_equal(only->count, 3);
    assert_string_equal(only->items[0], "a");
    assert_string_equal(only->items[1], "b");
    assert_string_equal(only->items[2], "c");
}

static void unknown_options(void **state)
{
    (void)state;
    AUTO_OUTCOME struct outcome near = PARSE("-q", "--rot=/x");
    assert_refused(&near, "unknown option --rot", "did you mean --root? try gpuenv doctor --help");
    AUTO_OUTCOME struct outcome far = PARSE("--zzzzzzzz");
    assert_refused(&far, "unknown option --zzzzzzzz", "try gpuenv doctor --help");
    AUTO_OUTCOME struct outcome letter = PARSE("-qz");
    assert_refused(&letter, "unknown option -qz", "try gpuenv doctor --help");
    AUTO_OUTCOME struct outcome triple = PARSE("---root");
    assert_refused(&triple, "unknown option ---root",
                   "did you mean --root? try gpuenv doctor --help");
}

static void missing_values(void **state)
{
    (void)state;
    AUTO_OUTCOME struct outcome last = PARSE("--root");
    assert_refused(&last, "--root needs a value, DIR", "try gpuenv doctor --help");
    AUTO_OUTCOME struct outcome empty = PARSE("--root=");
    assert_refused(&empty, "--root needs a value, DIR", "try gpuenv doctor --help");
    AUTO_OUTCOME struct outcome letter = PARSE("-qo");
    assert_refused(&letter, "--output needs a value, FILE", "try gpuenv doctor --help");
    AUTO_OUTCOME struct outcome commas = PARSE("--only", " , ,");
    assert_refused(&commas, "--only needs a value, CODE,...", "try gpuenv doctor --help");
    AUTO_OUTCOME struct outcome surplus = PARSE("--quiet=1");
    assert_refused(&surplus, "--quiet takes no value", "try gpuenv doctor --help");
}

static void twins(void **state)
{
    (void)state;
    const char *const *in =
        VARIABLES("GPUENV_ROOT", "/env", "GPUENV_ONLY", "a,b", "GPUENV_NO_COLOR", "Yes",
                  "GPUENV_QUIET", "0", "GPUENV_OUTPUT", "", "GPUENV_HELP", "1");
    AUTO_OUTCOME struct outcome outcome = PARSE_IN(in, "--only", "c");
    assert_true(outcome.ok);
    assert_string_equal(arguments_get(&outcome.arguments, "root"), "/env");
    assert_string_equal(arguments_origin(&outcome.arguments, "root"), "GPUENV_ROOT");
    assert_int_equal(arguments_all(&outcome.arguments, "only")->count, 1);
    assert_true(arguments_have(&outcome.arguments, "no-color"));
    assert_false(arguments_have(&outcome.arguments, "quiet"));
    assert_false(arguments_have(&outcome.arguments, "output"));
    assert_false(arguments_have(&outcome.arguments, "help"));
    AUTO_OUTCOME struct outcome alone = PARSE_IN(in);
    assert_int_equal(arguments_all(&alone.arguments, "only")->count, 2);
}

static void twins_of_aliases(void **state)
{
    (void)state;
    AUTO_OUTCOME struct outcome json = PARSE_IN(VARIABLES("GPUENV_JSON", "1"));
    assert_string_equal(arguments_get(&json.arguments, "format"), "json");
    AUTO_OUTCOME struct outcome line = PARSE_IN(VARIABLES("GPUENV_JSON", "1"), "--format", "text");
    assert_string_equal(arguments_get(&line.arguments, "format"), "text");
    AUTO_OUTCOME struct outcome both =
        PARSE_IN(VARIABLES("GPUENV_JSON", "1", "GPUENV_FORMAT", "text"));
    assert_string_equal(arguments_get(&both.arguments, "format"), "text");
}

static void a_twin_that_is_neither_yes_nor_no(void **state)
{
    (void)state;
    AUTO_OUTCOME struct outcome outcome = PARSE_IN(VARIABLES("GPUENV_QUIET", "maybe"));
    assert_refused(&outcome, "GPUENV_QUIET is \"maybe\", which is neither 1 nor 0",
                   "try gpuenv doctor --help");
}

static void a_twin_that_names_nothing(void **state)
{
    (void)state;
    AUTO_OUTCOME struct outcome outcome = PARSE_IN(VARIABLES("GPUENV_ONLY", " , "));
    assert_refused(&outcome, "GPUENV_ONLY needs a value, CODE,...", "try gpuenv doctor --help");
}

static void help_is_the_table(void **state)
{
    (void)state;
    static const struct option long_one = {
        .name = "a-name-that-is-long", .argument = "VALUE", .help = "explained below it"};
    static const struct option *const two[] = {&option_output, &long_one, &option_only, NULL};
    AUTO_TEXT struct text text = {0};
    options_append_help(two, 80, &text);
    assert_string_equal(text_string(&text), "  -o, --output FILE        to\n"
                                            "      --a-name-that-is-long VALUE\n"
                                            "                           explained below it\n"
                                            "      --only CODE,...      these (repeatable)\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(long_forms),
        cmocka_unit_test(given_once),
        cmocka_unit_test(short_forms),
        cmocka_unit_test(dashes_end_the_options),
        cmocka_unit_test(a_value_may_look_like_an_option),
        cmocka_unit_test(the_last_one_counts),
        cmocka_unit_test(repeated_values_add_up),
        cmocka_unit_test(unknown_options),
        cmocka_unit_test(missing_values),
        cmocka_unit_test(twins),
        cmocka_unit_test(twins_of_aliases),
        cmocka_unit_test(a_twin_that_is_neither_yes_nor_no),
        cmocka_unit_test(a_twin_that_names_nothing),
        cmocka_unit_test(help_is_the_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
