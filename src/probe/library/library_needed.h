/* SPDX-License-Identifier: MIT */
#ifndef PROBE_LIBRARY_LIBRARY_NEEDED_H
#define PROBE_LIBRARY_LIBRARY_NEEDED_H

#include "host/elf/elf.h"
#include "host/loader/loader.h"

struct strlist;

/* Names that were searched without RPATH, and how that ended: most libraries need the same few. */
struct needed_memo {
    struct needed_name {
        char *name;
        bool found;
    } * names;
    size_t count, capacity;
};

/* Adds the DT_NEEDED names of the library at path for which the loader finds nothing, its own
 * RPATH or RUNPATH counted. False when the libraries so far need more different names than are
 * searched: then nothing is known of this one. */
bool library_unresolved(const struct loader *loader, const char *path, const struct elf_info *elf,
                        struct needed_memo *memo, struct strlist *unresolved);
void needed_memo_free(struct needed_memo *memo);

#endif
