/* SPDX-License-Identifier: MIT */
#include "host/child/confine.h"

#include <errno.h>
#include <linux/capability.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "host/child/confine_private.h"

#define CAPABILITIES 64

/* Who may not drop from the bounding set cannot gain from it either: no_new_privs is set. */
static void drop_for_later(uint64_t mask)
{
    for (unsigned number = 0; number < CAPABILITIES; number++) {
        if ((mask >> number & 1) == 0)
            continue;
        prctl(PR_CAPBSET_DROP, number, 0, 0, 0);
        prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_LOWER, number, 0, 0);
    }
}

static uint64_t any_of(const struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3])
{
    uint64_t any = 0;
    for (unsigned i = 0; i < _LINUX_CAPABILITY_U32S_3; i++) {
        uint32_t bits = sets[i].effective | sets[i].permitted | sets[i].inheritable;
        any |= (uint64_t)bits << (32 * i);
    }
    return any;
}

bool capabilities_drop(uint64_t mask, struct error *error)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3];
    drop_for_later(mask);
    if (syscall(SYS_capget, &header, sets) != 0)
        return error_set_errno(error, ERROR_INTERNAL, errno, NULL, "cannot read capabilities");
    for (unsigned i = 0; i < _LINUX_CAPABILITY_U32S_3; i++) {
        uint32_t kept = (uint32_t) ~(mask >> (32 * i));
        sets[i].effective &= kept;
        sets[i].permitted &= kept;
        sets[i].inheritable &= kept;
    }
    if (syscall(SYS_capset, &header, sets) != 0)
        return error_set_errno(error, ERROR_INTERNAL, errno, NULL, "cannot drop capabilities");
    if (syscall(SYS_capget, &header, sets) != 0)
        return error_set_errno(error, ERROR_INTERNAL, errno, NULL, "cannot read capabilities");
    uint64_t left = any_of(sets) & mask;
    for (unsigned number = 0; number < CAPABILITIES; number++)
        if (left >> number & 1)
            return error_set(error, ERROR_INTERNAL, "capability %u is still set", number);
    return true;
}

bool confine_capabilities(struct error *error)
{
    return capabilities_drop(UINT64_C(1) << CAP_SYS_MODULE | UINT64_C(1) << CAP_MKNOD, error);
}
