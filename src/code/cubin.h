/* SPDX-License-Identifier: MIT */
#ifndef CODE_CUBIN_H
#define CODE_CUBIN_H

/* Private to code/: cubins, which are ELF files of machine 190. docs/code.md has the layout of
 * their flags and notes, with the sources. */
#include "code/elf.h"

/* Lists a cubin as the one entry that it is, and which toolkit built it. */
bool cubin_list(struct reading *reading, const struct elf_file *file, struct error *error);

/* Asks the uncompressed cubin at offset which toolkit built it, unless that is known or enough were
 * asked. What it says beside that, or that it is malformed, does not matter. */
void cubin_ask(struct reading *reading, const struct code_source *source, uint64_t offset,
               uint64_t size);
#define CUBINS_ASKED 8

#endif
