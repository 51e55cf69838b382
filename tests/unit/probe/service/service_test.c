/* SPDX-License-Identifier: MIT */
/* Daemons, Fabric Manager, MPS. */
#include "probe/tree.h"

#define FM   "service/fabricmanager"
#define UNIT "nvidia-fabricmanager.service"

static void make_process(const struct tree *tree, const char *pid, const char *comm)
{
    AUTO_FREE char *comm_path = mem_printf("/proc/%s/comm", pid);
    AUTO_FREE char *stat_path = mem_printf("/proc/%s/stat", pid);
    AUTO_FREE char *comm_line = mem_printf("%s\n", comm);
    AUTO_FREE char *stat_line =
        mem_printf("%s (%s) S 1 2 3 0 -1 4 5 6 7 8 9 10 11 12 20 0 1 0 123456 1 2\n", pid, comm);
    tree_file(tree, comm_path, comm_line);
    tree_file(tree, stat_path, stat_line);
}

static void a_daemon_that_runs(void **state)
{
    struct tree *tree = *state;
    make_process(tree, "1", "systemd");
    make_process(tree, "2101", "nv-fabricmanage"); /* the kernel cuts names */
    make_process(tree, "2102", "nv) R 9 9 (x");
    tree_file(tree, "/usr/bin/nv-fabricmanager", "");
    tree_file(tree, "/usr/lib/systemd/system/" UNIT, "");
    tree_link(tree, "/etc/systemd/system/multi-user.target.wants/" UNIT,
              "/usr/lib/systemd/system/" UNIT);
    tree_probe(tree, probe_service);
    assert_fact_integer(tree, "service", "processes", 3);
    assert_fact_boolean(tree, FM, "present", true);
    assert_fact(tree, FM, "program", "/usr/bin/nv-fabricmanager");
    assert_fact(tree, FM, "unit", "/usr/lib/systemd/system/" UNIT);
    assert_fact_boolean(tree, FM, "enabled", true);
    assert_fact_boolean(tree, FM, "masked", false);
    assert_fact_boolean(tree, FM, "running", true);
    assert_fact_integer(tree, FM, "pid", 2101);
    assert_fact_integer(tree, FM, "started_seconds", 1234);
    assert_fact_boolean(tree, "service/persistenced", "running", false);
    assert_fact_boolean(tree, "service/persistenced", "present", false);
    assert_fact_absent(tree, "service/persistenced", "pid");
    assert_fact_absent(tree, "service/suspend", "running");
}

static void a_daemon_that_does_not(void **state)
{
    struct tree *tree = *state;
    make_process(tree, "1", "systemd");
    tree_file(tree, "/usr/lib/systemd/system/" UNIT, "");
    tree_link(tree, "/etc/systemd/system/nvidia-suspend.service", "/dev/null");
    tree_probe(tree, probe_service);
    assert_fact_boolean(tree, FM, "present", true);
    assert_fact_absent(tree, FM, "program");
    assert_fact_boolean(tree, FM, "enabled", false);
    assert_fact_boolean(tree, FM, "running", false);
    assert_fact_boolean(tree, "service/suspend", "masked", true);
    assert_fact_boolean(tree, "service/suspend", "enabled", false);
}

static void processes_that_are_not_seen(void **state)
{
    struct tree *tree = *state;
    tree_probe(tree, probe_service);
    assert_fact_skipped(tree, "service", "processes", "/proc");
    assert_fact_skipped(tree, FM, "running", "the tree holds no processes");
    make_process(tree, "1", "bash");
    make_process(tree, "7", "nvidia-cuda-mps-control");
    tree_file(tree, "/.dockerenv", "");
    tree_probe(tree, NULL);
    assert_fact_skipped(tree, FM, "running", "from a container");
    assert_fact_boolean(tree, "service/mps_control", "running", true);
}

static void hostile_processes(void **state)
{
    struct tree *tree = *state;
    tree_file(tree, "/proc/1/comm", "dockerd");
    tree_file(tree, "/proc/1/stat", "1 (dockerd");
    tree_file(tree, "/proc/99999999999999999999/comm", "kubelet");
    tree_file(tree, "/proc/99999999999999999999/stat", ") S");
    tree_directory(tree, "/proc/3");
    tree_directory(tree, "/proc/3/comm");
    tree_probe(tree, probe_service);
    assert_fact_unknown(tree, "service/docker", "started_seconds", "not a line");
    assert_fact_boolean(tree, "service/kubelet", "running", true);
    assert_fact_unknown(tree, "service/kubelet", "started_seconds", "not a line");
}

