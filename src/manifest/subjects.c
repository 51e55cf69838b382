/* SPDX-License-Identifier: MIT */
#include "manifest/subject.h"

const char *const manifest_confidence[] = {"high", "medium", "low", NULL};
const char *const manifest_yes_no[] = {"yes", "no", NULL};
const char *const manifest_gpu_classes[] = {"data-centre", "workstation", "geforce",
                                            "jetson",      "embedded",    NULL};

/* A line each, so that new ones do not meet. */
/* clang-format off */
const struct manifest_subject *const manifest_subjects[] = {
    &manifest_about_subject,
    &manifest_capability_subject,
    &manifest_code_subject,
    &manifest_compat_subject,
    &manifest_component_subject,
    &manifest_cuda_subject,
    &manifest_cudnn_subject,
    &manifest_driver_subject,
    &manifest_error_subject,
    &manifest_file_subject,
    &manifest_framework_subject,
    &manifest_gpu_subject,
    &manifest_legacy_subject,
    &manifest_library_subject,
    &manifest_package_subject,
    &manifest_pin_subject,
    &manifest_system_subject,
    &manifest_threshold_subject,
    NULL,
};
/* clang-format on */
