/* SPDX-License-Identifier: MIT */
#ifndef HOST_LOCAL_RANDOM_NAME_H
#define HOST_LOCAL_RANDOM_NAME_H

#include <stdbool.h>

/* start and 16 random hexadecimal digits: a new string; NULL, with errno, when the kernel gives no
 * random number. */
char *random_name_new(const char *start);

/* Whether name is one that random_name_new(start) may have made. */
bool random_name_is(const char *name, const char *start);

#endif
