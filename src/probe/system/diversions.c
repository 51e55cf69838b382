/* SPDX-License-Identifier: MIT */
#include "probe/system/diversions.h"

#include <string.h>

#include "base/text.h"
#include "probe/engine/note.h"

#define DIVERSIONS_MAX (1u << 20)

/* Three lines each: the path, where its files go, and the package. */
enum host_status diversions_read(const struct host *host, struct diversions *diversions,
                                 struct error *error)
{
    AUTO_TEXT struct text text = {0};
    enum host_status status = note_read_text(host, DIVERSIONS, DIVERSIONS_MAX, &text, error);
    char *cursor = text.data;
    for (char *path; status == HOST_OK && (path = string_next_line(&cursor)) != NULL;) {
        const char *to = string_next_line(&cursor);
        const char *by = to ? string_next_line(&cursor) : NULL;
        if (by == NULL || *path != '/' || *to != '/')
            break;
        *vec_push(diversions->items, diversions->count, diversions->capacity) =
            (struct diversion){mem_string(path), mem_string(to), mem_string(by)};
    }
    return status;
}

void diversions_free(struct diversions *diversions)
{
    for (size_t i = 0; i < diversions->count; i++) {
        free(diversions->items[i].path);
        free(diversions->items[i].to);
        free(diversions->items[i].by);
    }
    free(diversions->items);
}

const char *diversions_place(const struct diversions *diversions, const char *package,
                             const char *path)
{
    for (size_t i = 0; i < diversions->count; i++)
        if (strcmp(diversions->items[i].path, path) == 0 &&
            strcmp(diversions->items[i].by, package) != 0)
            return diversions->items[i].to;
    return path;
}
