/* SPDX-License-Identifier: MIT */
#include "probe/vendor/ask.h"

static const char *const driver_facts[] = {"version", "init", "init_name", "device_count", NULL};
static const char *const nvml_facts[] = {
    "version", "init", "init_name", "device_count", "driver_version", "cuda_version", NULL};
static const char *const cudnn_facts[] = {"version", "cudart_version", "capability_max", NULL};
static const char *const version_alone[] = {"version", NULL};

static const char *const cuda_kinds[] = {"cuda", NULL};
static const char *const nvml_kinds[] = {"nvml", NULL};

const struct vendor_question vendor_questions[] = {
#define QUESTION(question, ...) {.ask = ask_##question, __VA_ARGS__},
#include "probe/vendor/questions.def"
#undef QUESTION
    {.family = NULL},
};
