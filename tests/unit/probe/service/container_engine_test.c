/* SPDX-License-Identifier: MIT */
/* Engines that run containers, Docker's records, nodes of Kubernetes. */
#include "probe/tree.h"

#define DOCKER "container_engine/docker"
#define K3S    "container_engine/k3s"
#define DATA   "/var/lib/rancher/k3s/"

/* arguments with \0 between them. */
static void process(const struct tree *tree, const char *pid, const char *name,
                    const char *arguments, size_t size, const char *user)
{
    AUTO_FREE char *comm = mem_printf("/proc/%s/comm", pid);
    AUTO_FREE char *command = mem_printf("/proc/%s/cmdline", pid);
    AUTO_FREE char *stat = mem_printf("/proc/%s/stat", pid);
    AUTO_FREE char *status = mem_printf("/proc/%s/status", pid);
    AUTO_FREE char *line =
        mem_printf("%s (%s) S 1 1 1 0 -1 0 0 0 0 0 1 1 0 0 20 0 1 0 2400 1 1\n", pid, name);
    AUTO_FREE char *uid =
        mem_printf("Name:\t%s\nUid:\t%s\t%s\t%s\t%s\n", name, user, user, user, user);
    tree_file(tree, comm, name);
    tree_bytes(tree, command, arguments, size);
    tree_file(tree, stat, line);
    tree_file(tree, status, uid);
}

static void nothing_installed(void **state)
{
    struct tree *tree = *state;
    tree_probe(tree, probe_container_engine);
    assert_fact_integer(tree, "container_engine", "count", 0);
    tree_probe(tree, probe_docker_container);
    assert_fact_absent(tree, "docker_container", "count");
    tree_probe(tree, probe_kubernetes);
    assert_fact_boolean(tree, "kubernetes", "node", false);
    assert_fact_absent(tree, "kubernetes", "registered");
    assert_fact_absent(tree, "kubernetes", "plugin_error");
}

static void docker_that_runs(void **state)
{
    static const char command[] = "/usr/bin/dockerd\0--config-file\0/srv/docker.json";
    struct tree *tree = *state;
    tree_file(tree, "/proc/stat", "cpu 1\nbtime 1000\n");
    process(tree, "12", "dockerd", command, sizeof(command), "0");
    tree_file(tree, "/srv/docker.json",
              "{\"runtimes\": {\"nvidia\": {\"path\": \"nvidia-container-runtime\"}, \"kata\": {}},"
              "\"default-runtime\": \"nvidia\", \"features\": {\"cdi\": true},"
              "\"cdi-spec-dirs\": [\"/srv/cdi\"]}");
    tree_probe(tree, probe_container_engine);
    assert_fact(tree, DOCKER, "config", "/srv/docker.json");
    assert_fact_list(tree, DOCKER, "runtimes", "nvidia,kata");
    assert_fact_list(tree, DOCKER, "nvidia_runtimes", "nvidia");
    assert_fact_list(tree, DOCKER, "missing_programs", "nvidia-container-runtime");
    assert_fact(tree, DOCKER, "default_runtime", "nvidia");
    assert_fact_boolean(tree, DOCKER, "cdi", true);
    assert_fact_list(tree, DOCKER, "cdi_dirs", "/srv/cdi");
    assert_fact_boolean(tree, DOCKER, "running", true);
    assert_fact_boolean(tree, DOCKER, "rootless", false);
    assert_fact_integer(tree, DOCKER, "started", 1024);
    tree_file(tree, "/usr/bin/nvidia-container-runtime", "");
    tree_probe(tree, probe_container_engine);
    assert_fact_list(tree, DOCKER, "missing_programs", "");
}

