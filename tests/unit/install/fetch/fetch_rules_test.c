/* SPDX-License-Identifier: MIT */
#include "test.h"

#include "install/fetch/fetch_rules.h"

static enum fetch_action action_of(enum fetch_fault fault, long status, unsigned tries)
{
    const struct fetch_try ended = {.fault = fault, .status = status, .tries = tries};
    return fetch_decide(&ended).action;
}

static void test_statuses(void **state)
{
    (void)state;
    static const long passing[] = {408, 429, 500, 502, 503, 504, 520, 599};
    static const long lasting[] = {100, 204, 300, 304, 400, 401, 403, 404, 407,
                                   410, 411, 414, 416, 418, 451, 501, 505, 999};
    for (size_t i = 0; i < sizeof(passing) / sizeof(*passing); i++) {
        assert_int_equal(action_of(FAULT_STATUS, passing[i], 1), FETCH_RETRY);
        assert_int_equal(action_of(FAULT_STATUS, passing[i], 4), FETCH_RETRY);
        assert_int_equal(action_of(FAULT_STATUS, passing[i], 5), FETCH_NEXT_MIRROR);
        assert_int_equal(action_of(FAULT_PROXY, passing[i], 4), FETCH_RETRY);
    }
    for (size_t i = 0; i < sizeof(lasting) / sizeof(*lasting); i++) {
        assert_int_equal(action_of(FAULT_STATUS, lasting[i], 1), FETCH_NEXT_MIRROR);
        assert_int_equal(action_of(FAULT_PROXY, lasting[i], 1), FETCH_NEXT_MIRROR);
    }
}

static void test_faults(void **state)
{
    (void)state;
    static const enum fetch_fault passing[] = {FAULT_RESOLVE, FAULT_CONNECT, FAULT_CUT,
                                               FAULT_STALLED};
    static const enum fetch_fault lasting[] = {FAULT_CERTIFICATE, FAULT_WRONG, FAULT_DIGEST,
                                               FAULT_REDIRECT, FAULT_OTHER};
    assert_int_equal(action_of(FAULT_NONE, 200, 1), FETCH_TAKE);
    for (size_t i = 0; i < sizeof(passing) / sizeof(*passing); i++) {
        assert_int_equal(action_of(passing[i], 0, 4), FETCH_RETRY);
        assert_int_equal(action_of(passing[i], 0, 5), FETCH_NEXT_MIRROR);
    }
    for (size_t i = 0; i < sizeof(lasting) / sizeof(*lasting); i++)
        assert_int_equal(action_of(lasting[i], 0, 1), FETCH_NEXT_MIRROR);
    assert_int_equal(action_of(FAULT_TLS, 0, 1), FETCH_RETRY);
    assert_int_equal(action_of(FAULT_TLS, 0, 2), FETCH_NEXT_MIRROR);
    assert_int_equal(action_of(FAULT_RANGE, 206, 1), FETCH_NEXT_MIRROR);
}

static enum fetch_action action_of_rest(enum fetch_fault fault, long status, unsigned tries,
                                        bool range_good)
{
    const struct fetch_try ended = {.fault = fault,
                                    .status = status,
                                    .tries = tries,
                                    .resumed = true,
                                    .range_good = range_good};
    return fetch_decide(&ended).action;
}

/* A mirror that does not give the rest of a file is asked for all of it before it is left. */
static void test_wrong_answers_to_a_range(void **state)
{
    (void)state;
    static const enum fetch_fault wrong[] = {FAULT_RANGE, FAULT_WRONG, FAULT_REDIRECT, FAULT_OTHER};
    static const enum fetch_fault no_answer[] = {FAULT_RESOLVE, FAULT_CONNECT, FAULT_TLS,
                                                 FAULT_CERTIFICATE, FAULT_PROXY};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
        for (unsigned tries = 1; tries <= FETCH_TRIES; tries++) {
            assert_int_equal(action_of_rest(wrong[i], 206, tries, false), FETCH_RESTART);
            assert_int_equal(action_of_rest(wrong[i], 206, tries, true), FETCH_RESTART);
            assert_int_equal(action_of(wrong[i], 206, tries), FETCH_NEXT_MIRROR);
        }
    for (size_t i = 0; i < sizeof(no_answer) / sizeof(*no_answer); i++)
        assert_int_equal(action_of_rest(no_answer[i], 407, FETCH_TRIES, false), FETCH_NEXT_MIRROR);
    assert_int_equal(action_of_rest(FAULT_NONE, 206, 1, false), FETCH_TAKE);
    assert_int_equal(action_of_rest(FAULT_STATUS, 404, 1, false), FETCH_RESTART);
    assert_int_equal(action_of_rest(FAULT_STATUS, 403, 1, true), FETCH_RESTART);
}

/* What may pass is tried as often as ever; then all of the file is asked for where no part of it
 * ever came. Where one did, it is kept for the next run. */
static void test_ranges_without_an_answer(void **state)
{
    (void)state;
    static const enum fetch_fault passing[] = {FAULT_STATUS, FAULT_CUT, FAULT_STALLED};
    for (size_t i = 0; i < sizeof(passing) / sizeof(*passing); i++) {
        assert_int_equal(action_of_rest(passing[i], 503, FETCH_TRIES - 1, false), FETCH_RETRY);
        assert_int_equal(action_of_rest(passing[i], 503, FETCH_TRIES, false), FETCH_RESTART);
        assert_int_equal(action_of_rest(passing[i], 503, FETCH_TRIES - 1, true), FETCH_RETRY);
        assert_int_equal(action_of_rest(passing[i], 503, FETCH_TRIES, true), FETCH_NEXT_MIRROR);
        assert_int_equal(action_of(passing[i], 503, FETCH_TRIES + 1), FETCH_NEXT_MIRROR);
    }
    struct fetch_try sent_away = {.fault = FAULT_STATUS,
                                  .status = 429,
                                  .tries = 1,
                                  .resumed = true,
                                  .retry_after_s = FETCH_RETRY_AFTER + 1};
    assert_int_equal(fetch_decide(&sent_away).action, FETCH_NEXT_MIRROR);
}

