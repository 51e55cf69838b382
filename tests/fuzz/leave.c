/* SPDX-License-Identifier: MIT */
/* In every target: gpuenv that ends with "out of memory" is a crash. A size that a reader computes
 * wrongly is too large for any memory; libFuzzer takes an _exit(2) for the end of its work. */
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/exit.h"

void _exit(int status)
{
    if (status == EXIT_INTERNAL)
        abort();
    syscall(SYS_exit_group, status);
    __builtin_unreachable();
}
