/* SPDX-License-Identifier: MIT */
#include "manifest/toolkit/legacy.h"

#include <string.h>

#include "base/hex.h"
#include "manifest/reader/subject.h"
#include "manifest/store/store.h"
#include "manifest/toolkit/cudnn.h"
#include "manifest/toolkit/pin.h"

enum { TABLE_ADVICE, TABLE_ARCHIVES, TABLE_LAYOUTS, TABLE_RUNFILES };

static const char *const kinds[] = {"local", "network", "patch", NULL};
static const char *const stages[] = {"rc", NULL};
static const char *const products[] = {"cuda", "cudnn", NULL};
static const char *const formats[] = {"runfile", "tgz", "tar.xz", "zip", NULL};
static const char *const hosts[] = {"developer.nvidia.com", NULL};
static const char *const platforms[] = {"linux-x86_64",   "linux-sbsa",   "linux-ppc64le",
                                        "windows-x86_64", "macos-x86_64", NULL};

static const struct manifest_key advice_keys[] = {
    KEY(manifest_advice, product, KEY_CHOICE, .required = true, .choices = products),
    KEY(manifest_advice, topic, KEY_STRING, .required = true),
    KEY(manifest_advice, versions, KEY_RANGE, .required = true),
    KEY(manifest_advice, text, KEY_STRING, .required = true),
    KEYS_OF_EVERY_ROW(manifest_advice),
    {.name = NULL},
};

static const struct manifest_key archive_keys[] = {
    KEY(manifest_archive, version, KEY_VERSION, .required = true),
    KEY(manifest_archive, stage, KEY_CHOICE, .choices = stages),
    KEY(manifest_archive, cuda, KEY_VERSION, .required = true),
    KEY(manifest_archive, file, KEY_STRING, .required = true),
    KEY(manifest_archive, platform, KEY_CHOICE, .required = true, .choices = platforms),
    KEY(manifest_archive, path, KEY_STRING),
    KEY(manifest_archive, host, KEY_CHOICE, .choices = hosts),
    KEY(manifest_archive, urls, KEY_STRINGS),
    KEY(manifest_archive, sha256, KEY_SHA256),
    KEY(manifest_archive, md5, KEY_STRING),
    KEY(manifest_archive, redistrib, KEY_CHOICE, .choices = manifest_yes_no),
    KEYS_OF_EVERY_ROW(manifest_archive),
    {.name = NULL},
};

static const struct manifest_key layout_keys[] = {
    KEY(manifest_layout, product, KEY_STRING, .required = true),
    KEY(manifest_layout, component, KEY_STRING, .required = true),
    KEY(manifest_layout, versions, KEY_RANGE, .required = true),
    KEY(manifest_layout, format, KEY_CHOICE, .required = true, .choices = formats),
    KEY(manifest_layout, nested, KEY_STRING),
    KEY(manifest_layout, left_out, KEY_STRINGS),
    KEY(manifest_layout, places, KEY_STRINGS, .required = true),
    KEY(manifest_layout, links, KEY_STRINGS),
    KEY(manifest_layout, needed, KEY_STRINGS),
    KEYS_OF_EVERY_ROW(manifest_layout),
    {.name = NULL},
};

static const struct manifest_key runfile_keys[] = {
    KEY(manifest_runfile, version, KEY_VERSION, .required = true),
    KEY(manifest_runfile, file, KEY_STRING, .required = true),
    KEY(manifest_runfile, platform, KEY_CHOICE, .required = true, .choices = platforms),
    KEY(manifest_runfile, kind, KEY_CHOICE, .required = true, .choices = kinds),
    KEY(manifest_runfile, path, KEY_STRING, .required = true),
    KEY(manifest_runfile, host, KEY_CHOICE, .choices = hosts),
    KEY(manifest_runfile, urls, KEY_STRINGS),
    KEY(manifest_runfile, sha256, KEY_SHA256),
    KEY(manifest_runfile, md5, KEY_STRING),
    KEYS_OF_EVERY_ROW(manifest_runfile),
    {.name = NULL},
};

