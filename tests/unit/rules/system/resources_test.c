/* SPDX-License-Identifier: MIT */
#include "rules/world.h"

#include "manifest/manifest.h"
#include "manifest/versions/threshold.h"
#include "rules/engine/finding.h"
#include "rules/rules.h"

#define GIB  (1LL << 30)
#define MIB  (1LL << 20)
#define RAM  "host_ram_exhausted"
#define SHM  "shm_too_small"
#define LOCK "memlock_too_low"
#define TMP  "tmp_too_small_for_installer"
#define FULL "disk_full"

static void add_oom(struct facts *facts, const char *boot, const char *name)
{
    AUTO_FREE char *message =
        mem_printf("Out of memory: Killed process 77 (%s) total-vm:9kB", name);
    facts_set_integer(facts, "kernel_log", "count", 1, "/var/log/kern.log");
    facts_set_string(facts, "kernel_log/oom_kill", "event", "oom_kill", "/var/log/kern.log");
    facts_set_string(facts, "kernel_log/oom_kill", "boot", boot, "/var/log/kern.log");
    facts_set_string(facts, "kernel_log/oom_kill", "message", message, "/var/log/kern.log");
}

static void test_ram_by_log(void **state)
{
    (void)state;
    struct facts *facts = world_bare();
    assert_check(facts, PURPOSE_RUN, RAM, CHECK_SKIP, "can be read here");
    facts_set_integer(facts, "memory", "total_bytes", 64 * GIB, "/proc/meminfo");
    add_oom(facts, "earlier", "python3");
    assert_check(facts, PURPOSE_RUN, RAM, CHECK_PASS, NULL);
    add_oom(facts, "current", "python3");
    assert_found(facts, PURPOSE_RUN, RAM, SEVERITY_WARN, "killed python3");
    assert_found(facts, PURPOSE_BUILD, RAM, SEVERITY_INFO, "/var/log/kern.log");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_false(fix_says(found(judgement, RAM), "MAX_JOBS"));
    judgement_free(judgement);
    add_oom(facts, "current", "cicc");
    judgement = world_judge(facts, PURPOSE_RUN);
    assert_fix(found(judgement, RAM), "MAX_JOBS=8");
    judgement_free(judgement);
    facts_free(facts);
}

static void test_ram_by_limit(void **state)
{
    (void)state;
    struct facts *facts = world_bare();
    world_container(facts, "docker");
    add_oom(facts, "current", "python3");
    facts_set_integer(facts, "memory", "cgroup_oom_kills", 0, "memory.events");
    assert_check(facts, PURPOSE_CONTAINER, RAM, CHECK_PASS, NULL);
    facts_set_integer(facts, "memory", "cgroup_oom_kills", 3, "memory.events");
    facts_set_integer(facts, "memory", "cgroup_limit_bytes", 32 * GIB, "memory.max");
    assert_found(facts, PURPOSE_CONTAINER, RAM, SEVERITY_WARN,
                 "the memory limit of 32.0 GiB of this container killed 3 programs");
    facts_set_unknown(facts, "memory", "cgroup_oom_kills", "Permission denied", "memory.events");
    assert_check(facts, PURPOSE_CONTAINER, RAM, CHECK_UNKNOWN, "Permission denied");
    facts_free(facts);
}

static void test_shm(void **state)
{
    (void)state;
    struct facts *facts = world_bare();
    assert_check(facts, PURPOSE_RUN, SHM, CHECK_SKIP, "only containers");
    world_container(facts, "docker");
    assert_check(facts, PURPOSE_CONTAINER, SHM, CHECK_SKIP, "no framework");
    facts_set_string(facts, "framework/0", "name", "tensorflow", "METADATA");
    facts_set_string(facts, "framework/0", "environment", "/opt/conda", "METADATA");
    assert_check(facts, PURPOSE_CONTAINER, SHM, CHECK_SKIP, "no framework");
    facts_set_string(facts, "framework/0", "name", "pytorch", "METADATA");
    facts_set_integer(facts, "disk", "shm_bytes", 64 * MIB, "/dev/shm");
    assert_found(facts, PURPOSE_CONTAINER, SHM, SEVERITY_WARN, "is installed: /opt/conda");
    facts_set_string(facts, "framework/0", "name", "cupy", "METADATA");
    world_library(facts, "cudart", "/v/nvidia/cuda_runtime/lib/libcudart.so.12", NULL, "12.1",
                  "wheel");
    facts_set_unknown(facts, "disk", "shm_bytes", "Permission denied", "/dev/shm");
    assert_check(facts, PURPOSE_CONTAINER, SHM, CHECK_UNKNOWN, "Permission denied");
    facts_set_integer(facts, "disk", "shm_bytes", 65 * MIB, "/dev/shm");
    assert_check(facts, PURPOSE_CONTAINER, SHM, CHECK_PASS, NULL);
    facts_set_integer(facts, "disk", "shm_bytes", 64 * MIB, "/dev/shm");
    assert_found(facts, PURPOSE_CONTAINER, SHM, SEVERITY_WARN, "has 64 MiB");
    facts_free(facts);
}

