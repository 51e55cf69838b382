/* SPDX-License-Identifier: MIT */
#include "base/memory.h"
#include "base/strlist.h"
#include "resolve/binary/binary_private.h"

const char *binary_outcome_name(enum binary_outcome outcome)
{
    static const char *const names[] = {
        [BINARY_RUNS] = "runs",
        [BINARY_JIT] = "jit",
        [BINARY_UNKNOWN] = "unknown",
        [BINARY_DRIVER_DROPS] = "driver_drops_gpu",
        [BINARY_DRIVER_TOO_OLD] = "driver_too_old",
        [BINARY_NO_IMAGE] = "no_kernel_image",
    };
    return names[outcome];
}

bool binary_cannot_run(enum binary_outcome outcome)
{
    return outcome >= BINARY_DRIVER_DROPS;
}

char *binary_code_name(const struct binary_code *code)
{
    static const char *const prefixes[] = {[BINARY_SASS] = "sm_",
                                           [BINARY_PTX] = "compute_",
                                           [BINARY_LTO] = "lto_",
                                           [BINARY_OTHER] = "other_"};
    const char suffix[2] = {code->suffix, '\0'};
    if (code->capability.count == 0)
        return mem_printf("%s?", prefixes[code->kind]);
    return mem_printf("%s%u%u%s", prefixes[code->kind], code->capability.part[0],
                      code->capability.part[1], suffix);
}

char *binary_names(const struct binary *binary, enum binary_kind kind)
{
    AUTO_STRLIST struct strlist names = {0};
    for (size_t i = 0; i < binary->count; i++) {
        AUTO_FREE char *name = binary_code_name(&binary->codes[i]);
        if (binary->codes[i].kind == kind)
            strlist_add_new(&names, name);
    }
    return strlist_join(&names, ", ");
}
