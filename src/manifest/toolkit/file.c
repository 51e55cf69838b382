/* SPDX-License-Identifier: MIT */
#include "manifest/reader/slug.h"
#include "manifest/reader/subject.h"

/* manifests/file.json: what a driver and a toolkit leave on a machine, and what it tells. To be
 * read: gpuenv manifest show file. */
struct file_row {
    const char *id;
    struct strlist names;
    const char *kind;
    const char *holds, *use;
    const char *source;
    const char *confidence;
    const char *notes;
};

static const char *const kinds[] = {"file",    "directory", "node",  "environment", "command",
                                    "service", "module",    "issue", NULL};

static const struct manifest_key keys[] = {
    KEY(file_row, names, KEY_STRINGS, .required = true),
    KEY(file_row, kind, KEY_CHOICE, .required = true, .choices = kinds),
    KEY(file_row, holds, KEY_STRING, .required = true),
    KEY(file_row, use, KEY_STRING),
    KEYS_OF_EVERY_ROW(file_row),
    {.name = NULL},
};

static char *file_id(const void *row)
{
    const struct file_row *file = row;
    AUTO_FREE char *slug = manifest_slug(file->names.items[0]);
    return mem_printf("file/%s", slug);
}

/* Nodes are in /dev; names of the environment are in capitals. */
static bool name_fits(const char *kind, const char *name)
{
    if (string_equal(kind, "node"))
        return string_starts(name, "/dev/");
    if (string_equal(kind, "directory"))
        return string_starts(name, "/");
    for (; string_equal(kind, "environment") && *name != '\0'; name++)
        if ((*name < 'A' || *name > 'Z') && *name != '_')
            return false;
    return true;
}

static bool file_check(const struct manifest_place *place, const void *row, const void *previous)
{
    const struct file_row *file = row;
    (void)previous;
    for (size_t i = 0; i < file->names.count; i++)
        if (!name_fits(file->kind, file->names.items[i]))
            return place_problem(place, "names", file->names.items[i], "names of kind \"%s\"",
                                 file->kind);
    return true;
}

const struct manifest_subject manifest_file_subject = {
    .name = "file",
    .tables = {{.name = "rows",
                .about = "files, nodes and variables, and what they mean",
                .keys = keys,
                .row_size = sizeof(struct file_row),
                .id_offset = offsetof(struct file_row, id),
                .id = file_id,
                .check = file_check}},
};
