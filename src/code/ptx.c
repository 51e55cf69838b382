/* SPDX-License-Identifier: MIT */
#include "code/ptx.h"

#include <string.h>

#include "base/text.h"

#define PTX "PTX file"

struct scanner {
    const char *text; /* ends with a NUL */
    size_t size, at;
};

static bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool is_word(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           c == '.';
}

/* Goes behind the comment at scanner->at; false: there is none, or it has no end here. */
static bool skip_comment(struct scanner *scanner)
{
    const char *rest = scanner->text + scanner->at;
    bool is_line = string_starts(rest, "//");
    if (!is_line && !string_starts(rest, "/*"))
        return false;
    const char *end = is_line ? strchr(rest + 2, '\n') : strstr(rest + 2, "*/");
    if (end == NULL)
        return false;
    scanner->at += (size_t)(end - rest) + (is_line ? 1 : 2);
    return true;
}

static void skip_space(struct scanner *scanner)
{
    do {
        while (scanner->at < scanner->size && is_space(scanner->text[scanner->at]))
            scanner->at++;
    } while (skip_comment(scanner));
}

/* Goes behind word, when it is the next one. */
static bool take_word(struct scanner *scanner, const char *word)
{
    skip_space(scanner);
    size_t length = strlen(word);
    if (scanner->size - scanner->at < length ||
        memcmp(scanner->text + scanner->at, word, length) != 0 ||
        is_word(scanner->text[scanner->at + length]))
        return false;
    scanner->at += length;
    return true;
}

static bool take_number(struct scanner *scanner, unsigned *ret_number)
{
    size_t begin = scanner->at;
    unsigned number = 0;
    for (; scanner->at - begin < 4; scanner->at++) {
        char c = scanner->text[scanner->at];
        if (c < '0' || c > '9')
            break;
        number = number * 10 + (unsigned)(c - '0');
    }
    *ret_number = number;
    return scanner->at > begin;
}

static bool take_version(struct scanner *scanner, struct code_entry *entry)
{
    if (!take_word(scanner, ".version"))
        return false;
    skip_space(scanner);
    if (!take_number(scanner, &entry->ptx_major) || scanner->text[scanner->at] != '.')
        return false;
    scanner->at++;
    return take_number(scanner, &entry->ptx_minor);
}

/* "sm_90a", then perhaps ", debug" and the like. */
static bool take_target(struct scanner *scanner, struct code_entry *entry)
{
    if (!take_word(scanner, ".target"))
        return false;
    skip_space(scanner);
    const char *rest = scanner->text + scanner->at;
    size_t prefix = string_starts(rest, "sm_") ? 3 : string_starts(rest, "compute_") ? 8 : 0;
    scanner->at += prefix;
    if (prefix == 0 || !take_number(scanner, &entry->architecture))
        return false;
    char suffix = scanner->text[scanner->at];
    if (suffix == 'a' || suffix == 'f') {
        entry->suffix = suffix;
        scanner->at++;
    }
    return !is_word(scanner->text[scanner->at]);
}

bool ptx_is(const char *head, size_t size)
{
    AUTO_FREE char *text = mem_string_n(head, size);
    struct scanner scanner = {.text = text, .size = strlen(text)};
    return take_word(&scanner, ".version");
}

/* The comment that nvcc and NVRTC write first names the toolkit. */
static void read_comment(struct reading *reading, const char *text, size_t size)
{
    static const char words[] = "// Cuda compilation tools";
    const char *line = strstr(text, words);
    if (line == NULL || line >= text + size)
        return;
    line += strlen("// ");
    listing_set_toolkit(reading->listing, line, strcspn(line, "\r\n"));
}

bool ptx_list(struct reading *reading, const struct byte_source *source, struct error *error)
{
    AUTO_TEXT struct text text = {0};
    size_t size = source->size < PTX_HEAD ? (size_t)source->size : PTX_HEAD;
    text.data = mem_alloc(size + 1);
    if (!byte_source_read(source, 0, text.data, size, "the text", error))
        return false;
    struct code_entry entry = {.kind = CODE_PTX, .count = 1, .bytes = source->size};
    struct scanner scanner = {.text = text.data, .size = strlen(text.data)};
    if (!take_version(&scanner, &entry))
        return byte_source_malformed(error, PTX, source, scanner.at, "no number after .version");
    read_comment(reading, text.data, scanner.at);
    if (!take_target(&scanner, &entry))
        return byte_source_malformed(error, PTX, source, scanner.at,
                                     "no .target with an architecture after .version");
    return listing_add(reading->listing, &entry, error);
}
