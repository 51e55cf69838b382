/* SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <string.h>

#include "rules/query/judged.h"

const char *judged_device_path(const struct facts *facts, const char *prefix)
{
    const char *group;
    for (size_t i = 0; (group = facts_next(facts, "device", &i)) != NULL;) {
        const char *path = facts_string(facts, group, "path");
        if (path && string_starts(path, prefix) && facts_string(facts, group, "number"))
            return path;
    }
    return NULL;
}

/* A file that is no device has a number that is absent. */
const char *judged_node(const struct facts *facts, const char *name)
{
    AUTO_FREE char *wanted = mem_printf("/dev/%s", name);
    const char *group = facts_find(facts, "device", "path", wanted);
    const struct fact *number = group ? facts_get(facts, group, "number") : NULL;
    return number && number->state == FACT_ABSENT ? NULL : group;
}

bool judged_node_is_gpu(const char *path)
{
    static const char stem[] = "/dev/nvidia";
    return string_starts(path, stem) && isdigit((unsigned char)path[strlen(stem)]);
}

bool judged_node_is_needed(const char *path)
{
    return string_equal(path, "/dev/nvidiactl") || string_equal(path, "/dev/nvidia-uvm");
}
