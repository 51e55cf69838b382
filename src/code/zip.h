/* SPDX-License-Identifier: MIT */
#ifndef CODE_ZIP_H
#define CODE_ZIP_H

#include "base/error.h"
#include "base/byte_source.h"

/* The directory of a zip archive, as a Python wheel is one, and the bytes of its members (PKWARE,
 * "APPNOTE.TXT", 6.3.10). The directory alone says what there is: local headers are held against it
 * and never trusted, data descriptors are not needed. Names are for showing: no file is ever made
 * by one. */

#define ZIP_STORED   0
#define ZIP_DEFLATED 8

struct zip_member {
    const char *name; /* its bytes in the directory: no NUL behind them, none within */
    size_t name_size;
    unsigned method; /* ZIP_STORED, ZIP_DEFLATED or another */
    bool encrypted;
    bool twin; /* an earlier member has the same name */
    uint64_t size, packed;
    uint64_t header_at; /* its local header, in the source */
    uint64_t end;       /* where the next member, or the directory, begins */
    uint64_t record_at; /* its record in the directory, in the source */
};

/* Start with {0}. */
struct zip {
    struct byte_source source;
    struct zip_member *members; /* in the order of the directory */
    size_t count;
    size_t twins;   /* members whose name an earlier one has */
    uint64_t ahead; /* bytes before the archive: a program that unpacks it */
    char *directory;
};
#define AUTO_ZIP AUTO(zip_close)

/* A larger directory is refused. */
#define ZIP_DIRECTORY_MAX (64u << 20)

/* Reads the directory. ret_zip must be {0}; source has to outlive it. ERROR_DATA for what is no
 * sound archive, one on several disks, members that overlap, lie outside or are larger than they
 * can be: the reason begins with the offset. */
bool zip_open(const struct byte_source *source, struct zip *ret_zip, struct error *error);
void zip_close(struct zip *zip);

/* The bytes of a member. A deflated one is unpacked on the way and never kept
 * (host/packed/inflate.h). */
struct zip_bytes {
    struct byte_source source;
    struct zip_stream *stream;
};
#define AUTO_ZIP_BYTES AUTO(zip_bytes_close)

/* More is not unpacked of one member, steps back counted again: reading on is ERROR_DATA. */
#define ZIP_WORK_MAX (64ull << 30)

/* Opens a member; ret_bytes must be {0}, and zip has to outlive it. ERROR_DATA where its local
 * header says something else than the directory; where it is encrypted, or packed in a way that is
 * not known. */
bool zip_member_open(const struct zip *zip, const struct zip_member *member,
                     struct zip_bytes *ret_bytes, struct error *error);
/* How many bytes were unpacked for it so far. */
uint64_t zip_bytes_work(const struct zip_bytes *bytes);
void zip_bytes_close(struct zip_bytes *bytes);

#endif
