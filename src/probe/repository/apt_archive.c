/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "probe/engine/note.h"
#include "probe/engine/probes.h"
#include "probe/repository/apt_lists.h"
#include "probe/repository/deb_relation.h"
#include "probe/system/dpkg.h"

/* Packages that arrived and that apt refused, because they are not what their index says. */
#define KIND      "apt_archive"
#define ARCHIVES  "/var/cache/apt/archives"
#define PARTIAL   ARCHIVES "/partial"
#define REFUSED   ".deb.FAILED"
#define INDEX     "_Packages"
#define INDEX_MAX (32u << 20)
#define KEPT_MAX  16

/* A file as apt calls it: NAME_VERSION_ARCHITECTURE.deb.FAILED. */
struct archive {
    const char *file;
    char *name, *version, *architecture;
    bool installed;   /* in this version, or in a newer one */
    int64_t expected; /* bytes by an index; -1: none has it */
    char *origin;     /* host of that index */
};

static void archive_free(struct archive *archive)
{
    free(archive->name);
    free(archive->version);
    free(archive->architecture);
    free(archive->origin);
}

/* apt writes the colon behind an epoch as "%3a". */
static bool archive_parse(const char *file, struct archive *ret_archive)
{
    AUTO_STRLIST struct strlist parts = {0};
    AUTO_FREE char *bare = mem_string_n(file, strlen(file) - strlen(REFUSED));
    strlist_split(&parts, bare, '_');
    if (parts.count != 3)
        return false;
    *ret_archive = (struct archive){.file = file,
                                    .name = mem_string(parts.items[0]),
                                    .version = string_fill(parts.items[1], "%3a", ":"),
                                    .architecture = mem_string(parts.items[2]),
                                    .expected = -1};
    return true;
}

static void take_installed(const struct dpkg_package *package, void *data)
{
    struct archive *archive = data;
    if (strcmp(package->name, archive->name) == 0 && dpkg_is_present(package) && package->version &&
        deb_version_compare(package->version, archive->version) >= 0)
        archive->installed = true;
}

/* An index that is being read. */
struct look {
    struct archive *archive;
    const char *index;
};

static void take_listed(const struct dpkg_package *package, void *data)
{
    const struct look *look = data;
    struct archive *archive = look->archive;
    unsigned long long size = 0;
    if (archive->expected >= 0 || strcmp(package->name, archive->name) != 0 ||
        !string_equal(package->version, archive->version) ||
        !string_equal(package->architecture, archive->architecture) || package->size == NULL ||
        !string_to_decimal(package->size, INT64_MAX, &size))
        return;
    archive->expected = (int64_t)size;
    archive->origin = mem_string_n(look->index, strcspn(look->index, "_"));
}

static void read_index(const struct host *host, const char *index, struct archive *archive)
{
    AUTO_TEXT struct text text = {0};
    AUTO_FREE char *path = mem_printf(APT_LISTS "/%s", index);
    struct look look = {.archive = archive, .index = index};
    if (note_read_text(host, path, INDEX_MAX, &text, NULL) == HOST_OK)
        dpkg_each_paragraph(text.data, path, take_listed, &look);
}

/* Fetched again since, or installed in another way. */
static bool is_settled(const struct host *host, struct archive *archive)
{
    size_t count = 0;
    AUTO_FREE char *whole = mem_printf(
        ARCHIVES "/%.*s", (int)(strlen(archive->file) - strlen(".FAILED")), archive->file);
    dpkg_each(host, take_installed, archive, &count, NULL);
    return archive->installed || host_exists(host, whole);
}

/* An index that no longer has this version has been replaced since. */
static bool note_archive(const struct host *host, const struct apt_lists *lists, const char *file,
                         struct facts *facts)
{
    AUTO(archive_free) struct archive archive = {.expected = -1};
    AUTO_FREE char *path = mem_printf(PARTIAL "/%s", file);
    struct host_stat stat;
    if (!archive_parse(file, &archive) || is_settled(host, &archive) ||
        host_stat(host, path, &stat, NULL) != HOST_OK)
        return false;
    for (size_t i = 0; archive.expected < 0 && i < lists->whole.count; i++)
        if (string_ends(lists->whole.items[i], INDEX))
            read_index(host, lists->whole.items[i], &archive);
    if (archive.expected < 0)
        return false;
    AUTO_FREE char *group = facts_group_name(KIND, path);
    facts_set_string(facts, group, "name", archive.name, path);
    facts_set_string(facts, group, "version", archive.version, path);
    facts_set_string(facts, group, "origin", archive.origin, path);
    facts_set_integer(facts, group, "bytes", (int64_t)stat.size, path);
    facts_set_integer(facts, group, "expected_bytes", archive.expected, path);
    return true;
}

void probe_apt_archive(const struct probe_context *context, struct facts *facts)
{
    AUTO_ERROR struct error error = {0};
    AUTO_STRLIST struct strlist names = {0};
    AUTO_APT_LISTS struct apt_lists lists = {.whole = {0}};
    int64_t count = 0;
    enum host_status status = host_list(context->host, PARTIAL, &names, &error);
    if (status == HOST_DENIED) {
        facts_set_skipped(facts, KIND, "count", "only root can read it", PARTIAL);
        return;
    }
    if (status != HOST_OK && status != HOST_ABSENT) {
        note_missing(facts, KIND, "count", status, &error, PARTIAL);
        return;
    }
    for (size_t i = 0; i < names.count && count < KEPT_MAX; i++) {
        if (!string_ends(names.items[i], REFUSED))
            continue;
        if (lists.whole.count == 0)
            apt_lists_read(context->host, &lists, NULL);
        count += note_archive(context->host, &lists, names.items[i], facts);
    }
    facts_set_integer(facts, KIND, "count", count, PARTIAL);
}