static void versions_of_fabric_manager(void **state)
{
    struct tree *tree = *state;
    tree_probe(tree, NULL);
    assert_fact_absent(tree, "fabric_manager", "version");
    assert_fact_absent(tree, "fabric_manager", "log_errors");

    tree_file(tree, "/usr/bin/nv-fabricmanager", "");
    tree_probe(tree, NULL);
    assert_fact_unknown(tree, "fabric_manager", "version", "neither");

    tree_file(tree, "/usr/share/nvidia/nvswitch/fabricmanager.cfg", "# x\nFABRIC_MODE=1\n");
    tree_file(tree, "/var/log/fabricmanager.log",
              "[Nov 20 2026] [INFO] [tid 1] Fabric Manager version 535.104.05 is running with the "
              "following configuration options\n[Nov 20 2026] [ERROR] [tid 1] old\n"
              "[Nov 21 2026] [INFO] [tid 1] Fabric Manager version is : 570.86.15\n"
              "[Nov 21 2026] [ERROR] [tid 1] fabric manager NVIDIA GPU driver interface version "
              "570.86.15 don't match with driver version 570.124.06.\n");
    tree_probe(tree, NULL);
    assert_fact(tree, "fabric_manager", "version", "570.86.15");
    assert_fact(tree, "fabric_manager", "log_version", "570.86.15");
    assert_fact_integer(tree, "fabric_manager", "mode", 1);
    assert_int_equal(tree_fact(tree, "fabric_manager", "log_errors")->list.count, 1);

    tree_file(tree, "/var/lib/dpkg/status",
              "Package: nvidia-fabricmanager-dev-570\nStatus: install ok installed\nVersion: 1\n\n"
              "Package: nvidia-fabricmanager-570\nStatus: install ok installed\n"
              "Version: 1:570.124.06-1ubuntu1\n");
    tree_probe(tree, NULL);
    assert_fact(tree, "fabric_manager", "version", "570.124.06");
    assert_fact(tree, "fabric_manager", "log_version", "570.86.15");
}

static void hostile_logs_of_fabric_manager(void **state)
{
    struct tree *tree = *state;
    tree_file(tree, "/var/log/fabricmanager.log",
              "abric Manager version\nabric Manager version x\n[ERROR]\033[31m\n[ERROR] 2\n"
              "[ERROR] 3\n[ERROR] 4\n[ERROR] 5\n[ERROR] 6\n");
    tree_file(tree, "/usr/share/nvidia/nvswitch/fabricmanager.cfg", "FABRIC_MODE=-1\n");
    tree_probe(tree, probe_fabric_manager);
    assert_fact_absent(tree, "fabric_manager", "log_version");
    assert_fact_list(tree, "fabric_manager", "log_errors",
                     "[ERROR] 2,[ERROR] 3,[ERROR] 4,[ERROR] 5,[ERROR] 6");
    assert_fact_absent(tree, "fabric_manager", "mode");
}

static void pipes_of_mps(void **state)
{
    struct tree *tree = *state;
    tree_probe(tree, probe_mps);
    assert_fact(tree, "mps", "pipe_directory", "/tmp/nvidia-mps");
    assert_fact_boolean(tree, "mps", "pipe", false);
    assert_fact_absent(tree, "mps", "usable");
    tree_file(tree, "/run/mps/control", "");
    tree_probe_root(tree, tree->root, "CUDA_MPS_PIPE_DIRECTORY", "/run/mps", probe_mps);
    assert_fact(tree, "mps", "pipe_directory", "/run/mps");
    assert_fact_boolean(tree, "mps", "pipe", true);
    assert_fact_boolean(tree, "mps", "usable", true);
    assert_fact_integer(tree, "mps", "user", getuid());
    tree_probe_root(tree, tree->root, "CUDA_MPS_PIPE_DIRECTORY", "relative", probe_mps);
    assert_fact(tree, "mps", "pipe_directory", "/tmp/nvidia-mps");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        tree_test(a_daemon_that_runs),
        tree_test(a_daemon_that_does_not),
        tree_test(processes_that_are_not_seen),
        tree_test(hostile_processes),
        tree_test(versions_of_fabric_manager),
        tree_test(hostile_logs_of_fabric_manager),
        tree_test(pipes_of_mps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
