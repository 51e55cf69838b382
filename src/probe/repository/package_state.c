/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "probe/engine/note.h"
#include "probe/engine/probes.h"
#include "probe/repository/deb_relation.h"
#include "probe/system/dpkg.h"

/* Packages that dpkg has not finished: unpacked, half-configured, half-installed; and why. */
#define KIND     "package_state"
#define LOG      "/var/log/apt/term.log"
#define UPDATES  "/var/lib/dpkg/updates"
#define LOG_TAIL (256u << 10)
#define KEPT_MAX 64

struct package {
    char *name, *version, *status, *depends, *provides;
    bool present;
};

struct packages {
    struct package *items;
    size_t count, capacity;
    struct strlist held;
};

static void packages_free(struct packages *packages)
{
    for (size_t i = 0; i < packages->count; i++) {
        struct package *package = &packages->items[i];
        free(package->name);
        free(package->version);
        free(package->status);
        free(package->depends);
        free(package->provides);
    }
    free(packages->items);
    strlist_free(&packages->held);
}

static bool is_unfinished(const struct dpkg_package *package)
{
    static const char *const states[] = {"unpacked", "half-configured", "half-installed"};
    for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++)
        if (strcmp(dpkg_state(package), states[i]) == 0)
            return true;
    return package->status && strstr(package->status, "reinstreq") != NULL;
}

static void take_package(const struct dpkg_package *package, void *data)
{
    struct packages *packages = data;
    struct package *kept = vec_push(packages->items, packages->count, packages->capacity);
    kept->name = mem_string(package->name);
    kept->version = mem_string(package->version);
    kept->provides = mem_string(package->provides);
    kept->present = dpkg_is_present(package);
    if (dpkg_is_held(package) && kept->present)
        strlist_add(&packages->held, package->name);
    if (!is_unfinished(package))
        return;
    kept->status = mem_string(package->status);
    kept->depends = dpkg_all_depends(package);
}

/* What is there of the packages that a dependency names. */
struct look {
    const struct packages *packages;
    struct strlist *unmet;
    struct strlist *missing; /* names of which nothing is installed */
};

static bool provides(const struct package *package, const char *name)
{
    AUTO_STRLIST struct strlist parts = {0};
    if (package->provides == NULL || strstr(package->provides, name) == NULL)
        return false;
    strlist_split(&parts, package->provides, ',');
    for (size_t i = 0; i < parts.count; i++) {
        AUTO_DEB_RELATION struct deb_relation relation = deb_relation_parse(parts.items[i]);
        if (strcmp(relation.name, name) == 0)
            return true;
    }
    return false;
}

/* Whether an alternative holds; *ret_version: of the package of that name. */
static bool is_met(const struct packages *packages, const struct deb_relation *relation,
                   const char **ret_version)
{
    for (size_t i = 0; i < packages->count; i++) {
        const struct package *package = &packages->items[i];
        if (!package->present)
            continue;
        if (strcmp(package->name, relation->name) == 0) {
            *ret_version = package->version;
            if (package->version && deb_relation_takes(relation, package->version))
                return true;
        } else if (provides(package, relation->name)) {
            return true;
        }
    }
    return false;
}

static bool take_dependency(const char *alternatives, void *data)
{
    struct look *look = data;
    AUTO_STRLIST struct strlist parts = {0};
    AUTO_FREE char *first = NULL;
    const char *found = NULL;
    strlist_split(&parts, alternatives, '|');
    for (size_t i = 0; i < parts.count; i++) {
        AUTO_DEB_RELATION struct deb_relation relation = deb_relation_parse(parts.items[i]);
        const char *version = NULL;
        if (is_met(look->packages, &relation, &version))
            return true;
        found = found ? found : version;
        if (first == NULL)
            first = mem_string(relation.name);
    }
    if (found == NULL)
        strlist_add_new(look->missing, first);
    else
        strlist_take(look->unmet, mem_printf("%s: %s is installed", alternatives, found));
    return true;
}

/* "trying to overwrite '/x', which is also in package y" of the package's last unpacking. free()
 * it.
 */