/* A file name may come back in another version: the id has both. */
static char *file_id(const char *product, const struct version *version, const char *file)
{
    char text[VERSION_TEXT_SIZE];
    return mem_printf("legacy/%s/%s/%s", product, version_text(version, 0, text), file);
}

static char *advice_id(const void *row)
{
    const struct manifest_advice *advice = row;
    return mem_printf("legacy/%s/%s", advice->product, advice->topic);
}

static char *archive_id(const void *row)
{
    const struct manifest_archive *archive = row;
    return file_id("cudnn", &archive->version, archive->file);
}

static char *layout_id(const void *row)
{
    const struct manifest_layout *layout = row;
    char from[VERSION_TEXT_SIZE];
    return mem_printf("legacy/%s/%s/%s", layout->product, layout->component,
                      version_text(&layout->versions.from, 0, from));
}

static char *runfile_id(const void *row)
{
    const struct manifest_runfile *runfile = row;
    return file_id("cuda", &runfile->version, runfile->file);
}

/* Where a file is from and how it is proved. */
struct download {
    const char *file, *path, *host;
    const struct strlist *urls;
    const char *sha256, *md5;
};

static bool download_check(const struct manifest_place *place, const struct download *download)
{
    if (strchr(download->file, '/') != NULL)
        return place_problem(place, "file", download->file, "a name without a directory");
    AUTO_FREE char *end = mem_printf("/%s", download->file);
    if (download->path != NULL && (download->path[0] != '/' || !string_ends(download->path, end)))
        return place_problem(place, "path", download->path,
                             "a path that begins with / and ends with %s", end);
    if (download->path == NULL && (download->host != NULL || download->urls->count > 0))
        return place_problem(place, "path", "nothing", "a path, since there is a URL");
    for (size_t i = 0; i < download->urls->count; i++)
        if (!string_starts(download->urls->items[i], "http") ||
            strstr(download->urls->items[i], "://") == NULL)
            return place_problem(place, "urls", download->urls->items[i], "URLs");
    if (download->md5 == NULL)
        return true;
    if (!hex_is(download->md5, 32))
        return place_problem(place, "md5", download->md5, "32 lowercase hexadecimal digits");
    return download->sha256 == NULL ||
           place_problem(place, "md5", download->md5, "nothing, since there is a sha256");
}

static bool order_check(const struct manifest_place *place, const char *key, int order,
                        const char *id, const char *before)
{
    return order > 0 || place_problem(place, key, id, "a row that sorts after %s", before);
}

static bool advice_check(const struct manifest_place *place, const void *row, const void *previous)
{
    const struct manifest_advice *advice = row;
    const struct manifest_advice *before = previous;
    return before == NULL ||
           order_check(place, "product", strcmp(advice->id, before->id), advice->id, before->id);
}

static bool archive_check(const struct manifest_place *place, const void *row, const void *previous)
{
    const struct manifest_archive *archive = row;
    const struct manifest_archive *before = previous;
    const struct download download = {archive->file,  archive->path,   archive->host,
                                      &archive->urls, archive->sha256, archive->md5};
    if (!download_check(place, &download))
        return false;
    if (before == NULL)
        return true;
    int order = version_compare(&archive->version, &before->version);
    if (order == 0)
        order = version_compare(&archive->cuda, &before->cuda);
    if (order == 0)
        order = strcmp(archive->platform, before->platform);
    if (order == 0)
        order = strcmp(archive->file, before->file);
    return order_check(place, "version", order, archive->id, before->id);
}

/* "FROM -> TO". */
static bool arrows_check(const struct manifest_place *place, const char *key,
                         const struct strlist *words)
{
    for (size_t i = 0; i < words->count; i++) {
        const char *arrow = strstr(words->items[i], " -> ");
        if (arrow == NULL || arrow == words->items[i] || arrow[4] == '\0' || arrow[4] == '/' ||
            words->items[i][0] == '/')
            return place_problem(place, key, words->items[i], "FROM -> TO, both relative paths");
    }
    return true;
}