static void test_memlock(void **state)
{
    (void)state;
    struct facts *facts = world_bare();
    facts_set_integer(facts, "limits", "memlock_bytes", 8 * MIB, "getrlimit(2)");
    facts_set_integer(facts, "limits", "user_id", 1000, "getuid(2)");
    assert_check(facts, PURPOSE_RUN, LOCK, CHECK_SKIP, "no RDMA card");
    facts_set_boolean(facts, "machine", "infiniband", true, "/sys/class/infiniband");
    assert_found(facts, PURPOSE_RUN, LOCK, SEVERITY_WARN, "may lock no more than 8 MiB");
    facts_set_integer(facts, "limits", "user_id", 0, "getuid(2)");
    assert_check(facts, PURPOSE_RUN, LOCK, CHECK_SKIP, "root");
    world_container(facts, "docker");
    assert_check(facts, PURPOSE_CONTAINER, LOCK, CHECK_SKIP, "was not passed");
    world_node(facts, "infiniband/uverbs0", "231:192", true);
    assert_found(facts, PURPOSE_CONTAINER, LOCK, SEVERITY_WARN, "memlock");
    facts_set_boolean(facts, "security", "ipc_lock", false, "/proc/self/status");
    assert_found(facts, PURPOSE_CONTAINER, LOCK, SEVERITY_WARN, "memlock");
    facts_set_boolean(facts, "security", "ipc_lock", true, "/proc/self/status");
    assert_check(facts, PURPOSE_CONTAINER, LOCK, CHECK_SKIP, "CAP_IPC_LOCK");
    facts_set_boolean(facts, "security", "ipc_lock", false, "/proc/self/status");
    facts_set_absent(facts, "limits", "memlock_bytes", "getrlimit(2)");
    assert_check(facts, PURPOSE_CONTAINER, LOCK, CHECK_PASS, NULL);
    facts_set_unknown(facts, "limits", "memlock_bytes", "no answer", "getrlimit(2)");
    assert_check(facts, PURPOSE_CONTAINER, LOCK, CHECK_UNKNOWN, "no answer");
    facts_free(facts);
}

static void test_tmp(void **state)
{
    (void)state;
    struct facts *facts = world_bare();
    assert_check(facts, PURPOSE_BUILD, TMP, CHECK_SKIP, "does not say");
    facts_set_string(facts, "disk", "tmp_path", "/tmp", "default");
    facts_set_integer(facts, "disk", "tmp_free_bytes", 4 * GIB, "statvfs(3)");
    assert_check(facts, PURPOSE_BUILD, TMP, CHECK_PASS, NULL);
    facts_set_integer(facts, "disk", "tmp_free_bytes", 2 * GIB, "statvfs(3)");
    assert_found(facts, PURPOSE_BUILD, TMP, SEVERITY_WARN, "/tmp has 2.0 GiB free");
    assert_found(facts, PURPOSE_RUN, TMP, SEVERITY_INFO, "2.0 GiB");
    facts_set_unknown(facts, "disk", "tmp_free_bytes", "I/O error", "statvfs(3)");
    assert_check(facts, PURPOSE_BUILD, TMP, CHECK_UNKNOWN, "I/O error");
    facts_free(facts);
}

static void test_installer_log(void **state)
{
    (void)state;
    struct facts *facts = world_bare();
    world_list(facts, "toolkit", "installer_errors",
               "boost, No space left on device, \"/usr/local/cuda-12.4/x\"");
    facts_set_string(facts, "disk", "tmp_path", "/tmp", "default");
    facts_set_integer(facts, "disk", "tmp_free_bytes", 8 * GIB, "statvfs(3)");
    assert_check(facts, PURPOSE_BUILD, TMP, CHECK_PASS, NULL); /* another disk is meant */
    world_list(facts, "toolkit", "installer_errors",
               "boost, No space left on device, \"/tmp/cuda/x\"");
    assert_found(facts, PURPOSE_BUILD, TMP, SEVERITY_FAIL, "\"/tmp/cuda/x\"");
    assert_found(facts, PURPOSE_RUN, TMP, SEVERITY_INFO, "ran out of space");
    world_toolkit(facts, "/usr/local/cuda-12.4", "12.4", "/usr/local/cuda", "cicc");
    assert_found(facts, PURPOSE_BUILD, TMP, SEVERITY_FAIL, "ran out of space");
    world_toolkit(facts, "/usr/local/cuda-12.4", "12.4", "/usr/local/cuda", "");
    assert_check(facts, PURPOSE_BUILD, TMP, CHECK_PASS, NULL);
    facts_free(facts);
}

