/* SPDX-License-Identifier: MIT */
#include "probe/tree.h"

/* A process of a tree, with links as /proc/PID/fd has them. */
static void add_process(const struct tree *tree, const char *pid, const char *name,
                        const char *parent)
{
    AUTO_FREE char *comm = mem_printf("/proc/%s/comm", pid);
    AUTO_FREE char *status = mem_printf("/proc/%s/status", pid);
    AUTO_FREE char *fd = mem_printf("/proc/%s/fd", pid);
    AUTO_FREE char *line = mem_printf("Name:\tx\nTgid:\t%s\nPPid:\t%s\nUid:\t0\n", pid, parent);
    tree_file(tree, comm, name);
    tree_file(tree, status, line);
    tree_directory(tree, fd);
}

static void add_link(const struct tree *tree, const char *pid, const char *fd, const char *target)
{
    AUTO_FREE char *path = mem_printf("/proc/%s/fd/%s", pid, fd);
    tree_link(tree, path, target);
}

static void finds_who_has_a_gpu_open(void **state)
{
    struct tree *tree = *state;
    add_process(tree, "1", "init\n", "0");
    add_link(tree, "1", "0", "/dev/null");
    add_process(tree, "4711", "python3\n", "1");
    add_link(tree, "4711", "3", "/dev/nvidiactl");
    add_link(tree, "4711", "4", "/dev/nvidia1");
    add_link(tree, "4711", "5", "/dev/nvidia0");
    add_link(tree, "4711", "6", "/dev/nvidia0");
    tree_file(tree, "/proc/4711/stat",
              "4711 (py) D 9 (x) D 1 2 3 0 -1 4 5 6 7 8 9 10 11 12 20 0 1 0 987654 1 2\n");
    add_process(tree, "4712", "nvidia-smi\n", "4711");
    add_link(tree, "4712", "3", "/dev/nvidiactl");
    add_link(tree, "4712", "4", "/dev/nvidia-uvm");
    add_link(tree, "4712", "5", "socket:[12345]");
    add_link(tree, "4712", "6", "/home/me/dev/nvidia0");
    tree_probe(tree, probe_gpu_process);
    assert_fact_integer(tree, "gpu_process", "count", 1);
    assert_fact_integer(tree, "gpu_process/4711", "pid", 4711);
    assert_fact(tree, "gpu_process/4711", "name", "python3");
    assert_fact_list(tree, "gpu_process/4711", "nodes", "/dev/nvidia0,/dev/nvidia1");
    assert_fact_integer(tree, "gpu_process/4711", "parent", 1);
    assert_fact(tree, "gpu_process/4711", "state", "D");
    assert_fact_integer(tree, "gpu_process/4711", "started_seconds", 9876);
    assert_null(facts_get(tree->facts, "gpu_process/4712", "pid"));
}

static void a_process_that_goes_away_is_told_as_far_as_it_was_seen(void **state)
{
    struct tree *tree = *state;
    tree_directory(tree, "/proc/77/fd");
    add_link(tree, "77", "3", "/dev/nvidia7");
    tree_directory(tree, "/proc/78");
    tree_file(tree, "/proc/79/fd", "no directory");
    add_process(tree, "80", "x\n", "many");
    tree_file(tree, "/proc/80/stat", "80 (x) S 1\n");
    add_link(tree, "80", "3", "/dev/nvidia7");
    tree_probe(tree, probe_gpu_process);
    assert_fact_integer(tree, "gpu_process", "count", 2);
    assert_fact_absent(tree, "gpu_process/77", "name");
    assert_fact_absent(tree, "gpu_process/77", "parent");
    assert_fact_absent(tree, "gpu_process/77", "state");
    assert_fact_unknown(tree, "gpu_process/80", "state", "22 fields");
    assert_fact_unknown(tree, "gpu_process/80", "parent", "not a number: \"many\"");
}

static void links_are_never_followed(void **state)
{
    struct tree *tree = *state;
    add_process(tree, "5", "x\n", "1");
    add_link(tree, "5", "3", "/proc/5/fd/4");
    add_link(tree, "5", "4", "/proc/5/fd/3");
    add_link(tree, "5", "5", "/link");
    tree_link(tree, "/link", "/dev/nvidia0");
    tree_probe(tree, probe_gpu_process);
    assert_fact_integer(tree, "gpu_process", "count", 0);
}

static void what_may_not_be_seen_is_said(void **state)
{
    struct tree *tree = *state;
    bool root = getuid() == 0;
    add_process(tree, "6", "x\n", "1");
    AUTO_FREE char *path = tree_path(tree, "/proc/6/fd");
    assert_int_equal(chmod(path, 0), 0);
    assert_int_equal(chmod(tree->root, 0755), 0);
    assert_true(!root || seteuid(65534) == 0); /* root may look everywhere */
    tree_probe(tree, probe_gpu_process);
    assert_true(!root || seteuid(0) == 0);
    assert_int_equal(chmod(path, 0700), 0);
    assert_fact_skipped(tree, "gpu_process", "count", "(1 belong to other users)");
}

static void without_nodes_nobody_has_one_open(void **state)
{
    struct tree *tree = *state;
    tree_directory(tree, "/dev");
    tree_probe(tree, probe_device);
    struct host *host = host_new(tree->root, NULL);
    struct probe_context context = {.host = host};
    add_process(tree, "9", "x\n", "1");
    add_link(tree, "9", "3", "/dev/nvidia0");
    probe_gpu_process(&context, tree->facts);
    assert_fact_integer(tree, "gpu_process", "count", 0);
    assert_null(facts_get(tree->facts, "gpu_process/9", "pid"));
    host_free(host);
}

/* Whoever runs the test has its own links to read, which the kernel makes up. */
static void the_live_machine_s_processes_are_read(void **state)
{
    struct tree *tree = *state;
    tree_probe_root(tree, "/", NULL, NULL, probe_gpu_process);
    assert_true(tree_fact(tree, "gpu_process", "count")->state != FACT_UNKNOWN);
    assert_true(tree_fact(tree, "gpu_process", "count")->state != FACT_ABSENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        tree_test(finds_who_has_a_gpu_open),
        tree_test(a_process_that_goes_away_is_told_as_far_as_it_was_seen),
        tree_test(links_are_never_followed),
        tree_test(what_may_not_be_seen_is_said),
        tree_test(without_nodes_nobody_has_one_open),
        tree_test(the_live_machine_s_processes_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
