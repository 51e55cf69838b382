/* SPDX-License-Identifier: MIT */
#ifndef RULES_TOOLKIT_CUDNN_COPIES_H
#define RULES_TOOLKIT_CUDNN_COPIES_H

#include "base/version.h"
#include "rules/query/judged.h"

struct strlist;

/* cuDNN's files in a record, looked up once: every copy of every one of its libraries, and which
 * of them the loader picks. Strings belong to the record. */
struct cudnn_copy {
    const char *group;
    const char *path; /* never NULL */
    const char *soname;
    struct judged_version version;
    const struct strlist *found_as;
    struct version release; /* the first three numbers; count 0: unknown, or the major alone */
    bool main;              /* libcudnn itself */
};
struct cudnn_pick {
    const char *soname;
    const char *why; /* "LD_LIBRARY_PATH: /app/lib" */
    const struct cudnn_copy *copy;
};
struct cudnn_copies {
    struct cudnn_copy *items;
    size_t count, capacity;
    struct cudnn_pick *picks;
    size_t pick_count, pick_capacity;
};
#define AUTO_COPIES AUTO(cudnn_copies_free)
/* Without stubs, and without files of another architecture. */
struct cudnn_copies cudnn_copies(const struct facts *facts);
void cudnn_copies_free(struct cudnn_copies *copies);

/* What the loader picks for a library name; NULL: nothing that is known. */
const struct cudnn_pick *cudnn_pick(const struct cudnn_copies *copies, const char *soname);
/* True when the loader picks it because LD_LIBRARY_PATH says so. */
bool cudnn_pick_is_forced(const struct cudnn_pick *pick);

/* True when the loader can meet copy, by that name, in a directory in which it can meet other by
 * its own. */
bool cudnn_copy_is_beside(const struct cudnn_copy *copy, const char *soname,
                          const struct cudnn_copy *other);
/* True when some path leads to copy by that name. */
bool cudnn_copy_serves(const struct cudnn_copy *copy, const char *soname);

/* The loader's group of a libcudnn.so.N that it finds; NULL: none. *ret_unknown is then the group
 * of one of which that cannot be told, or NULL. */
const char *cudnn_on_loader_path(const struct facts *facts, const char **ret_unknown);

bool cudnn_same_directory(const char *a, const char *b);

#endif
