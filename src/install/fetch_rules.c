/* SPDX-License-Identifier: MIT */
#include "install/fetch_rules.h"

/* How often a file is tried at a mirror that fails like that. */
static const unsigned tries_of[] = {
    [FAULT_NONE] = 1,
    [FAULT_STATUS] = FETCH_TRIES, /* where status_may_pass() */
    [FAULT_PROXY] = FETCH_TRIES,
    [FAULT_RESOLVE] = FETCH_TRIES,
    [FAULT_CONNECT] = FETCH_TRIES,
    [FAULT_CUT] = FETCH_TRIES,
    [FAULT_STALLED] = FETCH_TRIES,
    [FAULT_TLS] = 2, /* mostly two programs that will never agree, at times a lost connection */
    [FAULT_CERTIFICATE] = 1,
    [FAULT_RANGE] = FETCH_TRIES,
    [FAULT_WRONG] = 1,
    [FAULT_DIGEST] = 1,
    [FAULT_REDIRECT] = 1,
    [FAULT_OTHER] = 1,
};

/* RFC 9110: what may be otherwise in a moment. */
static bool status_may_pass(long status)
{
    return status == 408 || status == 429 || status == 500 || (status >= 502 && status <= 504) ||
           (status >= 506 && status <= 599);
}

static bool may_pass(const struct fetch_try *ended)
{
    if (ended->tries >= tries_of[ended->fault] || ended->retry_after_s > FETCH_RETRY_AFTER)
        return false;
    if (ended->fault == FAULT_STATUS || ended->fault == FAULT_PROXY)
        return status_may_pass(ended->status);
    return true;
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
    if (!may_pass(ended))
        return (struct fetch_decision){.action = FETCH_NEXT_SOURCE};
    if (ended->fault == FAULT_RANGE)
        return (struct fetch_decision){.action = FETCH_RESTART};
    return (struct fetch_decision){.action = FETCH_RETRY, .wait_ms = wait_of(ended)};
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
