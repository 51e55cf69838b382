/* SPDX-License-Identifier: MIT */
#ifndef ELF_MODINFO_H
#define ELF_MODINFO_H

#include "base/byte_source.h"
#include "base/strlist.h"

/* Reads the section .modinfo of a kernel module: adds its "key=value" strings. False with
 * ERROR_DATA, as elf_info_read(), or "not a kernel module" when it has no such section; nothing is
 * added then. */
bool elf_modinfo_read(const struct byte_source *source, struct strlist *fields,
                      struct error *error);

#endif
