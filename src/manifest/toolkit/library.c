/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "manifest/reader/slug.h"
#include "manifest/reader/subject.h"
#include "manifest/store/store.h"
#include "manifest/toolkit/library.h"
#include "manifest/versions/listed.h"

/* manifests/library.json: the vendor's libraries: what they are called, how they tell their
 * version, where wheels have them, which CUDA a copy came with. Versions and releases are
 * there to be read: gpuenv manifest show library. */
enum { TABLE_SONAMES, TABLE_VERSIONS, TABLE_WHEELS, TABLE_RELEASES, TABLE_ORIGINS };

struct library_soname {
    const char *id;
    const char *library;
    struct version cuda; /* count 0: of any CUDA */
    struct version cuda_last;
    struct strlist release; /* majors of the library itself, where the soname follows these */
    struct strlist sonames;
    const char *source;
    const char *confidence;
    const char *notes;
};

struct library_version {
    const char *id;
    const char *function, *library, *signature, *encoding, *example, *needs;
    const char *source;
    const char *confidence;
    const char *notes;
};

struct library_wheel {
    const char *id;
    struct strlist libraries;
    unsigned cuda;         /* 12 */
    const char *directory; /* below site-packages; NULL: not known */
    const char *package;   /* that pip installs; NULL: not known */
    const char *source;
    const char *confidence;
    const char *notes;
};

struct library_release {
    const char *id;
    const char *library, *release, *date;
    struct strlist cuda;
    struct version capability_min;
    const char *text;
    const char *source;
    const char *confidence;
    const char *notes;
};

struct library_origin {
    const char *id;
    const char *library;
    struct version cuda, version;
    const char *source;
    const char *confidence;
    const char *notes;
};

static const struct manifest_key soname_keys[] = {
    KEY(library_soname, library, KEY_STRING, .required = true),
    KEY(library_soname, cuda, KEY_VERSION),
    KEY(library_soname, cuda_last, KEY_VERSION),
    KEY(library_soname, release, KEY_STRINGS),
    KEY(library_soname, sonames, KEY_STRINGS, .required = true),
    KEYS_OF_EVERY_ROW(library_soname),
    {.name = NULL},
};

static const struct manifest_key version_keys[] = {
    KEY(library_version, function, KEY_STRING, .required = true),
    KEY(library_version, library, KEY_STRING, .required = true),
    KEY(library_version, signature, KEY_STRING, .required = true),
    KEY(library_version, encoding, KEY_STRING),
    KEY(library_version, example, KEY_STRING),
    KEY(library_version, needs, KEY_STRING, .required = true),
    KEYS_OF_EVERY_ROW(library_version),
    {.name = NULL},
};

static const struct manifest_key wheel_keys[] = {
    KEY(library_wheel, libraries, KEY_STRINGS, .required = true),
    KEY(library_wheel, cuda, KEY_UNSIGNED, .required = true),
    KEY(library_wheel, directory, KEY_STRING),
    KEY(library_wheel, package, KEY_STRING),
    KEYS_OF_EVERY_ROW(library_wheel),
    {.name = NULL},
};

static const struct manifest_key release_keys[] = {
    KEY(library_release, library, KEY_STRING, .required = true),
    KEY(library_release, release, KEY_STRING, .required = true),
    KEY(library_release, date, KEY_DATE),
    KEY(library_release, cuda, KEY_STRINGS),
    KEY(library_release, capability_min, KEY_VERSION),
    KEY(library_release, text, KEY_STRING, .required = true),
    KEYS_OF_EVERY_ROW(library_release),
    {.name = NULL},
};

static const struct manifest_key origin_keys[] = {
    KEY(library_origin, library, KEY_STRING, .required = true),
    KEY(library_origin, cuda, KEY_VERSION, .required = true),
    KEY(library_origin, version, KEY_VERSION, .required = true),
    KEYS_OF_EVERY_ROW(library_origin),
    {.name = NULL},
};

static char *soname_id(const void *row)
{
    const struct library_soname *soname = row;
    AUTO_FREE char *slug = manifest_slug(soname->library);
    char version[VERSION_TEXT_SIZE];
    version_text(&soname->cuda, 0, version);
    const char *of = soname->release.count > 0 ? soname->release.items[0] : version;
    return mem_printf("library/%s%s%s", slug, *of != '\0' ? "-" : "", of);
}

static char *version_id(const void *row)
{
    const struct library_version *version = row;
    return mem_printf("library/%s", version->function);
}

static char *wheel_id(const void *row)
{
    const struct library_wheel *wheel = row;
    return mem_printf("library/wheel-%s-%u", wheel->libraries.items[0], wheel->cuda);
}

static char *release_id(const void *row)
{
    const struct library_release *release = row;
    AUTO_FREE char *slug = manifest_slug(release->library);
    return mem_printf("library/release-%s-%s", slug, release->release);
}

