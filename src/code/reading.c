/* SPDX-License-Identifier: MIT */
#include "code/reading.h"

#include <string.h>

#include "base/text.h"

/* The number at *cursor, which is moved behind it. 0 where there is none. */
static unsigned take_number(const char **cursor)
{
    unsigned number = 0;
    for (; **cursor >= '0' && **cursor <= '9' && number < 100000; (*cursor)++)
        number = number * 10 + (unsigned)(**cursor - '0');
    return number;
}

void listing_set_toolkit(struct code_listing *listing, const char *words, size_t size)
{
    if (listing->cuda_major != 0)
        return;
    AUTO_FREE char *text = mem_string_n(words, strnlen(words, size));
    const char *release = strstr(text, "release ");
    if (release == NULL)
        return;
    release += strlen("release ");
    unsigned major = take_number(&release);
    if (major == 0 || *release != '.')
        return;
    release++;
    listing->cuda_major = major;
    listing->cuda_minor = take_number(&release);
    listing->toolkit = mem_string(string_trim(text));
}
