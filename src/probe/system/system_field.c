/* SPDX-License-Identifier: MIT */
#include "probe/system/system_field.h"

#include <string.h>

#include "base/text.h"

const struct system_field release_fields[RELEASE_FIELDS] = {
    {.key = "ID", .name = "id"},
    {.key = "ID_LIKE", .name = "id_like"},
    {.key = "VERSION_ID", .name = "version_id"},
    {.key = "PRETTY_NAME", .name = "pretty_name"},
};

char *release_value(char *text)
{
    char *value = string_trim(text);
    char quote = value[0];
    if (quote != '"' && quote != '\'')
        return value;
    char *to = value;
    for (const char *from = value + 1; *from && *from != quote; from++) {
        if (quote == '"' && from[0] == '\\' && from[1])
            from++;
        *to++ = *from;
    }
    *to = '\0';
    return value;
}

const struct system_field meminfo_fields[MEMINFO_FIELDS] = {
    {.key = "MemTotal:", .name = "total_bytes"},
    {.key = "MemAvailable:", .name = "available_bytes"},
    {.key = "SwapTotal:", .name = "swap_total_bytes"},
};

bool meminfo_bytes(const char *value, int64_t *ret_bytes)
{
    AUTO_FREE char *digits = mem_string_n(value, strspn(value, "0123456789"));
    unsigned long long kilobytes;
    if (!string_to_unsigned(digits, &kilobytes) || kilobytes > INT64_MAX / 1024 ||
        !string_equal(value + strlen(digits), " kB"))
        return false;
    *ret_bytes = (int64_t)kilobytes * 1024;
    return true;
}
