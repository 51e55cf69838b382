/* SPDX-License-Identifier: MIT */
#ifndef CODE_WHEEL_H
#define CODE_WHEEL_H

#include "base/error.h"
#include "base/strlist.h"
#include "code/code.h"

/* A zip archive, such as a Python wheel, and the GPU code in its members. */

struct wheel_member {
    char *name; /* as in the directory: any bytes, made safe only when it is shown */
    struct code_listing listing;
    struct error error; /* set: a container of code that cannot be read, or a member that cannot be
                           unpacked; nothing is listed of it */
};

struct wheel {
    struct wheel_member *members; /* those with GPU code, and those that cannot be read */
    size_t count, capacity;
    size_t all;              /* members in the directory, other than directories */
    size_t nested;           /* zip archives within: not looked into */
    struct strlist twins;    /* names that more than one member has, a few of them */
    size_t twin_count;       /* members whose name an earlier one has */
    uint64_t ahead;          /* bytes in front of the archive */
    uint64_t unpacked;       /* bytes that were unpacked for it */
    struct code_listing sum; /* of all members; its file is CODE_FILE_ZIP */
};

/* More is not unpacked of one archive: what is left is an error of its member. */
#define WHEEL_UNPACKED_MAX (64ull << 30)

/* Reads the archive in source, its members by code_read(), or with whole by code_read_whole().
 * ret_wheel must be {0} and is the caller's to free either way. False: ERROR_DATA when the
 * directory is not sound (code/zip.h), or ERROR_NO_INPUT when the file cannot be read. Members that
 * are not sound are told in the wheel. */
bool wheel_read(const struct byte_source *source, bool whole, struct wheel *ret_wheel,
                struct error *error);
void wheel_free(struct wheel *wheel);

#endif
