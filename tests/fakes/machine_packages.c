/* SPDX-License-Identifier: MIT */
/* rpm's database of a machine that is made: of the format ndb, which is the simplest to write
 * (rpm's lib/backend/ndb/rpmpkg.c); which one a distribution has makes no difference to a rule. */
#include <stdio.h>
#include <string.h>

#include "base/little_endian.h"
#include "machine_make.h"

#define DATABASE  "/var/lib/rpm/Packages.db"
#define PAGE      4096
#define SLOT      16
#define BLOB_HEAD 16
#define BLOB_TAIL 12

enum { INTEGERS = 4, STRING = 6, STRINGS = 8 };

/* A header that is being made: its tags, and their data. */
struct header {
    struct text tags, data;
    unsigned count;
};

static void add_little(struct text *to, uint32_t number)
{
    for (unsigned shift = 0; shift < 32; shift += 8)
        text_append_char(to, (char)(number >> shift & 0xff));
}

static void add_big(struct text *to, uint32_t number)
{
    for (unsigned shift = 32; shift > 0; shift -= 8)
        text_append_char(to, (char)(number >> (shift - 8) & 0xff));
}

static void add_tag(struct header *header, unsigned tag, unsigned type, size_t count)
{
    while (type == INTEGERS && header->data.size % 4 != 0)
        text_append_char(&header->data, '\0');
    add_big(&header->tags, tag);
    add_big(&header->tags, type);
    add_big(&header->tags, (uint32_t)header->data.size);
    add_big(&header->tags, (uint32_t)count);
    header->count++;
}

static void add_string(struct header *header, unsigned tag, const char *string)
{
    if (string == NULL || *string == '\0')
        return;
    add_tag(header, tag, STRING, 1);
    text_append_n(&header->data, string, strlen(string) + 1);
}

/* DIRINDEXES, BASENAMES and DIRNAMES: each file has a directory of its own in the list. */
static void add_files(struct header *header, const struct strlist *files)
{
    if (files->count == 0)
        return;
    add_tag(header, 1116, INTEGERS, files->count);
    for (size_t i = 0; i < files->count; i++)
        add_big(&header->data, (uint32_t)i);
    add_tag(header, 1117, STRINGS, files->count);
    for (size_t i = 0; i < files->count; i++) {
        const char *name = strrchr(files->items[i], '/') + 1;
        text_append_n(&header->data, name, strlen(name) + 1);
    }
    add_tag(header, 1118, STRINGS, files->count);
    for (size_t i = 0; i < files->count; i++) {
        size_t length = (size_t)(strrchr(files->items[i], '/') + 1 - files->items[i]);
        text_append_n(&header->data, files->items[i], length);
        text_append_char(&header->data, '\0');
    }
}

static void read_database(const struct maker *maker, struct text *bytes)
{
    AUTO_FREE char *path = place(maker, DATABASE);
    FILE *file = fopen(path, "r");
    char part[PAGE];
    for (size_t size; file && (size = fread(part, 1, sizeof(part), file)) > 0;)
        text_append_n(bytes, part, size);
    if (file)
        fclose(file);
    if (bytes->size > 0)
        return;
    text_append(bytes, "RpmP");
    for (unsigned i = 1; i < 8; i++)
        add_little(bytes, i == 3); /* one page of slots */
    while (bytes->size < PAGE) {
        text_append(bytes, "Slot");
        for (unsigned i = 0; i < 3; i++)
            add_little(bytes, 0);
    }
}

/* Puts a header behind the others, and its place into the first slot that is free. */
static void add_header(const struct maker *maker, struct text *bytes, const struct text *header)
{
    AUTO_TEXT struct text slot = {0};
    size_t at = 2 * SLOT;
    while (at < PAGE && load32((const unsigned char *)bytes->data + at + 4) != 0)
        at += SLOT;
    if (at >= PAGE)
        fail(maker, "too many packages", "rpm");
    size_t begin = bytes->size, size = BLOB_HEAD + header->size + BLOB_TAIL;
    size_t padding = (SLOT - size % SLOT) % SLOT;
    uint32_t number = (uint32_t)(at / SLOT);
    text_append(bytes, "BlbS");
    add_little(bytes, number);
    add_little(bytes, 0);
    add_little(bytes, (uint32_t)header->size);
    text_append_n(bytes, header->data, header->size);
    for (size_t i = 0; i < padding; i++)
        text_append_char(bytes, '\0');
    add_little(bytes, 0);
    add_little(bytes, (uint32_t)header->size);
    text_append(bytes, "BlbE");
    add_little(&slot, number);
    add_little(&slot, (uint32_t)(begin / SLOT));
    add_little(&slot, (uint32_t)((size + padding) / SLOT));
    memcpy(bytes->data + at + 4, slot.data, slot.size);
}

void make_rpm(const struct maker *maker, char *rest, char *files)
{
    AUTO_TEXT struct text bytes = {0};
    AUTO_TEXT struct text whole = {0};
    AUTO_STRLIST struct strlist paths = {0};
    struct header header = {.count = 0};
    const char *name = next_word(&rest);
    char *version = next_word(&rest);
    const char *architecture = next_word(&rest);
    char *release = version ? strrchr(version, '-') : NULL;
    if (architecture == NULL || release == NULL)
        fail(maker, "wants NAME VERSION-RELEASE ARCHITECTURE [VENDOR]", "rpm");
    *release++ = '\0';
    for (char *path; (path = string_next_line(&files)) != NULL;) {
        if (*path != '/')
            fail(maker, "wants absolute paths", path);
        strlist_add(&paths, path);
    }
    add_string(&header, 1000, name);
    add_string(&header, 1001, version);
    add_string(&header, 1002, release);
    add_string(&header, 1011, rest);
    add_string(&header, 1022, architecture);
    add_files(&header, &paths);
    add_big(&whole, header.count);
    add_big(&whole, (uint32_t)header.data.size);
    text_append_n(&whole, header.tags.data, header.tags.size);
    text_append_n(&whole, header.data.data, header.data.size);
    read_database(maker, &bytes);
    add_header(maker, &bytes, &whole);
    write_file(maker, DATABASE, bytes.data, bytes.size);
    text_free(&header.tags);
    text_free(&header.data);
}
