/* SPDX-License-Identifier: MIT */
#include "elf/constant.h"

#include <ctype.h>
#include <string.h>

#include "base/text.h"
#include "elf/file.h"
#include "elf/layout.h"

/* cicc has 11 MiB of constants, and the names of all sections are less than a page. */
#define CONSTANTS_MAX     (64u << 20)
#define SECTION_NAMES_MAX (1024u * 1024)

static const char section_name[] = ".rodata";

static bool find_constants(const struct elf_file *file, struct elf_section *ret_section,
                           struct error *error)
{
    AUTO_TEXT struct text names = {0};
    bool found;
    if (!elf_section_names(file, SECTION_NAMES_MAX, &names, error) ||
        !elf_section_find(file, &names, section_name, &found, ret_section, error))
        return false;
    if (!found || ret_section->type == SHT_NOBITS) {
        error_set(error, ERROR_DATA, "its constants cannot be read");
        return error_why(error, "it has no section %s", section_name);
    }
    if (ret_section->size > CONSTANTS_MAX)
        ret_section->size = CONSTANTS_MAX;
    return elf_check_range(file, "section .rodata", ret_section->offset, ret_section->size, error);
}

/* What stands behind beginning in these bytes; NULL: it is not there, or no digit follows. A line
 * that may go on behind them is left to the next window. */
static char *line_in(const unsigned char *bytes, size_t size, bool is_last, const char *beginning)
{
    size_t length = strlen(beginning);
    const unsigned char *end = bytes + size;
    const unsigned char *at = bytes;
    while ((at = memmem(at, (size_t)(end - at), beginning, length)) != NULL) {
        at += length;
        if (!is_last && (size_t)(end - at) < ELF_CONSTANT_MAX)
            return NULL;
        if (at == end || !isdigit(*at))
            continue;
        size_t rest = strnlen((const char *)at, (size_t)(end - at));
        const char *line = memchr(at, '\n', rest);
        rest = line ? (size_t)(line - (const char *)at) : rest;
        return mem_string_n((const char *)at, rest < ELF_CONSTANT_MAX ? rest : ELF_CONSTANT_MAX);
    }
    return NULL;
}

/* A window at a time; what begins in the last bytes of one is read again with the next. */
static bool find_line(const struct elf_file *file, const struct elf_section *section,
                      const char *beginning, char **ret_line, struct error *error)
{
    size_t overlap = strlen(beginning) + ELF_CONSTANT_MAX;
    for (uint64_t done = 0; done < section->size && *ret_line == NULL;) {
        uint64_t left = section->size - done;
        bool is_last = left <= BYTE_WINDOW_SIZE;
        size_t size = is_last ? (size_t)left : BYTE_WINDOW_SIZE;
        const unsigned char *bytes = byte_window_at(
            file->window, file->source, section->offset + done, size, size, section_name, error);
        if (bytes == NULL)
            return false;
        *ret_line = line_in(bytes, size, is_last, beginning);
        done += is_last ? size : size - overlap;
    }
    return true;
}

bool elf_constant_find(const struct byte_source *source, const char *beginning, char **ret_line,
                       struct error *error)
{
    AUTO_FREE struct byte_window *window = byte_window_new();
    struct elf_file file;
    struct elf_section section = {.size = 0};
    *ret_line = NULL;
    return elf_open(source, window, &file, error) && elf_check_current(&file, error) &&
           elf_open_sections(&file, error) && find_constants(&file, &section, error) &&
           find_line(&file, &section, beginning, ret_line, error);
}
