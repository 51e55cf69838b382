/* SPDX-License-Identifier: MIT */
#ifndef BASE_HEX_H
#define BASE_HEX_H

#include <stdbool.h>
#include <stddef.h>

/* The byte that two hexadecimal digits stand for, in letters of either case; -1: text does not
 * begin with two digits. */
int hex_byte(const char *text);
/* Two digits in small letters for each byte: a new string. */
char *hex_string(const void *bytes, size_t size);
/* Whether text is exactly count hexadecimal digits in small letters; not NULL. */
bool hex_is(const char *text, size_t count);

#endif