static char *origin_id(const void *row)
{
    const struct library_origin *origin = row;
    char version[VERSION_TEXT_SIZE];
    return mem_printf("library/%s-of-%s", origin->library, version_text(&origin->cuda, 0, version));
}

static bool sonames_check(const struct manifest_place *place, const struct strlist *sonames)
{
    for (size_t i = 0; i < sonames->count; i++)
        if (!string_starts(sonames->items[i], "lib") || strstr(sonames->items[i], ".so.") == NULL)
            return place_problem(place, "sonames", sonames->items[i], "sonames: libcudart.so.13");
    return true;
}

static bool soname_check(const struct manifest_place *place, const void *row, const void *previous)
{
    const struct library_soname *soname = row;
    const struct library_soname *before = previous;
    const struct version *last = &soname->cuda_last;
    if (soname->cuda.count > 2)
        return place_problem_version(place, "cuda", &soname->cuda, "one or two numbers");
    if (soname->cuda.count > 0 && soname->release.count > 0)
        return place_problem(place, "release", soname->release.items[0], "none together with cuda");
    if (last->count > 0 &&
        (soname->cuda.count != 2 || last->count != 2 || last->part[0] != soname->cuda.part[0] ||
         version_compare(last, &soname->cuda) <= 0))
        return place_problem_version(place, "cuda_last", last,
                                     "a later minor version of the same CUDA");
    if (before != NULL && string_equal(before->library, soname->library) &&
        version_compare(&before->cuda, &soname->cuda) > 0)
        return place_problem_version(place, "cuda", &soname->cuda, "a row that sorts after %s",
                                     before->id);
    return sonames_check(place, &soname->sonames);
}

static bool version_check(const struct manifest_place *place, const void *row, const void *previous)
{
    const struct library_version *version = row;
    (void)previous;
    if (string_starts(version->library, "lib"))
        return true;
    return place_problem(place, "library", version->library, "a file's name: libcudart");
}

static bool wheel_check(const struct manifest_place *place, const void *row, const void *previous)
{
    const struct library_wheel *wheel = row;
    const struct library_wheel *before = previous;
    if (before && before->cuda > wheel->cuda) {
        AUTO_FREE char *found = mem_printf("%u", wheel->cuda);
        return place_problem(place, "cuda", found, "a row that sorts after %s", before->id);
    }
    if (wheel->directory == NULL && wheel->package == NULL)
        return place_problem(place, NULL, wheel->libraries.items[0], "directory, package or both");
    if (wheel->directory &&
        (!string_starts(wheel->directory, "nvidia/") || strstr(wheel->directory, "..")))
        return place_problem(place, "directory", wheel->directory,
                             "a directory below nvidia/ in site-packages");
    return wheel->package == NULL || slug_check(place, "package", wheel->package);
}

static bool release_check(const struct manifest_place *place, const void *row, const void *previous)
{
    const struct library_release *release = row;
    (void)previous;
    if (release->release[0] >= '0' && release->release[0] <= '9')
        return true;
    return place_problem(place, "release", release->release, "a number: 2.28.9, 10.x");
}

static bool origin_check(const struct manifest_place *place, const void *row, const void *previous)
{
    const struct library_origin *origin = row;
    const struct library_origin *before = previous;
    if (!slug_check(place, "library", origin->library))
        return false;
    if (origin->cuda.count != 2)
        return place_problem_version(place, "cuda", &origin->cuda, "two numbers");
    if (before == NULL || !string_equal(before->library, origin->library))
        return true;
    if (version_compare(&before->cuda, &origin->cuda) > 0)
        return place_problem_version(place, "cuda", &origin->cuda, "a row that sorts after %s",
                                     before->id);
    if (version_compare(&before->version, &origin->version) >= 0)
        return place_problem_version(place, "version", &origin->version, "more than in %s",
                                     before->id);
    return true;
}

static manifest_agreement soname_agrees;
static manifest_agreement wheel_agrees;
static manifest_agreement release_agrees;
static manifest_agreement origin_agrees;

