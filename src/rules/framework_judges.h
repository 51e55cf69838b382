/* SPDX-License-Identifier: MIT */
#ifndef RULES_FRAMEWORK_JUDGES_H
#define RULES_FRAMEWORK_JUDGES_H

#include "rules/context.h"

/* The functions of framework.def and libraries.def, by file. */

/* framework_build.c */
void judge_gpu_newer_than_framework_build(struct rule_context *context);
void judge_gpu_too_old_for_framework(struct rule_context *context);
void judge_jetson_arch_missing_in_build(struct rule_context *context);
/* framework_cudnn_gpu.c: part of gpu_too_old_for_framework */
void framework_find_cudnn_without_gpu(struct rule_context *context);
/* framework_nvrtc_gpu.c: part of gpu_newer_than_framework_build, with dropped of
 * gpu_too_old_for_framework */
void framework_find_nvrtc_without_gpu(struct rule_context *context, bool dropped);
/* framework_ptx.c */
void judge_framework_ptx_newer_than_driver(struct rule_context *context);
/* framework_cpu.c */
void judge_cpu_only_framework_build(struct rule_context *context);
void judge_jetson_wrong_wheel(struct rule_context *context);
void judge_onnxruntime_cpu_gpu_packages_clash(struct rule_context *context);
/* framework_select.c */
void judge_cuda_visible_devices_uuid_unparsed(struct rule_context *context);
void judge_mig_uuid_parse_zero_devices(struct rule_context *context);
/* framework_parts.c */
void judge_framework_parts_mismatch(struct rule_context *context);
void judge_framework_incomplete(struct rule_context *context);
/* framework_wheels.c: part of cuda_libs_wrong_version */
void framework_find_wheels_of_two_releases(struct rule_context *context);
struct frameworks;
void framework_find_older_jitlink(struct rule_context *context,
                                  const struct frameworks *frameworks);
void framework_find_riders_of_another_cuda(struct rule_context *context,
                                           const struct frameworks *frameworks);
/* framework_wanted.c */
void judge_framework_does_not_fit(struct rule_context *context);
/* framework_library.c */
void judge_cuda_libs_missing(struct rule_context *context);
void judge_cuda_libs_wrong_version(struct rule_context *context);
void judge_jetson_libs_missing(struct rule_context *context);
/* framework_nvrtc.c */
void judge_nvrtc_missing_or_stub(struct rule_context *context);
/* framework_shadow.c */
void judge_cuda_libs_dependency_of_library(struct rule_context *context);
void judge_ld_library_path_shadows_wheel_libs(struct rule_context *context);
/* framework_cudnn.c */
void judge_cudnn_older_than_framework(struct rule_context *context);
/* libdevice.c */
void judge_libdevice_missing(struct rule_context *context);
/* glibc.c */
void judge_glibc_too_old(struct rule_context *context);

#endif
