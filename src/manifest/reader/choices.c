/* SPDX-License-Identifier: MIT */
#include "manifest/reader/subject.h"

const char *const manifest_confidence[] = {"high", "medium", "low", NULL};
const char *const manifest_yes[] = {"yes", NULL};
const char *const manifest_yes_no[] = {"yes", "no", NULL};
const char *const manifest_gpu_classes[] = {"data-centre", "workstation", "geforce",
                                            "jetson",      "embedded",    NULL};
