/* SPDX-License-Identifier: MIT */
#include "host/confine.h"

#include <errno.h>
#include <linux/capability.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

struct capability {
    unsigned number;
    const char *name;
};

static const struct capability dropped[] = {
    {.number = CAP_SYS_MODULE, .name = "CAP_SYS_MODULE"},
    {.number = CAP_MKNOD, .name = "CAP_MKNOD"},
};

#define DROPPED (sizeof(dropped) / sizeof(dropped[0]))

/* Who may not drop from the bounding set cannot gain from it either: no_new_privs is set. */
static void drop_for_later(void)
{
    for (size_t i = 0; i < DROPPED; i++) {
        prctl(PR_CAPBSET_DROP, dropped[i].number, 0, 0, 0);
        prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_LOWER, dropped[i].number, 0, 0);
    }
}

bool confine_capabilities(struct error *error)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3];
    uint32_t mask = 0;
    drop_for_later();
    for (size_t i = 0; i < DROPPED; i++)
        mask |= CAP_TO_MASK(dropped[i].number); /* both are below 32 */
    if (syscall(SYS_capget, &header, sets) != 0)
        return error_set_errno(error, ERROR_INTERNAL, errno, NULL, "cannot read capabilities");
    sets[0].effective &= ~mask;
    sets[0].permitted &= ~mask;
    sets[0].inheritable &= ~mask;
    if (syscall(SYS_capset, &header, sets) != 0)
        return error_set_errno(error, ERROR_INTERNAL, errno, NULL, "cannot drop capabilities");
    if (syscall(SYS_capget, &header, sets) != 0)
        return error_set_errno(error, ERROR_INTERNAL, errno, NULL, "cannot read capabilities");
    uint32_t left = sets[0].effective | sets[0].permitted | sets[0].inheritable;
    for (size_t i = 0; i < DROPPED; i++)
        if (left & CAP_TO_MASK(dropped[i].number))
            return error_set(error, ERROR_INTERNAL, "%s is still there", dropped[i].name);
    return true;
}