static char *overwritten(const char *log, const char *name)
{
    AUTO_FREE char *archive = mem_printf("/%s_", name);
    AUTO_FREE char *copy = mem_string(log);
    AUTO_FREE char *found = NULL;
    char *cursor = copy;
    bool mine = false;
    for (char *line; (line = string_next_line(&cursor)) != NULL;) {
        const char *at = strstr(line, "trying to overwrite ");
        if (string_starts(line, "dpkg: error processing archive "))
            mine = strstr(line, archive) != NULL;
        if (at == NULL || !mine)
            continue;
        free(found);
        found = mem_string(at + strlen("trying to overwrite "));
    }
    return mem_steal(&found);
}

static void note_package(struct facts *facts, const struct packages *packages,
                         const struct package *package, const char *log)
{
    AUTO_STRLIST struct strlist unmet = {0}, missing = {0};
    struct look look = {.packages = packages, .unmet = &unmet, .missing = &missing};
    AUTO_FREE char *group = facts_group_name(KIND, package->name);
    AUTO_FREE char *overwrites = overwritten(log, package->name);
    deb_depends_each(package->depends, take_dependency, &look);
    facts_set_string(facts, group, "name", package->name, DPKG_STATUS);
    facts_set_string(facts, group, "version", package->version, DPKG_STATUS);
    facts_set_string(facts, group, "status", package->status, DPKG_STATUS);
    facts_set_list(facts, group, "unmet", &unmet, DPKG_STATUS);
    facts_set_list(facts, group, "missing", &missing, DPKG_STATUS);
    facts_set_string(facts, group, "overwrites", overwrites, LOG);
}

/* What stands behind the last "Log started": apt's last run. */
static const char *last_run(const char *log)
{
    const char *found = log;
    for (const char *at = log; (at = strstr(at, "Log started:")) != NULL; at++)
        found = at;
    return found;
}

static const struct package *package_of(const struct packages *packages, const char *name)
{
    for (size_t i = 0; i < packages->count; i++)
        if (strcmp(packages->items[i].name, name) == 0)
            return &packages->items[i];
    return NULL;
}

/* dpkg takes back a package that would overwrite a file: only the log of the last run has it. Adds
 * those that are not there since; returns how many. */
static int64_t note_taken_back(struct facts *facts, const struct packages *packages,
                               const char *log)
{
    static const char begin[] = "dpkg: error processing archive ";
    AUTO_STRLIST struct strlist names = {0};
    int64_t count = 0;
    for (const char *at = log; (at = strstr(at, begin)) != NULL; at += sizeof(begin)) {
        const char *end = at + strlen(begin) + strcspn(at + strlen(begin), " \n");
        const char *file = end;
        while (file > at && file[-1] != '/')
            file--;
        AUTO_FREE char *name = mem_string_n(file, strcspn(file, "_ \n"));
        AUTO_FREE char *overwrites = overwritten(log, name);
        const struct package *known = package_of(packages, name);
        if (overwrites == NULL || (known && (known->present || known->status)) ||
            !strlist_add_new(&names, name))
            continue;
        AUTO_FREE char *status = mem_string("install ok not-installed");
        const struct package gone = {.name = name, .status = status};
        note_package(facts, packages, &gone, log);
        count++;
    }
    return count;
}

static void note_all(const struct host *host, struct facts *facts, const struct packages *packages)
{
    AUTO_TEXT struct text log = {0};
    AUTO_STRLIST struct strlist updates = {0};
    int64_t count = 0;
    bool cut = false;
    host_read_tail(host, LOG, LOG_TAIL, &log, &cut, NULL);
    for (size_t i = 0; i < packages->count; i++)
        if (packages->items[i].status && count++ < KEPT_MAX)
            note_package(facts, packages, &packages->items[i], text_string(&log));
    count += note_taken_back(facts, packages, last_run(text_string(&log)));
    host_list(host, UPDATES, &updates, NULL);
    facts_set_integer(facts, KIND, "count", count, DPKG_STATUS);
    facts_set_list(facts, KIND, "held", &packages->held, DPKG_STATUS);
    facts_set_boolean(facts, KIND, "interrupted", updates.count > 0, UPDATES);
}

void probe_package_state(const struct probe_context *context, struct facts *facts)
{
    static const char *const names[] = {"count", "held", "interrupted"};
    AUTO_ERROR struct error error = {0};
    AUTO(packages_free) struct packages packages = {.items = NULL};
    size_t all = 0;
    enum host_status status = dpkg_each(context->host, take_package, &packages, &all, &error);
    if (status == HOST_OK) {
        note_all(context->host, facts, &packages);
        return;
    }
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        note_missing(facts, KIND, names[i], status, &error, DPKG_STATUS);
}
