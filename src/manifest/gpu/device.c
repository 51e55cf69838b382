/* SPDX-License-Identifier: MIT */
#include "manifest/gpu/device.h"

#include <string.h>

#include "base/hex.h"
#include "manifest/gpu/gpu.h"
#include "manifest/gpu/gpu_table.h"
#include "manifest/reader/slug.h"
#include "manifest/reader/subject.h"
#include "manifest/store/store.h"
#include "manifest/versions/capability.h"
#include "base/text.h"

/* manifests/device.json: PCI device ids. */
enum { TABLE_CHIPS, TABLE_ROWS, TABLE_LISTED, TABLE_BOARDS };

/* A board of virtual GPUs, as their names begin: H100XM of H100XM-80C. */
struct device_board {
    const char *id;
    const char *board;
    struct strlist device_ids;
    const char *source;
    const char *confidence;
    const char *notes;
};

static const struct manifest_key chip_keys[] = {
    KEY(manifest_chip, chip, KEY_STRING, .required = true),
    KEY(manifest_chip, architecture, KEY_STRING, .required = true),
    KEY(manifest_chip, capability, KEY_VERSION),
    KEYS_OF_EVERY_ROW(manifest_chip),
    {.name = NULL},
};

static const struct manifest_key row_keys[] = {
    KEY(manifest_gpu, name, KEY_STRING, .required = true),
    KEY(manifest_gpu, names, KEY_STRINGS),
    KEY_AS(manifest_gpu, gpu_class, "class", KEY_CHOICE, .choices = manifest_gpu_classes),
    KEY(manifest_gpu, architecture, KEY_STRING, .required = true),
    KEY(manifest_gpu, capability, KEY_VERSION),
    KEY(manifest_gpu, chip, KEY_STRING, .required = true),
    KEY(manifest_gpu, device_ids, KEY_STRINGS, .required = true),
    KEYS_OF_EVERY_ROW(manifest_gpu),
    {.name = NULL},
};

static const struct manifest_key listed_keys[] = {
    KEY(manifest_listed, branch, KEY_UNSIGNED, .required = true),
    KEY(manifest_listed, release, KEY_VERSION),
    KEY(manifest_listed, device_ids, KEY_STRINGS, .required = true),
    KEYS_OF_EVERY_ROW(manifest_listed),
    {.name = NULL},
};

static const struct manifest_key board_keys[] = {
    KEY(device_board, board, KEY_STRING, .required = true),
    KEY(device_board, device_ids, KEY_STRINGS, .required = true),
    KEYS_OF_EVERY_ROW(device_board),
    {.name = NULL},
};

static char *chip_id(const void *row)
{
    const struct manifest_chip *chip = row;
    AUTO_FREE char *slug = manifest_slug(chip->chip);
    return mem_printf("device/chips/%s", slug);
}

/* Two models of one name have different ids. */
static char *row_id(const void *row)
{
    const struct manifest_gpu *gpu = row;
    AUTO_FREE char *slug = manifest_slug(gpu->name);
    return mem_printf("device/%s-%s", slug,
                      gpu->device_ids.count > 0 ? gpu->device_ids.items[0] : "");
}

static char *listed_id(const void *row)
{
    const struct manifest_listed *listed = row;
    char version[VERSION_TEXT_SIZE];
    if (listed->release.count == 0)
        return mem_printf("device/listed/%u", listed->branch);
    return mem_printf("device/listed/%s", version_text(&listed->release, 0, version));
}

static char *board_id(const void *row)
{
    const struct device_board *board = row;
    AUTO_FREE char *slug = manifest_slug(board->board);
    return mem_printf("device/boards/%s", slug);
}

static bool ids_check(const struct manifest_place *place, const struct strlist *ids)
{
    for (size_t i = 0; i < ids->count; i++)
        if (!hex_is(ids->items[i], 4))
            return place_problem(place, "device_ids", ids->items[i],
                                 "four lowercase hexadecimal digits each");
    return true;
}

