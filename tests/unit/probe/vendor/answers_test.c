/* SPDX-License-Identifier: MIT */
#include "test.h"

#include <time.h>

#include "facts/facts.h"
#include "host/child/asking.h"
#include "probe/vendor/answers.h"

#define OWN "answer/libx.so.1"

static const char *const kinds[] = {"cuda", NULL};
static const struct vendor_question question = {.family = "driver", .kinds = kinds};

/* Facts and the number of lines thrown away. */
struct taken {
    struct facts *facts;
    size_t thrown_away;
};

static struct taken take(const char *lines)
{
    struct text text = {0};
    text_append(&text, lines);
    struct taken taken = {.facts = facts_new()};
    taken.thrown_away = answers_take(&text, &question, OWN, taken.facts);
    text_free(&text);
    return taken;
}

static void nothing_is_taken(const char *line)
{
    struct taken taken = take(line);
    if (taken.thrown_away != 1 || facts_group_count(taken.facts) != 0)
        fail_msg("taken: %s", line);
    facts_free(taken.facts);
}

static void answer_all(struct channel *channel, const void *context)
{
    (void)context;
    struct strlist list = {0};
    strlist_add(&list, "plain");
    strlist_add(&list, "b\xff");
    answer_string(channel, OWN, "version", "9.19.0", "cudnnGetVersion");
    answer_string(channel, OWN, "init_name", "a\xff\033\"\\", "f");
    answer_string(channel, OWN, "library", NULL, "f");
    answer_integer(channel, OWN, "init", -5, "cuInit");
    answer_integer(channel, "cuda", "count", INT64_MAX, "cuInit");
    answer_boolean(channel, "cuda/0", "ecc", true, "f");
    answer_absent(channel, "cuda/0", "uuid", "f");
    answer_unknown(channel, "cuda/0", "name", "error 999\n", "cuDeviceGetName");
    answer_list(channel, "nvml/0", "processes", &list, "f");
    strlist_free(&list);
}

static const char *const both_kinds[] = {"cuda", "nvml", NULL};
static const struct vendor_question both = {.family = "driver", .kinds = both_kinds};

static uint64_t ten_seconds_on(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + 10000;
}

static void assert_string(const struct facts *facts, const char *group, const char *name,
                          const char *value)
{
    const char *found = facts_string(facts, group, name);
    assert_non_null(found);
    assert_string_equal(found, value);
}

static void what_a_child_says_arrives(void **state)
{
    (void)state;
    struct host *host = host_new(NULL, NULL);
    struct asking asking = {.library = "libx.so.1", .ask = answer_all};
    struct reply reply = {0};
    asking_all(host, &asking, 1, ten_seconds_on(), &reply);
    assert_true(reply.complete);
    struct facts *facts = facts_new();
    assert_int_equal(answers_take(&reply.answers, &both, OWN, facts), 0);

    int64_t integer;
    assert_string(facts, OWN, "version", "9.19.0");
    assert_string_equal(facts_get(facts, OWN, "version")->source, "cudnnGetVersion");
    assert_string(facts, OWN, "init_name", "a\xff\033\"\\");
    assert_int_equal(facts_get(facts, OWN, "library")->state, FACT_ABSENT);
    assert_true(facts_integer(facts, OWN, "init", &integer));
    assert_int_equal(integer, -5);
    assert_true(facts_integer(facts, "cuda", "count", &integer));
    assert_true(integer == INT64_MAX);
    assert_true(facts_true(facts, "cuda/0", "ecc"));
    assert_int_equal(facts_get(facts, "cuda/0", "uuid")->state, FACT_ABSENT);
    assert_int_equal(facts_get(facts, "cuda/0", "name")->state, FACT_UNKNOWN);
    assert_string_equal(facts_get(facts, "cuda/0", "name")->reason, "error 999\n");
    const struct strlist *list = facts_list(facts, "nvml/0", "processes");
    assert_non_null(list);
    assert_int_equal(list->count, 2);
    assert_string_equal(list->items[1], "b\xff");
    facts_free(facts);
    reply_free(&reply);
    host_free(host);
}

