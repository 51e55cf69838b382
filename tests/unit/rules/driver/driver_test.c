/* SPDX-License-Identifier: MIT */
#include "rules/engine/finding.h"
#include "rules/world.h"

/* driver_not_installed */

#define MISSING "driver_not_installed"

static void test_not_installed_is_found(void **state)
{
    (void)state;
    struct facts *facts = world_with_gpu();
    assert_found(facts, PURPOSE_RUN, MISSING, SEVERITY_FAIL, "no NVIDIA driver is installed");
    assert_found(facts, PURPOSE_BUILD, MISSING, SEVERITY_INFO, "no NVIDIA driver is installed");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_fix(found(judgement, MISSING), "ubuntu-drivers install");
    assert_true(found(judgement, MISSING)->fixes[0].root);
    assert_true(found(judgement, MISSING)->fixes[0].reboot);
    assert_int_equal(check_of(judgement, "module_not_loaded")->status, CHECK_SKIP);
    assert_int_equal(check_of(judgement, "driver_too_old")->status, CHECK_SKIP);
    assert_int_equal(judgement->fail, 1);
    judgement_free(judgement);
    facts_free(facts);
}

static void test_installed_in_any_way_passes(void **state)
{
    (void)state;
    struct facts *facts = world_with_driver("580.95.05");
    assert_check(facts, PURPOSE_RUN, MISSING, CHECK_PASS, NULL);
    facts_free(facts);

    facts = world_with_gpu();
    world_module_file(facts, "6.5.0-1-generic", "580.95.05");
    assert_check(facts, PURPOSE_RUN, MISSING, CHECK_PASS, NULL);
    facts_free(facts);

    facts = world_with_gpu();
    world_package(facts, "nvidia-driver-580-open", "install ok installed");
    assert_check(facts, PURPOSE_RUN, MISSING, CHECK_PASS, NULL);
    facts_free(facts);

    facts = world_with_gpu();
    world_driver_libraries(facts, "580.95.05");
    assert_check(facts, PURPOSE_RUN, MISSING, CHECK_PASS, NULL);
    facts_free(facts);
}

static void test_removed_and_helper_packages_are_no_driver(void **state)
{
    (void)state;
    struct facts *facts = world_with_gpu();
    world_package(facts, "nvidia-driver-535", "deinstall ok config-files");
    world_package(facts, "nvidia-driver-assistant", "install ok installed");
    world_package(facts, "nvidia-driver-pinning-580", "install ok installed");
    world_package(facts, "cuda-toolkit-13-0", "install ok installed");
    world_package(facts, "nvidia-container-toolkit", "install ok installed");
    assert_found(facts, PURPOSE_RUN, MISSING, SEVERITY_FAIL, "no NVIDIA driver is installed");
    facts_free(facts);
}

static void test_stub_is_no_driver(void **state)
{
    (void)state;
    struct facts *facts = world_with_gpu();
    static const char stub[] = "/usr/local/cuda-13.0/lib64/stubs/libcuda.so";
    world_library(facts, "driver", stub, "libcuda.so.1", NULL, "toolkit");
    world_loader(facts, "libcuda.so.1", stub, stub, "LD_LIBRARY_PATH: /stubs");
    assert_found(facts, PURPOSE_RUN, MISSING, SEVERITY_FAIL, "no NVIDIA driver is installed");
    facts_free(facts);
}

static void test_not_installed_skips_elsewhere(void **state)
{
    (void)state;
    struct facts *facts = world_with_gpu();
    world_container(facts, "docker");
    assert_check(facts, PURPOSE_CONTAINER, MISSING, CHECK_SKIP, "host");
    facts_free(facts);
    facts = world_bare();
    assert_check(facts, PURPOSE_RUN, MISSING, CHECK_SKIP, "no NVIDIA GPU on the bus");
    facts_set_string(facts, "machine", "jetson_release", "36.4.3", "/etc/nv_tegra_release");
    assert_check(facts, PURPOSE_RUN, MISSING, CHECK_SKIP, "Jetson");
    facts_free(facts);
}