/* A user's own, and one that dockerd started for itself. */
static void others_that_run(void **state)
{
    static const char of_docker[] = "containerd\0--config\0/var/run/docker/containerd/c.toml";
    struct tree *tree = *state;
    process(tree, "12", "dockerd", "dockerd", 8, "1000");
    process(tree, "13", "containerd", of_docker, sizeof(of_docker), "0");
    tree_probe(tree, probe_container_engine);
    assert_fact_integer(tree, "container_engine", "count", 1);
    assert_fact_boolean(tree, DOCKER "-rootless", "rootless", true);
    assert_int_equal(tree_fact(tree, DOCKER "-rootless", "runtimes")->state, FACT_SKIPPED);
    tree_file(tree, "/usr/bin/dockerd", "");
    tree_probe(tree, probe_container_engine);
    assert_fact_boolean(tree, DOCKER, "running", false);
    assert_fact_absent(tree, DOCKER, "started");
}

/* A user's own daemon reads a file of its user's, whose home /etc/passwd gives. */
static void a_daemon_of_a_user(void **state)
{
    static const char passwd[] = "root:x:0:0:root:/root:/bin/sh\nbroken\n"
                                 "u:x:1000:1000:U,,,:/home/u:/bin/sh\n";
    struct tree *tree = *state;
    process(tree, "12", "dockerd", "dockerd", 8, "1000");
    tree_file(tree, "/etc/passwd", passwd);
    tree_file(tree, "/home/u/.config/docker/daemon.json",
              "{\"runtimes\": {\"nvidia\": {\"path\": \"nvidia-container-runtime\"}}}");
    tree_probe(tree, probe_container_engine);
    assert_fact(tree, DOCKER "-rootless", "config", "/home/u/.config/docker/daemon.json");
    assert_fact_list(tree, DOCKER "-rootless", "nvidia_runtimes", "nvidia");
    assert_fact_absent(tree, DOCKER "-rootless", "own_toolkit_config");
    tree_file(tree, "/home/u/.config/nvidia-container-runtime/config.toml", "");
    tree_file(tree, "/home/u/.config/docker/daemon.json", "{");
    tree_probe(tree, probe_container_engine);
    assert_fact(tree, DOCKER "-rootless", "own_toolkit_config",
                "/home/u/.config/nvidia-container-runtime/config.toml");
    assert_int_equal(tree_fact(tree, DOCKER "-rootless", "runtimes")->state, FACT_UNKNOWN);
}

static void docker_desktop(void **state)
{
    static const char group[] = "container_engine/docker-desktop";
    struct tree *tree = *state;
    tree_file(tree, "/opt/docker-desktop/bin/com.docker.backend", "");
    tree_probe(tree, probe_container_engine);
    assert_fact_boolean(tree, group, "virtual", true);
    process(tree, "12", "com.docker.back", "x", 2, "1000");
    tree_probe(tree, probe_container_engine);
    assert_fact_boolean(tree, group, "running", true);
    assert_fact_boolean(tree, group, "rootless", false);
    assert_fact_integer(tree, "container_engine", "count", 1);
    assert_fact_absent(tree, group, "runtimes");
}

#define CLIENT "docker_client//home/u"

static void contexts_of_a_user(void **state)
{
    struct tree *tree = *state;
    tree_probe(tree, probe_docker_client);
    assert_fact_integer(tree, "docker_client", "count", 0);
    tree_file(tree, "/home/u/.docker/config.json", "{\"currentContext\": \"default\"}");
    tree_probe(tree, probe_docker_client);
    assert_fact_integer(tree, "docker_client", "count", 1);
    assert_fact_absent(tree, CLIENT, "context");
    tree_file(tree, "/home/u/.docker/config.json", "{\"currentContext\": \"far\"}");
    tree_file(tree, "/home/u/.docker/contexts/meta/1/meta.json", "{\"Name\": \"near\"}");
    tree_file(tree, "/home/u/.docker/contexts/meta/2/meta.json",
              "{\"Name\": \"far\", \"Endpoints\": {\"docker\": {\"Host\": \"tcp://far:2376\"}}}");
    tree_probe(tree, probe_docker_client);
    assert_fact(tree, CLIENT, "context", "far");
    assert_fact(tree, CLIENT, "endpoint", "tcp://far:2376");
    tree_file(tree, "/home/u/.docker/config.json", "{\"currentContext\": ");
    tree_probe(tree, probe_docker_client);
    assert_int_equal(tree_fact(tree, CLIENT, "context")->state, FACT_UNKNOWN);
}

