/* SPDX-License-Identifier: MIT */
/* Any bytes as what a reader of doctor --from reads: GPUENV_FUZZ_READER names it, as from_table.c
 * does; where it is not set, each one reads them. A first line "*** /proc/modules" is the title of
 * a section of nvidia-bug-report.log. Unlike from_fuzz.c, it adds no facts that were not sent and
 * redacts none, and a run takes microseconds. */
#include "fuzz.h"

#include <stdio.h>
#include <string.h>

#include "from/from_private.h"
#include "from_check.h"

#define MAX   65536
#define TITLE "*** "

static struct from_file *file_of(const uint8_t *data, size_t size)
{
    struct from_file *file = mem_alloc(sizeof(*file));
    file->name = mem_string("f");
    text_append_n(&file->text, (const char *)data, size);
    for (size_t i = 0; i < size; i++)
        if (file->text.data[i] == '\0')
            file->text.data[i] = ' ';
    char *cursor = file->text.data;
    for (char *line; cursor && (line = string_next_line(&cursor)) != NULL;)
        *vec_push(file->lines, file->count, file->capacity) = line;
    return file;
}

static void read_as(const struct from_kind *kind, const uint8_t *data, size_t size)
{
    AUTO_FROM struct from *from = from_new();
    struct from_file *file = file_of(data, size);
    *vec_push(from->files, from->count, from->capacity) = file;
    struct from_part part = {.from = from, .file = file, .end = file->count};
    if (file->count > 0 && string_starts(file->lines[0], TITLE)) {
        part.title = file->lines[0] + strlen(TITLE);
        part.first = 1;
    }
    kind->read(&part);
    kernel_tally_note(&from->tally, from->facts);
    kernel_lines_note(&from->said, from->facts);
    if (!from->has_record) /* a record of gpuenv's own may hold anything */
        from_check_facts(from->facts);
}

/* The reader that is asked for; NULL: all. */
static const struct from_kind *asked_for(void)
{
    const char *name = getenv("GPUENV_FUZZ_READER");
    for (const struct from_kind *kind = from_table; name && kind->name; kind++)
        if (string_equal(kind->name, name))
            return kind;
    if (name == NULL)
        return NULL;
    fprintf(stderr, "GPUENV_FUZZ_READER: there is no reader \"%s\"\n", name);
    exit(2);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct from_kind *only;
    static bool asked;
    if (!asked) {
        only = asked_for();
        asked = true;
    }
    if (size > MAX)
        return 0;
    for (const struct from_kind *kind = only ? only : from_table; kind->name; kind++) {
        read_as(kind, data, size);
        if (only)
            break;
    }
    return 0;
}
