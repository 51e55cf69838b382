/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "manifest/package/package.h"
#include "manifest/reader/slug.h"
#include "manifest/reader/subject.h"
#include "manifest/store/store.h"
#include "manifest/versions/listed.h"

enum { TABLE_FAMILIES, TABLE_SYSTEMS };

/* manifests/system.json: the distributions that NVIDIA lists for CUDA and for the driver. */
struct manifest_os_list {
    const char *id;           /* "system/cuda-12.8.1-image", "system/driver-guide" */
    const char *product;      /* cuda, driver */
    struct version version;   /* of CUDA: 12.8.1, or 11.2 for all of it; count 0: the driver */
    const char *kind;         /* guide: of an installation guide; image: container images */
    struct strlist ubuntu;    /* "22.04" */
    struct strlist debian;    /* "12" */
    struct strlist rhel;      /* "8": all of 8.x */
    struct strlist other;     /* ID and VERSION_ID of os-release: "amzn 2023", "sles 15.6" */
    struct version glibc_min; /* the lowest among them; count 0: unknown */
    const char *source;
    const char *confidence;
    const char *notes;
};

/* Which list of a row has the releases of a distribution. */
struct family {
    const char *id;
    const char *list;   /* ubuntu, debian, rhel */
    struct strlist ids; /* ID of os-release */
    const char *source;
    const char *confidence;
    const char *notes;
};

static const char *const lists[] = {"ubuntu", "debian", "rhel", NULL};
static const char *const products[] = {"cuda", "driver", NULL};
static const char *const kinds[] = {"image", "guide", NULL};

static const struct manifest_key family_keys[] = {
    KEY(family, list, KEY_CHOICE, .required = true, .choices = lists),
    KEY(family, ids, KEY_STRINGS, .required = true),
    KEYS_OF_EVERY_ROW(family),
    {.name = NULL},
};

static const struct manifest_key system_keys[] = {
    KEY(manifest_os_list, product, KEY_CHOICE, .required = true, .choices = products),
    KEY(manifest_os_list, version, KEY_VERSION),
    KEY(manifest_os_list, kind, KEY_CHOICE, .required = true, .choices = kinds),
    KEY(manifest_os_list, ubuntu, KEY_STRINGS),
    KEY(manifest_os_list, debian, KEY_STRINGS),
    KEY(manifest_os_list, rhel, KEY_STRINGS),
    KEY(manifest_os_list, other, KEY_STRINGS),
    KEY(manifest_os_list, glibc_min, KEY_VERSION),
    KEYS_OF_EVERY_ROW(manifest_os_list),
    {.name = NULL},
};

static char *family_id(const void *row)
{
    const struct family *family = row;
    return mem_printf("system/%s", family->list);
}

static char *system_id(const void *row)
{
    const struct manifest_os_list *system = row;
    char version[VERSION_TEXT_SIZE];
    version_text(&system->version, 0, version);
    return mem_printf("system/%s%s%s-%s", system->product, *version != '\0' ? "-" : "", version,
                      system->kind);
}

static bool family_check(const struct manifest_place *place, const void *row, const void *previous)
{
    const struct family *family = row;
    (void)previous;
    for (size_t i = 0; i < family->ids.count; i++)
        if (!slug_check(place, "ids", family->ids.items[i]))
            return false;
    return true;
}

static bool releases_check(const struct manifest_place *place, const char *key,
                           const struct strlist *releases)
{
    for (size_t i = 0; i < releases->count; i++) {
        struct version release;
        if (!version_parse(releases->items[i], &release))
            return place_problem(place, key, releases->items[i], "releases such as 22.04");
    }
    return true;
}

/* "sles 15.6": an ID, a space, a VERSION_ID. */
static bool others_check(const struct manifest_place *place, const struct strlist *others)
{
    for (size_t i = 0; i < others->count; i++) {
        const char *text = others->items[i];
        const char *space = strchr(text, ' ');
        if (space == NULL || space == text || space[1] == '\0' || strchr(space + 1, ' ') != NULL)
            return place_problem(place, "other", text, "an ID and a VERSION_ID: sles 15.6");
    }
    return true;
}

