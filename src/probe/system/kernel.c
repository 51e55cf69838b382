/* SPDX-License-Identifier: MIT */
#include "probe/engine/probes.h"

#define SOURCE "uname(2)"

void probe_kernel(const struct probe_context *context, struct facts *facts)
{
    struct host_kernel kernel;
    if (host_kernel(context->host, &kernel)) {
        facts_set_string(facts, "kernel", "release", kernel.release, SOURCE);
        facts_set_string(facts, "kernel", "version", kernel.version, SOURCE);
        facts_set_string(facts, "kernel", "machine", kernel.machine, SOURCE);
        return;
    }
    static const char *const names[] = {"release", "version", "machine"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        facts_set_unknown(facts, "kernel", names[i], "the kernel gave no answer", SOURCE);
}
