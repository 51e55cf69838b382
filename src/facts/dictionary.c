/* SPDX-License-Identifier: MIT */
#include "facts/dictionary.h"

#include <string.h>

#include "base/text.h"

const struct fact_kind fact_kinds[] = {
    {.kind = "os", .owner = OWNER_TREE, .meaning = "the distribution"},
    {.kind = "machine", .owner = OWNER_TREE, .meaning = "what kind of machine this is"},
    {.kind = "container", .owner = OWNER_TREE, .meaning = "the container around it"},
    {.kind = "memory", .owner = OWNER_TREE, .meaning = "memory and swap"},
    {.kind = "kernel", .owner = OWNER_LIVE, .meaning = "the running kernel"},
    {.kind = "disk", .owner = OWNER_LIVE, .meaning = "space on file systems"},
    {.kind = "limits", .owner = OWNER_LIVE, .meaning = "resource limits"},
    {.kind = "environment", .owner = OWNER_LIVE, .meaning = "environment variables"},
    {.kind = "pci", .owner = OWNER_TREE, .instances = true, .meaning = "NVIDIA PCI functions"},
    {.kind = "module", .owner = OWNER_TREE, .meaning = "kernel modules, as loaded"},
    {.kind = "module_file",
     .owner = OWNER_TREE,
     .instances = true,
     .meaning = "kernel modules, as files"},
    {.kind = "dkms", .owner = OWNER_TREE, .instances = true, .meaning = "modules that DKMS builds"},
    {.kind = "package",
     .owner = OWNER_TREE,
     .instances = true,
     .meaning = "installed NVIDIA and CUDA packages"},
    {.kind = "device", .owner = OWNER_LIVE, .instances = true, .meaning = "device nodes"},
    {.kind = "loader",
     .owner = OWNER_TREE,
     .instances = true,
     .meaning = "which file a program gets for a library name, and why"},
    {.kind = "library",
     .owner = OWNER_TREE,
     .instances = true,
     .meaning = "copies of CUDA, cuDNN, NCCL, TensorRT and driver libraries"},
    {.kind = "toolkit", .owner = OWNER_TREE, .instances = true, .meaning = "CUDA toolkits"},
    {.kind = "driver_gpu",
     .owner = OWNER_TREE,
     .instances = true,
     .meaning = "GPUs as the loaded kernel module lists them"},
    {.kind = "answer",
     .owner = OWNER_LIVE,
     .instances = true,
     .meaning = "vendor libraries, as they answer when called"},
    {.kind = "cuda",
     .owner = OWNER_LIVE,
     .instances = true,
     .meaning = "GPUs as the CUDA driver API lists them"},
    {.kind = "nvml", .owner = OWNER_LIVE, .instances = true, .meaning = "GPUs as NVML lists them"},
    {.kind = "gpu_process",
     .owner = OWNER_LIVE,
     .instances = true,
     .meaning = "processes that have a GPU's node open"},
    {.kind = "assumed",
     .owner = OWNER_LIVE,
     .instances = true,
     .meaning = "driver and GPUs given with --assume-driver and --assume-gpu"},
    {.kind = NULL},
};

#define OF_KIND(k, n, t, m)                                                                        \
    {                                                                                              \
        .kind = k, .of_instance = false, .name = n, .type = t, .meaning = m                        \
    }
#define OF_INSTANCE(k, n, t, m)                                                                    \
    {                                                                                              \
        .kind = k, .of_instance = true, .name = n, .type = t, .meaning = m                         \
    }

