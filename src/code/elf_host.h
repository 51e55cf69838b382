/* SPDX-License-Identifier: MIT */
#ifndef CODE_ELF_HOST_H
#define CODE_ELF_HOST_H

/* Private to code/: host objects, which hold GPU code in sections. */
#include "code/reading.h"
#include "elf/file.h"

/* Lists the GPU code of a shared object, executable or relocatable object. *ret_file says which it
 * is. */
bool elf_host_list(struct reading *reading, const struct elf_file *file, enum code_file *ret_file,
                   struct error *error);

#endif