/* As pci.ids writes them. */
static bool chip_check(const struct manifest_place *place, const void *row, const void *previous)
{
    const struct manifest_chip *chip = row;
    (void)previous;
    return chip->chip[strspn(chip->chip, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")] == '\0' ||
           place_problem(place, "chip", chip->chip, "capital letters and digits: GA106");
}

static bool row_check(const struct manifest_place *place, const void *row, const void *previous)
{
    (void)previous;
    return ids_check(place, &((const struct manifest_gpu *)row)->device_ids);
}

static bool board_check(const struct manifest_place *place, const void *row, const void *previous)
{
    (void)previous;
    return ids_check(place, &((const struct device_board *)row)->device_ids);
}

static bool listed_check(const struct manifest_place *place, const void *row, const void *previous)
{
    const struct manifest_listed *listed = row;
    const struct manifest_listed *before = previous;
    if (before && listed->branch < before->branch)
        return place_problem(place, "branch", NULL, "%u or greater, as in the row before",
                             before->branch);
    if (listed->release.count > 0 && listed->release.part[0] != listed->branch)
        return place_problem_version(place, "release", &listed->release, "a release of branch %u",
                                     listed->branch);
    return ids_check(place, &listed->device_ids);
}

static bool chip_agrees(struct manifest *manifest, struct manifest_place *place, const void *row)
{
    const struct manifest_chip *chip = row;
    return chip->capability.count == 0 ||
           gpu_chip_agrees(manifest, place, &chip->capability, chip->architecture);
}

static const struct manifest_chip *chip_find(struct manifest *manifest, const char *chip)
{
    size_t count;
    const struct manifest_chip *rows =
        manifest_rows(manifest, &manifest_device_subject, TABLE_CHIPS, &count);
    for (size_t i = 0; i < count; i++)
        if (string_equal(rows[i].chip, chip))
            return &rows[i];
    return NULL;
}

static bool row_agrees(struct manifest *manifest, struct manifest_place *place, const void *row)
{
    const struct manifest_gpu *gpu = row;
    const struct manifest_chip *chip = chip_find(manifest, gpu->chip);
    if (chip == NULL)
        return place_problem(place, "chip", gpu->chip, "a chip of device/chips");
    if (version_compare(&chip->capability, &gpu->capability) != 0)
        return place_problem_version(place, "capability", &gpu->capability,
                                     "the compute capability of %s", chip->id);
    if (!string_equal(chip->architecture, gpu->architecture))
        return place_problem(place, "architecture", gpu->architecture, "%s, as in %s",
                             chip->architecture, chip->id);
    return gpu_ids_agree(manifest, place, gpu);
}

const struct manifest_subject manifest_device_subject = {
    .name = "device",
    .later = true,
    .tables =
        {
            [TABLE_CHIPS] = {.name = "chips",
                             .about = "chips and their compute capability",
                             .keys = chip_keys,
                             .row_size = sizeof(struct manifest_chip),
                             .id_offset = offsetof(struct manifest_chip, id),
                             .id = chip_id,
                             .check = chip_check,
                             .agrees = chip_agrees},
            [TABLE_ROWS] = {.name = "rows",
                            .about = "GPUs by PCI id, as public lists name them",
                            .keys = row_keys,
                            .row_size = sizeof(struct manifest_gpu),
                            .id_offset = offsetof(struct manifest_gpu, id),
                            .id = row_id,
                            .check = row_check,
                            .agrees = row_agrees},
            [TABLE_LISTED] = {.name = "listed",
                              .about = "releases that first list GPUs",
                              .keys = listed_keys,
                              .row_size = sizeof(struct manifest_listed),
                              .id_offset = offsetof(struct manifest_listed, id),
                              .id = listed_id,
                              .check = listed_check},
            [TABLE_BOARDS] = {.name = "boards",
                              .about = "boards of virtual GPUs",
                              .keys = board_keys,
                              .row_size = sizeof(struct device_board),
                              .id_offset = offsetof(struct device_board, id),
                              .id = board_id,
                              .check = board_check},
        },
};

/* The longest number in a name, a new string; NULL: it has none. */
static char *number_in(const char *name)
{
    size_t longest = 0;
    const char *start = name;
    for (const char *at = name; *at != '\0';) {
        size_t digits = strspn(at, "0123456789");
        if (digits > longest) {
            longest = digits;
            start = at;
        }
        at += digits > 0 ? digits : 1;
    }
    return longest > 0 ? mem_printf("%.*s", (int)longest, start) : NULL;
}

const struct manifest_gpu *device_rows_named(struct manifest *manifest, const char *name,
                                             size_t *ret_count)
{
    AUTO_STRLIST struct strlist texts = {0};
    AUTO_FREE char *number = number_in(name);
    if (number == NULL)
        return manifest_rows(manifest, &manifest_device_subject, TABLE_ROWS, ret_count);
    strlist_add(&texts, number);
    return manifest_rows_selected(manifest, &manifest_device_subject, TABLE_ROWS, &texts,
                                  ret_count);
}

const struct manifest_gpu *device_rows_saying(struct manifest *manifest,
                                              const struct strlist *words, size_t *ret_count)
{
    return manifest_rows_saying(manifest, &manifest_device_subject, TABLE_ROWS, words, ret_count);
}

const struct strlist *device_board_ids(struct manifest *manifest, const char *board)
{
    size_t count;
    const struct device_board *rows =
        manifest_rows(manifest, &manifest_device_subject, TABLE_BOARDS, &count);
    AUTO_FREE char *wanted = manifest_slug(board);
    for (size_t i = 0; i < count; i++) {
        AUTO_FREE char *slug = manifest_slug(rows[i].board);
        if (string_equal(slug, wanted))
            return &rows[i].device_ids;
    }
    return NULL;
}

enum manifest_listing manifest_device_listing(struct manifest *manifest, const char *device_id,
                                              const struct version *driver,
                                              const struct manifest_listed **ret_row,
                                              const struct version **ret_first)
{
    size_t count;
    AUTO_FREE char *id = string_lower(mem_string(device_id));
    const struct manifest_listed *last = NULL;
    const struct version *first = NULL;
    const struct version *after = NULL;
    const struct manifest_listed *rows =
        manifest_rows(manifest, &manifest_device_subject, TABLE_LISTED, &count);
    for (size_t i = 0; i < count; i++) {
        if (!strlist_has(&rows[i].device_ids, id))
            continue;
        if (first == NULL && rows[i].release.count > 0)
            first = &rows[i].release;
        if (after == NULL && version_compare(&rows[i].release, driver) > 0)
            after = &rows[i].release;
        if (rows[i].branch <= driver->part[0])
            last = &rows[i];
    }
    if (ret_row != NULL)
        *ret_row = last;
    if (ret_first != NULL)
        *ret_first = after != NULL ? after : first;
    if (first == NULL || driver->part[0] < rows[0].branch)
        return LISTING_UNKNOWN;
    if (last == NULL || last->release.count == 0)
        return LISTING_NO;
    return version_compare(driver, &last->release) >= 0 ? LISTING_YES : LISTING_NO;
}
