/* SPDX-License-Identifier: MIT */
#include "probe/tree.h"

#define MOUNTINFO "/proc/self/mountinfo"

struct sample {
    const char *path;
    const char *text;
    const char *engine; /* NULL: absent */
};

static void each_clue_names_its_engine(void **state)
{
    static const struct sample samples[] = {
        {"/.dockerenv", "", "docker"},
        {"/run/.containerenv", "engine=\"podman-4\"\n", "podman"},
        {"/run/secrets/kubernetes.io/serviceaccount/token", "x", "kubernetes"},
        {"/run/systemd/container", "systemd-nspawn\n", "systemd-nspawn"},
        {"/run/systemd/container", "lxc\n", "lxc"},
        {"/run/systemd/container", "rkt\n", "other"},
        {"/run/systemd/container", "wsl\n", NULL},
        {"/run/systemd/container", "\n", NULL},
        {"/proc/1/cgroup", "0::/kubepods.slice/pod1\n", "kubernetes"},
        {"/proc/1/cgroup", "1:name=systemd:/docker/0123\n", "docker"},
        {"/proc/1/cgroup", "0::/machine.slice/libpod-0123.scope\n", "podman"},
        {"/proc/1/cgroup", "0::/init.scope\n", NULL},
        {"/proc/1/environ", "container=podman", "podman"},
        {"/proc/1/environ", "mycontainer=podman", NULL},
        {"/.singularity.d/env", "", "other"},
        {"/proc/sentry-meminfo", "Total: 1\n", "other"},
        {MOUNTINFO, "1 0 0:50 / / rw - overlay overlay rw,lowerdir=/var/lib/docker/overlay2/l/A\n",
         "docker"},
        {MOUNTINFO, "1 0 0:50 / / rw - overlay overlay rw,lowerdir=/run/rootfsbase\n", NULL},
        {MOUNTINFO, "1 0 0:50 / /mnt rw - overlay overlay rw,lowerdir=/var/lib/docker/x\n", NULL},
    };
    for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
        void *fresh = NULL;
        tree_setup(&fresh);
        struct tree *tree = fresh;
        tree_link(tree, "/var/run", "/run");
        tree_file(tree, samples[i].path, samples[i].text);
        tree_probe(tree, probe_container);
        if (samples[i].engine)
            assert_fact(tree, "container", "engine", samples[i].engine);
        else
            assert_fact_absent(tree, "container", "engine");
        tree_teardown(&fresh);
    }
    (void)state;
}

static void variables_of_the_first_process_end_with_nul(void **state)
{
    struct tree *tree = *state;
    static const char environment[] = "PATH=/bin\0container=lxc\0HOME=/";
    tree_bytes(tree, "/proc/1/environ", environment, sizeof(environment));
    tree_probe(tree, probe_container);
    assert_fact(tree, "container", "engine", "lxc");
}

static void kubernetes_goes_before_its_runtime(void **state)
{
    struct tree *tree = *state;
    tree_file(tree, "/.dockerenv", "");
    tree_probe_root(tree, tree->root, "KUBERNETES_SERVICE_HOST", "10.0.0.1", probe_container);
    assert_fact(tree, "container", "engine", "kubernetes");
}

static void finds_mounted_driver_libraries(void **state)
{
    struct tree *tree = *state;
    tree_probe(tree, probe_container);
    assert_fact_skipped(tree, "container", "nvidia_libraries", MOUNTINFO);

    tree_file(tree, MOUNTINFO,
              "1 0 0:50 / / rw,relatime - overlay overlay rw\n"
              "3 1 0:5 /nvidia0 /dev/nvidia0 rw - devtmpfs udev rw\n"
              "4 1 0:5 / /data/libcuda.so/x rw - ext4 /dev/sda rw\n");
    tree_probe(tree, probe_container);
    assert_fact_boolean(tree, "container", "nvidia_libraries", false);

    tree_file(tree, MOUNTINFO,
              "1 0 0:50 / / rw,relatime - overlay overlay rw\n"
              "2 1 8:1 /x /usr/lib64/libcuda.so.570.86.15 ro,nosuid master:1 - ext4 /dev/sda1 ro");
    tree_probe(tree, probe_container);
    assert_fact_boolean(tree, "container", "nvidia_libraries", true);
}

