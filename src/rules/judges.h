/* SPDX-License-Identifier: MIT */
#ifndef RULES_JUDGES_H
#define RULES_JUDGES_H

#include "rules/context.h"

/* The functions of rule_table, by file. */

/* gpu.c */
void judge_gpu_absent_from_pci(struct rule_context *context);
/* gpu_count.c */
void judge_gpu_count_short_vs_pci(struct rule_context *context);
/* gpu_health.c */
void judge_ecc_uncorrectable(struct rule_context *context);
void judge_row_remap_pending(struct rule_context *context);
void judge_row_remap_failure(struct rule_context *context);
/* gpu_clocks.c */
void judge_gpu_throttled_power_thermal(struct rule_context *context);
/* gpu_mixed.c */
void judge_mixed_gpu_architectures(struct rule_context *context);
/* gpu_mode.c */
void judge_mig_enabled_no_instance(struct rule_context *context);
void judge_compute_mode_exclusive(struct rule_context *context);
/* gpu_memory.c */
void judge_gpu_memory_taken_by_other(struct rule_context *context);
void judge_orphan_process_holds_gpu(struct rule_context *context);
/* requirement_judge.c */
void judge_requirement_not_met(struct rule_context *context);
/* driver.c */
void judge_driver_not_installed(struct rule_context *context);
void judge_nouveau_loaded(struct rule_context *context);
void judge_module_not_loaded(struct rule_context *context);
void judge_uvm_module_not_loaded(struct rule_context *context);
/* driver_library.c */
void judge_driver_library_mismatch(struct rule_context *context);
void judge_stub_libcuda_loaded(struct rule_context *context);
/* driver_libcuda.c */
void judge_libcuda_missing(struct rule_context *context);
void judge_libcuda_dev_symlink_missing(struct rule_context *context);
/* driver_stale.c */
void judge_libcuda_kmod_version_mismatch(struct rule_context *context);
/* driver_compat.c */
void judge_forward_compat_unsupported_gpu(struct rule_context *context);
/* service.c */
void judge_fabric_manager_version_mismatch(struct rule_context *context);
void judge_fabric_manager_not_running(struct rule_context *context);
void judge_fabric_not_completed(struct rule_context *context);
/* driver_answers.c */
void judge_cuda_init_failed(struct rule_context *context);
void judge_nvml_init_failed(struct rule_context *context);
/* driver_trust.c */
void judge_vendor_library_not_trusted(struct rule_context *context);
/* nodes.c */
void judge_dev_nodes_missing_after_boot(struct rule_context *context);
void judge_uvm_device_nodes_missing(struct rule_context *context);
/* denied.c */
void judge_selinux_denies_device(struct rule_context *context);
void judge_cgroup_lost_after_daemon_reload(struct rule_context *context);
void judge_cgroup_device_denied(struct rule_context *context);
/* nodes_permission.c */
void judge_device_nodes_permission(struct rule_context *context);
/* selection.c */
void judge_cuda_visible_devices_bad_index(struct rule_context *context);
/* driver_age.c */
void judge_ptx_toolchain_newer_than_driver(struct rule_context *context);
void judge_driver_too_old(struct rule_context *context);
/* cudnn.c */
void judge_cudnn_missing(struct rule_context *context);
/* cudnn_path.c */
void judge_cudnn_wrong_major(struct rule_context *context);
void judge_cudnn_not_on_loader_path(struct rule_context *context);
/* cudnn_mixed.c */
void judge_cudnn_sublibrary_mixed(struct rule_context *context);
/* cuda.c */
void judge_toolkit_incomplete(struct rule_context *context);
void judge_usr_local_cuda_wrong_version(struct rule_context *context);
/* cuda_nvcc.c */
void judge_nvcc_missing(struct rule_context *context);
/* environment.c */
void judge_cuda_home_malformed(struct rule_context *context);

#endif
