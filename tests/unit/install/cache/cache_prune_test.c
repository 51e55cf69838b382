/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "install/cache/cache_prune.h"

#define NOW 1000000

static void add(struct cache_contents *contents, const char *name, uint64_t size, int64_t age,
                bool is_busy)
{
    *vec_push(contents->entries, contents->count, contents->capacity) = (struct cache_entry){
        .name = mem_string(name), .size = size, .used = NOW - age, .is_busy = is_busy};
}

/* The names of what is marked, in order. */
static void assert_marked(const struct cache_limits *limits, const char *expected)
{
    AUTO_CONTENTS struct cache_contents contents = {.fd = -1};
    AUTO_TEXT struct text text = {0};
    add(&contents, "a", 10, 50, false);
    add(&contents, "b", 20, 300, false);
    add(&contents, "c", 30, 300, false);
    add(&contents, "d", 40, 0, false);
    add(&contents, "e", 50, 400, true);
    add(&contents, "f", 5, -20, false); /* a clock that was wrong */
    cache_mark(&contents, limits, NOW);
    for (size_t i = 0; i < contents.count; i++)
        if (contents.entries[i].is_removed)
            text_append(&text, contents.entries[i].name);
    assert_string_equal(text_string(&text), expected);
}

static void nothing_said_is_nothing_marked(void **state)
{
    (void)state;
    assert_marked(&(struct cache_limits){.all = false}, "");
}

static void all_but_what_is_busy(void **state)
{
    (void)state;
    assert_marked(&(struct cache_limits){.all = true}, "abcdf");
}

static void older_is_older(void **state)
{
    (void)state;
    assert_marked(&(struct cache_limits){.by_age = true, .older_than_s = 300}, "");
    assert_marked(&(struct cache_limits){.by_age = true, .older_than_s = 299}, "bc");
    assert_marked(&(struct cache_limits){.by_age = true, .older_than_s = 0}, "abc");
}

/* 155 bytes in all, of which 50 are busy; of equal age the first by name. */
static void the_least_recently_used_goes_first(void **state)
{
    (void)state;
    assert_marked(&(struct cache_limits){.by_size = true, .max_size = 155}, "");
    assert_marked(&(struct cache_limits){.by_size = true, .max_size = 154}, "b");
    assert_marked(&(struct cache_limits){.by_size = true, .max_size = 135}, "b");
    assert_marked(&(struct cache_limits){.by_size = true, .max_size = 134}, "bc");
    assert_marked(&(struct cache_limits){.by_size = true, .max_size = 60}, "abcd");
    assert_marked(&(struct cache_limits){.by_size = true, .max_size = 0}, "abcdf");
}

static void age_and_size_add_up(void **state)
{
    (void)state;
    const struct cache_limits limits = {
        .by_age = true, .older_than_s = 100, .by_size = true, .max_size = 100};
    assert_marked(&limits, "abc");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_said_is_nothing_marked),
        cmocka_unit_test(all_but_what_is_busy),
        cmocka_unit_test(older_is_older),
        cmocka_unit_test(the_least_recently_used_goes_first),
        cmocka_unit_test(age_and_size_add_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