static bool layout_check(const struct manifest_place *place, const void *row, const void *previous)
{
    const struct manifest_layout *layout = row;
    const struct manifest_layout *before = previous;
    if (layout->versions.from.count == 0 || layout->versions.below.count == 0)
        return place_problem(place, "versions", layout->id, "a range with both ends");
    if (!arrows_check(place, "places", &layout->places) ||
        !arrows_check(place, "links", &layout->links))
        return false;
    if (before == NULL)
        return true;
    int order = strcmp(layout->product, before->product);
    if (order == 0)
        order = strcmp(layout->component, before->component);
    if (order == 0 && version_compare(&layout->versions.from, &before->versions.below) >= 0)
        order = 1;
    return order_check(place, "versions", order, layout->id, before->id);
}

static bool runfile_check(const struct manifest_place *place, const void *row, const void *previous)
{
    const struct manifest_runfile *runfile = row;
    const struct manifest_runfile *before = previous;
    const struct download download = {runfile->file,  runfile->path,   runfile->host,
                                      &runfile->urls, runfile->sha256, runfile->md5};
    if (!download_check(place, &download))
        return false;
    char version[VERSION_TEXT_SIZE];
    if (strstr(runfile->file, version_text(&runfile->version, 0, version)) == NULL)
        return place_problem(place, "file", runfile->file, "a name that contains %s", version);
    if (before == NULL)
        return true;
    int order = version_compare(&runfile->version, &before->version);
    if (order == 0)
        order = strcmp(runfile->platform, before->platform);
    if (order == 0)
        order = strcmp(runfile->kind, before->kind);
    if (order == 0)
        order = strcmp(runfile->file, before->file);
    return order_check(place, "version", order, runfile->id, before->id);
}

static manifest_agreement archive_agrees;

const struct manifest_subject manifest_legacy_subject = {
    .name = "legacy",
    .tables =
        {
            [TABLE_ADVICE] = {.name = "advice",
                              .about = "what to know about old installers",
                              .keys = advice_keys,
                              .row_size = sizeof(struct manifest_advice),
                              .id_offset = offsetof(struct manifest_advice, id),
                              .id = advice_id,
                              .check = advice_check},
            [TABLE_ARCHIVES] = {.name = "archives",
                                .about = "cuDNN archives",
                                .keys = archive_keys,
                                .row_size = sizeof(struct manifest_archive),
                                .id_offset = offsetof(struct manifest_archive, id),
                                .id = archive_id,
                                .check = archive_check,
                                .agrees = archive_agrees},
            [TABLE_LAYOUTS] = {.name = "layouts",
                               .about = "where the files of such an archive go",
                               .keys = layout_keys,
                               .row_size = sizeof(struct manifest_layout),
                               .id_offset = offsetof(struct manifest_layout, id),
                               .id = layout_id,
                               .check = layout_check},
            [TABLE_RUNFILES] = {.name = "runfiles",
                                .about = "CUDA installers",
                                .keys = runfile_keys,
                                .row_size = sizeof(struct manifest_runfile),
                                .id_offset = offsetof(struct manifest_runfile, id),
                                .id = runfile_id,
                                .check = runfile_check},
        },
};

const struct manifest_layout *manifest_layouts(struct manifest *manifest, size_t *ret_count)
{
    return manifest_rows(manifest, &manifest_legacy_subject, TABLE_LAYOUTS, ret_count);
}

const struct manifest_runfile *manifest_runfiles(struct manifest *manifest, size_t *ret_count)
{
    return manifest_rows(manifest, &manifest_legacy_subject, TABLE_RUNFILES, ret_count);
}

const struct manifest_archive *manifest_archives(struct manifest *manifest, size_t *ret_count)
{
    return manifest_rows(manifest, &manifest_legacy_subject, TABLE_ARCHIVES, ret_count);
}

const struct manifest_runfile *manifest_runfile_find(struct manifest *manifest,
                                                     const struct version *version,
                                                     const char *platform)
{
    size_t count;
    const struct manifest_runfile *rows = manifest_runfiles(manifest, &count);
    for (size_t i = 0; i < count; i++)
        if (rows[i].version.count == version->count &&
            version_compare(&rows[i].version, version) == 0 &&
            string_equal(rows[i].platform, platform) && string_equal(rows[i].kind, "local"))
            return &rows[i];
    return NULL;
}

