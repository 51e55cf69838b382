/* SPDX-License-Identifier: MIT */
#include "base/version.h"

#include <stdio.h>

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Reads one number of up to 9 digits; returns what follows it, NULL when there is none. */
static const char *read_part(const char *text, struct version *version)
{
    uint32_t value = 0;
    unsigned digits = 0;
    while (is_digit(text[digits])) {
        if (digits == 9)
            return NULL;
        value = value * 10 + (uint32_t)(text[digits] - '0');
        digits++;
    }
    if (digits == 0 || version->count == VERSION_PARTS)
        return NULL;
    version->part[version->count] = value;
    version->width[version->count] = (uint8_t)digits;
    version->count++;
    return text + digits;
}

bool version_parse(const char *text, struct version *ret_version)
{
    struct version version = {.count = 0};
    for (;;) {
        text = read_part(text, &version);
        if (text == NULL)
            return false;
        if (*text == '\0')
            break;
        if (*text != '.')
            return false;
        text++;
    }
    *ret_version = version;
    return true;
}

bool version_parse_prefix(const char *text, struct version *ret_version)
{
    struct version version = {.count = 0};
    text = read_part(text, &version);
    while (text != NULL && text[0] == '.' && is_digit(text[1]) && version.count < VERSION_PARTS)
        text = read_part(text + 1, &version);
    if (text == NULL)
        return false;
    *ret_version = version;
    return true;
}

int version_compare(const struct version *a, const struct version *b)
{
    for (unsigned i = 0; i < VERSION_PARTS; i++) {
        uint32_t left = i < a->count ? a->part[i] : 0;
        uint32_t right = i < b->count ? b->part[i] : 0;
        if (left != right)
            return left < right ? -1 : 1;
    }
    return 0;
}

bool version_within(const struct version *version, const struct version *prefix)
{
    if (version->count < prefix->count)
        return false;
    for (unsigned i = 0; i < prefix->count; i++)
        if (version->part[i] != prefix->part[i])
            return false;
    return true;
}

const char *version_text(const struct version *version, unsigned parts,
                         char buffer[static VERSION_TEXT_SIZE])
{
    unsigned count = parts > 0 && parts < version->count ? parts : version->count;
    size_t at = 0;
    buffer[0] = '\0';
    for (unsigned i = 0; i < count; i++)
        at += (size_t)snprintf(buffer + at, VERSION_TEXT_SIZE - at, "%s%0*u", i ? "." : "",
                               version->width[i], version->part[i]);
    return buffer;
}

bool version_from_cuda_number(int64_t number, struct version *ret_version)
{
    if (number < 1000 || number > 999990)
        return false;
    uint32_t major = (uint32_t)(number / 1000);
    uint32_t minor = (uint32_t)(number % 1000 / 10);
    *ret_version = (struct version){.part = {major, minor}, .count = 2};
    return true;
}
