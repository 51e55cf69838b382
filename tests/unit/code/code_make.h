/* SPDX-License-Identifier: MIT */
#ifndef TESTS_UNIT_CODE_MAKE_H
#define TESTS_UNIT_CODE_MAKE_H

/* Files with GPU code, made byte by byte as docs/background/code.md has them. A struct text holds
 * each. */
#include <stdint.h>
#include <string.h>

#include "base/text.h"

static inline void put(struct text *text, uint64_t number, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        text_append_char(text, (char)(number >> (8 * i)));
}

static inline void put_zeros(struct text *text, size_t count)
{
    for (size_t i = 0; i < count; i++)
        text_append_char(text, '\0');
}

static inline void poke(struct text *text, size_t offset, uint64_t number, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        text->data[offset + i] = (char)(number >> (8 * i));
}

struct made_entry {
    unsigned kind; /* 1 PTX, 2 ELF, 8 LTO-IR */
    unsigned architecture;
    uint64_t flags;
    unsigned major, minor;
    size_t extra;               /* bytes of the header beyond 64 */
    uint64_t unpacked;          /* bytes of a compressed payload */
    const struct text *payload; /* NULL: eight zeros */
};

static inline void make_entry(struct text *text, struct made_entry entry)
{
    size_t size = entry.payload == NULL ? 8 : entry.payload->size;
    size_t padded = (size + 7) & ~(size_t)7;
    put(text, entry.kind, 2);
    put(text, 0x101, 2);
    put(text, 64 + entry.extra, 4);
    put(text, padded, 8);
    put(text, entry.unpacked ? size : 0, 8);
    put(text, entry.minor, 2);
    put(text, entry.major, 2);
    put(text, entry.architecture, 4);
    put(text, 0, 8);
    put(text, entry.flags, 8);
    put(text, 0, 8);
    put(text, entry.unpacked, 8);
    put_zeros(text, entry.extra);
    if (entry.payload != NULL)
        text_append_n(text, entry.payload->data, size);
    put_zeros(text, padded - (entry.payload == NULL ? 0 : size));
}

/* A fat binary of count entries. */
static inline void make_fatbin(struct text *text, const struct made_entry *entries, size_t count)
{
    AUTO_TEXT struct text body = {0};
    for (size_t i = 0; i < count; i++)
        make_entry(&body, entries[i]);
    put(text, 0xBA55ED50, 4);
    put(text, 1, 2);
    put(text, 16, 2);
    put(text, body.size, 8);
    text_append_n(text, text_string(&body), body.size);
}

/* An LZ4 block of literals, and a zstd frame (RFC 8878) of one raw block. */
static inline void make_lz4(struct text *text, const struct text *bytes)
{
    put(text, 0xf0, 1);
    size_t left = bytes->size - 15;
    for (; left >= 255; left -= 255)
        put(text, 255, 1);
    put(text, left, 1);
    text_append_n(text, bytes->data, bytes->size);
}

static inline void make_zstd(struct text *text, const struct text *bytes)
{
    put(text, 0xFD2FB528, 4);
    put(text, 0xa0, 1);
    put(text, bytes->size, 4);
    put(text, bytes->size << 3 | 1, 3);
    text_append_n(text, bytes->data, bytes->size);
}

struct made_section {
    const char *name;
    unsigned type;
    uint64_t flags;
    const struct text *bytes;
};

struct made_elf {
    unsigned type, machine, abi;
    uint32_t version, flags;
    bool narrow;      /* 32 bits */
    bool is_extended; /* the number of sections stands in the first of them */
    bool interpreter; /* has a PT_INTERP */
    const struct made_section *sections;
    size_t count;
};

static inline void make_section(struct text *text, bool narrow, uint32_t name, unsigned type,
                                uint64_t flags, uint64_t offset, uint64_t size)
{
    unsigned word = narrow ? 4 : 8;
    put(text, name, 4);
    put(text, type, 4);
    put(text, flags, word);
    put(text, 0, word);
    put(text, offset, word);
    put(text, size, word);
    put(text, 0, 8);
    put(text, 8, word);
    put(text, 0, word);
}

static inline void make_ident(struct text *text, const struct made_elf *elf)
{
    text_append_n(text,
                  "\x7f"
                  "ELF",
                  4);
    put(text, elf->narrow ? 1 : 2, 1);
    put(text, 1, 1);
    put(text, 1, 1);
    put(text, 0, 1);
    put(text, elf->abi, 1);
    put_zeros(text, 7);
    put(text, elf->type, 2);
    put(text, elf->machine, 2);
    put(text, elf->version, 4);
}

