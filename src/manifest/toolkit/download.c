/* SPDX-License-Identifier: MIT */
#include "manifest/toolkit/download.h"

#include <string.h>

#include "manifest/reader/subject.h"
#include "manifest/store/store.h"
#include "manifest/toolkit/pin.h"

enum { TABLE_DOWNLOADS };

static const char *const platforms[] = {"linux-x86_64", "linux-sbsa", "linux-aarch64", NULL};

static const struct manifest_key download_keys[] = {
    KEY(manifest_download, product, KEY_STRING, .required = true),
    KEY(manifest_download, component, KEY_STRING, .required = true),
    KEY(manifest_download, version, KEY_VERSION, .required = true),
    KEY(manifest_download, cuda, KEY_VERSION),
    KEY(manifest_download, platform, KEY_CHOICE, .required = true, .choices = platforms),
    KEY(manifest_download, file, KEY_STRING, .required = true),
    KEY(manifest_download, package, KEY_STRING),
    KEY(manifest_download, url, KEY_STRING),
    KEY(manifest_download, size, KEY_SIZE, .required = true),
    KEY(manifest_download, sha256, KEY_SHA256, .required = true),
    KEY(manifest_download, licence, KEY_STRING),
    KEYS_OF_EVERY_ROW(manifest_download),
    {.name = NULL},
};

static char *download_id(const void *row)
{
    const struct manifest_download *download = row;
    char version[VERSION_TEXT_SIZE], cuda[VERSION_TEXT_SIZE];
    return mem_printf(
        "download/%s-%s%s%s-%s", download->product, version_text(&download->version, 0, version),
        download->cuda.count ? "-cuda" : "",
        download->cuda.count ? version_text(&download->cuda, 0, cuda) : "", download->platform);
}

static int compare(const struct manifest_download *a, const struct manifest_download *b)
{
    int order = strcmp(a->product, b->product);
    if (order == 0)
        order = version_compare(&a->version, &b->version);
    if (order == 0)
        order = version_compare(&a->cuda, &b->cuda);
    return order != 0 ? order : strcmp(a->platform, b->platform);
}

static bool download_check(const struct manifest_place *place, const void *row,
                           const void *previous)
{
    const struct manifest_download *download = row;
    const struct manifest_download *before = previous;
    if (before && compare(before, download) >= 0)
        return place_problem(place, "version", download->id, "a row that sorts after %s",
                             before->id);
    if (strchr(download->file, '/'))
        return place_problem(place, "file", download->file, "the name of a file");
    if (download->url && !string_starts(download->url, "https://"))
        return place_problem(place, "url", download->url, "an address that begins with https://");
    return true;
}

static bool download_agrees(struct manifest *manifest, struct manifest_place *place,
                            const void *row)
{
    const struct manifest_download *download = row;
    return download->package == NULL ||
           manifest_pin_find(manifest, download->product, &download->version) ||
           place_problem_version(place, "version", &download->version,
                                 "a version of %s that pin.rows lists", download->product);
}

const struct manifest_subject manifest_download_subject = {
    .name = "download",
    .tables = {[TABLE_DOWNLOADS] = {.name = "rows",
                                    .about = "single archives and their digests",
                                    .keys = download_keys,
                                    .row_size = sizeof(struct manifest_download),
                                    .id_offset = offsetof(struct manifest_download, id),
                                    .id = download_id,
                                    .check = download_check,
                                    .agrees = download_agrees}},
};

const struct manifest_download *manifest_downloads(struct manifest *manifest, size_t *ret_count)
{
    return manifest_rows(manifest, &manifest_download_subject, TABLE_DOWNLOADS, ret_count);
}

const struct manifest_download *manifest_download_find(struct manifest *manifest,
                                                       const char *sha256)
{
    size_t count;
    const struct manifest_download *rows = manifest_downloads(manifest, &count);
    for (size_t i = 0; i < count; i++)
        if (string_equal(rows[i].sha256, sha256))
            return &rows[i];
    return NULL;
}
