/* SPDX-License-Identifier: MIT */
#include "probe/vendor/ask.h"

/* nccl.h of NCCL 2.28.9; ncclResult_t is int. NCCL_VERSION() is 2708 up to 2.8, 20908 from 2.9 on.
 */
void ask_nccl(struct channel *channel, const char *soname, const char *group)
{
    static const char function[] = "ncclGetVersion";
    int version;
    if (ask_stored_number(channel, soname, group, function, &version))
        ask_version(channel, group, "version", version, version < 10000 ? 1000 : 10000, function);
}
