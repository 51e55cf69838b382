/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/path.h"
#include "probe/engine/note.h"
#include "probe/engine/probes.h"
#include "probe/system/diversions.h"
#include "probe/system/dpkg.h"

/* Diversions of the driver's libraries, and of those of OpenGL that it may replace. */
#define KIND "diversion"

struct search {
    const struct diversions *diversions;
    bool *present; /* by diversion: the package that has made it is installed */
};

static void take_package(const struct dpkg_package *package, void *data)
{
    const struct search *search = data;
    for (size_t i = 0; i < search->diversions->count; i++)
        if (strcmp(search->diversions->items[i].by, package->name) == 0 && dpkg_is_present(package))
            search->present[i] = true;
}

static bool is_of_driver(const char *path)
{
    static const char *const beginnings[] = {"libcuda.", "libnvidia-", "libnvcuvid.", "libGL",
                                             "libEGL",   "nvidia-",    "libOpenCL."};
    for (size_t i = 0; i < sizeof(beginnings) / sizeof(beginnings[0]); i++)
        if (string_starts(path_base(path), beginnings[i]))
            return true;
    return false;
}

static void note_diversion(const struct host *host, const struct diversion *diversion, bool present,
                           struct facts *facts)
{
    AUTO_FREE char *group = facts_group_name(KIND, diversion->path);
    bool local = strcmp(diversion->by, ":") == 0;
    facts_set_string(facts, group, "path", diversion->path, DIVERSIONS);
    facts_set_string(facts, group, "to", diversion->to, DIVERSIONS);
    facts_set_string(facts, group, "by", local ? NULL : diversion->by, DIVERSIONS);
    facts_set_boolean(facts, group, "by_installed", present, DPKG_STATUS);
    facts_set_boolean(facts, group, "there", host_exists(host, diversion->path), diversion->path);
    facts_set_boolean(facts, group, "diverted_there", host_exists(host, diversion->to),
                      diversion->to);
}

static void note_all(const struct host *host, const struct diversions *diversions,
                     struct facts *facts)
{
    AUTO_ERROR struct error error = {0};
    AUTO_FREE bool *present = mem_alloc((diversions->count + 1) * sizeof(*present));
    struct search search = {.diversions = diversions, .present = present};
    size_t all = 0, count = 0;
    enum host_status status = dpkg_each(host, take_package, &search, &all, &error);
    if (status != HOST_OK) {
        note_missing(facts, KIND, "count", status, &error, DPKG_STATUS);
        return;
    }
    for (size_t i = 0; i < diversions->count && count < PROBE_INSTANCES; i++)
        if (is_of_driver(diversions->items[i].path)) {
            note_diversion(host, &diversions->items[i], present[i], facts);
            count++;
        }
    facts_set_integer(facts, KIND, "count", (int64_t)count, DIVERSIONS);
}

void probe_diversion(const struct probe_context *context, struct facts *facts)
{
    AUTO_ERROR struct error error = {0};
    AUTO_DIVERSIONS struct diversions diversions = {.count = 0};
    enum host_status status = diversions_read(context->host, &diversions, &error);
    if (status == HOST_OK)
        note_all(context->host, &diversions, facts);
    else
        note_missing(facts, KIND, "count", status, &error, DIVERSIONS);
}
