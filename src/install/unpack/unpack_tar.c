/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "install/unpack/unpack_private.h"

/* POSIX.1-2017, pax: ustar interchange format. libarchive takes every type that it does not know
 * for a regular file, and lets an access control list change the mode: both are read once more. */
enum {
    BLOCK = 512,
    MODE_AT = 100,
    MODE_LENGTH = 8,
    SIZE_AT = 124,
    SIZE_LENGTH = 12,
    FLAG_AT = 156
};

/* Octal digits between spaces, ended by a space or NUL. */
static bool take_octal(const char *field, size_t length, uint64_t *ret_number)
{
    uint64_t number = 0;
    size_t at = 0, digits = 0;
    while (at < length && field[at] == ' ')
        at++;
    for (; at < length && field[at] >= '0' && field[at] <= '7'; at++, digits++)
        number = number << 3 | (uint64_t)(field[at] - '0');
    *ret_number = number;
    return digits > 0 && (at == length || field[at] == ' ' || field[at] == '\0');
}

bool unpack_tar_look(const char *headers, size_t size, char *ret_flag, unsigned *ret_mode)
{
    uint64_t body, mode;
    for (size_t at = 0; at + BLOCK <= size;) {
        char flag = headers[at + FLAG_AT];
        if (flag == '\0' || strchr("xgKL", flag) == NULL) {
            if (!take_octal(headers + at + MODE_AT, MODE_LENGTH, &mode))
                return false;
            *ret_flag = flag;
            *ret_mode = (unsigned)(mode & 07777);
            return true;
        }
        if (!take_octal(headers + at + SIZE_AT, SIZE_LENGTH, &body) || body > size - at)
            return false;
        at += BLOCK + (((size_t)body + BLOCK - 1) & ~(size_t)(BLOCK - 1));
    }
    return false;
}
