/* SPDX-License-Identifier: MIT */
#ifndef CODE_CUBIN_H
#define CODE_CUBIN_H

/* Private to code/: cubins, which are ELF files of machine 190. docs/background/code.md has the
 * layout of their flags and notes, with the sources. */
#include "code/reading.h"
#include "elf/file.h"

struct error;

/* Lists a cubin as the one entry that it is, and which toolkit built it. */
bool cubin_list(struct reading *reading, const struct elf_file *file, struct error *error);

/* A cubin in a fat binary. */
struct cubin_payload {
    const struct byte_source *source;
    uint64_t offset, size; /* as it lies there */
    enum code_packing packing;
    uint64_t unpacked; /* bytes, when it is compressed */
};

/* Asks it which toolkit built it, unless that is known or CUBINS_ASKED were asked: as it is, or
 * unpacked when that takes no more than CUBIN_PACKED bytes; of more, what LZ4 made is asked for
 * what its first bytes say. What a cubin says beside that, or that it is malformed, does not
 * matter. */
#define CUBINS_ASKED 8
#define CUBIN_PACKED (128u << 10)
void cubin_ask(struct reading *reading, const struct cubin_payload *payload);

#endif
