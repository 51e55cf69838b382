/* SPDX-License-Identifier: MIT */
#include "host/local/owner.h"

#include <unistd.h>

bool owner_is_ours(const struct stat *status)
{
    return status->st_uid == 0 || status->st_uid == geteuid();
}

bool owner_lets_others_write(const struct stat *status)
{
    return (status->st_mode & S_IWOTH) != 0 ||
           ((status->st_mode & S_IWGRP) != 0 && status->st_gid != 0);
}