static bool system_check(const struct manifest_place *place, const void *row, const void *previous)
{
    const struct manifest_os_list *system = row;
    const struct manifest_os_list *before = previous;
    if (string_equal(system->product, "cuda") != (system->version.count > 0))
        return place_problem_version(place, "version", &system->version,
                                     "a version for cuda, none for driver");
    if (system->ubuntu.count + system->debian.count + system->rhel.count + system->other.count == 0)
        return place_problem(place, NULL, "none", "a list of systems");
    if (!releases_check(place, "ubuntu", &system->ubuntu) ||
        !releases_check(place, "debian", &system->debian) ||
        !releases_check(place, "rhel", &system->rhel) || !others_check(place, &system->other))
        return false;
    if (before == NULL || !string_equal(before->product, system->product) ||
        version_compare(&before->version, &system->version) <= 0)
        return true;
    return place_problem_version(place, "version", &system->version, "a row that sorts after %s",
                                 before->id);
}

static manifest_agreement system_agrees;

const struct manifest_subject manifest_system_subject = {
    .name = "system",
    .tables =
        {
            [TABLE_FAMILIES] = {.name = "families",
                                .about = "distributions that share a list",
                                .keys = family_keys,
                                .row_size = sizeof(struct family),
                                .id_offset = offsetof(struct family, id),
                                .id = family_id,
                                .check = family_check},
            [TABLE_SYSTEMS] = {.name = "rows",
                               .about = "systems that NVIDIA lists",
                               .keys = system_keys,
                               .row_size = sizeof(struct manifest_os_list),
                               .id_offset = offsetof(struct manifest_os_list, id),
                               .id = system_id,
                               .check = system_check,
                               .agrees = system_agrees},
        },
};

static bool system_agrees(struct manifest *manifest, struct manifest_place *place, const void *row)
{
    const struct manifest_os_list *system = row;
    return cuda_listed(manifest, place, "version", &system->version);
}

/* Which list has the releases of that distribution; NULL: none. */
static const char *list_of(struct manifest *manifest, const char *id)
{
    size_t count;
    const struct family *families =
        manifest_rows(manifest, &manifest_system_subject, TABLE_FAMILIES, &count);
    for (size_t i = 0; id && i < count; i++)
        if (strlist_has(&families[i].ids, id))
            return families[i].list;
    return NULL;
}

static bool has_release(const struct manifest_os_list *row, const char *list,
                        const struct version *release)
{
    const struct strlist *releases = string_equal(list, "ubuntu")   ? &row->ubuntu
                                     : string_equal(list, "debian") ? &row->debian
                                                                    : &row->rhel;
    struct version listed;
    for (size_t i = 0; i < releases->count; i++)
        if (version_parse(releases->items[i], &listed) && version_within(release, &listed))
            return true;
    return false;
}

bool manifest_cuda_first_for(struct manifest *manifest, const struct manifest_system *system,
                             struct version *ret_cuda)
{
    size_t count;
    const char *list = list_of(manifest, system->id);
    const struct manifest_os_list *rows =
        manifest_rows(manifest, &manifest_system_subject, TABLE_SYSTEMS, &count);
    for (size_t i = 0; list && system->release.count && i < count; i++)
        if (string_equal(rows[i].product, "cuda") && string_equal(rows[i].kind, "image") &&
            has_release(&rows[i], list, &system->release)) {
            *ret_cuda = rows[i].version; /* the rows are sorted */
            return true;
        }
    return false;
}

bool manifest_cuda_image_ubuntu(struct manifest *manifest, const struct version *cuda,
                                struct version *ret_release)
{
    size_t count;
    const struct manifest_os_list *rows =
        manifest_rows(manifest, &manifest_system_subject, TABLE_SYSTEMS, &count);
    const struct version minor = {.part = {cuda->part[0], cuda->part[1]}, .count = 2};
    *ret_release = (struct version){.count = 0};
    for (size_t i = 0; cuda->count >= 2 && i < count; i++) {
        if (!string_equal(rows[i].kind, "image") || !version_within(&rows[i].version, &minor))
            continue;
        for (size_t k = 0; k < rows[i].ubuntu.count; k++) {
            struct version release;
            if (version_parse(rows[i].ubuntu.items[k], &release) &&
                version_compare(&release, ret_release) > 0)
                *ret_release = release;
        }
    }
    return ret_release->count > 0;
}
