/* SPDX-License-Identifier: MIT */
#include "probe/tree.h"

#define CGROUP "/proc/self/cgroup"
#define LIMIT  "memory", "cgroup_limit_bytes"

static void reads_meminfo(void **state)
{
    struct tree *tree = *state;
    tree_file(tree, "/proc/meminfo",
              "MemTotal:       263851204 kB\nMemFree: 1 kB\nSwapTotal:             0 kB\n");
    tree_probe(tree, probe_memory);
    assert_fact_integer(tree, "memory", "total_bytes", 263851204LL * 1024);
    assert_fact_integer(tree, "memory", "swap_total_bytes", 0);
    assert_fact_absent(tree, "memory", "available_bytes");
    assert_fact_absent(tree, LIMIT);
}

static void an_empty_tree_is_skipped(void **state)
{
    struct tree *tree = *state;
    tree_probe(tree, probe_memory);
    assert_fact_skipped(tree, "memory", "total_bytes", "/proc/meminfo");
    assert_fact_skipped(tree, LIMIT, "/proc/meminfo");
}

static void survives_hostile_numbers(void **state)
{
    struct tree *tree = *state;
    tree_file(tree, "/proc/meminfo",
              "MemTotal: 99999999999999999999 kB\nMemAvailable: 5 MB\nSwapTotal: -1 kB");
    tree_probe(tree, probe_memory);
    assert_fact_unknown(tree, "memory", "total_bytes", "not a number of kB");
    assert_fact_unknown(tree, "memory", "available_bytes", "5 MB");
    assert_fact_unknown(tree, "memory", "swap_total_bytes", "-1");
}

static void the_lowest_limit_on_the_way_up_counts(void **state)
{
    struct tree *tree = *state;
    tree_file(tree, CGROUP, "0::/user.slice/job.scope\n");
    tree_file(tree, "/sys/fs/cgroup/user.slice/job.scope/memory.max", "8589934592\n");
    tree_file(tree, "/sys/fs/cgroup/user.slice/memory.max", "4294967296\n");
    tree_file(tree, "/sys/fs/cgroup/memory.max", "max\n");
    tree_probe(tree, probe_memory);
    assert_fact_integer(tree, LIMIT, 4294967296);
    assert_string_equal(tree_fact(tree, LIMIT)->source, "/sys/fs/cgroup/user.slice/memory.max");

    tree_file(tree, "/sys/fs/cgroup/user.slice/memory.max", "max\n");
    tree_file(tree, "/sys/fs/cgroup/user.slice/job.scope/memory.max", "max\n");
    tree_probe(tree, probe_memory);
    assert_fact_absent(tree, LIMIT);
}

/* In a container the mount shows the container's own cgroup as its root. */
static void reads_the_root_of_the_mount(void **state)
{
    struct tree *tree = *state;
    tree_file(tree, CGROUP, "0::/\n");
    tree_file(tree, "/sys/fs/cgroup/memory.max", "1024\n");
    tree_probe(tree, probe_memory);
    assert_fact_integer(tree, LIMIT, 1024);
    assert_string_equal(tree_fact(tree, LIMIT)->source, "/sys/fs/cgroup/memory.max");
}

static void version_1_counts_where_it_has_memory(void **state)
{
    struct tree *tree = *state;
    tree_file(tree, CGROUP, "5:cpu,memory:/docker/abc\n1:name=systemd:/x\n0::/\n");
    tree_file(tree, "/sys/fs/cgroup/memory.max", "1024\n");
    tree_file(tree, "/sys/fs/cgroup/memory/memory.limit_in_bytes", "2048\n");
    tree_probe(tree, probe_memory);
    assert_fact_integer(tree, LIMIT, 2048);
    tree_file(tree, "/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
    tree_probe(tree, probe_memory);
    assert_fact_absent(tree, LIMIT);
}

static void survives_hostile_cgroups(void **state)
{
    static const char *const texts[] = {
        "", "\n", ":", "::", "0::", "0::../../..", "x", "0::a\n:::"};
    struct tree *tree = *state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        tree_file(tree, CGROUP, texts[i]);
        tree_probe(tree, probe_memory);
        assert_fact_absent(tree, LIMIT);
    }
    AUTO_FREE char *slashes = mem_alloc(200001);
    memset(slashes, '/', 200000);
    AUTO_FREE char *deep = mem_printf("0::%s", slashes);
    tree_file(tree, CGROUP, deep);
    tree_probe(tree, probe_memory);
    assert_fact_absent(tree, LIMIT);
}

static void counts_what_the_limit_killed(void **state)
{
    struct tree *tree = *state;
    tree_probe(tree, probe_memory);
    assert_fact_skipped(tree, "memory", "cgroup_oom_kills", "/proc/meminfo");
    tree_file(tree, CGROUP, "0::/a\n");
    tree_probe(tree, probe_memory);
    assert_fact_absent(tree, "memory", "cgroup_oom_kills");
    tree_file(tree, "/sys/fs/cgroup/memory.events", "low 0\noom 4\noom_kill 3\n");
    tree_probe(tree, probe_memory);
    assert_fact_integer(tree, "memory", "cgroup_oom_kills", 3);
    tree_file(tree, "/sys/fs/cgroup/a/memory.events", "oom_kill 1\noom_kill x\n");
    tree_probe(tree, probe_memory);
    assert_fact_integer(tree, "memory", "cgroup_oom_kills", 1);
    tree_file(tree, CGROUP, "4:memory:/b\n");
    tree_file(tree, "/sys/fs/cgroup/memory/b/memory.oom_control", "under_oom 0\noom_kill 7\n");
    tree_probe(tree, probe_memory);
    assert_fact_integer(tree, "memory", "cgroup_oom_kills", 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        tree_test(reads_meminfo),
        tree_test(an_empty_tree_is_skipped),
        tree_test(survives_hostile_numbers),
        tree_test(the_lowest_limit_on_the_way_up_counts),
        tree_test(reads_the_root_of_the_mount),
        tree_test(version_1_counts_where_it_has_memory),
        tree_test(survives_hostile_cgroups),
        tree_test(counts_what_the_limit_killed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
