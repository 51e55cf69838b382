/* SPDX-License-Identifier: MIT */
#ifndef ELF_CONSTANT_H
#define ELF_CONSTANT_H

#include "base/byte_source.h"

/* Finds a text among the constants of a program (section .rodata): the first that begins with
 * beginning and a digit behind it. *ret_line is what stands behind beginning, up to the end of the
 * line or of the text, at most ELF_CONSTANT_MAX bytes; free() it; NULL: there is none. False with
 * ERROR_DATA, as elf_info_read(), or "its constants cannot be read" where the program has no such
 * section. */
#define ELF_CONSTANT_MAX 128u
bool elf_constant_find(const struct byte_source *source, const char *beginning, char **ret_line,
                       struct error *error);

#endif
