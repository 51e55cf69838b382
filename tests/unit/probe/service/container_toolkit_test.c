/* SPDX-License-Identifier: MIT */
/* The container toolkit, engines' configurations, CDI specifications. */
#include "probe/tree.h"

#define KIND "container_toolkit"
#define SPEC "/etc/cdi/nvidia.yaml"
#define CDI  "cdi/" SPEC

static void nothing_installed(void **state)
{
    struct tree *tree = *state;
    tree_probe(tree, probe_container_toolkit);
    assert_fact_list(tree, KIND, "programs", "");
    assert_fact_absent(tree, KIND, "mode");
    assert_fact_absent(tree, KIND, "docker_runtimes");
    assert_fact_absent(tree, KIND, "containerd_runtime");
    assert_fact_absent(tree, KIND, "crio_runtime");
    assert_fact_boolean(tree, KIND, "docker_snap", false);
    tree_probe(tree, probe_cdi);
    assert_fact_integer(tree, "cdi", "count", 0);
}

static void engines_that_were_told(void **state)
{
    struct tree *tree = *state;
    tree_file(tree, "/usr/bin/nvidia-ctk", "");
    tree_file(tree, "/usr/bin/nvidia-container-runtime", "");
    tree_file(tree, "/etc/nvidia-container-runtime/config.toml",
              "[nvidia-container-cli]\n#no-cgroups = false\nno-cgroups = true\n"
              "[nvidia-container-runtime]\nmode = \"cdi\"\n");
    tree_file(tree, "/etc/docker/daemon.json",
              "{\"default-runtime\": \"nvidia\", \"exec-opts\": [\"x\", "
              "\"native.cgroupdriver=systemd\"], \"features\": {\"cdi\": true},"
              "\"runtimes\": {\"nvidia\": {\"path\": \"nvidia-container-runtime\"}}}");
    tree_file(tree, "/etc/containerd/config.toml",
              "imports = [\"/etc/containerd/conf.d/*.toml\"]\n");
    tree_file(tree, "/etc/containerd/conf.d/99-nvidia.toml",
              "default_runtime_name = 'nvidia'\nenable_cdi = true # on\n"
              "BinaryName = \"/usr/bin/nvidia-container-runtime\"\n");
    tree_file(tree, "/etc/crio/crio.conf.d/99-nvidia.conf", "[crio.runtime.runtimes.nvidia]\n");
    tree_directory(tree, "/var/snap/docker");
    tree_probe(tree, probe_container_toolkit);
    assert_fact_list(tree, KIND, "programs",
                     "/usr/bin/nvidia-ctk,/usr/bin/nvidia-container-runtime");
    assert_fact(tree, KIND, "mode", "cdi");
    assert_fact_boolean(tree, KIND, "no_cgroups", true);
    assert_fact_list(tree, KIND, "docker_runtimes", "nvidia");
    assert_fact(tree, KIND, "docker_default_runtime", "nvidia");
    assert_fact_boolean(tree, KIND, "docker_cdi", true);
    assert_fact(tree, KIND, "docker_cgroup_driver", "systemd");
    assert_int_equal(tree_fact(tree, KIND, "docker_modified")->state, FACT_VALUE);
    assert_fact_boolean(tree, KIND, "docker_snap", true);
    assert_fact_boolean(tree, KIND, "containerd_runtime", true);
    assert_fact(tree, KIND, "containerd_default_runtime", "nvidia");
    assert_fact_boolean(tree, KIND, "containerd_cdi", true);
    assert_fact_boolean(tree, KIND, "crio_runtime", true);
}

static void configurations_that_cannot_be_read(void **state)
{
    struct tree *tree = *state;
    tree_file(tree, "/etc/docker/daemon.json", "{\"runtimes\": ");
    tree_directory(tree, "/etc/containerd");
    tree_directory(tree, "/etc/containerd/config.toml");
    tree_bytes(tree, "/etc/nvidia-container-runtime/config.toml", "mode\0", 5);
    tree_probe(tree, probe_container_toolkit);
    assert_fact_unknown(tree, KIND, "docker_runtimes", "");
    assert_fact_unknown(tree, KIND, "containerd_runtime", "is a directory");
    assert_fact_unknown(tree, KIND, "mode", "NUL");
    tree_file(tree, "/etc/docker/daemon.json", "[1]");
    tree_probe(tree, probe_container_toolkit);
    assert_fact_unknown(tree, KIND, "docker_runtimes", "");
    tree_file(tree, "/etc/docker/daemon.json",
              "{\"runtimes\": 1, \"exec-opts\": [1], \"features\": []}");
    tree_probe(tree, probe_container_toolkit);
    assert_fact_list(tree, KIND, "docker_runtimes", "");
    assert_fact_absent(tree, KIND, "docker_cgroup_driver");
}