const struct manifest_advice *manifest_advice_find(struct manifest *manifest, const char *product,
                                                   const char *topic, const struct version *version)
{
    size_t count;
    const struct manifest_advice *rows =
        manifest_rows(manifest, &manifest_legacy_subject, TABLE_ADVICE, &count);
    for (size_t i = 0; i < count; i++)
        if (string_equal(rows[i].product, product) && string_equal(rows[i].topic, topic) &&
            manifest_range_has(&rows[i].versions, version))
            return &rows[i];
    return NULL;
}

/* One file under two names. */
static bool is_same_file(const struct manifest_archive *row, const struct manifest_archive *other)
{
    return row->sha256 != NULL && string_equal(row->sha256, other->sha256);
}

/* A newer build, or in one build the row that is nearer to the CUDA version, or the one with an
 * address: a recipe's own name for the file has none. */
static bool is_better(const struct manifest_archive *row, const struct manifest_archive *best)
{
    int order = version_compare(&row->version, &best->version);
    if (is_same_file(row, best) && (row->path != NULL) != (best->path != NULL))
        return row->path != NULL;
    if (order == 0 && row->cuda.count != best->cuda.count)
        return row->cuda.count > best->cuda.count;
    return order > 0 || (order == 0 && row->path != NULL && best->path == NULL);
}

/* Whether the row is made for that CUDA: for its minor or all of its major, or else for another
 * minor of its major. */
static bool is_for(const struct manifest_archive *row, const struct version *cuda, bool other_minor)
{
    return other_minor ? cuda->count > 1 && row->cuda.part[0] == cuda->part[0]
                       : version_within(cuda, &row->cuda);
}

static const struct manifest_archive *archive_for(struct manifest *manifest,
                                                  const struct version *version,
                                                  const struct version *cuda, const char *platform,
                                                  bool other_minor)
{
    size_t count;
    const struct manifest_archive *rows = manifest_archives(manifest, &count);
    const struct manifest_archive *best = NULL;
    for (size_t i = 0; i < count && version->count > 0; i++) {
        const struct manifest_archive *row = &rows[i];
        if (!version_within(&row->version, version) || !is_for(row, cuda, other_minor) ||
            !string_equal(row->platform, platform) || row->stage != NULL)
            continue;
        if (best == NULL || is_better(row, best))
            best = row;
    }
    return best;
}

const struct manifest_archive *manifest_archive_find(struct manifest *manifest,
                                                     const struct version *version,
                                                     const struct version *cuda,
                                                     const char *platform)
{
    const struct manifest_archive *own = archive_for(manifest, version, cuda, platform, false);
    if (own != NULL || manifest_cudnn_pair_find(manifest, version, cuda) == NULL)
        return own;
    return archive_for(manifest, version, cuda, platform, true);
}

static char *url_of(const char *host, const char *path, const struct strlist *urls)
{
    if (path)
        return mem_printf("https://%s%s", host ? host : "developer.download.nvidia.com", path);
    return urls->count > 0 ? mem_string(urls->items[0]) : NULL;
}

char *manifest_runfile_url(struct manifest *manifest, const struct version *version,
                           const char *platform)
{
    const struct manifest_runfile *row = manifest_runfile_find(manifest, version, platform);
    return row ? url_of(row->host, row->path, &row->urls) : NULL;
}

char *manifest_archive_url(struct manifest *manifest, const struct version *version,
                           const struct version *cuda, const char *platform)
{
    const struct manifest_archive *row = manifest_archive_find(manifest, version, cuda, platform);
    return row ? url_of(row->host, row->path, &row->urls) : NULL;
}

/* An archive that a redistrib file lists has one that is known: that of its release. */
static bool archive_agrees(struct manifest *manifest, struct manifest_place *place, const void *row)
{
    const struct manifest_archive *archive = row;
    struct version release = archive->version;
    if (release.count > 3)
        release.count = 3;
    return !string_equal(archive->redistrib, "yes") ||
           manifest_pin_find(manifest, "cudnn", &release) != NULL ||
           place_problem_version(place, "version", &archive->version,
                                 "a version whose redistrib file pin.rows lists");
}
