/* SPDX-License-Identifier: MIT */
#include "rules/guest.h"
#include "rules/framework_judges.h"
#include "rules/hardware.h"
#include "rules/healthy.h"
#include "rules/judges.h"
#include "rules/module.h"
#include "rules/peers.h"
#include "rules/resources.h"
#include "rules/rules.h"

#define INFO (1u << SEVERITY_INFO)
#define WARN (1u << SEVERITY_WARN)
#define FAIL (1u << SEVERITY_FAIL)

/* Each group's rows, with the texts of `gpuenv explain`, are in its .def file. The order is that of
 * running: a cause before its consequences. */
/* clang-format off */
const struct rule rule_table[] = {
#include "rules/gpu.def"
#include "rules/hardware.def"
#include "rules/driver_ptx.def"
#include "rules/driver.def"
#include "rules/module_firmware.def"
#include "rules/guest.def"
#include "rules/denied.def"
#include "rules/nodes.def"
#include "rules/selection.def"
#include "rules/resources.def"
#include "rules/cuda.def"
#include "rules/gpu_mixed.def"
#include "rules/framework.def"
#include "rules/libraries.def"
#include "rules/cudnn.def"
#include "rules/gpu_nvml.def"
#include "rules/peers.def"
#include "rules/service.def"
#include "rules/module_uvm.def"
#include "rules/driver_answers.def"
#include "rules/healthy.def"
#include "rules/requirement.def"
    {.code = NULL},
};
/* clang-format on */