/* Two program headers (PT_LOAD of the whole; PT_INTERP or PT_NULL), the sections, their names, the
 * section headers. */
static inline void make_elf(struct text *text, const struct made_elf *elf)
{
    AUTO_TEXT struct text names = {0}, table = {0}, body = {0};
    unsigned word = elf->narrow ? 4 : 8, head = elf->narrow ? 52 : 64;
    unsigned section = elf->narrow ? 40 : 64, segment = elf->narrow ? 32 : 56;
    size_t begin = head + 2 * segment;
    text_append_char(&names, '\0');
    put_zeros(&body, (8 - begin % 8) % 8);
    uint64_t all = elf->count + 2;
    make_section(&table, elf->narrow, 0, 0, 0, 0, elf->is_extended ? all : 0);
    if (elf->is_extended)
        poke(&table, elf->narrow ? 24 : 40, elf->count + 1, 4);
    for (size_t i = 0; i < elf->count; i++) {
        const struct made_section *made = &elf->sections[i];
        make_section(&table, elf->narrow, (uint32_t)names.size, made->type, made->flags,
                     begin + body.size, made->bytes->size);
        text_append_n(&names, made->name, strlen(made->name) + 1);
        text_append_n(&body, text_string(made->bytes), made->bytes->size);
        put_zeros(&body, (8 - (begin + body.size) % 8) % 8);
    }
    make_section(&table, elf->narrow, (uint32_t)names.size, 3, 0, begin + body.size,
                 names.size + sizeof(".shstrtab"));
    text_append_n(&names, ".shstrtab", sizeof(".shstrtab"));
    text_append_n(&body, names.data, names.size);
    uint64_t end = begin + body.size;
    make_ident(text, elf);
    put(text, 0, word);
    put(text, head, word);
    put(text, end, word);
    put(text, elf->flags, 4);
    put(text, head, 2);
    put(text, segment, 2);
    put(text, 2, 2);
    put(text, section, 2);
    put(text, elf->is_extended ? 0 : all, 2);
    put(text, elf->is_extended ? 0xffff : elf->count + 1, 2);
    for (unsigned i = 0; i < 2; i++) {
        put(text, i == 0 ? 1 : elf->interpreter ? 3 : 0, 4);
        if (!elf->narrow)
            put(text, 4, 4);
        put(text, 0, word);
        put_zeros(text, 2 * word);
        put(text, i == 0 ? end : 1, word);
        put(text, end, word);
        put(text, 8, elf->narrow ? 4 : 0);
        put(text, 8, word);
    }
    text_append_n(text, body.data, body.size);
    text_append_n(text, table.data, table.size);
}

/* A note that says which toolkit built a cubin, and with which arguments. */
static inline void make_note(struct text *text, unsigned type, const char *version,
                             const char *arguments)
{
    const char *strings[] = {"", "ptxas", version, "Build 1", arguments};
    AUTO_TEXT struct text table = {0}, description = {0};
    put(&description, 2, 4);
    for (size_t i = 0; i < 5; i++) {
        put(&description, table.size, 4);
        text_append_n(&table, strings[i], strlen(strings[i]) + 1);
    }
    text_append_n(&description, table.data, table.size);
    put(text, 12, 4);
    put(text, description.size, 4);
    put(text, type, 4);
    text_append_n(text, "NVIDIA Corp", 12);
    text_append_n(text, description.data, description.size);
    put_zeros(text, (4 - description.size % 4) % 4);
}

/* A cubin; note NULL: without one. */
static inline void make_cubin(struct text *text, unsigned abi, uint32_t flags, uint32_t version,
                              const struct text *note)
{
    struct made_section section = {.name = ".note.nv.tkinfo", .type = 7, .bytes = note};
    make_elf(text, &(struct made_elf){.type = 2,
                                      .machine = 190,
                                      .abi = abi,
                                      .version = version,
                                      .flags = flags,
                                      .sections = &section,
                                      .count = note != NULL});
}

static inline void make_member(struct text *text, const char *name, const char *bytes, size_t size)
{
    text_printf(text, "%-16s%-12u%-6u%-6u%-8s%-10zu`\n", name, 0u, 0u, 0u, "644", size);
    text_append_n(text, bytes, size);
    if (size & 1)
        text_append_char(text, '\n');
}

#endif
