/* SPDX-License-Identifier: MIT */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "base/strlist.h"
#include "base/text.h"
#include "probe/python/metadata.h"
#include "probe/python/python_literal.h"

#define VALUES_MAX 64

/* What a package left: METADATA, WHEEL, RECORD, and a framework's own version files. The same bytes
 * are given to each reader. */
static void read_values(const char *bytes, size_t size)
{
    AUTO_STRLIST struct strlist values = {0};
    metadata_values(bytes, size, "Requires-Dist", VALUES_MAX, &values);
    metadata_values(bytes, size, "Tag", VALUES_MAX, &values);
    if (values.count > (size_t)2 * VALUES_MAX)
        abort();
    for (size_t i = 0; i < values.count; i++) {
        AUTO_REQUIREMENT_LINE struct requirement_line line = {.name = NULL};
        if (strlen(values.items[i]) > METADATA_LINE_MAX)
            abort();
        if (!requirement_line_parse(values.items[i], &line))
            continue;
        if (line.name[0] == '\0' || strpbrk(line.name, "/ \t"))
            abort();
        marker_fits(line.marker, "x86_64");
    }
}

/* No path may lead out of the directory it is joined to. */
static void read_record(const char *bytes, size_t size)
{
    const char *at = bytes, *end = bytes + size;
    struct record_entry entry;
    while (record_next(&at, end, &entry)) {
        AUTO_FREE char *path = mem_string_n(entry.path, entry.length);
        AUTO_FREE char *inside = mem_printf("/%s/", path);
        if (entry.length == 0 || strlen(path) != entry.length || path[0] == '/' ||
            strstr(inside, "/../") || strstr(inside, "//"))
            abort();
    }
}

static void read_literals(const char *bytes, size_t size)
{
    static const char *const names[] = {"cuda", "__version__", "cuda_version", "channel"};
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        AUTO_FREE char *value = NULL;
        AUTO_STRLIST struct strlist values = {0};
        AUTO_FREE char *one = python_item_one(bytes, size, names[i]);
        if (python_assigned(bytes, size, names[i], &value) &&
            (value == NULL || strlen(value) > LITERAL_MAX))
            abort();
        if (!python_item(bytes, size, names[i], &values) && (values.count > 0 || one))
            abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *bytes = (const char *)data;
    read_values(bytes, size);
    read_record(bytes, size);
    read_literals(bytes, size);
    AUTO_FREE char *name = mem_string_n(bytes, strnlen(bytes, size));
    AUTO_FREE char *normal = package_name_normal(name);
    if (strlen(normal) > strlen(name))
        abort();
    return 0;
}
