/* SPDX-License-Identifier: MIT */
#include "manifest/update/bundle.h"

#include <stdint.h>
#include <string.h>

#include "base/error.h"
#include "base/hex.h"
#include "base/text.h"

#define HEAD      "gpuenv-update 1\n"
#define HEAD_KIND "gpuenv-update "
#define READER    "reader "
#define CHECKSUM  "crc32 "

/* The parts, in their order. */
static const struct {
    const char *name;
    size_t max;
    size_t offset;
} parts[] = {
    {"roots", UPDATE_ROOTS_MAX, offsetof(struct update_bundle, roots)},
    {"statement", UPDATE_STATEMENT_MAX, offsetof(struct update_bundle, statement)},
    {"manifest", MANIFEST_MAX, offsetof(struct update_bundle, manifest)},
};
#define PARTS (sizeof(parts) / sizeof(parts[0]))

/* What is left to be read. */
struct rest {
    const char *at;
    size_t size;
};

/* CRC-32 as gzip has it (RFC 1952), eight bytes at a time: a kept file is read by each command. The
 * host's is zlib's, which not every build has. */
#define STRIDE 8

static void fill_tables(uint32_t tables[STRIDE][256])
{
    for (uint32_t i = 0; i < 256; i++) {
        tables[0][i] = i;
        for (int bit = 0; bit < 8; bit++)
            tables[0][i] = (tables[0][i] >> 1) ^ (tables[0][i] & 1 ? UINT32_C(0xedb88320) : 0);
    }
    for (size_t table = 1; table < STRIDE; table++)
        for (size_t i = 0; i < 256; i++)
            tables[table][i] = (tables[table - 1][i] >> 8) ^ tables[0][tables[table - 1][i] & 0xff];
}

static uint32_t checksum_of(const char *text, size_t size)
{
    const unsigned char *bytes = (const unsigned char *)text;
    uint32_t tables[STRIDE][256];
    uint32_t checksum = UINT32_MAX;
    fill_tables(tables);
    for (; size >= STRIDE; size -= STRIDE, bytes += STRIDE) {
        uint32_t next = 0;
        for (size_t i = 0; i < STRIDE; i++)
            next ^= tables[STRIDE - 1 - i][bytes[i] ^ (i < 4 ? checksum >> (8 * i) & 0xff : 0)];
        checksum = next;
    }
    for (; size > 0; size--, bytes++)
        checksum = (checksum >> 8) ^ tables[0][(checksum ^ *bytes) & 0xff];
    return ~checksum;
}

static bool refuse(const char *name, const char *why, struct error *error)
{
    error_set(error, ERROR_DATA, "this is not a whole file of an update");
    error_where(error, "%s", name);
    return error_why(error, "%s", why);
}

/* "manifest 1399771\n". */
static bool take_size(struct rest *rest, const char *word, size_t *ret_size)
{
    const char *end = memchr(rest->at, '\n', rest->size < 64 ? rest->size : 64);
    AUTO_FREE char *line = mem_string_n(rest->at, end ? (size_t)(end - rest->at) : 0);
    AUTO_FREE char *start = mem_printf("%s ", word);
    unsigned long long size;
    if (end == NULL || !string_starts(line, start) ||
        !string_to_decimal(line + strlen(start), UPDATE_BUNDLE_MAX, &size))
        return false;
    rest->at = end + 1;
    rest->size -= strlen(line) + 1;
    *ret_size = (size_t)size;
    return true;
}

static bool take_part(struct rest *rest, size_t index, const char *name,
                      struct update_bundle *bundle, struct error *error)
{
    struct update_part *part = (struct update_part *)(void *)((char *)bundle + parts[index].offset);
    size_t size;
    if (!take_size(rest, parts[index].name, &size))
        return refuse(name, "a part of it is missing or in the wrong place", error);
    if (size > parts[index].max)
        return refuse(name, "a part of it is larger than it may be", error);
    if (rest->size < size + 1 || rest->at[size] != '\n')
        return refuse(name, "it is cut off, or something was inserted", error);
    *part = (struct update_part){rest->at, size};
    rest->at += size + 1;
    rest->size -= size + 1;
    return true;
}

