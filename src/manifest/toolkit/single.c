/* SPDX-License-Identifier: MIT */
#include "manifest/toolkit/single.h"

#include <string.h>

#include "base/text.h"
#include "manifest/toolkit/download.h"
#include "manifest/toolkit/legacy.h"

const struct manifest_layout *manifest_single_layout(struct manifest *manifest, const char *product,
                                                     const struct version *version,
                                                     const struct manifest_layout *previous)
{
    size_t count;
    const struct manifest_layout *rows = manifest_layouts(manifest, &count);
    for (size_t i = previous ? (size_t)(previous - rows) + 1 : 0; i < count; i++)
        if (string_equal(rows[i].product, product) &&
            manifest_range_has(&rows[i].versions, version))
            return &rows[i];
    return NULL;
}

static void take_runfile(struct manifest *manifest, const struct version *version,
                         const char *platform, struct manifest_single *single)
{
    const struct manifest_runfile *row = manifest_runfile_find(manifest, version, platform);
    if (row)
        *single = (struct manifest_single){.row = row->id,
                                           .file = row->file,
                                           .path = row->path,
                                           .host = row->host,
                                           .sha256 = row->sha256};
}

static void take_archive(struct manifest *manifest, const struct version *version,
                         const struct version *cuda, const char *platform,
                         struct manifest_single *single)
{
    const struct manifest_archive *row = manifest_archive_find(manifest, version, cuda, platform);
    if (row)
        *single = (struct manifest_single){.row = row->id,
                                           .file = row->file,
                                           .path = row->path,
                                           .host = row->host,
                                           .sha256 = row->sha256,
                                           .cuda = row->cuda};
}

/* "https://HOST/PATH": HOST and "/PATH". */
static void take_url(const char *url, struct manifest_single *single)
{
    static const char scheme[] = "https://", host[] = "developer.nvidia.com";
    const char *rest = url ? url + strlen(scheme) : NULL;
    single->path = rest ? strchr(rest, '/') : NULL;
    if (rest && string_starts(rest, host))
        single->host = host;
}

static void take_download(struct manifest *manifest, const char *product,
                          const struct version *version, const struct version *cuda,
                          const char *platform, struct manifest_single *single)
{
    size_t count;
    const struct manifest_download *rows = manifest_downloads(manifest, &count);
    for (size_t i = 0; i < count; i++) {
        if (!string_equal(rows[i].product, product) || !string_equal(rows[i].platform, platform) ||
            version_compare(&rows[i].version, version) != 0 ||
            (cuda->count && version_compare(&rows[i].cuda, cuda) != 0))
            continue;
        *single = (struct manifest_single){.row = rows[i].id,
                                           .file = rows[i].file,
                                           .sha256 = rows[i].sha256,
                                           .cuda = rows[i].cuda};
        take_url(rows[i].url, single);
        return;
    }
}

bool manifest_single_find(struct manifest *manifest, const char *product,
                          const struct version *version, const struct version *cuda,
                          const char *platform, struct manifest_single *ret_single)
{
    *ret_single = (struct manifest_single){.row = NULL};
    if (manifest_single_layout(manifest, product, version, NULL) == NULL)
        return false;
    if (string_equal(product, "cuda"))
        take_runfile(manifest, version, platform, ret_single);
    else if (string_equal(product, "cudnn"))
        take_archive(manifest, version, cuda, platform, ret_single);
    else
        take_download(manifest, product, version, cuda, platform, ret_single);
    return true;
}

bool manifest_single_at(struct manifest *manifest, const char *product, const char *platform,
                        size_t index, struct version *ret_version,
                        struct manifest_single *ret_single)
{
    size_t count;
    const struct manifest_runfile *rows = manifest_runfiles(manifest, &count);
    for (size_t i = 0; i < count && string_equal(product, "cuda"); i++) {
        if (!string_equal(rows[i].platform, platform) || !string_equal(rows[i].kind, "local") ||
            rows[i].sha256 == NULL ||
            manifest_single_layout(manifest, product, &rows[i].version, NULL) == NULL)
            continue;
        if (index-- > 0)
            continue;
        *ret_version = rows[i].version;
        take_runfile(manifest, &rows[i].version, platform, ret_single);
        return true;
    }
    return false;
}

char *manifest_single_url(const struct manifest_single *single)
{
    if (single->path == NULL)
        return NULL;
    return mem_printf("https://%s%s", single->host ? single->host : "developer.download.nvidia.com",
                      single->path);
}
