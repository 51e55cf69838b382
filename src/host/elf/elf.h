/* SPDX-License-Identifier: MIT */
#ifndef HOST_ELF_ELF_H
#define HOST_ELF_ELF_H

#include "base/strlist.h"
#include "elf/header.h"
#include "elf/info.h"
#include "host/root/file.h"

/* ELF files of the host. HOST_FAILED with ERROR_DATA and the reason when a file is not a valid ELF
 * file. */

/* Reads path. ret_info is set only on HOST_OK; free it with elf_info_free(). */
enum host_status elf_read(const struct host *host, const char *path, struct elf_info *ret_info,
                          struct error *error);

/* Reads the .modinfo section of a kernel module: adds its "key=value" strings. A compressed module
 * (.xz, .zst, .gz) is HOST_FAILED with a reason that says so. */
enum host_status elf_read_modinfo(const struct host *host, const char *path,
                                  struct strlist *ret_fields, struct error *error);

/* Looks for a text among the constants of a program, as elf_constant_find(); NULL: there is none.
 * free() it. */
enum host_status elf_read_constant(const struct host *host, const char *path, const char *beginning,
                                   char **ret_line, struct error *error);

#endif