static void knows_a_step_of_an_image_build(void **state)
{
    static const struct sample samples[] = {
        {"/proc/sys/kernel/hostname", "buildkitsandbox\n", "buildkit"},
        {"/proc/sys/kernel/hostname", "buildkitsandbox2\n", NULL},
        {"/proc/sys/kernel/hostname", "552526fdbe7e\n", NULL},
        {"/run/.containerenv", "engine=\"buildah-1.28.2\"\nname=\"base\"\n", "buildah"},
        {"/run/.containerenv", "engine=\"podman-4.3.1\"\nname=\"buildah-\"\n", NULL},
        {"/kaniko/executor", "ELF", "kaniko"},
        {MOUNTINFO, "1 0 0:50 / / rw - overlay overlay rw,upperdir=/var/lib/buildkit/x/fs\n",
         "buildkit"},
        {MOUNTINFO,
         "1 0 0:50 / / rw - overlay overlay rw,upperdir=/var/lib/docker/overlay2/x/diff\n"
         "2 1 8:1 /var/lib/docker/buildkit/executor/resolv.conf /etc/resolv.conf ro - ext4 /dev/a "
         "rw\n",
         "buildkit"},
        {MOUNTINFO, "1 0 0:50 / / rw - overlay overlay rw,upperdir=/var/lib/docker/overlay2/x\n",
         NULL},
    };
    for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
        void *fresh = NULL;
        tree_setup(&fresh);
        struct tree *tree = fresh;
        tree_file(tree, MOUNTINFO, "");
        tree_file(tree, samples[i].path, samples[i].text);
        tree_probe(tree, probe_container);
        if (samples[i].engine)
            assert_fact(tree, "container", "build_step", samples[i].engine);
        else
            assert_fact_absent(tree, "container", "build_step");
        tree_teardown(&fresh);
    }
    (void)state;
}

static void knows_the_kernel_of_gvisor(void **state)
{
    struct tree *tree = *state;
    tree_probe(tree, probe_container);
    assert_fact_skipped(tree, "container", "sandbox", MOUNTINFO);
    tree_file(tree, MOUNTINFO, "10 10 0:10 / / rw  - overlay none rw\n");
    tree_probe(tree, probe_container);
    assert_fact_absent(tree, "container", "sandbox");
    tree_file(tree, "/proc/sentry-meminfo", "Total: 1\n");
    tree_file(tree, "/.dockerenv", "");
    tree_probe(tree, probe_container);
    assert_fact(tree, "container", "sandbox", "gvisor");
    assert_fact(tree, "container", "engine", "docker");
}

/* Its sysfs has these directories, and nothing in them. */
static void gvisor_shows_neither_bus_nor_modules(void **state)
{
    static const char *const facts[][2] = {
        {"pci", "count"},      {"pci", "nvswitch_count"}, {"module", "nvidia"},
        {"module", "nouveau"}, {"module", "version"},     {"module", "flavour"},
    };
    struct tree *tree = *state;
    tree_directory(tree, "/sys/bus");
    tree_directory(tree, "/sys/module");
    tree_file(tree, "/proc/sentry-meminfo", "Total: 1\n");
    for (int round = 0; round < 2; round++) {
        tree_probe(tree, NULL);
        for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++)
            assert_fact_skipped(tree, facts[i][0], facts[i][1], "gVisor does not show this");
        if (round == 0)
            tree_directory(tree, "/sys/bus/pci/devices");
    }
    tree_directory(tree, "/sys/module/nvidia");
    tree_probe(tree, NULL);
    assert_fact_boolean(tree, "module", "nvidia", true);
}

static void survives_hostile_mounts(void **state)
{
    struct tree *tree = *state;
    tree_file(tree, MOUNTINFO,
              " - \n - -\n1 2 3 4 - \n\n1 2 3 4 5 6 7\n- overlay\n\033[31m - \377 -");
    tree_probe(tree, probe_container);
    assert_fact_boolean(tree, "container", "nvidia_libraries", false);
    assert_fact_absent(tree, "container", "engine");
    tree_file(tree, MOUNTINFO, "");
    tree_probe(tree, probe_container);
    assert_fact_boolean(tree, "container", "nvidia_libraries", false);
    tree_bytes(tree, MOUNTINFO, "1\0", 2);
    tree_probe(tree, probe_container);
    assert_fact_unknown(tree, "container", "nvidia_libraries", "NUL");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        tree_test(each_clue_names_its_engine),
        tree_test(variables_of_the_first_process_end_with_nul),
        tree_test(kubernetes_goes_before_its_runtime),
        tree_test(finds_mounted_driver_libraries),
        tree_test(knows_a_step_of_an_image_build),
        tree_test(knows_the_kernel_of_gvisor),
        tree_test(gvisor_shows_neither_bus_nor_modules),
        tree_test(survives_hostile_mounts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