static bool is_at(const struct rest *rest, const char *word)
{
    return rest->size >= strlen(word) && memcmp(rest->at, word, strlen(word)) == 0;
}

/* "reader 0123…\n", which need not be there. */
static bool take_reader(struct rest *rest, const char *name, struct update_bundle *bundle,
                        struct error *error)
{
    const size_t size = strlen(READER) + UPDATE_READER_SIZE + 1;
    if (!is_at(rest, READER))
        return true;
    if (rest->size < size || rest->at[size - 1] != '\n')
        return refuse(name, "it is cut off, or something was inserted", error);
    bundle->reader = (struct update_part){rest->at + strlen(READER), UPDATE_READER_SIZE};
    rest->at += size;
    rest->size -= size;
    return true;
}

/* "crc32 0123abcd\n", and nothing behind it. */
static bool take_checksum(struct rest *rest, uint32_t *ret_checksum)
{
    if (!is_at(rest, CHECKSUM) || rest->size != strlen(CHECKSUM) + 9 ||
        rest->at[rest->size - 1] != '\n')
        return false;
    AUTO_FREE char *digits = mem_string_n(rest->at + strlen(CHECKSUM), 8);
    if (!hex_is(digits, 8))
        return false;
    *ret_checksum = 0;
    for (size_t i = 0; i < 4; i++)
        *ret_checksum = *ret_checksum << 8 | (uint32_t)hex_byte(digits + 2 * i);
    return true;
}

bool update_bundle_parse(const char *text, size_t size, const char *name,
                         struct update_bundle *ret_bundle, struct error *error)
{
    struct update_bundle bundle = {.roots = {.text = NULL}};
    struct rest rest = {text, size};
    uint32_t checksum;
    bool is_known = size >= strlen(HEAD) && memcmp(text, HEAD, strlen(HEAD)) == 0;
    if (!is_known && size >= strlen(HEAD) && memcmp(text, HEAD_KIND, strlen(HEAD_KIND)) == 0) {
        refuse(name, "its format is newer than this gpuenv can read", error);
        return error_next(error, "install a newer gpuenv");
    }
    if (!is_known)
        return refuse(name, "it does not begin with \"gpuenv-update 1\"", error);
    rest.at += strlen(HEAD);
    rest.size -= strlen(HEAD);
    if (!take_reader(&rest, name, &bundle, error))
        return false;
    for (size_t i = 0; i < PARTS && (i != 1 || !is_at(&rest, CHECKSUM)); i++)
        if (!take_part(&rest, i, name, &bundle, error))
            return false;
    size_t checked = size - rest.size;
    if (!take_checksum(&rest, &checksum))
        return refuse(name, "it does not end with its checksum", error);
    if (checksum != checksum_of(text, checked))
        return refuse(name, "its checksum is wrong: the file is damaged", error);
    *ret_bundle = bundle;
    return true;
}

bool update_bundle_was_checked(const struct update_bundle *bundle, const char *reader)
{
    return bundle->reader.text != NULL &&
           memcmp(bundle->reader.text, reader, UPDATE_READER_SIZE) == 0;
}

void update_bundle_append(const struct update_bundle *bundle, struct text *output)
{
    text_append(output, HEAD);
    if (bundle->reader.text != NULL)
        text_printf(output, READER "%.*s\n", UPDATE_READER_SIZE, bundle->reader.text);
    for (size_t i = 0; i < PARTS; i++) {
        const struct update_part *part =
            (const struct update_part *)(const void *)((const char *)bundle + parts[i].offset);
        if (part->text == NULL)
            break;
        text_printf(output, "%s %zu\n", parts[i].name, part->size);
        text_append_n(output, part->text, part->size);
        text_append_char(output, '\n');
    }
    text_printf(output, CHECKSUM "%08x\n", checksum_of(output->data, output->size));
}
