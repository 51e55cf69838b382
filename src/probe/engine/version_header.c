/* SPDX-License-Identifier: MIT */
#include "probe/engine/version_header.h"

#include <string.h>

/* The version macros stand near the top: CUDA_VERSION, the farthest, at 14 of cuda.h's 1100 KB. */
#define HEADER_HEAD 65536

static bool blank(char c)
{
    return c == ' ' || c == '\t';
}

static const char *skip_blanks(const char *text)
{
    while (blank(*text))
        text++;
    return text;
}

static bool identifier_char(char c)
{
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

static size_t identifier_length(const char *text)
{
    size_t length = 0;
    while (identifier_char(text[length]))
        length++;
    return length;
}

/* What follows `#define macro` on this line; NULL when the line is something else. */
static const char *definition(const char *line, const char *macro)
{
    line = skip_blanks(line);
    if (*line != '#')
        return NULL;
    line = skip_blanks(line + 1);
    if (!string_starts(line, "define") || !blank(line[6]))
        return NULL;
    line = skip_blanks(line + 6);
    size_t length = strlen(macro);
    if (strncmp(line, macro, length) != 0 || !blank(line[length]))
        return NULL;
    return skip_blanks(line + length);
}

/* The token after `#define macro`: points into text, NULL when there is none. */
static const char *find_value(const char *text, const char *macro, size_t *ret_length)
{
    while (text) {
        const char *value = definition(text, macro);
        if (value && (*ret_length = identifier_length(value)) > 0)
            return value;
        text = strchr(text, '\n');
        text = text ? text + 1 : NULL;
    }
    return NULL;
}

static bool number_from(const char *digits, size_t length, uint32_t *ret_value)
{
    uint32_t value = 0;
    if (length > 9)
        return false;
    for (size_t i = 0; i < length; i++) {
        if (digits[i] < '0' || digits[i] > '9')
            return false;
        value = value * 10 + (uint32_t)(digits[i] - '0');
    }
    *ret_value = value;
    return true;
}

bool header_number(const char *text, const char *macro, uint32_t *ret_value)
{
    size_t length;
    const char *value = find_value(text, macro, &length);
    if (value == NULL || number_from(value, length, ret_value))
        return value != NULL;
    /* TensorRT since 10: NV_TENSORRT_MAJOR is TRT_MAJOR_ENTERPRISE, which is the number. */
    AUTO_FREE char *other = mem_string_n(value, length);
    value = find_value(text, other, &length);
    return value != NULL && number_from(value, length, ret_value);
}

static bool version_from_macros(const char *text, const struct version_header *header,
                                const char *path, struct version *ret_version, struct error *error)
{
    struct version version = {.count = 0};
    for (unsigned i = 0; i < HEADER_MACROS && header->macros[i]; i++) {
        if (!header_number(text, header->macros[i], &version.part[i])) {
            error_set(error, ERROR_DATA, "no number in %s", header->macros[i]);
            return error_where(error, "%s", path);
        }
        version.count++;
    }
    if (version.count == 1 && !version_from_cuda_number(version.part[0], &version)) {
        error_set(error, ERROR_DATA, "%s is %u, not a CUDA version", header->macros[0],
                  version.part[0]);
        return error_where(error, "%s", path);
    }
    *ret_version = version;
    return true;
}

enum host_status version_header_read(const struct host *host, const char *path,
                                     const struct version_header *header,
                                     struct version *ret_version, struct error *error)
{
    AUTO_TEXT struct text text = {0};
    enum host_status status = host_read_head(host, path, HEADER_HEAD, &text, error);
    if (status != HOST_OK)
        return status;
    return version_from_macros(text_string(&text), header, path, ret_version, error) ? HOST_OK
                                                                                     : HOST_FAILED;
}
