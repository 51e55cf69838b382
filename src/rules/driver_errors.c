/* SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>

#include "rules/driver_errors.h"

#define KERNEL_LOG "sudo dmesg | grep -i -e nvrm -e nvidia -e xid | tail -n 30"

/* No driver, or none that runs. */
#define WITHOUT_DRIVER                                                                             \
    "gpu_absent_from_pci", "driver_not_installed", "nouveau_loaded", "module_not_loaded"
#define WITHOUT_NODES                                                                              \
    "dev_nodes_missing_after_boot", "device_nodes_permission", "uvm_module_not_loaded",            \
        "uvm_device_nodes_missing"
#define OTHER_RELEASE                                                                              \
    "libcuda_kmod_version_mismatch", "driver_library_mismatch", "forward_compat_unsupported_gpu"

static const struct driver_error cuda_errors[] = {
    {.number = 2,
     .name = "CUDA_ERROR_OUT_OF_MEMORY",
     .meaning = "there was not enough memory to start",
     .remaining = "the GPU's memory is taken by other programs; the host's memory or the "
                  "container's limit is used up",
     .command = "nvidia-smi",
     .causes = {"gpu_memory_taken_by_other", "orphan_process_holds_gpu"}},
    {.number = 3,
     .name = "CUDA_ERROR_NOT_INITIALIZED",
     .meaning = "the driver could not be set up for this process",
     .remaining = "the host's driver is not running (in WSL: Windows's); a GPU has failed",
     .command = "nvidia-smi",
     .causes = {WITHOUT_DRIVER, WITHOUT_NODES, OTHER_RELEASE}},
    {.number = 34,
     .name = "CUDA_ERROR_STUB_LIBRARY",
     .meaning = "this libcuda is a link-time stub",
     .remaining = "a stubs directory is on the loader's path",
     .command = "ldconfig -p | grep libcuda; echo \"$LD_LIBRARY_PATH\"",
     .causes = {"stub_libcuda_loaded"}},
    {.number = 46,
     .name = "CUDA_ERROR_DEVICE_UNAVAILABLE",
     .meaning = "the GPU is busy or not to be had",
     .remaining = "its compute mode is exclusive and another process has it; the GPU has failed",
     .command = "nvidia-smi -q -d COMPUTE",
     .causes = {"compute_mode_exclusive", "gpu_memory_taken_by_other", "orphan_process_holds_gpu"}},
    {.number = 100,
     .name = "CUDA_ERROR_NO_DEVICE",
     .meaning = "libcuda finds no GPU that this process may use",
     .remaining = "the driver could not start the GPU; this process may not open its nodes "
                  "(container, cgroup); the GPU is hidden from it",
     .command = KERNEL_LOG,
     .root = true,
     .causes = {"gpu_absent_from_pci", "cuda_visible_devices_bad_index", "driver_not_installed",
                "nouveau_loaded", "module_not_loaded", WITHOUT_NODES, "mig_enabled_no_instance",
                "compute_mode_exclusive", "gpu_count_short_vs_pci", OTHER_RELEASE}},
    {.number = 101,
     .name = "CUDA_ERROR_INVALID_DEVICE",
     .meaning = "a GPU that was asked for is not a valid one",
     .remaining = "CUDA_VISIBLE_DEVICES names a GPU that is not there; a GPU has failed",
     .command = "nvidia-smi -L",
     .causes = {"cuda_visible_devices_bad_index", "gpu_count_short_vs_pci"}},
    {.number = 304,
     .name = "CUDA_ERROR_OPERATING_SYSTEM",
     .meaning = "a call to the operating system failed",
     .remaining = "opening a device node was refused (container, cgroup, SELinux); a limit on "
                  "files or memory is too low",
     .command = "strace -f -e trace=open,openat,ioctl nvidia-smi 2>&1 | grep /dev/nvidia",
     .causes = {WITHOUT_NODES, "module_not_loaded"}},
    {.number = 802,
     .name = "CUDA_ERROR_SYSTEM_NOT_READY",
     .meaning = "the system is not ready: GPUs joined by NVSwitch wait for their fabric",
     .remaining = "Fabric Manager is not running, or is of another release than the driver; in a "
                  "virtual machine the operator has not brought up the fabric",
     .command = "systemctl status nvidia-fabricmanager; nvidia-smi -q | grep -A 3 Fabric",
     .causes = {"fabric_manager_not_running", "fabric_manager_version_mismatch",
                "fabric_not_completed"}},
    {.number = 803,
     .name = "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH",
     .meaning = "libcuda and the loaded kernel module do not go together",
     .remaining = "the driver was upgraded and the module not loaded anew; another libcuda comes "
                  "first on the loader's path",
     .command = "cat /proc/driver/nvidia/version; ldconfig -p | grep libcuda; echo "
                "\"$LD_LIBRARY_PATH\"",
     .causes = {OTHER_RELEASE}},
    {.number = 804,
     .name = "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE",
     .meaning = "forward compatibility is not supported on this GPU",
     .remaining = "a cuda-compat libcuda is on the loader's path",
     .command = "ldconfig -p | grep libcuda; echo \"$LD_LIBRARY_PATH\"",
     .causes = {"forward_compat_unsupported_gpu", "libcuda_kmod_version_mismatch",
                "driver_library_mismatch"}},
    {.number = 999,
     .name = "CUDA_ERROR_UNKNOWN",
     .meaning = "the driver could not start, and does not say why",
     .remaining = "nvidia_uvm or its node is not usable; the GPU or the module is in a bad state, "
                  "often after sleep; the machine waits for a reboot after an upgrade",
     .command = KERNEL_LOG,
     .root = true,
     .causes = {"uvm_module_not_loaded", "uvm_device_nodes_missing", "dev_nodes_missing_after_boot",
                "device_nodes_permission", OTHER_RELEASE, WITHOUT_DRIVER}},
};

