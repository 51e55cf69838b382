/* SPDX-License-Identifier: MIT */
/* The probes of what only a running machine has: kernel, limits, disk, environment. */
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>

#include "probe/tree.h"

static void the_kernel_is_uname(void **state)
{
    struct tree *tree = *state;
    struct utsname name;
    assert_int_equal(uname(&name), 0);
    tree_probe_root(tree, "/", NULL, NULL, probe_kernel);
    assert_fact(tree, "kernel", "release", name.release);
    assert_fact(tree, "kernel", "version", name.version);
    assert_fact(tree, "kernel", "machine", name.machine);
}

static void limits_are_the_process_s_own(void **state)
{
    struct tree *tree = *state;
    struct rlimit old;
    assert_int_equal(getrlimit(RLIMIT_MEMLOCK, &old), 0);
    struct rlimit low = {.rlim_cur = 4096, .rlim_max = old.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_MEMLOCK, &low), 0);
    tree_probe_root(tree, "/", NULL, NULL, probe_limits);
    assert_int_equal(setrlimit(RLIMIT_MEMLOCK, &old), 0);
    assert_fact_integer(tree, "limits", "user_id", getuid());
    assert_fact_integer(tree, "limits", "memlock_bytes", 4096);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &old), 0);
    if (old.rlim_cur == RLIM_INFINITY)
        assert_fact_absent(tree, "limits", "files");
    else
        assert_fact_integer(tree, "limits", "files", (long long)old.rlim_cur);
    assert_int_equal(getrlimit(RLIMIT_MEMLOCK, &old), 0);
    AUTO_FREE char *group = mem_printf("%u", getgid());
    assert_true(strlist_has(&tree_fact(tree, "limits", "groups")->list, group));
    if (old.rlim_max == RLIM_INFINITY)
        assert_fact_absent(tree, "limits", "memlock_hard_bytes");
    else
        assert_fact_integer(tree, "limits", "memlock_hard_bytes", (long long)old.rlim_max);
}

static void a_tree_has_no_kernel(void **state)
{
    struct tree *tree = *state;
    tree_probe(tree, probe_kernel);
    assert_fact_unknown(tree, "kernel", "release", "no answer");
}

static void tmpdir_is_followed(void **state)
{
    struct tree *tree = *state;
    tree_probe_root(tree, "/", "TMPDIR", tree->root, probe_disk);
    assert_fact(tree, "disk", "tmp_path", tree->root);
    assert_int_equal(tree_fact(tree, "disk", "tmp_free_bytes")->state, FACT_VALUE);

    tree_probe_root(tree, "/", "TMPDIR", "", probe_disk);
    assert_fact(tree, "disk", "tmp_path", "/tmp");

    tree_probe_root(tree, "/", "TMPDIR", "relative\033[31m", probe_disk);
    assert_fact_unknown(tree, "disk", "tmp_free_bytes", "not an absolute path: \"relative\\x1b");
}

static void shared_memory_is_measured(void **state)
{
    struct tree *tree = *state;
    struct statvfs space;
    tree_probe_root(tree, "/", NULL, NULL, probe_disk);
    if (statvfs("/dev/shm", &space) == 0) {
        unsigned long long bytes = (unsigned long long)space.f_frsize * space.f_blocks;
        assert_fact_integer(tree, "disk", "shm_bytes", (long long)bytes);
        return;
    }
    assert_fact_absent(tree, "disk", "shm_bytes");
}

static void the_prefix_is_the_user_s(void **state)
{
    struct tree *tree = *state;
    tree_probe_root(tree, "/", "XDG_DATA_HOME", "/nonexistent/data", probe_disk);
    assert_fact(tree, "disk", "prefix_path",
                getuid() == 0 ? "/usr/local" : "/nonexistent/data/gpuenv");
    assert_int_equal(tree_fact(tree, "disk", "prefix_free_bytes")->state, FACT_VALUE);
}

static void a_tree_without_a_record_has_no_environment(void **state)
{
    struct tree *tree = *state;
    tree_probe(tree, probe_environment);
    assert_fact_skipped(tree, "environment", "PATH", "a tree holds no environment");
    assert_fact_skipped(tree, "environment", "CUDA_HOME", "a tree holds no environment");
}

static void variables_are_recorded_set_or_not(void **state)
{
    struct tree *tree = *state;
    tree_probe_root(tree, tree->root, "CUDA_LAUNCH_BLOCKING", "1\033", probe_environment);
    assert_fact(tree, "environment", "CUDA_LAUNCH_BLOCKING", "1\033");
    assert_fact_absent(tree, "environment", "PATH");
    tree_probe_root(tree, tree->root, "NVIDIA_TF32_OVERRIDE", "", probe_environment);
    assert_fact(tree, "environment", "NVIDIA_TF32_OVERRIDE", "");
    tree_probe_root(tree, tree->root, "SECRET_TOKEN", "x", probe_environment);
    assert_null(facts_get(tree->facts, "environment", "SECRET_TOKEN"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        tree_test(the_kernel_is_uname),
        tree_test(limits_are_the_process_s_own),
        tree_test(a_tree_has_no_kernel),
        tree_test(tmpdir_is_followed),
        tree_test(shared_memory_is_measured),
        tree_test(the_prefix_is_the_user_s),
        tree_test(a_tree_without_a_record_has_no_environment),
        tree_test(variables_are_recorded_set_or_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
