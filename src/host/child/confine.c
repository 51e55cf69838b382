/* SPDX-License-Identifier: MIT */
#include "host/child/confine.h"

#include <errno.h>
#include <sys/prctl.h>

bool confine(struct error *error)
{
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return error_set_errno(error, ERROR_INTERNAL, errno, NULL, "cannot set no_new_privs");
    if (!confine_capabilities(error))
        return false;
    confine_files();
    confine_calls(); /* last: it forbids what comes before */
    return true;
}
