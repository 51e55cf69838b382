/* SPDX-License-Identifier: MIT */
#include "from/from_private.h"

/* In this order a part is read: addresses of GPUs before the log that names them. A kind without
 * words is a piece of another file. */
const struct from_kind from_table[] = {
    {"gpuenv record", "gpuenv facts --json, gpuenv report (Markdown, HTML, JSON)", from_record},
    {"lspci", "lspci -nnk, lspci -nnvvv", from_lspci},
    {"nvidia-smi -q -x", "nvidia-smi -q -x", from_smi_xml},
    {"nvidia-smi -q", "nvidia-smi -q", from_smi_query},
    {"nvidia-smi", "nvidia-smi (its table, or its error)", from_smi_table},
    {"an error of nvidia-smi", NULL, from_smi_error},
    {"driver version", "/proc/driver/nvidia/version", from_nvrm},
    {"modules", "lsmod, /proc/modules", from_modules},
    {"dpkg", "dpkg -l", from_dpkg},
    {"rpm", "rpm -qa", from_rpm},
    {"collect_env", "python3 -m torch.utils.collect_env", from_torch},
    {"system", "/etc/os-release", from_system},
    {"kernel log", "dmesg, journalctl -k", from_log},
    {.name = NULL},
};

const struct from_command from_commands[] = {
    {"sudo dmesg", "kernel log", "kernel_log log_line"},
    {"nvidia-smi -q", "nvidia-smi -q", "nvml answer"},
    {"lspci -nnk", "lspci", "pci"},
    {"lsmod", "modules", "module"},
    {"dpkg -l", "dpkg", "package"},
    {"sudo nvidia-bug-report.sh", "nvidia-bug-report",
     "kernel_log log_line nvml answer pci module kernel memory driver_gpu"},
    {"gpuenv report -o report.md", NULL, ""},
    {.command = NULL},
};
