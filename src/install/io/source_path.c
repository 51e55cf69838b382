/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "install/io/source_path.h"

#include "base/text.h"

#define PATH_LIMIT 1024

static bool step_is_safe(const char *step, size_t length)
{
    if (length == 0 || length > 255)
        return false;
    return !(length == 1 && step[0] == '.') && !(length == 2 && step[0] == '.' && step[1] == '.');
}

bool source_path_is_safe(const char *path)
{
    return source_path_is_inward(path, PATH_LIMIT) && strchr(path, '\\') == NULL;
}

bool source_path_is_inward(const char *path, size_t limit)
{
    size_t size = strlen(path);
    if (size == 0 || size > limit || !utf8_valid(path, size))
        return false;
    for (size_t i = 0; i < size; i++)
        if ((unsigned char)path[i] < 0x20 || path[i] == 0x7f)
            return false;
    for (const char *step = path;;) {
        const char *end = strchrnul(step, '/');
        if (!step_is_safe(step, (size_t)(end - step)))
            return false;
        if (*end == '\0')
            return true;
        step = end + 1;
    }
}