#define UNIT    "/etc/containers/systemd/app.container"
#define QUADLET "quadlet/" UNIT

static void quadlets(void **state)
{
    struct tree *tree = *state;
    tree_probe(tree, probe_quadlet);
    assert_fact_integer(tree, "quadlet", "count", 0);
    tree_file(tree, UNIT,
              "[Unit]\nAddDevice=nvidia.com/gpu=9\n[Container]\nImage = a/b:1\n"
              "# AddDevice=nvidia.com/gpu=8\nAddDevice=-nvidia.com/gpu=0\nAddDevice=/dev/dri\n"
              "PodmanArgs=--gpus all --device /dev/nvidia0 \\\n --runtime=/usr/bin/nvidia-x\n"
              "Environment=A=1 \"NVIDIA_VISIBLE_DEVICES=0,1\" MY_CUDA_VISIBLE_DEVICES=2\n"
              "[Service]\nAddDevice=nvidia.com/gpu=7\n");
    tree_probe(tree, probe_quadlet);
    assert_fact_list(tree, QUADLET, "devices",
                     "nvidia.com/gpu=0,nvidia.com/gpu=all,/dev/nvidia0,/usr/bin/nvidia-x");
    assert_fact(tree, QUADLET, "image", "a/b:1");
    assert_fact(tree, QUADLET, "visible_devices", "NVIDIA_VISIBLE_DEVICES=0,1");
    assert_fact_boolean(tree, QUADLET, "label_off", false);
    tree_file(tree, UNIT, "[Container]\nPodmanArgs=--security-opt label=disable\n");
    tree_probe(tree, probe_quadlet);
    assert_fact_boolean(tree, QUADLET, "label_off", true);
    assert_fact_absent(tree, QUADLET, "visible_devices");
    tree_file(tree, UNIT, "[Container]\nSecurityLabelDisable=true\nSecurityLabelDisable=false\n");
    tree_probe(tree, probe_quadlet);
    assert_fact_boolean(tree, QUADLET, "label_off", false);
    tree_bytes(tree, UNIT, "[Container]\0", 12);
    tree_file(tree, "/home/u/.config/containers/systemd/more/x.container", "[Container]\n");
    tree_probe(tree, probe_quadlet);
    assert_int_equal(tree_fact(tree, QUADLET, "devices")->state, FACT_UNKNOWN);
    assert_fact_integer(tree, "quadlet", "count", 2);
}

static void podman_of_a_user(void **state)
{
    static const char group[] = "container_engine/podman-rootless";
    struct tree *tree = *state;
    tree_file(tree, "/etc/containers/containers.conf", "[engine]\ncdi_spec_dirs = [\"/a\"]\n");
    tree_file(tree, "/home/u/.config/containers/containers.conf", "[engine]\nruntime = \"crun\"\n");
    tree_probe(tree, probe_container_engine);
    assert_fact_integer(tree, "container_engine", "count", 0); /* podman is not installed */
    tree_file(tree, "/usr/bin/podman", "");
    tree_probe(tree, probe_container_engine);
    assert_fact_integer(tree, "container_engine", "count", 2);
    assert_fact_list(tree, group, "cdi_dirs", "/a");
    assert_fact(tree, group, "default_runtime", "crun");
    tree_file(tree, "/home/u/.config/containers/containers.conf.d/x.conf",
              "[engine]\ncdi_spec_dirs = [\"/b\"]\n");
    tree_probe(tree, probe_container_engine);
    assert_fact_list(tree, group, "cdi_dirs", "/b");
    assert_fact_list(tree, "container_engine/podman", "cdi_dirs", "/a");
}

