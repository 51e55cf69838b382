/* SPDX-License-Identifier: MIT */
#include "host/local/random_name.h"

#include <inttypes.h>
#include <stdint.h>
#include <string.h>

#include "base/hex.h"
#include "base/memory.h"
#include "base/text.h"
#include "host/local/random_bytes.h"

#define DIGITS 16

char *random_name_new(const char *start)
{
    uint64_t number;
    if (!random_bytes(&number, sizeof(number)))
        return NULL;
    return mem_printf("%s%0*" PRIx64, start, DIGITS, number);
}

bool random_name_is(const char *name, const char *start)
{
    return string_starts(name, start) && hex_is(name + strlen(start), DIGITS);
}
