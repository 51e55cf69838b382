/* SPDX-License-Identifier: MIT */
#include "base/hex.h"

#include <string.h>

#include "base/text.h"

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

int hex_byte(const char *text)
{
    int high = hex_digit(text[0]);
    int low = high >= 0 ? hex_digit(text[1]) : -1;
    return low >= 0 ? high * 16 + low : -1;
}

char *hex_string(const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    AUTO_TEXT struct text text = {0};
    for (size_t i = 0; i < size; i++)
        text_printf(&text, "%02x", at[i]);
    return text_steal(&text);
}

bool hex_is(const char *text, size_t count)
{
    return strlen(text) == count && strspn(text, "0123456789abcdef") == count;
}