const struct manifest_subject manifest_library_subject = {
    .name = "library",
    .tables =
        {
            [TABLE_SONAMES] = {.name = "sonames",
                               .about = "sonames of libraries by CUDA version",
                               .keys = soname_keys,
                               .row_size = sizeof(struct library_soname),
                               .id_offset = offsetof(struct library_soname, id),
                               .id = soname_id,
                               .check = soname_check,
                               .agrees = soname_agrees},
            [TABLE_VERSIONS] = {.name = "versions",
                                .about = "functions that report a version",
                                .keys = version_keys,
                                .row_size = sizeof(struct library_version),
                                .id_offset = offsetof(struct library_version, id),
                                .id = version_id,
                                .check = version_check},
            [TABLE_WHEELS] = {.name = "wheels",
                              .about = "wheels of libraries by CUDA major version",
                              .keys = wheel_keys,
                              .row_size = sizeof(struct library_wheel),
                              .id_offset = offsetof(struct library_wheel, id),
                              .id = wheel_id,
                              .check = wheel_check,
                              .agrees = wheel_agrees},
            [TABLE_RELEASES] = {.name = "releases",
                                .about = "known releases of NCCL and TensorRT",
                                .keys = release_keys,
                                .row_size = sizeof(struct library_release),
                                .id_offset = offsetof(struct library_release, id),
                                .id = release_id,
                                .check = release_check,
                                .agrees = release_agrees},
            [TABLE_ORIGINS] = {.name = "origins",
                               .about = "first versions of libraries in a CUDA release",
                               .keys = origin_keys,
                               .row_size = sizeof(struct library_origin),
                               .id_offset = offsetof(struct library_origin, id),
                               .id = origin_id,
                               .check = origin_check,
                               .agrees = origin_agrees},
        },
};

static bool soname_agrees(struct manifest *manifest, struct manifest_place *place, const void *row)
{
    const struct library_soname *soname = row;
    return cuda_listed(manifest, place, "cuda", &soname->cuda) &&
           cuda_listed(manifest, place, "cuda_last", &soname->cuda_last);
}

static bool wheel_agrees(struct manifest *manifest, struct manifest_place *place, const void *row)
{
    const struct library_wheel *wheel = row;
    const struct version cuda = {.part = {wheel->cuda}, .count = 1};
    return cuda_listed(manifest, place, "cuda", &cuda);
}

static bool release_agrees(struct manifest *manifest, struct manifest_place *place, const void *row)
{
    const struct library_release *release = row;
    return cudas_listed(manifest, place, "cuda", &release->cuda) &&
           capability_listed(manifest, place, "capability_min", &release->capability_min);
}

static bool origin_agrees(struct manifest *manifest, struct manifest_place *place, const void *row)
{
    const struct library_origin *origin = row;
    return cuda_listed(manifest, place, "cuda", &origin->cuda);
}

static const struct library_soname *all_sonames(struct manifest *manifest, size_t *ret_count)
{
    return manifest_rows(manifest, &manifest_library_subject, TABLE_SONAMES, ret_count);
}

/* Whether the row is of that CUDA; of a major alone its last minor is meant. */
static bool is_of_cuda(const struct library_soname *row, const struct version *cuda)
{
    if (row->cuda.count == 0)
        return row->release.count == 0;
    if (row->cuda.part[0] != cuda->part[0])
        return false;
    if (row->cuda.count == 1 || cuda->count == 1)
        return true;
    if (row->cuda_last.count == 0)
        return version_within(cuda, &row->cuda);
    struct version minor = *cuda;
    minor.count = 2;
    return version_compare(&minor, &row->cuda) >= 0 &&
           version_compare(&minor, &row->cuda_last) <= 0;
}

const char *manifest_soname_find(struct manifest *manifest, const char *library,
                                 const struct version *cuda)
{
    size_t count;
    const struct library_soname *rows = all_sonames(manifest, &count), *last = NULL;
    for (size_t i = 0; cuda->count && i < count; i++)
        if (string_equal(rows[i].library, library) && is_of_cuda(&rows[i], cuda))
            last = &rows[i];
    return last && last->sonames.count == 1 ? last->sonames.items[0] : NULL;
}

bool manifest_soname_cuda(struct manifest *manifest, const char *library, const char *soname,
                          struct version *ret_cuda)
{
    size_t count, found = 0;
    const struct library_soname *rows = all_sonames(manifest, &count);
    for (size_t i = 0; i < count; i++) {
        if (!string_equal(rows[i].library, library) || !strlist_has(&rows[i].sonames, soname))
            continue;
        *ret_cuda = rows[i].cuda;
        found++;
    }
    return found == 1 && ret_cuda->count > 0;
}

bool manifest_library_origin(struct manifest *manifest, const char *library,
                             const struct version *version, struct version *ret_cuda)
{
    size_t count;
    bool found = false;
    const struct library_origin *rows =
        manifest_rows(manifest, &manifest_library_subject, TABLE_ORIGINS, &count);
    for (size_t i = 0; i < count; i++) {
        if (!string_equal(rows[i].library, library) ||
            version_compare(version, &rows[i].version) < 0)
            continue;
        *ret_cuda = rows[i].cuda;
        found = true;
    }
    return found;
}

const char *manifest_library_package(struct manifest *manifest, const char *library, unsigned cuda)
{
    size_t count;
    const struct library_wheel *rows =
        manifest_rows(manifest, &manifest_library_subject, TABLE_WHEELS, &count);
    for (size_t i = 0; i < count; i++)
        if (rows[i].cuda == cuda && strlist_has(&rows[i].libraries, library))
            return rows[i].package;
    return NULL;
}
