/* SPDX-License-Identifier: MIT */
#include "install/fetch/fetch_rules.h"

static const struct rule {
    unsigned tries; /* how often a file is tried at a mirror that fails like that */
    bool is_answer; /* to what was asked for, or the lack of one */
} rules[] = {
    [FAULT_NONE] = {.tries = 1},
    [FAULT_STATUS] = {.tries = FETCH_TRIES, .is_answer = true}, /* where it may pass */
    [FAULT_PROXY] = {.tries = FETCH_TRIES},
    [FAULT_RESOLVE] = {.tries = FETCH_TRIES},
    [FAULT_CONNECT] = {.tries = FETCH_TRIES},
    [FAULT_CUT] = {.tries = FETCH_TRIES, .is_answer = true},
    [FAULT_STALLED] = {.tries = FETCH_TRIES, .is_answer = true},
    [FAULT_TLS] = {.tries = 2}, /* mostly two programs that will never agree, at times a lost
                                   connection */
    [FAULT_CERTIFICATE] = {.tries = 1},
    [FAULT_RANGE] = {.tries = 1, .is_answer = true},
    [FAULT_WRONG] = {.tries = 1, .is_answer = true},
    [FAULT_DIGEST] = {.tries = 1}, /* where it is not ours: fetch_refuse.c */
    [FAULT_REDIRECT] = {.tries = 1, .is_answer = true},
    [FAULT_OTHER] = {.tries = 1, .is_answer = true},
};

bool fetch_status_may_pass(long status)
{
    return status == 408 || status == 429 || status == 500 || (status >= 502 && status <= 504) ||
           (status >= 506 && status <= 599);
}

static bool is_passing(const struct fetch_try *ended)
{
    if (ended->fault == FAULT_STATUS || ended->fault == FAULT_PROXY)
        return fetch_status_may_pass(ended->status);
    return rules[ended->fault].tries > 1;
}

static bool may_pass(const struct fetch_try *ended)
{
    return is_passing(ended) && ended->tries < rules[ended->fault].tries;
}

/* A mirror whose answers to "from byte N on" are wrong may have the whole file. So does one that
 * never answered to that; but not one that sent a part and then broke off: what has come is good.
 */
static bool may_be_the_range(const struct fetch_try *ended)
{
    return ended->resumed && rules[ended->fault].is_answer &&
           !(is_passing(ended) && ended->range_good);
}

/* Doubled each time, and a quarter more or less, so that many machines do not come back as one. A
 * mirror that has answered before gets four times as long: waiting is likely to help there, and
 * the waits then bridge an outage of 20 s. */
static uint64_t wait_of(const struct fetch_try *ended)
{
    uint64_t base = ended->base_ms ? ended->base_ms : FETCH_BASE_MS;
    uint64_t wait = (ended->reached ? 4 * base : base) << (ended->tries - 1);
    wait = wait * 3 / 4 + wait * ended->random / 2048;
    uint64_t asked = ended->retry_after_s > 0 ? (uint64_t)ended->retry_after_s * 1000 : 0;
    asked += asked * ended->random / 4096;
    return wait > asked ? wait : asked;
}

struct fetch_decision fetch_decide(const struct fetch_try *ended)
{
    if (ended->fault == FAULT_NONE)
        return (struct fetch_decision){.action = FETCH_TAKE};
    bool is_sent_away = is_passing(ended) && ended->retry_after_s > FETCH_RETRY_AFTER;
    if (may_pass(ended) && !is_sent_away)
        return (struct fetch_decision){.action = FETCH_RETRY, .wait_ms = wait_of(ended)};
    if (may_be_the_range(ended) && !is_sent_away)
        return (struct fetch_decision){.action = FETCH_RESTART};
    return (struct fetch_decision){.action = FETCH_NEXT_MIRROR};
}

/* What was best is forgotten slowly: neither a burst nor an even line keeps others out for good. */
#define FORGETS 64

unsigned fetch_places_look(struct fetch_places *places, uint64_t now_ms, uint64_t bytes,
                           unsigned most)
{
    if (places->count == 0)
        *places = (struct fetch_places){.count = 1, .looked_ms = now_ms, .bytes = bytes};
    uint64_t passed = now_ms - places->looked_ms;
    if (passed < FETCH_LOOK_MS || places->count >= most)
        return places->count;
    uint64_t rate = (bytes - places->bytes) * 1000 / passed;
    places->best -= places->best / FORGETS;
    if (rate >= places->best + places->best / 10 || rate < places->best / 2) {
        places->count++;
        places->best = rate;
    }
    places->looked_ms = now_ms;
    places->bytes = bytes;
    return places->count;
}
