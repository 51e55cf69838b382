/* SPDX-License-Identifier: MIT */
#ifndef CODE_ZIP_PRIVATE_H
#define CODE_ZIP_PRIVATE_H

/* What the files of the zip reader share. */

#include "code/zip.h"

struct error;

#define ZIP_LOCAL   0x04034b50u
#define ZIP_CENTRAL 0x02014b50u
#define ZIP_END     0x06054b50u
#define ZIP_END_64  0x06064b50u
#define ZIP_LOCATOR 0x07064b50u

#define ZIP_LOCAL_SIZE   30u
#define ZIP_CENTRAL_SIZE 46u
#define ZIP_END_SIZE     22u
#define ZIP_END_64_SIZE  56u
#define ZIP_LOCATOR_SIZE 20u

#define ZIP_ENCRYPTED (1u << 0)
#define ZIP_MASKED    (1u << 13) /* the directory is encrypted, local headers are masked */

/* Where the directory is, as the end of the archive tells. */
struct zip_end {
    uint64_t at;    /* of the directory, in the source */
    uint64_t size;  /* of the directory */
    uint64_t count; /* members */
    uint64_t ahead; /* bytes before the archive: to be added to every offset in it */
};
bool zip_find_end(const struct byte_source *source, struct zip_end *ret_end, struct error *error);

/* ERROR_DATA with the offset and the reason. Returns false. */
bool zip_refuse(struct error *error, uint64_t at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
