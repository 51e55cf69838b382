/* SPDX-License-Identifier: MIT */
#ifndef PROBE_KERNEL_MODULE_FILE_H
#define PROBE_KERNEL_MODULE_FILE_H

#include <stdbool.h>

/* True for a file that holds the nvidia module itself, compressed or not: nvidia.ko, Debian's
 * nvidia-current.ko; not nvidia-uvm.ko and the like. */
bool module_file_is_nvidia(const char *name);

#endif
