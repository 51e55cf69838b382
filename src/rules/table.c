/* SPDX-License-Identifier: MIT */
#include "rules/rules.h"

#include "rules/container/judges.h"
#include "rules/device/judges.h"
#include "rules/driver/judges.h"
#include "rules/engine/finding.h"
#include "rules/engine/rule.h"
#include "rules/evidence/judges.h"
#include "rules/false_alarm/judges.h"
#include "rules/framework/judges.h"
#include "rules/gpu/judges.h"
#include "rules/module/judges.h"
#include "rules/repository/judges.h"
#include "rules/requirement/judges.h"
#include "rules/system/judges.h"
#include "rules/toolkit/judges.h"

#define INFO (1u << SEVERITY_INFO)
#define WARN (1u << SEVERITY_WARN)
#define FAIL (1u << SEVERITY_FAIL)

#define RULE(slug, ...) {.cause = #slug, .judge = judge_##slug, __VA_ARGS__},

/* The rows, with the texts of `gpuenv explain`, are in .def files beside their functions. The order
 * is that of running: a cause before its consequences. */
/* clang-format off */
const struct rule rule_table[] = {
#include "rules/container/container.def"
#include "rules/repository/repository.def"
#include "rules/gpu/gpu.def"
#include "rules/query/hardware.def"
#include "rules/driver/wsl.def"
#include "rules/driver/driver_ptx.def"
#include "rules/driver/driver.def"
#include "rules/module/module.def"
#include "rules/driver/driver_library.def"
#include "rules/module/module_firmware.def"
#include "rules/system/vm_guest_refused.def"
#include "rules/device/denied.def"
#include "rules/device/nodes.def"
#include "rules/device/selection.def"
#include "rules/system/resources.def"
#include "rules/toolkit/build.def"
#include "rules/toolkit/cuda.def"
#include "rules/framework/gpu_mixed.def"
#include "rules/framework/framework.def"
#include "rules/framework/libraries.def"
#include "rules/toolkit/cudnn.def"
#include "rules/query/gpu_nvml.def"
#include "rules/gpu/peers.def"
#include "rules/system/service.def"
#include "rules/container/engine.def"
#include "rules/module/module_uvm.def"
#include "rules/gpu/trial.def"
#include "rules/driver/wsl_answers.def"
#include "rules/driver/driver_answers.def"
#include "rules/gpu/gpu_call.def"
#include "rules/false_alarm/false_alarm.def"
#include "rules/requirement/requirement.def"
#include "rules/evidence/evidence.def"
    {.code = NULL},
};
/* clang-format on */