static void what_the_configuration_names(void **state)
{
    struct tree *tree = *state;
    tree_file(tree, "/usr/local/nvidia/toolkit/.config/nvidia-container-runtime/config.toml",
              "[nvidia-container-cli]\nldconfig = \"@/sbin/ldconfig.real\"\n"
              "root = \"/run/nvidia/driver\"\n[nvidia-container-runtime.modes.cdi]\n"
              "default-kind = \"management.nvidia.com/gpu\"\n");
    tree_file(tree, "/etc/containers/oci/hooks.d/a.json", "nvidia-container-runtime-hook");
    tree_file(tree, "/etc/containers/oci/hooks.d/b.json", "other");
    tree_probe(tree, probe_container_toolkit);
    assert_fact(tree, KIND, "default_kind", "management.nvidia.com/gpu");
    assert_fact(tree, KIND, "ldconfig", "/sbin/ldconfig.real");
    assert_fact_boolean(tree, KIND, "ldconfig_present", false);
    assert_fact(tree, KIND, "root", "/run/nvidia/driver");
    assert_fact_boolean(tree, KIND, "root_has_driver", false);
    assert_fact_list(tree, KIND, "oci_hooks", "/etc/containers/oci/hooks.d/a.json");
    tree_file(tree, "/sbin/ldconfig.real", "");
    tree_file(tree, "/run/nvidia/driver/usr/lib64/libnvidia-ml.so.1", "");
    tree_probe(tree, probe_container_toolkit);
    assert_fact_boolean(tree, KIND, "ldconfig_present", true);
    assert_fact_boolean(tree, KIND, "root_has_driver", true);
    tree_file(tree, "/etc/nvidia-container-runtime/config.toml", "mode = ");
    tree_probe(tree, probe_container_toolkit);
    assert_fact_unknown(tree, KIND, "root", "line 1");
}

static void a_specification(void **state)
{
    struct tree *tree = *state;
    tree_file(tree, "/usr/lib/libcuda.so.570.124.06", "");
    tree_file(tree, SPEC,
              "---\ncdiVersion: 0.7.0\ncontainerEdits:\n  deviceNodes:\n  - path: /dev/nvidiactl\n"
              "    major: 195\n    minor: 255\n"
              "  mounts:\n  - containerPath: /usr/lib/libcuda.so.570.86.15\n"
              "    hostPath: /usr/lib/libcuda.so.570.86.15\n"
              "  - hostPath: \"/usr/lib/libcuda.so.570.124.06\"\n"
              "devices:\n- name: \"0\"\n- name: all\nkind: nvidia.com/gpu\n");
    tree_file(
        tree, "/var/run/cdi/m.json",
        "{\"cdiVersion\":\"0.5.0\",\"kind\":\"management.nvidia.com/gpu\",\"devices\":[{"
        "\"name\":\"all\",\"containerEdits\":{\"deviceNodes\":[{\"path\":\"/dev/nvidia0\"}]}}]"
        "}");
    tree_file(tree, "/etc/cdi/readme.txt", "");
    tree_probe(tree, probe_cdi);
    assert_fact_integer(tree, "cdi", "count", 2);
    assert_fact(tree, CDI, "path", SPEC);
    assert_fact(tree, CDI, "version", "0.7.0");
    assert_fact(tree, CDI, "kind", "nvidia.com/gpu");
    assert_fact_list(tree, CDI, "devices", "0,all");
    assert_fact_list(tree, CDI, "driver_versions", "570.86.15,570.124.06");
    assert_fact_list(tree, CDI, "numbers", "/dev/nvidiactl 195:255");
    assert_fact_list(tree, CDI, "missing_paths", "/usr/lib/libcuda.so.570.86.15");
    assert_fact(tree, "cdi//var/run/cdi/m.json", "version", "0.5.0");
    assert_fact(tree, "cdi//var/run/cdi/m.json", "kind", "management.nvidia.com/gpu");
    assert_fact_list(tree, "cdi//var/run/cdi/m.json", "devices", "all");
    assert_fact_list(tree, "cdi//var/run/cdi/m.json", "missing_paths", "");
}

static void hostile_specifications(void **state)
{
    struct tree *tree = *state;
    tree_file(tree, SPEC,
              "cdiVersion:\nkind: \033[31m\377\nname:name:name:\nhostPath\nhostPath:\n"
              "hostPath: relative\nhostPath: /../../../../etc/x\nhostPath: libcuda.so.\n");
    tree_bytes(tree, "/etc/cdi/nul.json", "{\0}", 3);
    tree_link(tree, "/etc/cdi/gone.yaml", "nowhere");
    tree_probe(tree, probe_cdi);
    assert_fact_integer(tree, "cdi", "count", 3);
    assert_fact_absent(tree, CDI, "version");
    assert_fact(tree, CDI, "kind", "\033");
    assert_fact_list(tree, CDI, "missing_paths", "/../../../../etc/x");
    assert_fact_unknown(tree, "cdi//etc/cdi/nul.json", "kind", "NUL");
    assert_fact_absent(tree, "cdi//etc/cdi/gone.yaml", "kind");
    assert_fact_unknown(tree, "cdi//etc/cdi/gone.yaml", "modified", "cannot be accessed");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        tree_test(nothing_installed),
        tree_test(engines_that_were_told),
        tree_test(configurations_that_cannot_be_read),
        tree_test(what_the_configuration_names),
        tree_test(a_specification),
        tree_test(hostile_specifications),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
