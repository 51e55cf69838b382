/* SPDX-License-Identifier: MIT */
#ifndef HOST_LOCAL_OWNER_H
#define HOST_LOCAL_OWNER_H

#include <stdbool.h>
#include <sys/stat.h>

/* Of root, or of this user. */
bool owner_is_ours(const struct stat *status);
/* Another user than the owner can write to it. The group root has no member but root. */
bool owner_lets_others_write(const struct stat *status);

#endif