static void containerd_and_its_imports(void **state)
{
    static const char command[] = "containerd\0-c\0" DATA "agent/etc/containerd/config.toml";
    struct tree *tree = *state;
    process(tree, "14", "containerd", command, sizeof(command), "0");
    tree_file(tree, DATA "agent/etc/containerd/config.toml",
              "version = 3\nimports = [\"conf.d/*.toml\"]\n"
              "[plugins.'io.containerd.cri.v1.runtime']\nenable_cdi = true\n"
              "[plugins.'io.containerd.cri.v1.runtime'.containerd]\n"
              "default_runtime_name = \"runc\"\n");
    tree_file(tree, DATA "agent/etc/containerd/conf.d/nvidia.toml",
              "[plugins.\"io.containerd.grpc.v1.cri\".containerd]\n"
              "default_runtime_name = \"nvidia\"\n"
              "[plugins.\"io.containerd.grpc.v1.cri\".containerd.runtimes.nvidia.options]\n"
              "BinaryName = \"/usr/bin/nvidia-container-runtime.cdi\"\n");
    tree_probe(tree, probe_container_engine);
    assert_fact(tree, K3S, "name", "containerd");
    assert_fact_list(tree, K3S, "nvidia_runtimes", "nvidia");
    assert_fact_list(tree, K3S, "missing_programs", "/usr/bin/nvidia-container-runtime.cdi");
    assert_fact(tree, K3S, "default_runtime", "nvidia");
    assert_fact_boolean(tree, K3S, "cdi", true);
    assert_int_equal(tree_fact(tree, K3S, "files")->list.count, 2);
    assert_fact_absent(tree, K3S, "newer_part");
    tree_file(tree, DATA "agent/etc/containerd/conf.d/later.toml", "version = 4\n");
    tree_probe(tree, probe_container_engine);
    assert_fact(tree, K3S, "newer_part", DATA "agent/etc/containerd/conf.d/later.toml");
}

static void a_drop_in_that_is_not_imported(void **state)
{
    struct tree *tree = *state;
    tree_file(tree, "/etc/k0s/containerd.toml", "version = 2\n");
    tree_file(tree, "/etc/k0s/containerd.d/nvidia.toml",
              "BinaryName = \"/usr/bin/nvidia-container-runtime\"\n");
    tree_file(tree, "/etc/k0s/containerd.d/other.toml", "version = 2\n");
    tree_probe(tree, probe_container_engine);
    assert_fact_list(tree, "container_engine/k0s", "unread", "/etc/k0s/containerd.d/nvidia.toml");
    assert_fact_list(tree, "container_engine/k0s", "nvidia_runtimes", "");
}

static void crio_and_podman(void **state)
{
    struct tree *tree = *state;
    tree_file(tree, "/usr/bin/crio", "");
    tree_file(tree, "/usr/bin/podman", "");
    tree_file(tree, "/etc/crio/crio.conf.d/99-nvidia.conf",
              "[crio.runtime]\ndefault_runtime = \"nvidia\"\n[crio.runtime.runtimes.nvidia]\n"
              "runtime_path = \"/usr/bin/nvidia-container-runtime\"\n");
    tree_file(tree, "/usr/share/containers/containers.conf",
              "[engine]\ncdi_spec_dirs = [\"/a\"]\nruntime = \"crun\"\n");
    tree_file(tree, "/etc/containers/containers.conf.d/cdi.conf",
              "[engine]\ncdi_spec_dirs = [\"/b\"]\n[engine.runtimes]\n"
              "nvidia = [\"/usr/bin/nvidia-container-runtime\"]\n");
    tree_probe(tree, probe_container_engine);
    assert_fact_list(tree, "container_engine/crio", "nvidia_runtimes", "nvidia");
    assert_fact(tree, "container_engine/crio", "default_runtime", "nvidia");
    assert_fact_list(tree, "container_engine/podman", "cdi_dirs", "/b");
    assert_fact(tree, "container_engine/podman", "default_runtime", "crun");
    assert_fact_list(tree, "container_engine/podman", "nvidia_runtimes", "nvidia");
    assert_fact_absent(tree, "container_engine/podman", "running");
}

