/* SPDX-License-Identifier: MIT */
#ifndef CODE_CODE_H
#define CODE_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/byte_source.h"
#include "base/error.h"

/* Which GPU code is inside a file. Headers alone are read, never a payload: the cost grows with the
 * number of entries. docs/background/code.md says how each format is laid out and where that is
 * from. */

/* What the file is, by its content. */
enum code_file {
    CODE_FILE_OTHER,         /* nothing that can hold GPU code: text, an image, ELF of AMD's … */
    CODE_FILE_SHARED_OBJECT, /* ELF ET_DYN without PT_INTERP */
    CODE_FILE_EXECUTABLE,    /* ELF ET_EXEC, or ET_DYN with PT_INTERP */
    CODE_FILE_RELOCATABLE,   /* ELF ET_REL of the host: .o */
    CODE_FILE_ARCHIVE,       /* ar: .a, thin ones too */
    CODE_FILE_FATBIN,        /* begins with 0xBA55ED50 */
    CODE_FILE_CUBIN,         /* ELF of EM_CUDA */
    CODE_FILE_PTX,           /* text that begins with .version */
    CODE_FILE_ZIP,           /* a wheel or another zip file: code_read() lists nothing in it */
};

enum code_kind {
    CODE_SASS,   /* machine code for one architecture: sm_NN */
    CODE_PTX,    /* for the driver to compile: compute_NN */
    CODE_LTO_IR, /* for a linker to compile (nvJitLink, nvlink): lto_NN. Does not run by itself */
    CODE_OTHER,  /* an entry of a kind that is not known: counted, and never said to run */
};

enum code_packing {
    CODE_PLAIN,
    CODE_LZ4,
    CODE_ZSTD,
    CODE_PACKED, /* compressed, in a way that is not known */
};

/* All entries of a file that say the same. */
struct code_entry {
    enum code_kind kind;
    unsigned architecture;         /* 75, 90, 120: major * 10 + minor. 0: not said */
    char suffix;                   /* 'a', 'f', or 0 for none */
    unsigned ptx_major, ptx_minor; /* ISA version of PTX; 0.0: not said, and for all other kinds */
    enum code_packing packing;
    bool relocatable; /* device code that has to be linked first (-rdc=true): from __nv_relfatbin,
                         or a cubin of ET_REL. What nvlink made of it is in entries of its own; for
                         a GPU that has none, the driver compiles and links these when the program
                         starts, if every object has PTX or SASS for it. Not known of .fatbin */
    bool embedded;    /* found in a data section and not where nvcc puts code: the library loads it
                         by itself (cuFFT keeps most of its code so) */
    size_t count;     /* how many entries there are */
    uint64_t bytes;   /* of their payloads as they lie in the file */
};

/* What a file holds. */
struct code_listing {
    enum code_file file;
    struct code_entry *entries; /* SASS, PTX, LTO-IR, other; each by architecture, suffix */
    size_t count, capacity;
    size_t fat_binaries;      /* regions with a header of their own */
    size_t members;           /* of an archive: objects that were looked at */
    size_t members_elsewhere; /* of a thin archive: members are files of their own, not looked at */
    char *toolkit; /* what built the device code, in its own words, from the first cubin that was
                      asked and says it: "Cuda compilation tools, release 13.0, V13.0.48". NULL:
                      none says it in words */
    unsigned cuda_major, cuda_minor; /* its release: 13.0; 0.0: not said. Also from cubins
                                        that CUDA 12 made, which say no more than that */
    uint64_t unsearched;   /* bytes of data sections in which no fat binary was looked for: see
                              code_read(). 0: none is missed */
    bool sections_missing; /* ELF without section headers: loaded segments were searched */
};

#define AUTO_CODE_LISTING AUTO(code_listing_free)

/* What can be held: more of them is ERROR_DATA. */
#define CODE_ENTRIES_MAX   4000000u /* in one file; cuFFT 12.0 has 24,000 */
#define CODE_DIFFERENT_MAX 4096u    /* entries that say different things */
#define CODE_MEMBERS_MAX   1000000u

/* Reads what is in source: the sections that nvcc makes by their headers, and data sections for
 * what a library embeds, which has to be searched for: only the first 4 MiB of each, and 16 MiB
 * behind each fat binary that is found. code_read_whole() searches all of them, which takes as long
 * as the file is large. ret_listing must be {0}; the caller frees it. True with CODE_FILE_OTHER and
 * no entries for what is no container of GPU code; true with no entries for a library
 * without any. False with ERROR_DATA for a malformed or truncated container: what, "offset 0x…" and
 * the reason; the caller adds the path (error_where()). A refused file lists nothing. */
bool code_read(const struct byte_source *source, struct code_listing *ret_listing,
               struct error *error);
bool code_read_whole(const struct byte_source *source, struct code_listing *ret_listing,
                     struct error *error);
void code_listing_free(struct code_listing *listing);

/* Adds all of other to listing (a wheel is the sum of its members); file stays as it is, and the
 * first toolkit that is said. False with ERROR_DATA beyond CODE_DIFFERENT_MAX. */
bool code_listing_merge(struct code_listing *listing, const struct code_listing *other,
                        struct error *error);

/* By the first bytes of a file (64 are enough, but for PTX behind a comment: give 4096). An ELF of
 * ET_DYN is a shared object here; code_read() knows better. */
enum code_file code_file_of(const void *head, size_t size);

/* "shared object", "static archive" …; "sm_90a", "compute_120", "lto_89" into name; "zstd". */
const char *code_file_name(enum code_file file);
const char *code_kind_name(enum code_kind kind);
const char *code_packing_name(enum code_packing packing);
#define CODE_NAME_SIZE 24
void code_architecture_name(const struct code_entry *entry, char name[CODE_NAME_SIZE]);

/* < 0, 0, > 0: the order of a listing; 0 only for entries that say the same. */
int code_entry_compare(const struct code_entry *a, const struct code_entry *b);

#endif
