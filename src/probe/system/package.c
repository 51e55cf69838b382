/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "host/packages/pacman.h"
#include "host/packages/rpm.h"
#include "probe/engine/note.h"
#include "probe/engine/probes.h"
#include "probe/system/dpkg.h"
#include "probe/system/package_policy.h"
#include "probe/system/package_wanted.h"

struct collection {
    const struct package_policy *policy;
    struct facts *facts;
    size_t count;
};

/* An installed package of any database; what that does not say is NULL. */
struct found {
    const char *name, *version, *architecture, *status, *vendor, *module, *path;
    bool held; /* by dpkg */
};

/* "package/NAME", "package/NAME:ARCHITECTURE" for the second of the same name, and with its version
 * for one more of the same architecture, as an interrupted upgrade leaves it. */
static char *group_name(const struct facts *facts, const struct found *package)
{
    char *group = facts_group_name("package", package->name);
    const struct fact *first = facts_get(facts, group, "name");
    if (package->architecture == NULL || first == NULL)
        return group;
    bool twin = string_equal(facts_string(facts, group, "architecture"), package->architecture);
    free(group);
    AUTO_FREE char *instance =
        twin ? mem_printf("%s:%s:%s", package->name, package->architecture, package->version)
             : mem_printf("%s:%s", package->name, package->architecture);
    return facts_group_name("package", instance);
}

static void note_hold(const struct collection *collection, const char *group,
                      const struct found *package)
{
    const struct package_hold *hold =
        package_hold_of(collection->policy, package->name, package->version);
    if (package->held)
        facts_set_string(collection->facts, group, "hold", "dpkg", package->path);
    else
        facts_set_string(collection->facts, group, "hold", hold ? hold->what : NULL,
                         hold ? hold->path : package->path);
}

static void collect(struct collection *collection, const struct found *package)
{
    if (collection->count++ >= PROBE_INSTANCES)
        return;
    struct facts *facts = collection->facts;
    AUTO_FREE char *group = group_name(facts, package);
    facts_set_string(facts, group, "name", package->name, package->path);
    facts_set_string(facts, group, "version", package->version, package->path);
    facts_set_string(facts, group, "architecture", package->architecture, package->path);
    facts_set_string(facts, group, "status", package->status, package->path);
    facts_set_string(facts, group, "vendor", package->vendor, package->path);
    facts_set_string(facts, group, "module", package->module, package->path);
    note_hold(collection, group, package);
}

static void collect_dpkg(const struct dpkg_package *package, void *data)
{
    if (package_is_wanted(package->name) && dpkg_is_present(package))
        collect(data, &(struct found){.name = package->name,
                                      .version = package->version,
                                      .architecture = package->architecture,
                                      .status = package->status,
                                      .held = dpkg_is_held(package),
                                      .path = package->path});
}

static void collect_rpm(const struct rpm_package *package, void *data)
{
    collect(data, &(struct found){.name = package->name,
                                  .version = package->version,
                                  .architecture = package->architecture,
                                  .vendor = package->vendor,
                                  .module = package->module,
                                  .path = package->path});
}

static void collect_pacman(const struct pacman_package *package, void *data)
{
    collect(data, &(struct found){.name = package->name,
                                  .version = package->version,
                                  .architecture = package->architecture,
                                  .path = package->directory});
}

/* Databases that are not read: what is installed cannot be told there. */
static const struct {
    const char *path;
    const char *reason;
} other_databases[] = {
    {"/var/lib/rpm", "there is no rpm database in its directory"},
    {"/usr/lib/sysimage/rpm", "there is no rpm database in its directory"},
    {PACMAN_LOCAL, "there is no package in pacman's database"},
    {"/lib/apk/db/installed", "apk database is not read"},
};

struct database {
    const char *name; /* NULL: none that is read */
    const char *path;
    size_t packages;
};

/* A system may have dpkg as a tool, without a package: then the next database counts. */
static enum host_status read_databases(const struct host *host, struct collection *collection,
                                       struct database *database, struct error *error)
{
    struct rpm_search rpm = {.wants = package_is_wanted, .each = collect_rpm, .data = collection};
    *database = (struct database){.name = "dpkg", .path = DPKG_STATUS};
    enum host_status dpkg = dpkg_each(host, collect_dpkg, collection, &database->packages, error);
    if (database->packages > 0 || (dpkg != HOST_OK && dpkg != HOST_ABSENT))
        return dpkg;
    error_clear(error);
    database->name = "rpm";
    enum host_status status = rpm_each(host, &rpm, &database->packages, &database->path, error);
    if (status != HOST_ABSENT)
        return status;
    error_clear(error);
    *database = (struct database){.name = "pacman", .path = PACMAN_LOCAL};
    status = pacman_each(host, package_is_wanted, collect_pacman, collection, &database->packages,
                         error);
    if (status != HOST_ABSENT)
        return status;
    *database = (struct database){.name = dpkg == HOST_OK ? "dpkg" : NULL, .path = DPKG_STATUS};
    return dpkg;
}

static void note_policy(struct facts *facts, const struct package_policy *policy,
                        enum host_status status, const struct error *error)
{
    static const char source[] = "configuration of dnf, yum, zypper and pacman";
    AUTO_STRLIST struct strlist holds = {0};
    if (status != HOST_OK) {
        note_missing(facts, "package", "holds", status, error, source);
        note_missing(facts, "package", "streams", status, error, source);
        return;
    }
    for (size_t i = 0; i < policy->count; i++)
        strlist_take(&holds, mem_printf("%s: %s", policy->holds[i].what, policy->holds[i].pattern));
    facts_set_list(facts, "package", "holds", &holds,
                   policy->count ? policy->holds[0].path : source);
    facts_set_list(facts, "package", "streams", &policy->streams, "/etc/dnf/modules.d");
}

static void note_count(const struct host *host, struct facts *facts, size_t count,
                       const struct database *database)
{
    for (size_t i = 0; i < sizeof(other_databases) / sizeof(other_databases[0]); i++)
        if (database->packages == 0 && host_exists(host, other_databases[i].path)) {
            facts_set_skipped(facts, "package", "count", other_databases[i].reason,
                              other_databases[i].path);
            return;
        }
    if (database->name == NULL)
        facts_set_absent(facts, "package", "count", DPKG_STATUS);
    else if (count > PROBE_INSTANCES)
        facts_set_unknown(facts, "package", "count", "too many packages to keep", database->path);
    else
        facts_set_integer(facts, "package", "count", (int64_t)count, database->path);
}

void probe_package(const struct probe_context *context, struct facts *facts)
{
    AUTO_ERROR struct error error = {0};
    AUTO_ERROR struct error policy_error = {0};
    AUTO_PACKAGE_POLICY struct package_policy policy = {.count = 0};
    struct collection collection = {.policy = &policy, .facts = facts};
    struct database database;
    enum host_status read = package_policy_read(context->host, &policy, &policy_error);
    note_policy(facts, &policy, read, &policy_error);
    enum host_status status = read_databases(context->host, &collection, &database, &error);
    facts_set_string(facts, "package", "database", database.name, database.path);
    if (status == HOST_FAILED || status == HOST_DENIED || status == HOST_FOREIGN)
        note_missing(facts, "package", "count", status, &error, database.path);
    else
        note_count(context->host, facts, collection.count, &database);
}