static void configurations_that_cannot_be_read(void **state)
{
    struct tree *tree = *state;
    tree_file(tree, "/usr/bin/dockerd", "");
    tree_file(tree, "/usr/bin/containerd", "");
    tree_file(tree, "/etc/docker/daemon.json", "{\"runtimes\": ");
    tree_file(tree, "/etc/containerd/config.toml", "version = \n");
    tree_probe(tree, probe_container_engine);
    assert_fact_unknown(tree, DOCKER, "runtimes", "");
    assert_fact_unknown(tree, "container_engine/containerd", "runtimes", "line 1");
    tree_file(tree, "/etc/docker/daemon.json", "{\"runtimes\": [1], \"features\": 1}");
    tree_file(tree, "/etc/containerd/config.toml", "plugins = 1\nimports = [1, \"/x\"]\n");
    tree_probe(tree, probe_container_engine);
    assert_fact_list(tree, DOCKER, "runtimes", "");
    assert_fact_absent(tree, DOCKER, "cdi");
    assert_fact_list(tree, "container_engine/containerd", "nvidia_runtimes", "");
}

static void assert_problem(struct tree *tree, const char *engine, const char *problem)
{
    AUTO_FREE char *group = mem_printf("container_engine/%s", engine);
    tree_probe(tree, probe_container_engine);
    if (problem == NULL)
        assert_fact_absent(tree, group, "problem");
    else
        assert_fact(tree, group, "problem", problem);
}

/* What engines refuse, and what they take. */
static void configurations_that_are_refused(void **state)
{
    static const char docker[] = "/etc/docker/daemon.json";
    static const char containerd[] = "/etc/containerd/config.toml";
    struct tree *tree = *state;
    tree_file(tree, "/usr/bin/dockerd", "");
    tree_file(tree, "/usr/bin/containerd", "");
    assert_problem(tree, "docker", NULL);
    tree_file(tree, docker, " \n");
    assert_problem(tree, "docker", NULL);
    tree_file(tree, docker, "{\"a\": 1,\n}");
    assert_problem(tree, "docker", "/etc/docker/daemon.json:2:1: string or '}' expected near '}'");
    tree_file(tree, docker, "{\"features\": [\"cdi\"]}");
    assert_problem(tree, "docker", "/etc/docker/daemon.json: features is not an object");
    tree_file(tree, docker, "{\"a\": 1, \"a\": 2}"); /* Docker takes the second */
    tree_probe(tree, probe_container_engine);
    assert_fact_unknown(tree, DOCKER, "problem", "duplicate");
    tree_file(tree, containerd, "version = 3\nimports = [\"conf.d/*.toml\"]\n");
    assert_problem(tree, "containerd", NULL);
    assert_fact_integer(tree, "container_engine/containerd", "config_version", 3);
    tree_file(tree, containerd, "imports = [\"gone.toml\"]\n");
    assert_problem(tree, "containerd",
                   "/etc/containerd/config.toml imports /etc/containerd/gone.toml, which does not "
                   "exist");
    tree_file(tree, containerd, "imports = \"/etc/x\"\n");
    assert_problem(tree, "containerd", "/etc/containerd/config.toml: imports is not a list");
    tree_file(tree, "/usr/bin/podman", "");
    tree_file(tree, "/etc/containers/containers.conf", "[engine\n");
    assert_problem(tree, "podman",
                   "/etc/containers/containers.conf: line 1: a table's name that does not end");
}