static void test_not_installed_unknown(void **state)
{
    (void)state;
    struct facts *facts = world_with_gpu();
    facts_set_unknown(facts, "package", "count", "damaged database", "/var/lib/rpm");
    assert_check(facts, PURPOSE_RUN, MISSING, CHECK_UNKNOWN, "damaged database");
    facts_set_integer(facts, "package", "count", 0, "/var/lib/rpm");
    facts_set_unknown(facts, "module", "nvidia", "permission denied", "/proc/modules");
    assert_check(facts, PURPOSE_RUN, MISSING, CHECK_UNKNOWN, "permission denied");
    facts_free(facts);
}

/* What the release does not have is not named. */
static void test_commands_are_of_the_release(void **state)
{
    static const char *const rows[][4] = {
        {"ubuntu", "21.04", "https://www.nvidia.com/drivers", "ubuntu-drivers"},
        {"ubuntu", "24.04", "ubuntu-drivers install", "https://www.nvidia.com/drivers"},
        {"centos", "7", "https://www.nvidia.com/drivers", "dnf"},
        {"centos", "9", "dnf install", "https://www.nvidia.com/drivers"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct facts *facts = world_with_gpu();
        facts_set_string(facts, "os", "id", rows[i][0], "/etc/os-release");
        facts_set_string(facts, "os", "id_like",
                         string_equal(rows[i][0], "ubuntu") ? "debian" : "rhel fedora",
                         "/etc/os-release");
        facts_set_string(facts, "os", "version_id", rows[i][1], "/etc/os-release");
        facts_set_string(facts, "os", "architecture", "x86_64", "ld.so");
        struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
        print_message("%s %s\n", rows[i][0], rows[i][1]);
        assert_fix(found(judgement, MISSING), rows[i][2]);
        assert_false(fix_says(found(judgement, MISSING), rows[i][3]));
        judgement_free(judgement);
        facts_free(facts);
    }
}

/* WSL: the driver is Windows's. */
static void test_wsl_without_windows_driver(void **state)
{
    (void)state;
    struct facts *facts = world_bare();
    facts_set_integer(facts, "machine", "wsl", 2, "/proc/version");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    const struct finding *finding = found(judgement, MISSING);
    assert_non_null(finding);
    assert_int_equal(finding->severity, SEVERITY_FAIL);
    assert_fix(finding, "Windows");
    assert_fix(finding, "never install a Linux driver");
    assert_false(fix_says(finding, "apt"));
    judgement_free(judgement);

    static const char path[] = "/usr/lib/wsl/lib/libcuda.so.1.1";
    world_library(facts, "driver", path, "libcuda.so.1", NULL, "wsl");
    world_loader(facts, "libcuda.so.1", "/usr/lib/wsl/lib/libcuda.so.1", path, "ld.so.cache");
    assert_check(facts, PURPOSE_RUN, MISSING, CHECK_PASS, NULL);
    judgement = world_judge(facts, PURPOSE_RUN);
    assert_int_equal(judgement->fail + judgement->warn + judgement->unknown, 0);
    judgement_free(judgement);
    facts_free(facts);
}

static void test_commands_are_of_the_distribution(void **state)
{
    static const char *const rows[][3] = {
        {"ubuntu", NULL, "sudo apt-get update && sudo apt-get install ubuntu-drivers-common"},
        {"linuxmint", "ubuntu debian", "ubuntu-drivers install"},
        {"debian", NULL, "\"linux-headers-$(uname -r)\" nvidia-driver libcuda1"},
        {"rocky", "rhel centos fedora", "dnf install nvidia-open"},
        {"fedora", NULL, "dnf install nvidia-open"},
        {"opensuse-leap", "suse opensuse", "zypper install nvidia-open"},
        {"arch", NULL, "pacman -Syu nvidia-open"},
        {"nixos", NULL, "hardware.nvidia.package"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct facts *facts = world_with_gpu();
        facts_set_string(facts, "os", "id", rows[i][0], "/etc/os-release");
        facts_set_string(facts, "os", "id_like", rows[i][1], "/etc/os-release");
        struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
        assert_fix(found(judgement, MISSING), rows[i][2]);
        judgement_free(judgement);
        facts_free(facts);
    }
}

/* rpm and pacman databases are not read: no module and no libcuda tell enough. */
static void test_without_a_package_database(void **state)
{
    (void)state;
    struct facts *facts = world_with_gpu();
    facts_set_skipped(facts, "package", "count", "rpm database is not read", "/var/lib/rpm");
    assert_found(facts, PURPOSE_RUN, MISSING, SEVERITY_FAIL, "no NVIDIA driver is installed");
    world_module_file(facts, "6.8.0-50-generic", "580.95.05");
    assert_check(facts, PURPOSE_RUN, MISSING, CHECK_PASS, NULL);
    facts_free(facts);
    facts = world_with_gpu();
    facts_set_unknown(facts, "package", "count", "cannot read", "/var/lib/dpkg/status");
    assert_check(facts, PURPOSE_RUN, MISSING, CHECK_UNKNOWN, "package.count");
    facts_free(facts);
}

/* A stub before WSL's libcuda hides the driver; it does not take it away. */
static void test_a_hidden_libcuda_is_a_driver(void **state)
{
    (void)state;
    struct facts *facts = world_bare();
    static const char stub[] = "/usr/local/cuda/lib64/stubs/libcuda.so.1";
    static const char wsl[] = "/usr/lib/wsl/lib/libcuda.so.1";
    facts_set_integer(facts, "machine", "wsl", 2, "/proc/version");
    world_library(facts, "driver", stub, "libcuda.so.1", NULL, "toolkit");
    world_loader(facts, "libcuda.so.1", stub, stub, "LD_LIBRARY_PATH: /usr/local/cuda/lib64/stubs");
    assert_found(facts, PURPOSE_RUN, MISSING, SEVERITY_FAIL, "WSL shows no NVIDIA driver");
    world_library(facts, "driver", wsl, "libcuda.so.1", NULL, "wsl");
    assert_check(facts, PURPOSE_RUN, MISSING, CHECK_PASS, NULL);
    facts_free(facts);
}

/* A host that passes its GPUs through needs no driver, and that is healthy. */
static void test_gpus_of_virtual_machines(void **state)
{
    (void)state;
    struct facts *facts = world_with_gpu();
    world_gpu(facts, "0000:01:00.0", "2330", "vfio-pci");
    assert_check(facts, PURPOSE_RUN, MISSING, CHECK_SKIP, "virtual machines");
    assert_found(facts, PURPOSE_RUN, "module_not_loaded", SEVERITY_INFO, "vfio-pci holds every");
    world_gpu(facts, "0000:02:00.0", "2330", NULL); /* one is for this machine */
    assert_found(facts, PURPOSE_RUN, MISSING, SEVERITY_FAIL, "no NVIDIA driver is installed");
    facts_free(facts);
}

/* A P100 (Pascal): branches after its last one, and the open module, do not drive it. */
static void test_dropped_gpu_gets_its_last_branch(void **state)
{
    (void)state;
    struct facts *facts = world_with_gpu();
    world_gpu(facts, "0000:01:00.0", "15f8", NULL);
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_fix(found(judgement, MISSING), "nvidia:580");
    judgement_free(judgement);
    facts_set_string(facts, "os", "id", "rhel", "/etc/os-release");
    facts_set_string(facts, "os", "version_id", "9.4", "/etc/os-release");
    judgement = world_judge(facts, PURPOSE_RUN);
    assert_fix(found(judgement, MISSING), "nvidia-driver:580-dkms");
    judgement_free(judgement);
    facts_set_string(facts, "os", "version_id", "10.0", "/etc/os-release"); /* no streams */
    judgement = world_judge(facts, PURPOSE_RUN);
    assert_fix(found(judgement, MISSING), "dnf versionlock add '*nvidia*580*'");
    judgement_free(judgement);
    facts_free(facts);
}

/* The packages are those that the release has, and drive the GPU. */
static void test_packages_suit_release_and_gpu(void **state)
{
    static const struct {
        const char *id, *release, *device;
        const char *says;  /* the first fix */
        const char * not ; /* no fix says that */
    } rows[] = {
        {"ubuntu", "24.04", "102d", "ubuntu-drivers install --gpgpu nvidia:470-server",
         "cuda-drivers"},
        {"ubuntu", "24.04", "1eb8", "ubuntu-drivers install --gpgpu nvidia:580-server",
         "cuda-drivers"},
        {"ubuntu", "24.04", "2684", "ubuntu-drivers install", "--gpgpu"},
        {"ubuntu", "26.04", "102d", "install driver branch R470", "apt-get"}, /* it has none */
        {"debian", "12", "102d", "nvidia-tesla-470-driver libnvidia-tesla-470-cuda1",
         "nvidia-open"},
        {"debian", "13", "102d", "install driver branch R470", "apt-get"},
        {"debian", "12", "1db4", "(uname -r)\" nvidia-driver libcuda1 nvidia-smi", "nvidia-open"},
        {"debian", "13", "2b85", "nvidia-open", "nvidia-driver libcuda1"}, /* 550 is too old */
        {"rhel", "9.4", "102d", "install driver branch R470", "dnf"},
        {"arch", NULL, "1db4", "install driver branch R580", "pacman"},
        {"fedora", "44", "1db4", "addrepo --overwrite --from-repofile=https://", "nvidia-open"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct facts *facts = world_with_gpu();
        world_gpu(facts, "0000:01:00.0", rows[i].device, NULL);
        facts_set_string(facts, "os", "id", rows[i].id, "/etc/os-release");
        facts_set_string(facts, "os", "id_like", NULL, "/etc/os-release");
        facts_set_string(facts, "os", "version_id", rows[i].release, "/etc/os-release");
        facts_set_string(facts, "os", "architecture", "x86_64", "ld.so");
        struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
        const struct finding_fix *fix = &found(judgement, MISSING)->fixes[0];
        assert_says(fix->command ? fix->command : fix->note, rows[i].says);
        assert_false(fix_says(found(judgement, MISSING), rows[i].not ));
        judgement_free(judgement);
        facts_free(facts);
    }
}

/* apt does not heed a pin that is installed with what it is to hold. */
static void test_the_pin_goes_first(void **state)
{
    (void)state;
    struct facts *facts = world_with_gpu();
    world_gpu(facts, "0000:01:00.0", "1db4", NULL);
    facts_set_string(facts, "os", "id", "debian", "/etc/os-release");
    facts_set_string(facts, "os", "version_id", "12", "/etc/os-release");
    facts_set_string(facts, "os", "architecture", "x86_64", "ld.so");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_fix(found(judgement, MISSING),
               "sudo apt-get update && sudo apt-get install nvidia-driver-pinning-580 && sudo "
               "apt-get install \"linux-headers-$(uname -r)\" cuda-drivers");
    assert_fix(found(judgement, MISSING),
               "needs the components contrib, non-free and non-free-firmware in apt's sources");
    judgement_free(judgement);
    facts_free(facts);
}

/* What apt cannot find until a component is enabled is enabled first. */
static void test_components_are_enabled_first(void **state)
{
    static const struct {
        const char *components, *file, *line;
    } rows[] = {
        {"main", "/etc/apt/sources.list",
         "sudo sed -i '/^deb / s/ main/& contrib non-free non-free-firmware/' "
         "/etc/apt/sources.list && sudo apt-get update && sudo apt-get install"},
        {"main:non-free-firmware", "/etc/apt/sources.list.d/debian.sources",
         "sudo sed -i '/^Components:/ s/$/ contrib non-free/' "
         "/etc/apt/sources.list.d/debian.sources && sudo apt-get update && sudo apt-get install"},
        {"main:contrib:non-free:non-free-firmware", "/etc/apt/sources.list", NULL},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct facts *facts = world_with_gpu();
        facts_set_string(facts, "os", "id", "debian", "/etc/os-release");
        facts_set_string(facts, "os", "version_id", "12", "/etc/os-release");
        facts_set_string(facts, "os", "architecture", "x86_64", "ld.so");
        world_list(facts, "apt", "components", rows[i].components);
        facts_set_string(facts, "apt", "file", rows[i].file, "/etc/apt");
        struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
        const struct finding *finding = found(judgement, MISSING);
        if (rows[i].line)
            assert_fix(finding, rows[i].line);
        assert_false(fix_says(finding, "needs the component"));
        if (rows[i].line == NULL)
            assert_false(fix_says(finding, "sed"));
        judgement_free(judgement);
        facts_free(facts);
    }
}

/* uvm_module_not_loaded */

#define UVM "uvm_module_not_loaded"

static struct facts *without_uvm(void)
{
    struct facts *facts = world_with_driver("580.95.05");
    facts_set_boolean(facts, "module", "nvidia_uvm", false, "/proc/modules");
    return facts;
}

/* nvidia-modprobe cannot load what modprobe may not. */
static void test_uvm_that_a_setting_keeps_away(void **state)
{
    static const char file[] = "modprobe//etc/modprobe.d/bumblebee.conf";
    (void)state;
    struct facts *facts = without_uvm();
    facts_set_boolean(facts, "device", "modprobe_setuid", true, "/usr/bin/nvidia-modprobe");
    facts_set_string(facts, file, "path", "/etc/modprobe.d/bumblebee.conf", "/etc/modprobe.d");
    world_list(facts, file, "lines", "alias nvidia-uvm off");
    assert_found(facts, PURPOSE_RUN, UVM, SEVERITY_FAIL, "nvidia_uvm is not");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_says(found(judgement, UVM)->why,
                "/etc/modprobe.d/bumblebee.conf has \"alias nvidia-uvm");
    assert_fix(found(judgement, UVM), "/etc/modprobe.d/bumblebee.conf");
    judgement_free(judgement);
    world_list(facts, file, "lines", "alias nvidia-drm off:install nvidia-uvm /sbin/modprobe -i x");
    assert_found(facts, PURPOSE_RUN, UVM, SEVERITY_INFO, "nvidia_uvm is not");
    facts_free(facts);
}

/* Not every system has files that say what is loaded at boot. */
static void test_uvm_is_loaded_as_the_system_does(void **state)
{
    static const struct {
        const char *id, *fix;
    } rows[] = {
        {"ubuntu", "modules-load.d/nvidia-uvm.conf"},
        {"nixos", "boot.kernelModules = [ \"nvidia_uvm\" ]"},
        {"talos", "machine.kernel.modules"},
    };
    (void)state;
    struct facts *facts = without_uvm();
    facts_set_boolean(facts, "device", "modprobe_setuid", false, "/usr/bin/nvidia-modprobe");
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        facts_set_string(facts, "os", "id", rows[i].id, "/etc/os-release");
        struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
        assert_fix(found(judgement, UVM), rows[i].fix);
        judgement_free(judgement);
    }
    facts_free(facts);
}

static void test_uvm_depends_on_who_can_load_it(void **state)
{
    (void)state;
    struct facts *facts = without_uvm();
    assert_found(facts, PURPOSE_RUN, UVM, SEVERITY_WARN, "nvidia_uvm is not");
    assert_found(facts, PURPOSE_BUILD, UVM, SEVERITY_INFO, "nvidia_uvm is not");
    facts_set_boolean(facts, "device", "modprobe_setuid", true, "/usr/bin/nvidia-modprobe");
    assert_found(facts, PURPOSE_RUN, UVM, SEVERITY_INFO, "nvidia_uvm is not");
    facts_set_boolean(facts, "device", "modprobe_setuid", false, "/usr/bin/nvidia-modprobe");
    assert_found(facts, PURPOSE_RUN, UVM, SEVERITY_FAIL, "nvidia_uvm is not");
    facts_set_absent(facts, "device", "modprobe_setuid", "/usr/bin/nvidia-modprobe");
    assert_found(facts, PURPOSE_RUN, UVM, SEVERITY_FAIL, "nvidia_uvm is not");
    facts_set_unknown(facts, "device", "modprobe_setuid", "permission denied", "/usr/bin");
    assert_found(facts, PURPOSE_RUN, UVM, SEVERITY_WARN, "nvidia_uvm is not");
    struct judgement *judgement = world_judge(facts, PURPOSE_RUN);
    assert_string_equal(found(judgement, UVM)->fixes[0].command, "sudo modprobe nvidia_uvm");
    judgement_free(judgement);
    facts_free(facts);
}

static void test_uvm_in_a_container_is_the_hosts(void **state)
{
    (void)state;
    struct facts *facts = without_uvm();
    world_container(facts, "docker");
    assert_found(facts, PURPOSE_CONTAINER, UVM, SEVERITY_FAIL, "nvidia_uvm is not");
    struct judgement *judgement = world_judge(facts, PURPOSE_CONTAINER);
    assert_fix(found(judgement, UVM), "on the host");
    judgement_free(judgement);
    facts_free(facts);
}

static void test_uvm_pass_skip_unknown(void **state)
{
    (void)state;
    struct facts *facts = world_with_driver("580.95.05");
    assert_check(facts, PURPOSE_RUN, UVM, CHECK_PASS, NULL);
    facts_set_unknown(facts, "module", "nvidia_uvm", "permission denied", "/proc/modules");
    assert_check(facts, PURPOSE_RUN, UVM, CHECK_UNKNOWN, "permission denied");
    facts_free(facts);
    facts = world_with_gpu();
    assert_check(facts, PURPOSE_RUN, UVM, CHECK_SKIP, "not loaded");
    facts_free(facts);
    facts = world_bare();
    facts_set_integer(facts, "machine", "wsl", 2, "/proc/version");
    assert_check(facts, PURPOSE_RUN, UVM, CHECK_SKIP, "WSL");
    facts_free(facts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_not_installed_is_found),
        cmocka_unit_test(test_installed_in_any_way_passes),
        cmocka_unit_test(test_removed_and_helper_packages_are_no_driver),
        cmocka_unit_test(test_stub_is_no_driver),
        cmocka_unit_test(test_not_installed_skips_elsewhere),
        cmocka_unit_test(test_not_installed_unknown),
        cmocka_unit_test(test_wsl_without_windows_driver),
        cmocka_unit_test(test_commands_are_of_the_distribution),
        cmocka_unit_test(test_commands_are_of_the_release),
        cmocka_unit_test(test_without_a_package_database),
        cmocka_unit_test(test_a_hidden_libcuda_is_a_driver),
        cmocka_unit_test(test_gpus_of_virtual_machines),
        cmocka_unit_test(test_dropped_gpu_gets_its_last_branch),
        cmocka_unit_test(test_packages_suit_release_and_gpu),
        cmocka_unit_test(test_the_pin_goes_first),
        cmocka_unit_test(test_components_are_enabled_first),
        cmocka_unit_test(test_uvm_that_a_setting_keeps_away),
        cmocka_unit_test(test_uvm_is_loaded_as_the_system_does),
        cmocka_unit_test(test_uvm_depends_on_who_can_load_it),
        cmocka_unit_test(test_uvm_in_a_container_is_the_hosts),
        cmocka_unit_test(test_uvm_pass_skip_unknown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