static void lines_are_checked_against_the_dictionary(void **state)
{
    (void)state;
    static const char *const lines[] = {
        "",
        "hello",
        "[]",
        "{}",
        "{\"group\":\"" OWN "\",\"name\":\"version\",\"value\":\"1\"}",
        "{\"group\":\"" OWN "\",\"name\":\"version\",\"source\":\"x\"}",
        "{\"group\":\"" OWN "\",\"name\":\"nonsense\",\"value\":\"1\",\"source\":\"x\"}",
        "{\"group\":\"" OWN "\",\"name\":\"version\",\"value\":1,\"source\":\"x\"}",
        "{\"group\":\"" OWN "\",\"name\":\"version\",\"value\":{},\"source\":\"x\"}",
        "{\"group\":\"" OWN "\",\"name\":\"version\",\"value\":1.5,\"source\":\"x\"}",
        "{\"group\":\"" OWN "\",\"name\":\"version\",\"skipped\":\"x\",\"source\":\"x\"}",
        "{\"group\":\"" OWN "\",\"name\":\"init\",\"value\":99999999999999999999,\"source\":\"x\"}",
        "{\"group\":\"" OWN "\",\"name\":\"version\",\"value\":\"1\\u0000\",\"source\":\"x\"}",
        "{\"group\":\"" OWN "\",\"name\":\"version\",\"value\":\"\xff\",\"source\":\"x\"}",
        "{\"group\":\"answer/other\",\"name\":\"version\",\"value\":\"1\",\"source\":\"x\"}",
        "{\"group\":\"answer\",\"name\":\"version\",\"value\":\"1\",\"source\":\"x\"}",
        "{\"group\":\"os\",\"name\":\"id\",\"value\":\"1\",\"source\":\"x\"}",
        "{\"group\":\"nvml\",\"name\":\"count\",\"value\":1,\"source\":\"x\"}",
        "{\"group\":\"cuda\",\"name\":\"name\",\"value\":\"1\",\"source\":\"x\"}",
        "{\"group\":\"cuda/\\u001b[31m\",\"name\":\"name\",\"value\":\"1\",\"source\":\"x\"}",
        "{\"group\":\"cudax\",\"name\":\"name\",\"value\":\"1\",\"source\":\"x\"}",
        "{\"group\":7,\"name\":\"version\",\"value\":\"1\",\"source\":\"x\"}",
    };
    for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
        AUTO_FREE char *line = mem_printf("%s\n", lines[i]);
        nothing_is_taken(line);
    }
}

#define GOOD "{\"group\":\"" OWN "\",\"name\":\"version\",\"value\":\"1.2\",\"source\":\"x\"}"

static void good_lines_among_bad_ones_are_taken(void **state)
{
    (void)state;
    struct taken taken = take("nonsense\n" GOOD "\n{\"group\":\"" OWN "\",\"na");
    assert_int_equal(taken.thrown_away, 2);
    assert_string(taken.facts, OWN, "version", "1.2");
    facts_free(taken.facts);

    taken = take(GOOD); /* the end is cut off at a good place */
    assert_int_equal(taken.thrown_away, 0);
    assert_string(taken.facts, OWN, "version", "1.2");
    facts_free(taken.facts);

    taken = take("");
    assert_int_equal(taken.thrown_away, 0);
    assert_int_equal(facts_group_count(taken.facts), 0);
    facts_free(taken.facts);
}

static void an_endless_line_is_thrown_away(void **state)
{
    (void)state;
    struct text line = {0};
    text_append(&line, "{\"group\":\"" OWN "\",\"name\":\"version\",\"source\":\"x\",\"value\":\"");
    while (line.size < ANSWER_LINE_MAX)
        text_append_char(&line, '1');
    text_append(&line, "\"}\n" GOOD "\n");
    struct taken taken = take(text_string(&line));
    assert_int_equal(taken.thrown_away, 1);
    assert_string(taken.facts, OWN, "version", "1.2");
    facts_free(taken.facts);
    text_free(&line);
}

static void the_number_of_instances_is_bounded(void **state)
{
    (void)state;
    struct text lines = {0};
    for (int i = 0; i < ANSWER_INSTANCES + 10; i++)
        text_printf(&lines,
                    "{\"group\":\"cuda/%d\",\"name\":\"name\",\"value\":\"x\",\"source\":\"x\"}\n"
                    "{\"group\":\"cuda/%d\",\"name\":\"ecc\",\"value\":true,\"source\":\"x\"}\n",
                    i, i);
    struct taken taken = take(text_string(&lines));
    assert_int_equal(taken.thrown_away, 20);
    assert_int_equal(facts_group_count(taken.facts), ANSWER_INSTANCES);
    facts_free(taken.facts);
    text_free(&lines);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_child_says_arrives),
        cmocka_unit_test(lines_are_checked_against_the_dictionary),
        cmocka_unit_test(good_lines_among_bad_ones_are_taken),
        cmocka_unit_test(an_endless_line_is_thrown_away),
        cmocka_unit_test(the_number_of_instances_is_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
