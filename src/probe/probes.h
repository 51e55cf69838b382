/* SPDX-License-Identifier: MIT */
#ifndef PROBE_PROBES_H
#define PROBE_PROBES_H

#include "probe/probe.h"

/* The functions behind the rows of probe_table, one per file. Private to this room. */
void probe_os(const struct probe_context *context, struct facts *facts);
void probe_machine(const struct probe_context *context, struct facts *facts);
void probe_container(const struct probe_context *context, struct facts *facts);
void probe_cgroup(const struct probe_context *context, struct facts *facts);
void probe_security(const struct probe_context *context, struct facts *facts);
void probe_memory(const struct probe_context *context, struct facts *facts);
void probe_kernel(const struct probe_context *context, struct facts *facts);
void probe_disk(const struct probe_context *context, struct facts *facts);
void probe_limits(const struct probe_context *context, struct facts *facts);
void probe_environment(const struct probe_context *context, struct facts *facts);
void probe_pci(const struct probe_context *context, struct facts *facts);
void probe_hybrid(const struct probe_context *context, struct facts *facts);
void probe_kernel_log(const struct probe_context *context, struct facts *facts);
void probe_boot(const struct probe_context *context, struct facts *facts);
void probe_modprobe(const struct probe_context *context, struct facts *facts);
void probe_initramfs(const struct probe_context *context, struct facts *facts);
void probe_secure_boot(const struct probe_context *context, struct facts *facts);
void probe_module(const struct probe_context *context, struct facts *facts);
void probe_driver_parameter(const struct probe_context *context, struct facts *facts);
void probe_module_file(const struct probe_context *context, struct facts *facts);
void probe_dkms(const struct probe_context *context, struct facts *facts);
void probe_installed_kernel(const struct probe_context *context, struct facts *facts);
void probe_compiler(const struct probe_context *context, struct facts *facts);
void probe_driver_install(const struct probe_context *context, struct facts *facts);
void probe_package(const struct probe_context *context, struct facts *facts);
void probe_service(const struct probe_context *context, struct facts *facts);
void probe_fabric_manager(const struct probe_context *context, struct facts *facts);
void probe_mps(const struct probe_context *context, struct facts *facts);
void probe_container_toolkit(const struct probe_context *context, struct facts *facts);
void probe_cdi(const struct probe_context *context, struct facts *facts);
void probe_device(const struct probe_context *context, struct facts *facts);
void probe_loader(const struct probe_context *context, struct facts *facts);
void probe_library(const struct probe_context *context, struct facts *facts);
void probe_toolkit(const struct probe_context *context, struct facts *facts);
void probe_python(const struct probe_context *context, struct facts *facts);
void probe_driver_gpu(const struct probe_context *context, struct facts *facts);
void probe_gpu_process(const struct probe_context *context, struct facts *facts);
void probe_vendor(const struct probe_context *context, struct facts *facts);

/* At most so many instances of one kind are kept; where there are more, "count" is unknown. No
 * machine comes near it; a hostile tree could. */
#define PROBE_INSTANCES 4096

/* machine.virtualization, a subject of its own (virtualization.c). */
void virtualization_note(const struct host *host, struct facts *facts);

/* True for a file that holds the nvidia module itself, compressed or not: nvidia.ko, Debian's
 * nvidia-current.ko; not nvidia-uvm.ko and the like. */
bool module_file_is_nvidia(const char *name);

#endif