const struct fact_entry fact_entries[] = {
    OF_KIND("os", "id", FACT_STRING, "ID of os-release: debian"),
    OF_KIND("os", "id_like", FACT_STRING, "ID_LIKE of os-release: \"rhel centos fedora\""),
    OF_KIND("os", "version_id", FACT_STRING, "VERSION_ID of os-release: 12"),
    OF_KIND("os", "pretty_name", FACT_STRING, "PRETTY_NAME of os-release"),
    OF_KIND("os", "architecture", FACT_STRING,
            "machine of the system's programs: x86_64, aarch64 (from the loader's ELF header)"),
    OF_KIND("os", "glibc_version", FACT_STRING, "2.36"),

    OF_KIND(
        "machine", "virtualization", FACT_STRING,
        "none, kvm, vmware, microsoft, xen, amazon, google, qemu, virtualbox, parallels, other"),
    OF_KIND("machine", "product", FACT_STRING, "DMI vendor and product name"),
    OF_KIND("machine", "wsl", FACT_INTEGER, "generation of WSL: 1 or 2; absent elsewhere"),
    OF_KIND("machine", "jetson_release", FACT_STRING, "Jetson Linux release: 36.4.3"),
    OF_KIND("machine", "jetson_model", FACT_STRING, "board name of a Jetson"),
    OF_KIND("machine", "secure_boot", FACT_BOOLEAN, "UEFI Secure Boot is on"),
    OF_KIND("machine", "iommu", FACT_BOOLEAN, "an IOMMU is in use (groups exist)"),

    OF_KIND("container", "engine", FACT_STRING,
            "docker, podman, kubernetes, lxc, systemd-nspawn, other; absent outside containers"),
    OF_KIND("container", "nvidia_libraries", FACT_BOOLEAN,
            "the container runtime put driver libraries in (mounts named in /proc/self/mountinfo)"),

    OF_KIND("memory", "total_bytes", FACT_INTEGER, "MemTotal"),
    OF_KIND("memory", "available_bytes", FACT_INTEGER, "MemAvailable"),
    OF_KIND("memory", "swap_total_bytes", FACT_INTEGER, "SwapTotal"),
    OF_KIND("memory", "cgroup_limit_bytes", FACT_INTEGER,
            "memory limit of the cgroup; absent when there is none"),

    OF_KIND("kernel", "release", FACT_STRING, "uname -r"),
    OF_KIND("kernel", "version", FACT_STRING, "uname -v"),
    OF_KIND("kernel", "machine", FACT_STRING, "uname -m"),

    OF_KIND("disk", "shm_bytes", FACT_INTEGER, "size of /dev/shm"),
    OF_KIND("disk", "tmp_path", FACT_STRING, "TMPDIR or /tmp"),
    OF_KIND("disk", "tmp_free_bytes", FACT_INTEGER, "free there"),
    OF_KIND("disk", "prefix_path", FACT_STRING, "where toolkits are installed: /usr/local"),
    OF_KIND("disk", "prefix_free_bytes", FACT_INTEGER, "free there"),

    OF_KIND("limits", "user_id", FACT_INTEGER, "who ran the probe"),
    OF_KIND("limits", "memlock_bytes", FACT_INTEGER, "soft RLIMIT_MEMLOCK; absent when unlimited"),
    OF_KIND("limits", "memlock_hard_bytes", FACT_INTEGER, "hard one; absent when unlimited"),

    OF_KIND("environment", "*", FACT_STRING, "the variable's value; absent when it is not set"),

    OF_KIND("pci", "count", FACT_INTEGER,
            "display functions (class 0300, 0302) of vendor 10de: how many GPUs the bus shows"),
    OF_KIND("pci", "nvswitch_count", FACT_INTEGER, "bridges (class 0680) of vendor 10de"),
    OF_INSTANCE("pci", "device_id", FACT_STRING, "four hex digits: 2330"),
    OF_INSTANCE("pci", "subsystem", FACT_STRING, "vendor:device of the board: 10de:16c1"),
    OF_INSTANCE("pci", "class", FACT_STRING, "six hex digits: 030200"),
    OF_INSTANCE("pci", "revision", FACT_STRING, "two hex digits; ff: the device does not answer"),
    OF_INSTANCE("pci", "driver", FACT_STRING, "bound kernel driver; absent when none is"),
    OF_INSTANCE("pci", "link_speed", FACT_STRING, "now: \"2.5 GT/s PCIe\""),
    OF_INSTANCE("pci", "link_speed_max", FACT_STRING, "what the card can do"),
    OF_INSTANCE("pci", "link_width", FACT_INTEGER, "lanes now"),
    OF_INSTANCE("pci", "link_width_max", FACT_INTEGER, "lanes of the card"),
    OF_INSTANCE("pci", "bar_bytes", FACT_LIST, "size of each BAR in order, in bytes; \"0\": none"),
    OF_INSTANCE("pci", "bars_unassigned", FACT_LIST, "BARs with a size and no address: \"1\""),
    OF_INSTANCE("pci", "power_state", FACT_STRING, "D0, D3hot, D3cold, unknown"),

    OF_KIND("module", "nvidia", FACT_BOOLEAN, "nvidia is loaded"),
    OF_KIND("module", "nvidia_uvm", FACT_BOOLEAN, "nvidia_uvm is loaded"),
    OF_KIND("module", "nvidia_drm", FACT_BOOLEAN, "nvidia_drm is loaded"),
    OF_KIND("module", "nouveau", FACT_BOOLEAN, "nouveau is loaded"),
    OF_KIND("module", "nova", FACT_BOOLEAN, "nova_core is loaded"),
    OF_KIND("module", "vfio_pci", FACT_BOOLEAN, "vfio_pci is loaded"),
    OF_KIND("module", "version", FACT_STRING,
            "driver version of the loaded nvidia module: 580.95.05"),
    OF_KIND("module", "version_line", FACT_STRING, "first line of /proc/driver/nvidia/version"),
    OF_KIND("module", "uvm_version", FACT_STRING, "of /sys/module/nvidia_uvm/version"),
    OF_KIND("module", "flavour", FACT_STRING, "open or proprietary"),
    OF_KIND("module", "compiler", FACT_STRING, "compiler the module was built with"),
    OF_KIND("module_file", "count", FACT_INTEGER, "files of the nvidia module found"),
    OF_INSTANCE("module_file", "path", FACT_STRING, "path of nvidia.ko, compressed or not"),
    OF_INSTANCE("module_file", "kernel", FACT_STRING, "kernel release it lies under"),
    OF_INSTANCE("module_file", "version", FACT_STRING, "driver version; skipped when compressed"),
    OF_INSTANCE("module_file", "license", FACT_STRING, "NVIDIA: proprietary; Dual MIT/GPL: open"),
    OF_KIND("dkms", "count", FACT_INTEGER, "versions of nvidia modules that DKMS knows"),
    OF_INSTANCE("dkms", "module", FACT_STRING, "nvidia"),
    OF_INSTANCE("dkms", "version", FACT_STRING, "570.86.15"),
    OF_INSTANCE("dkms", "state", FACT_STRING, "added, built or installed"),
    OF_INSTANCE("dkms", "kernels", FACT_LIST, "kernel releases it is built for"),
    OF_KIND("package", "count", FACT_INTEGER, "how many are installed"),
    OF_INSTANCE("package", "name", FACT_STRING, "nvidia-driver-570"),
    OF_INSTANCE("package", "version", FACT_STRING, "as the package database has it"),
    OF_INSTANCE("package", "status", FACT_STRING, "\"install ok installed\""),

    OF_KIND("device", "count", FACT_INTEGER, "nodes /dev/nvidia0, /dev/nvidia1, …"),
    OF_KIND("device", "uvm_major", FACT_INTEGER, "major of nvidia-uvm in /proc/devices"),
    OF_KIND(
        "device", "modprobe_setuid", FACT_BOOLEAN,
        "nvidia-modprobe is there and setuid root: it loads nvidia_uvm and makes nodes at first "
        "use"),
    OF_INSTANCE("device", "path", FACT_STRING, "/dev/nvidia0"),
    OF_INSTANCE("device", "mode", FACT_STRING, "octal permission bits: 0666"),
    OF_INSTANCE("device", "user", FACT_INTEGER, "owner's id"),
    OF_INSTANCE("device", "group", FACT_INTEGER, "group's id"),
    OF_INSTANCE("device", "number", FACT_STRING, "major:minor of a character device: 195:0"),
    OF_INSTANCE("device", "usable", FACT_BOOLEAN, "this user may read and write it"),

    OF_KIND("loader", "cache", FACT_STRING, "what libraries are looked up in: /etc/ld.so.cache"),
    OF_INSTANCE("loader", "name", FACT_STRING, "library name asked for: libcuda.so.1"),
    OF_INSTANCE("loader", "path", FACT_STRING,
                "what a program without RPATH gets; absent when nothing is found"),
    OF_INSTANCE("loader", "real_path", FACT_STRING, "the same without links"),
    OF_INSTANCE("loader", "why", FACT_STRING, "\"LD_LIBRARY_PATH: /usr/local/cuda/lib64/stubs\""),
    OF_INSTANCE("loader", "passed_over", FACT_LIST, "\"PATH: reason\" of files that do not fit"),

    OF_KIND("library", "count", FACT_INTEGER, "copies found"),
    OF_INSTANCE("library", "family", FACT_STRING,
                "driver, cudart, cublas, cublasLt, cufft, curand, cusolver, cusparse, nvrtc, "
                "nvJitLink, cudnn, nccl, tensorrt, nvenc, nvdec"),
    OF_INSTANCE("library", "name", FACT_STRING, "file name up to .so: libcudnn_ops"),
    OF_INSTANCE("library", "path", FACT_STRING, "real path"),
    OF_INSTANCE("library", "found_as", FACT_LIST, "paths under which it was found"),
    OF_INSTANCE("library", "soname", FACT_STRING, "libcudnn_ops.so.9"),
    OF_INSTANCE("library", "version", FACT_STRING, "9.19.0"),
    OF_INSTANCE("library", "architecture", FACT_STRING, "x86_64, i386, aarch64"),
    OF_INSTANCE("library", "build_id", FACT_STRING, "hex"),
    OF_INSTANCE("library", "stub", FACT_BOOLEAN, "a link-time stub (in a stubs directory)"),
    OF_INSTANCE("library", "unresolved", FACT_LIST, "DT_NEEDED names the loader would not find"),
    OF_INSTANCE("library", "origin", FACT_STRING,
                "toolkit, package, wheel, conda, system, wsl, compat (cuda-compat directory)"),

    OF_KIND("toolkit", "count", FACT_INTEGER, "toolkits found"),
    OF_KIND("toolkit", "default_link", FACT_STRING, "text of the link /usr/local/cuda"),
    OF_KIND("toolkit", "default", FACT_STRING, "real path /usr/local/cuda leads to"),
    OF_KIND("toolkit", "nvcc_on_path", FACT_STRING, "first nvcc on PATH, links resolved"),
    OF_INSTANCE("toolkit", "path", FACT_STRING, "real path of its root"),
    OF_INSTANCE("toolkit", "named_by", FACT_LIST,
                "paths and variables that lead to it: /usr/local/cuda, CUDA_HOME, PATH"),
    OF_INSTANCE("toolkit", "version", FACT_STRING, "13.0 or 12.8.1"),
    OF_INSTANCE("toolkit", "origin", FACT_STRING, "directory, package, conda, wheel"),
    OF_INSTANCE("toolkit", "missing", FACT_LIST,
                "of nvcc, ptxas, cicc, libdevice, cudart, headers: those that are not there"),
    OF_INSTANCE("toolkit", "nvcc_version", FACT_STRING, "what nvcc --version says (--deep)"),
    OF_INSTANCE("toolkit", "compat_path", FACT_STRING, "its compat directory with libcuda"),

    OF_KIND("driver_gpu", "count", FACT_INTEGER, "directories in /proc/driver/nvidia/gpus"),
    OF_INSTANCE("driver_gpu", "bus_id", FACT_STRING, "0000:18:00.0"),
    OF_INSTANCE("driver_gpu", "model", FACT_STRING, "NVIDIA H100 80GB HBM3"),
    OF_INSTANCE("driver_gpu", "minor", FACT_INTEGER, "N of its node /dev/nvidiaN"),
    OF_INSTANCE("driver_gpu", "firmware", FACT_STRING, "GSP firmware: 570.86.15; absent before it"),
    OF_INSTANCE("driver_gpu", "excluded", FACT_BOOLEAN, "the module was told to leave it alone"),

    OF_INSTANCE("answer", "library", FACT_STRING, "the name that was opened: libcudnn.so.9"),
    OF_INSTANCE("answer", "path", FACT_STRING, "the file that was loaded for it"),
    OF_INSTANCE("answer", "version", FACT_STRING,
                "the version it says it has: 9.19.0; of libcuda the CUDA driver API version: 12.8"),
    OF_INSTANCE("answer", "init", FACT_INTEGER, "result of cuInit or nvmlInit; 0: success"),
    OF_INSTANCE("answer", "init_name", FACT_STRING, "its name: CUDA_ERROR_NO_DEVICE"),
    OF_INSTANCE("answer", "device_count", FACT_INTEGER, "GPUs that it lists"),
    OF_INSTANCE("answer", "driver_version", FACT_STRING, "NVML: version of the driver: 570.86.15"),
    OF_INSTANCE("answer", "cuda_version", FACT_STRING, "NVML: CUDA driver API version: 12.8"),
    OF_INSTANCE("answer", "cudart_version", FACT_STRING,
                "cuDNN: CUDA runtime it was built with: 12.8"),
    OF_INSTANCE("answer", "capability_max", FACT_STRING, "cuDNN: newest compute capability: 12.1"),
    OF_INSTANCE("answer", "untrusted", FACT_STRING,
                "why it was not called, where that is for what others than root may change"),
    OF_INSTANCE("answer", "output", FACT_STRING, "what it printed, at most 200 bytes of it"),

    OF_KIND("cuda", "count", FACT_INTEGER, "cuDeviceGetCount; unknown when it did not answer"),
    OF_INSTANCE("cuda", "name", FACT_STRING, "NVIDIA H100 80GB HBM3"),
    OF_INSTANCE("cuda", "uuid", FACT_STRING, "GPU-…"),
    OF_INSTANCE("cuda", "bus_id", FACT_STRING, "0000:18:00.0, in lower case"),
    OF_INSTANCE("cuda", "capability", FACT_STRING, "compute capability: 9.0"),
    OF_INSTANCE("cuda", "clock_khz", FACT_INTEGER, "highest SM clock"),
    OF_INSTANCE("cuda", "memory_clock_khz", FACT_INTEGER, "highest memory clock"),
    OF_INSTANCE("cuda", "memory_bytes", FACT_INTEGER, "cuDeviceTotalMem"),
    OF_INSTANCE("cuda", "multiprocessors", FACT_INTEGER, "streaming multiprocessors"),
    OF_INSTANCE("cuda", "ecc", FACT_BOOLEAN, "ECC is on"),
    OF_INSTANCE("cuda", "compute_mode", FACT_STRING,
                "default, exclusive-thread, exclusive-process, prohibited"),

    OF_KIND("nvml", "count", FACT_INTEGER, "nvmlDeviceGetCount; unknown when it did not answer"),
    OF_INSTANCE("nvml", "name", FACT_STRING, "NVIDIA H100 80GB HBM3"),
    OF_INSTANCE("nvml", "uuid", FACT_STRING, "GPU-…"),
    OF_INSTANCE("nvml", "bus_id", FACT_STRING, "0000:18:00.0, in lower case"),
    OF_INSTANCE("nvml", "capability", FACT_STRING, "compute capability: 9.0"),
    OF_INSTANCE("nvml", "memory_total_bytes", FACT_INTEGER, "all of its memory"),
    OF_INSTANCE("nvml", "memory_used_bytes", FACT_INTEGER,
                "allocated by programs, as nvidia-smi shows it"),
    OF_INSTANCE("nvml", "memory_free_bytes", FACT_INTEGER, "free"),
    OF_INSTANCE("nvml", "utilization_percent", FACT_INTEGER, "share of time a kernel ran"),
    OF_INSTANCE("nvml", "compute_mode", FACT_STRING,
                "default, exclusive-thread, exclusive-process, prohibited"),
    OF_INSTANCE("nvml", "display_active", FACT_BOOLEAN, "a display is drawn on it"),
    OF_INSTANCE("nvml", "persistence", FACT_BOOLEAN, "persistence mode is on"),
    OF_INSTANCE("nvml", "mig", FACT_BOOLEAN, "MIG mode is on; absent where it has none"),
    OF_INSTANCE("nvml", "mig_instances", FACT_INTEGER, "MIG devices on it"),
    OF_INSTANCE("nvml", "pcie_generation", FACT_INTEGER, "PCIe generation of the link now"),
    OF_INSTANCE("nvml", "pcie_generation_max", FACT_INTEGER, "that GPU and slot can do"),
    OF_INSTANCE("nvml", "pcie_width", FACT_INTEGER, "lanes now"),
    OF_INSTANCE("nvml", "pcie_width_max", FACT_INTEGER, "lanes that GPU and slot can do"),
    OF_INSTANCE("nvml", "clock_sm_mhz", FACT_INTEGER, "SM clock now"),
    OF_INSTANCE("nvml", "clock_sm_max_mhz", FACT_INTEGER, "highest SM clock"),
    OF_INSTANCE("nvml", "clock_memory_mhz", FACT_INTEGER, "memory clock now"),
    OF_INSTANCE("nvml", "clock_event_reasons", FACT_LIST,
                "why clocks are not higher: idle, applications_clocks, sw_power_cap, hw_slowdown, "
                "sync_boost, sw_thermal, hw_thermal, hw_power_brake, display_clocks, "
                "board_limit, reliability, bit_N"),
    OF_INSTANCE("nvml", "temperature_c", FACT_INTEGER, "of the GPU"),
    OF_INSTANCE("nvml", "power_mw", FACT_INTEGER, "drawn now"),
    OF_INSTANCE("nvml", "power_limit_mw", FACT_INTEGER, "limit in force"),
    OF_INSTANCE("nvml", "power_default_mw", FACT_INTEGER, "the card's default limit"),
    OF_INSTANCE("nvml", "ecc", FACT_BOOLEAN, "ECC is on; absent where it has none"),
    OF_INSTANCE("nvml", "ecc_uncorrected_volatile", FACT_INTEGER, "errors since the driver loaded"),
    OF_INSTANCE("nvml", "ecc_uncorrected_aggregate", FACT_INTEGER, "errors in the card's life"),
    OF_INSTANCE("nvml", "remapped_correctable", FACT_INTEGER, "rows remapped"),
    OF_INSTANCE("nvml", "remapped_uncorrectable", FACT_INTEGER, "rows remapped"),
    OF_INSTANCE("nvml", "remap_pending", FACT_BOOLEAN, "a row remap waits for a reset"),
    OF_INSTANCE("nvml", "remap_failure", FACT_BOOLEAN, "a row could not be remapped"),
    OF_INSTANCE("nvml", "retired_pages_single", FACT_INTEGER,
                "pages retired after single-bit errors; absent where rows are remapped instead"),
    OF_INSTANCE("nvml", "retired_pages_double", FACT_INTEGER,
                "pages retired after a double-bit error"),
    OF_INSTANCE("nvml", "retired_pages_pending", FACT_BOOLEAN, "a page waits to be retired"),
    OF_INSTANCE("nvml", "processes", FACT_LIST,
                "\"PID BYTES\" of each process with memory on it; "
                "BYTES may be \"?\""),
    OF_INSTANCE("nvml", "nvlinks_active", FACT_INTEGER, "NVLinks that are up"),
    OF_INSTANCE("nvml", "nvlinks_inactive", FACT_INTEGER, "NVLinks that are down"),
    OF_INSTANCE("nvml", "fabric_state", FACT_STRING,
                "not-supported, not-started, in-progress, completed"),
    OF_INSTANCE("nvml", "fabric_status", FACT_INTEGER, "NVML number of how that ended"),

    OF_KIND("gpu_process", "count", FACT_INTEGER,
            "of them; skipped when some of other users could not be seen"),
    OF_INSTANCE("gpu_process", "pid", FACT_INTEGER, "process id, as this user sees it"),
    OF_INSTANCE("gpu_process", "name", FACT_STRING, "its /proc/PID/comm"),
    OF_INSTANCE("gpu_process", "nodes", FACT_LIST, "the nodes: /dev/nvidia0"),
    OF_INSTANCE("gpu_process", "parent", FACT_INTEGER, "its parent's process id; 1: an orphan"),

    OF_KIND("assumed", "driver_version", FACT_STRING, "--assume-driver: 570.86.15"),
    OF_INSTANCE("assumed", "name", FACT_STRING, "--assume-gpu as given, or its model's name"),
    OF_INSTANCE("assumed", "device_id", FACT_STRING, "PCI id: 2330; absent for a bare capability"),
    OF_INSTANCE("assumed", "capability", FACT_STRING, "compute capability: 9.0"),
    {.kind = NULL},
};

static bool group_of_kind(const char *group, const char *kind, bool *ret_instance)
{
    size_t length = strlen(kind);
    if (strncmp(group, kind, length) != 0 || (group[length] != '\0' && group[length] != '/'))
        return false;
    *ret_instance = group[length] == '/';
    return true;
}

const struct fact_kind *dictionary_kind(const char *group)
{
    bool instance;
    for (const struct fact_kind *kind = fact_kinds; kind->kind; kind++)
        if (group_of_kind(group, kind->kind, &instance) && (!instance || kind->instances))
            return kind;
    return NULL;
}

const struct fact_entry *dictionary_entry(const char *group, const char *name)
{
    bool instance;
    for (const struct fact_entry *entry = fact_entries; entry->kind; entry++)
        if (group_of_kind(group, entry->kind, &instance) && instance == entry->of_instance &&
            (string_equal(entry->name, "*") || string_equal(entry->name, name)))
            return entry;
    return NULL;
}