static uint64_t wait_of(struct fetch_try ended)
{
    ended.fault = FAULT_STATUS;
    ended.status = 503;
    return fetch_decide(&ended).wait_ms;
}

/* The least and the most over all tries. */
static uint64_t sum_of(bool reached, unsigned random)
{
    uint64_t sum = 0;
    for (unsigned tries = 1; tries < FETCH_TRIES; tries++)
        sum += wait_of((struct fetch_try){.tries = tries, .reached = reached, .random = random});
    return sum;
}

static void test_waits(void **state)
{
    (void)state;
    for (unsigned random = 0; random < 1024; random += 1023) {
        uint64_t before = 0;
        for (unsigned tries = 1; tries < FETCH_TRIES; tries++) {
            uint64_t wait = wait_of((struct fetch_try){.tries = tries, .random = random});
            assert_true(wait > before);
            before = wait;
        }
    }
    assert_true(wait_of((struct fetch_try){.tries = 1}) <
                wait_of((struct fetch_try){.tries = 1, .random = 1023}));
    assert_int_equal(wait_of((struct fetch_try){.tries = 1}), 375);
    assert_int_equal(wait_of((struct fetch_try){.tries = 3, .base_ms = 100}), 300);
    assert_true(sum_of(false, 1023) < 10000);
    assert_true(sum_of(true, 0) > 20000); /* H14 */
    assert_true(sum_of(true, 1023) < 40000);
}

static void test_retry_after(void **state)
{
    (void)state;
    struct fetch_try ended = {.tries = 1, .retry_after_s = 2};
    assert_int_equal(wait_of(ended), 2000);
    ended.random = 1023;
    assert_between(wait_of(ended), 2001, 2500);
    ended.retry_after_s = 120;
    assert_true(wait_of(ended) >= 120000);
    ended.retry_after_s = 121;
    ended.fault = FAULT_STATUS;
    ended.status = 503;
    assert_int_equal(fetch_decide(&ended).action, FETCH_NEXT_MIRROR);
    ended.retry_after_s = INT64_MAX;
    assert_int_equal(fetch_decide(&ended).action, FETCH_NEXT_MIRROR);
    ended.retry_after_s = -5;
    assert_int_equal(fetch_decide(&ended).action, FETCH_RETRY);
    assert_true(fetch_decide(&ended).wait_ms < 1000);
}

/* Places after so many looks, each after as many bytes as step says. */
struct line {
    struct fetch_places places;
    uint64_t now, bytes;
};

static unsigned look(struct line *line, uint64_t step, unsigned most)
{
    line->now += FETCH_LOOK_MS;
    line->bytes += step;
    return fetch_places_look(&line->places, line->now, line->bytes, most);
}

/* A clock that began long ago, and bytes that came before. */
static struct line begin(void)
{
    struct line line = {.now = 123456789, .bytes = 55};
    assert_int_equal(fetch_places_look(&line.places, line.now, line.bytes, 6), 1);
    return line;
}

static void test_places_grow(void **state)
{
    (void)state;
    struct line line = begin();
    assert_int_equal(fetch_places_look(&line.places, line.now + FETCH_LOOK_MS - 1, 999, 6), 1);
    for (unsigned count = 2; count <= 6; count++) /* each brings as much as the ones before */
        assert_int_equal(look(&line, (count - 1) * 1000000, 6), count);
    assert_int_equal(look(&line, 60000000, 6), 6);
    line = begin();
    assert_int_equal(look(&line, 1000000, 1), 1);
}

static void test_places_stay(void **state)
{
    (void)state;
    struct line line = begin();
    assert_int_equal(look(&line, 10000000, 6), 2);
    assert_int_equal(look(&line, 10500000, 6), 2);
    assert_int_equal(look(&line, 9000000, 6), 2);
    assert_int_equal(look(&line, 6000000, 6), 2);
    assert_int_equal(look(&line, 4000000, 6), 3); /* a server that has become slow */
    assert_int_equal(look(&line, 0, 6), 4);
}

/* Neither an even line nor one burst keeps it at few places for good. */
static void test_places_forget(void **state)
{
    (void)state;
    struct line line = begin();
    assert_int_equal(look(&line, 10000000, 6), 2);
    assert_int_equal(look(&line, 10000000, 6), 2);
    unsigned looks = 1;
    while (look(&line, 10000000, 6) < 3)
        assert_between(++looks, 2, 9);
    line = begin();
    assert_int_equal(look(&line, 19000000, 6), 2);
    looks = 0;
    while (look(&line, 10000000, 6) < 3)
        assert_between(++looks, 1, 60);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_statuses),
        cmocka_unit_test(test_faults),
        cmocka_unit_test(test_wrong_answers_to_a_range),
        cmocka_unit_test(test_ranges_without_an_answer),
        cmocka_unit_test(test_waits),
        cmocka_unit_test(test_retry_after),
        cmocka_unit_test(test_places_grow),
        cmocka_unit_test(test_places_stay),
        cmocka_unit_test(test_places_forget),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