static void test_disk_full(void **state)
{
    (void)state;
    struct facts *facts = world_bare();
    assert_check(facts, PURPOSE_BUILD, FULL, CHECK_SKIP, "does not say");
    facts_set_string(facts, "disk", "prefix_path", "/usr/local", "default");
    facts_set_integer(facts, "disk", "prefix_free_bytes", GIB, "statvfs(3)");
    assert_check(facts, PURPOSE_BUILD, FULL, CHECK_PASS, NULL);
    facts_set_integer(facts, "disk", "prefix_free_bytes", 0, "statvfs(3)");
    assert_found(facts, PURPOSE_BUILD, FULL, SEVERITY_FAIL, "under /usr/local");
    assert_found(facts, PURPOSE_RUN, FULL, SEVERITY_INFO, "under /usr/local");
    world_toolkit(facts, "/usr/local/cuda-12.4", "12.4", "/usr/local/cuda", "cicc");
    struct judgement *judgement = world_judge(facts, PURPOSE_BUILD);
    assert_non_null(found(judgement, "toolkit_incomplete"));
    assert_string_equal(found(judgement, "toolkit_incomplete")->caused_by, "SYS-006");
    judgement_free(judgement);
    facts_set_unknown(facts, "disk", "prefix_free_bytes", "I/O error", "statvfs(3)");
    assert_check(facts, PURPOSE_BUILD, FULL, CHECK_UNKNOWN, "I/O error");
    facts_free(facts);
}

/* The package manager's directories, and what its last run said. */
static void test_packages_without_space(void **state)
{
    (void)state;
    AUTO_STRLIST struct strlist errors = {0};
    struct facts *facts = world_bare();
    facts_set_string(facts, "disk", "prefix_path", "/usr/local", "default");
    facts_set_integer(facts, "disk", "prefix_free_bytes", GIB, "statvfs(3)");
    facts_set_string(facts, "disk", "packages_path", "/var/cache/dnf", "statvfs(3)");
    facts_set_integer(facts, "disk", "packages_free_bytes", GIB, "statvfs(3)");
    assert_check(facts, PURPOSE_BUILD, FULL, CHECK_PASS, NULL);
    facts_set_integer(facts, "disk", "packages_free_bytes", 0, "statvfs(3)");
    assert_found(facts, PURPOSE_BUILD, FULL, SEVERITY_FAIL, "/var/cache/dnf");
    facts_set_integer(facts, "disk", "packages_free_bytes", GIB, "statvfs(3)");
    strlist_add(&errors, "installing package x needs 4MB more space on the / filesystem");
    facts_set_integer(facts, "package_run", "count", 1, "/var/log/dnf.log");
    facts_set_string(facts, "package_run/dnf", "name", "dnf", "/var/log/dnf.log");
    facts_set_list(facts, "package_run/dnf", "errors", &errors, "/var/log/dnf.log");
    assert_check(facts, PURPOSE_BUILD, FULL, CHECK_PASS, NULL); /* of another root */
    facts_set_integer(facts, "rpm_repository", "count", 1, "/etc/yum.repos.d");
    assert_found(facts, PURPOSE_BUILD, FULL, SEVERITY_FAIL, "4MB more space");
    assert_found(facts, PURPOSE_RUN, FULL, SEVERITY_INFO, "the last run of dnf");
    facts_free(facts);
}

/* Each row decides about a finding that there is. */
static void test_thresholds(void **state)
{
    (void)state;
    size_t count;
    struct manifest *manifest = manifest_new();
    const struct manifest_threshold *rows = manifest_threshold_all(manifest, &count);
    assert_true(count > 0);
    for (size_t i = 0; i < count; i++)
        assert_non_null(rule_find(rows[i].finding));
    manifest_free(manifest);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ram_by_log),
        cmocka_unit_test(test_ram_by_limit),
        cmocka_unit_test(test_shm),
        cmocka_unit_test(test_memlock),
        cmocka_unit_test(test_tmp),
        cmocka_unit_test(test_disk_full),
        cmocka_unit_test(test_packages_without_space),
        cmocka_unit_test(test_installer_log),
        cmocka_unit_test(test_thresholds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