static const struct driver_error nvml_errors[] = {
    {.number = 4,
     .name = "NVML_ERROR_NO_PERMISSION",
     .meaning = "this user may not talk to the driver",
     .remaining = "the device nodes are for others; SELinux or a container's cgroup refuses them",
     .command = "ls -l /dev/nvidia*",
     .causes = {WITHOUT_NODES}},
    {.number = 9,
     .name = "NVML_ERROR_DRIVER_NOT_LOADED",
     .meaning = "the NVIDIA driver is not running",
     .remaining = "the kernel module is not loaded; its nodes are not there (container)",
     .command = "cat /proc/driver/nvidia/version; ls -l /dev/nvidia*",
     .causes = {WITHOUT_DRIVER, WITHOUT_NODES}},
    {.number = 12,
     .name = "NVML_ERROR_LIBRARY_NOT_FOUND",
     .meaning = "a library of the driver was not found",
     .remaining = "the driver's libraries are incomplete",
     .command = "ldconfig -p | grep nvidia",
     .causes = {WITHOUT_DRIVER}},
    {.number = 15,
     .name = "NVML_ERROR_GPU_IS_LOST",
     .meaning = "a GPU has fallen off the bus or does not answer",
     .remaining = "power, heat or a hardware fault; the machine must be rebooted",
     .command = KERNEL_LOG,
     .root = true,
     .causes = {"gpu_count_short_vs_pci"}},
    {.number = 17,
     .name = "NVML_ERROR_OPERATING_SYSTEM",
     .meaning = "the operating system refused the driver's call",
     .remaining = "a container's cgroup or SELinux refuses the device nodes",
     .command = "strace -f -e trace=open,openat,ioctl nvidia-smi 2>&1 | grep /dev/nvidia",
     .causes = {WITHOUT_NODES}},
    {.number = 18,
     .name = "NVML_ERROR_LIB_RM_VERSION_MISMATCH",
     .meaning = "libnvidia-ml and the loaded kernel module are of two releases",
     .remaining = "the driver was upgraded and the module not loaded anew: reboot",
     .command = "cat /proc/driver/nvidia/version; ldconfig -p | grep libnvidia-ml",
     .causes = {"driver_library_mismatch", "libcuda_kmod_version_mismatch"}},
    {.number = 999,
     .name = "NVML_ERROR_UNKNOWN",
     .meaning = "an internal error of the driver",
     .remaining = "the GPU or the module is in a bad state; device nodes are refused",
     .command = KERNEL_LOG,
     .root = true,
     .causes = {WITHOUT_NODES, "driver_library_mismatch", WITHOUT_DRIVER}},
};

static const struct driver_error *find(const struct driver_error *errors, size_t count,
                                       int64_t number)
{
    for (size_t i = 0; i < count; i++)
        if (errors[i].number == number)
            return &errors[i];
    return NULL;
}

const struct driver_error *cuda_error_find(int64_t number)
{
    return find(cuda_errors, sizeof(cuda_errors) / sizeof(cuda_errors[0]), number);
}

const struct driver_error *nvml_error_find(int64_t number)
{
    return find(nvml_errors, sizeof(nvml_errors) / sizeof(nvml_errors[0]), number);
}
