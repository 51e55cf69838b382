/* SPDX-License-Identifier: MIT */
#ifndef PROBE_VENDOR_TRIAL_KERNEL_H
#define PROBE_VENDOR_TRIAL_KERNEL_H

#include <stdint.h>

/* The kernel of --try: PTX 3.0 for sm_30, without machine code, so that the driver compiles it for
 * whatever GPU there is. Its parameters are the addresses of the input and of the output, and how
 * many numbers of 32 bits each has. */
#define TRIAL_KERNEL_NAME "gpuenv_try"
extern const char trial_kernel[];

/* Enough for some blocks on each multiprocessor of a GPU; 256 KiB on each side. */
#define TRIAL_COUNT 65536u
#define TRIAL_BLOCK 256u

/* The number at that place of the input, and what the kernel makes of it, computed here. */
uint32_t trial_input(uint32_t index);
uint32_t trial_expected(uint32_t index);

#endif
