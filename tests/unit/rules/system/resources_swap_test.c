/* SPDX-License-Identifier: MIT */
#include "rules/world.h"

#define CAUSE "no_swap"

static void little_memory_and_no_swap(void **state)
{
    (void)state;
    struct facts *facts = world_with_driver("570.86.15");
    assert_check(facts, PURPOSE_RUN, CAUSE, CHECK_SKIP, "how much memory");
    facts_set_integer(facts, "memory", "total_bytes", 8LL << 30, "/proc/meminfo");
    facts_set_integer(facts, "memory", "available_bytes", 300LL << 20, "/proc/meminfo");
    facts_set_integer(facts, "memory", "swap_total_bytes", 0, "/proc/meminfo");
    assert_found(facts, PURPOSE_RUN, CAUSE, SEVERITY_WARN, "no swap");
    facts_set_integer(facts, "memory", "available_bytes", 5LL << 30, "/proc/meminfo");
    assert_check(facts, PURPOSE_RUN, CAUSE, CHECK_PASS, NULL);
    facts_set_integer(facts, "memory", "available_bytes", 300LL << 20, "/proc/meminfo");
    facts_set_integer(facts, "memory", "swap_total_bytes", 8LL << 30, "/proc/meminfo");
    assert_check(facts, PURPOSE_RUN, CAUSE, CHECK_PASS, NULL);
    facts_set_unknown(facts, "memory", "swap_total_bytes", "I/O error", "/proc/meminfo");
    assert_check(facts, PURPOSE_RUN, CAUSE, CHECK_UNKNOWN, "I/O error");
    facts_free(facts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(little_memory_and_no_swap)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
