/* SPDX-License-Identifier: MIT */
#include "host/packages/rpm.h"

#include <string.h>

#include "host/packages/rpm_database.h"
#include "host/root/byte_file.h"

/* Where databases are, as distributions of the last ten years have them: the first that is there.
 * Where a directory has two kinds, the older one was left behind when rpm changed to the other. */
enum kind { KIND_SQLITE, KIND_NDB, KIND_BDB };

#define PLACE(directory)                                                                           \
    {directory "/rpmdb.sqlite", KIND_SQLITE}, {directory "/Packages.db", KIND_NDB},                \
    {                                                                                              \
        directory "/Packages", KIND_BDB                                                            \
    }

static const struct place {
    const char *path;
    enum kind kind;
} places[] = {
    PLACE("/var/lib/rpm"), PLACE("/usr/lib/sysimage/rpm"),
    PLACE("/usr/share/rpm"), /* images of rpm-ostree */
};

struct walk {
    const struct rpm_search *search;
    const char *path;
    size_t count;
};

static bool tell(const struct walk *walk, const struct rpm_header *header, const char *name,
                 struct error *error)
{
    AUTO_FREE char *version = NULL;
    AUTO_FREE char *release = NULL;
    AUTO_FREE char *architecture = NULL;
    AUTO_FREE char *vendor = NULL;
    AUTO_FREE char *module = NULL;
    uint32_t epoch;
    bool has_epoch;
    if (!rpm_header_string(header, RPM_VERSION, &version, error) ||
        !rpm_header_string(header, RPM_RELEASE, &release, error) ||
        !rpm_header_string(header, RPM_ARCH, &architecture, error) ||
        !rpm_header_string(header, RPM_VENDOR, &vendor, error) ||
        !rpm_header_string(header, RPM_MODULARITYLABEL, &module, error) ||
        !rpm_header_number(header, RPM_EPOCH, &has_epoch, &epoch, error))
        return false;
    AUTO_FREE char *whole = mem_printf("%s-%s", version ? version : "", release ? release : "");
    struct rpm_package package = {.name = name,
                                  .version = whole,
                                  .architecture = architecture,
                                  .vendor = vendor,
                                  .module = module,
                                  .epoch = epoch,
                                  .path = walk->path,
                                  .header = header};
    walk->search->each(&package, walk->search->data);
    return true;
}

static bool take_header(const struct byte_source *bytes, void *data, struct error *error)
{
    struct walk *walk = data;
    AUTO_RPM_HEADER struct rpm_header header = {.count = 0};
    AUTO_FREE char *name = NULL;
    if (!rpm_header_open(bytes, &header, error) ||
        !rpm_header_string(&header, RPM_NAME, &name, error))
        return false;
    if (name == NULL)
        return byte_source_malformed(error, "rpm header", bytes, 0, "it has no name");
    walk->count++;
    return !walk->search->wants(name) || tell(walk, &header, name, error);
}

/* The log may be missing, and it may go away while rpm ends. A rollback journal is there while a
 * transaction is under way, or was broken off: until rpm has undone it, the file is not sound. */
static enum host_status read_sqlite(const struct host *host, const char *path,
                                    const struct byte_source *file, struct walk *walk,
                                    struct error *error)
{
    AUTO_BYTE_FILE struct byte_source log = BYTE_SOURCE_NONE;
    AUTO_FREE char *log_path = mem_printf("%s-wal", path);
    AUTO_FREE char *journal = mem_printf("%s-journal", path);
    struct host_stat stat;
    if (host_stat(host, journal, &stat, NULL) == HOST_OK && stat.size > 0) {
        error_set(error, ERROR_DATA, "an rpm transaction is under way or was broken off");
        error_where(error, "%s", journal);
        return HOST_FAILED;
    }
    enum host_status status = byte_file_open(host, log_path, &log, error);
    if (status == HOST_ABSENT)
        error_clear(error);
    else if (status != HOST_OK)
        return status;
    return rpm_sqlite_each(file, &log, take_header, walk, error) ? HOST_OK : HOST_FAILED;
}

static enum host_status read_place(const struct host *host, const struct place *place,
                                   struct walk *walk, struct error *error)
{
    AUTO_BYTE_FILE struct byte_source file = BYTE_SOURCE_NONE;
    enum host_status status = byte_file_open(host, place->path, &file, error);
    if (status != HOST_OK)
        return status;
    walk->path = place->path;
    if (place->kind == KIND_SQLITE)
        return read_sqlite(host, place->path, &file, walk, error);
    bool read = place->kind == KIND_NDB ? rpm_ndb_each(&file, take_header, walk, error)
                                        : rpm_bdb_each(&file, take_header, walk, error);
    return read ? HOST_OK : HOST_FAILED;
}

enum host_status rpm_each(const struct host *host, const struct rpm_search *search,
                          size_t *ret_count, const char **ret_path, struct error *error)
{
    struct walk walk = {.search = search, .path = places[0].path};
    enum host_status status = HOST_ABSENT;
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]) && status == HOST_ABSENT; i++)
        status = read_place(host, &places[i], &walk, error);
    *ret_count = walk.count;
    *ret_path = walk.path;
    return status;
}