static void records_of_docker(void **state)
{
    static const char place[] = "/var/lib/docker/containers/3f2a9c1e5b7d4e6f/";
    struct tree *tree = *state;
    AUTO_FREE char *config = mem_printf("%sconfig.v2.json", place);
    AUTO_FREE char *host = mem_printf("%shostconfig.json", place);
    tree_file(
        tree, config,
        "{\"State\": {\"Running\": false, \"Error\": \"no\"}, \"Name\": \"/app\", \"Config\": "
        "{\"Image\": \"i\", \"Env\": [\"NVIDIA_VISIBLE_DEVICES=all\", 1, \"X\"], \"Labels\": "
        "{\"com.docker.compose.project.config_files\": \"/srv/a.yml,/srv/b.yml\", "
        "\"com.docker.compose.service\": \"web\"}}}");
    tree_file(tree, host,
              "{\"Runtime\": \"runc\", \"DeviceRequests\": [{\"Driver\": \"\", \"Capabilities\": "
              "[[\"gpu\"]]}, {\"Driver\": \"cdi\", \"DeviceIDs\": [\"nvidia.com/gpu=all\", 1]}]}");
    tree_file(tree, "/var/lib/docker/containers/bad/config.v2.json", "{");
    tree_probe(tree, probe_docker_container);
    assert_fact_integer(tree, "docker_container", "count", 2);
    assert_fact(tree, "docker_container/3f2a9c1e5b7d", "name", "app");
    assert_fact(tree, "docker_container/3f2a9c1e5b7d", "error", "no");
    assert_fact_boolean(tree, "docker_container/3f2a9c1e5b7d", "gpus", true);
    assert_fact_list(tree, "docker_container/3f2a9c1e5b7d", "cdi_devices", "nvidia.com/gpu=all");
    assert_fact(tree, "docker_container/3f2a9c1e5b7d", "visible_devices", "all");
    assert_fact_absent(tree, "docker_container/3f2a9c1e5b7d", "require_cuda");
    assert_fact(tree, "docker_container/3f2a9c1e5b7d", "compose_file", "/srv/a.yml,/srv/b.yml");
    assert_fact(tree, "docker_container/3f2a9c1e5b7d", "compose_service", "web");
}

static void a_node_of_kubernetes(void **state)
{
    static const char place[] = "/var/lib/kubelet/device-plugins/kubelet_internal_checkpoint";
    static const char log[] = "/var/log/pods/kube-system_nvidia-device-plugin-x_1/c/0.log";
    struct tree *tree = *state;
    tree_file(tree, place,
              "{\"Data\": {\"RegisteredDevices\": {\"nvidia.com/gpu\": [\"GPU-1\", 2], "
              "\"amd.com/gpu\": [\"x\"]}}}");
    tree_file(tree, log, "a\nb could not load NVML library: x\nc Incompatible platform\n");
    tree_probe(tree, probe_kubernetes);
    assert_fact_boolean(tree, "kubernetes", "node", true);
    assert_fact_list(tree, "kubernetes", "registered", "GPU-1");
    assert_fact(tree, "kubernetes", "plugin_error", "b could not load NVML library: x");
    tree_file(tree, log, "could not load NVML library\nRegistered device plugin for 'x'\n");
    tree_file(tree, place, "[");
    tree_probe(tree, probe_kubernetes);
    assert_fact_absent(tree, "kubernetes", "plugin_error");
    assert_fact_unknown(tree, "kubernetes", "registered", "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        tree_test(nothing_installed),
        tree_test(docker_that_runs),
        tree_test(others_that_run),
        tree_test(a_daemon_of_a_user),
        tree_test(docker_desktop),
        tree_test(contexts_of_a_user),
        tree_test(quadlets),
        tree_test(podman_of_a_user),
        tree_test(containerd_and_its_imports),
        tree_test(a_drop_in_that_is_not_imported),
        tree_test(crio_and_podman),
        tree_test(configurations_that_cannot_be_read),
        tree_test(configurations_that_are_refused),
        tree_test(records_of_docker),
        tree_test(a_node_of_kubernetes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
