/* SPDX-License-Identifier: MIT */
/* old-kernel RELEASE COMMAND [argument…]: runs the command as on that release of Linux
 * (tests/unit/old_kernel.h); 77 where that cannot be done here. */
#include <stdio.h>
#include <unistd.h>

#include "old_kernel.h"

int main(int count, char **words)
{
    if (count < 3) {
        fprintf(stderr, "old-kernel RELEASE COMMAND [argument...]\n");
        return 64;
    }
    if (!old_kernel_begin(words[1])) {
        fprintf(stderr, "old-kernel: %s: %s\n", words[1], strerror(errno));
        return 77;
    }
    execvp(words[2], words + 2);
    fprintf(stderr, "old-kernel: %s: %s\n", words[2], strerror(errno));
    return 127;
}
