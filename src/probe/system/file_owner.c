/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "host/packages/pacman.h"
#include "host/packages/rpm.h"
#include "probe/engine/note.h"
#include "probe/engine/probes.h"
#include "probe/system/diversions.h"
#include "probe/system/dpkg.h"
#include "probe/system/package_wanted.h"

/* Which package brought the files that rules judge: the driver's modules and libraries, and nvcc.
 * Only packages that package_is_wanted() takes are asked. */

#define LISTS    "/var/lib/dpkg/info"
#define LIST_MAX (16u << 20)

struct asked {
    char *path;
    char *real; /* where path is a link: weak modules */
    char *owner, *version;
};

struct search {
    const struct host *host;
    struct asked *files;
    size_t count, capacity;
    const char *name, *version;   /* of the package whose files are being listed */
    struct diversions diversions; /* dpkg's */
    struct error *error;
    enum host_status status;
};

static void search_free(struct search *search)
{
    for (size_t i = 0; i < search->count; i++) {
        free(search->files[i].path);
        free(search->files[i].real);
        free(search->files[i].owner);
        free(search->files[i].version);
    }
    free(search->files);
    diversions_free(&search->diversions);
}

/* Packages write /lib where /lib is a link to /usr/lib, or the other way round. */
static const char *below_usr(const char *path)
{
    return string_starts(path, "/usr/") ? path + strlen("/usr") : path;
}

static bool is_same(const char *a, const char *b)
{
    return strcmp(below_usr(a), below_usr(b)) == 0;
}

/* The first failure is the one that is told. */
static void settle(struct search *search, enum host_status status, struct error *error)
{
    if (status == HOST_OK || search->status != HOST_OK)
        return;
    search->status = status;
    error_move(error, search->error);
}

static void take_path(const char *path, void *data)
{
    const struct search *search = data;
    for (size_t i = 0; i < search->count; i++) {
        struct asked *file = &search->files[i];
        if (file->owner || (!is_same(path, file->path) && !is_same(path, file->real)))
            continue;
        file->owner = mem_string(search->name);
        file->version = mem_string(search->version);
    }
}

static void ask_for(struct search *search, const char *path)
{
    for (size_t i = 0; path && i < search->count; i++)
        if (strcmp(search->files[i].path, path) == 0)
            return;
    if (path == NULL || search->count >= PROBE_INSTANCES)
        return;
    AUTO_FREE char *real = NULL;
    if (host_real_path(search->host, path, &real, NULL) != HOST_OK)
        return;
    *vec_push(search->files, search->count, search->capacity) =
        (struct asked){.path = mem_string(path), .real = mem_steal(&real)};
}

static void collect_files(struct search *search, const struct facts *facts)
{
    static const char *const libraries[] = {"libcuda", "libnvidia-ml"};
    const char *group;
    for (size_t i = 0; (group = facts_next(facts, "module_file", &i)) != NULL;)
        ask_for(search, facts_string(facts, group, "path"));
    for (size_t i = 0; (group = facts_next(facts, "library", &i)) != NULL;)
        for (size_t k = 0; k < sizeof(libraries) / sizeof(libraries[0]); k++)
            if (string_equal(facts_string(facts, group, "name"), libraries[k]))
                ask_for(search, facts_string(facts, group, "path"));
    for (size_t i = 0; (group = facts_next(facts, "toolkit", &i)) != NULL;) {
        const char *root = facts_string(facts, group, "path");
        AUTO_FREE char *nvcc = root ? mem_printf("%s/bin/nvcc", root) : NULL;
        ask_for(search, nvcc);
    }
}

/* dpkg has a list for each package, with the architecture in its name where several may be there.
 */
static void ask_dpkg(const struct dpkg_package *package, void *data)
{
    struct search *search = data;
    AUTO_TEXT struct text text = {0};
    if (!package_is_wanted(package->name) || !dpkg_is_present(package))
        return;
    AUTO_FREE char *plain = mem_printf(LISTS "/%s.list", package->name);
    AUTO_FREE char *exact = mem_printf(LISTS "/%s:%s.list", package->name,
                                       package->architecture ? package->architecture : "");
    AUTO_ERROR struct error error = {0};
    enum host_status status = note_read_text(search->host, exact, LIST_MAX, &text, &error);
    if (status == HOST_ABSENT)
        status = note_read_text(search->host, plain, LIST_MAX, &text, &error);
    if (status != HOST_ABSENT)
        settle(search, status, &error);
    search->name = package->name;
    search->version = package->version;
    char *cursor = text.data;
    for (const char *line; (line = string_next_line(&cursor));)
        take_path(diversions_place(&search->diversions, package->name, line), search);
}

static void ask_rpm(const struct rpm_package *package, void *data)
{
    struct search *search = data;
    search->name = package->name;
    search->version = package->version;
    AUTO_ERROR struct error error = {0};
    if (!rpm_header_files(package->header, take_path, search, &error))
        settle(search, HOST_FAILED, &error);
}

static void ask_pacman(const struct pacman_package *package, void *data)
{
    struct search *search = data;
    search->name = package->name;
    search->version = package->version;
    AUTO_ERROR struct error error = {0};
    enum host_status status = pacman_files(search->host, package, take_path, search, &error);
    if (status != HOST_ABSENT) /* a package without files */
        settle(search, status, &error);
}

static void ask_database(struct search *search, const char *database)
{
    struct rpm_search rpm = {.wants = package_is_wanted, .each = ask_rpm, .data = search};
    AUTO_ERROR struct error error = {0};
    enum host_status status;
    const char *path;
    size_t all = 0;
    if (string_equal(database, "dpkg"))
        diversions_read(search->host, &search->diversions, NULL);
    if (string_equal(database, "dpkg"))
        status = dpkg_each(search->host, ask_dpkg, search, &all, &error);
    else if (string_equal(database, "rpm"))
        status = rpm_each(search->host, &rpm, &all, &path, &error);
    else
        status = pacman_each(search->host, package_is_wanted, ask_pacman, search, &all, &error);
    settle(search, status, &error);
}

void probe_file_owner(const struct probe_context *context, struct facts *facts)
{
    AUTO_ERROR struct error error = {0};
    AUTO(search_free)
    struct search search = {.host = context->host, .error = &error, .status = HOST_OK};
    const struct fact *count = facts_get(facts, "package", "count");
    const struct fact *database = facts_get(facts, "package", "database");
    if (count == NULL || count->state != FACT_VALUE || database->state != FACT_VALUE) {
        facts_set_skipped(facts, "file_owner", "count", "what is installed is not known",
                          "package.count");
        return;
    }
    collect_files(&search, facts);
    if (search.count > 0 && count->integer > 0)
        ask_database(&search, database->string);
    if (search.status != HOST_OK) {
        note_missing(facts, "file_owner", "count", search.status, &error, database->source);
        return;
    }
    for (size_t i = 0; i < search.count; i++) {
        const struct asked *file = &search.files[i];
        AUTO_FREE char *group = facts_group_name("file_owner", file->path);
        facts_set_string(facts, group, "path", file->path, database->source);
        facts_set_string(facts, group, "package", file->owner, database->source);
        facts_set_string(facts, group, "version", file->version, database->source);
    }
    facts_set_integer(facts, "file_owner", "count", (int64_t)search.count, database->source);
}
