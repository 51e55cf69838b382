/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/little_endian.h"
#include "install/unpack/unpack_private.h"

/* PKWARE's APPNOTE 6.3.10, 4.3.16: the end record is the last of a zip file; its last field is the
 * length of a comment that ends the file. */
enum { END_SIZE = 22, COMMENT_MAX = 65535, COMMENT_AT = 20 };

bool unpack_zip_ends(int fd, uint64_t size)
{
    static const char begin[] = {'P', 'K', 3, 4}, end[] = {'P', 'K', 5, 6};
    char first[sizeof(begin)];
    size_t tail_size = size < END_SIZE + COMMENT_MAX ? (size_t)size : END_SIZE + COMMENT_MAX;
    AUTO_FREE unsigned char *tail = mem_alloc(tail_size);
    if (size < END_SIZE || !unpack_read_at(fd, 0, first, sizeof(first), NULL) ||
        memcmp(first, begin, sizeof(begin)) != 0 ||
        !unpack_read_at(fd, size - tail_size, tail, tail_size, NULL))
        return false;
    for (size_t comment = 0; comment + END_SIZE <= tail_size; comment++) {
        const unsigned char *record = tail + tail_size - END_SIZE - comment;
        size_t length = load16(record + COMMENT_AT);
        if (length == comment && memcmp(record, end, sizeof(end)) == 0)
            return true;
    }
    return false;
}
