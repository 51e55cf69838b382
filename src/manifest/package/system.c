/* SPDX-License-Identifier: MIT */
#include "manifest/package/system.h"

#include <string.h>

#include "manifest/reader/slug.h"
#include "manifest/reader/subject.h"
#include "manifest/store/store.h"
#include "manifest/versions/listed.h"

/* manifests/system.json */
enum { TABLE_FAMILIES, TABLE_SYSTEMS };

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
    return place_problem_version(place, "version", &system->version, "a row above %s", before->id);
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

/* The list that has the releases of this ID; NULL where it is among the others. */
static const char *list_of(struct manifest *manifest, const char *os_id)
{
    size_t count;
    const struct family *rows =
        manifest_rows(manifest, &manifest_system_subject, TABLE_FAMILIES, &count);
    for (size_t i = 0; i < count; i++)
        if (strlist_has(&rows[i].ids, os_id))
            return rows[i].list;
    return NULL;
}

/* "8" has 8.10; what is no number is compared as it is. */
static bool release_has(const char *listed, const char *os_release)
{
    struct version prefix;
    struct version release;
    if (version_parse(listed, &prefix) && version_parse(os_release, &release))
        return version_within(&release, &prefix);
    return string_equal(listed, os_release);
}

static bool others_have(const struct strlist *others, const char *os_id, const char *os_release)
{
    AUTO_FREE char *prefix = mem_printf("%s ", os_id);
    for (size_t i = 0; i < others->count; i++)
        if (string_starts(others->items[i], prefix) &&
            release_has(others->items[i] + strlen(prefix), os_release))
            return true;
    return false;
}

static bool system_has(const struct manifest_os_list *system, const char *list, const char *os_id,
                       const char *os_release)
{
    if (list == NULL)
        return others_have(&system->other, os_id, os_release);
    const struct strlist *releases = string_equal(list, "ubuntu")   ? &system->ubuntu
                                     : string_equal(list, "debian") ? &system->debian
                                                                    : &system->rhel;
    for (size_t i = 0; i < releases->count; i++)
        if (release_has(releases->items[i], os_release))
            return true;
    return false;
}

/* Whether a row speaks of this CUDA: of the release, of all of its minor, or of one within it. */
static bool system_covers(const struct manifest_os_list *system, const struct version *cuda)
{
    if (cuda->count == 0 || system->version.count == 0)
        return cuda->count == system->version.count;
    return version_within(cuda, &system->version) || version_within(&system->version, cuda);
}

/* The version to ask for: that of the nearest earlier release where this one has no row. */
static struct version version_with_row(const struct manifest_os_list *rows, size_t count,
                                       const struct version *cuda)
{
    struct version nearest = *cuda;
    struct version minor = *cuda;
    minor.count = minor.count > 2 ? 2 : minor.count;
    for (size_t i = 0; i < count; i++) {
        if (system_covers(&rows[i], cuda))
            return *cuda;
        if (rows[i].version.count > 0 && version_within(&rows[i].version, &minor) &&
            version_compare(&rows[i].version, cuda) < 0)
            nearest = rows[i].version;
    }
    return nearest;
}

enum manifest_support manifest_system_find(struct manifest *manifest, const struct version *cuda,
                                           const char *os_id, const char *os_release,
                                           const struct manifest_os_list **ret_row)
{
    *ret_row = NULL;
    if (os_id == NULL || os_release == NULL)
        return SUPPORT_UNKNOWN;
    size_t count;
    const struct manifest_os_list *rows =
        manifest_rows(manifest, &manifest_system_subject, TABLE_SYSTEMS, &count);
    struct version version = version_with_row(rows, count, cuda);
    const char *list = list_of(manifest, os_id);
    enum manifest_support support = SUPPORT_UNKNOWN;
    for (size_t i = 0; i < count; i++) {
        if (!system_covers(&rows[i], &version))
            continue;
        bool has = system_has(&rows[i], list, os_id, os_release);
        if (support == SUPPORT_LISTED && !has)
            continue;
        support = has ? SUPPORT_LISTED : SUPPORT_NOT_LISTED;
        *ret_row = &rows[i];
    }
    return support;
}

static bool system_agrees(struct manifest *manifest, struct manifest_place *place, const void *row)
{
    const struct manifest_os_list *system = row;
    return cuda_listed(manifest, place, "version", &system->version);
}
