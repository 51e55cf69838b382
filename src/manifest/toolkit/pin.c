/* SPDX-License-Identifier: MIT */
#include "manifest/toolkit/pin.h"

#include <string.h>

#include "manifest/reader/subject.h"
#include "manifest/store/store.h"
#include "manifest/toolkit/cudnn.h"
#include "manifest/versions/cuda.h"
#include "manifest/versions/listed.h"

/* manifests/pin.json: the redistrib files that are known. */
static const char *const pins[] = {"file", "content", "none", NULL};

/* The keys that stand for platforms in NVIDIA's files: one for each kind of machine, and two for
 * what belongs to all of them. */
static const char *const platforms[] = {
    "linux-x86_64",  "linux-sbsa", "linux-aarch64",
    "linux-ppc64le", "linux-all",  "windows-x86_64",
    "windows-arm64", "source",     NULL,
};

static const struct manifest_key keys[] = {
    KEY(manifest_pin, product, KEY_STRING, .required = true),
    KEY(manifest_pin, version, KEY_VERSION, .required = true),
    KEY(manifest_pin, pin, KEY_CHOICE, .required = true, .choices = pins),
    KEY(manifest_pin, sha256, KEY_SHA256),
    KEY(manifest_pin, size, KEY_SIZE),
    KEY(manifest_pin, path, KEY_STRING, .required = true),
    KEY(manifest_pin, date, KEY_DATE),
    KEY(manifest_pin, platforms, KEY_STRINGS),
    KEY(manifest_pin, variants, KEY_STRINGS),
    KEY(manifest_pin, superseded, KEY_VERSION),
    KEYS_OF_EVERY_ROW(manifest_pin),
    {.name = NULL},
};

static char *pin_id(const void *row)
{
    const struct manifest_pin *pin = row;
    char version[VERSION_TEXT_SIZE];
    return mem_printf("pin/%s-%s", pin->product, version_text(&pin->version, 0, version));
}

static bool check_name(const struct manifest_place *place, const struct manifest_pin *pin,
                       const struct manifest_pin *before)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789_-";
    if (pin->product[strspn(pin->product, letters)] != '\0')
        return place_problem(place, "product", pin->product, "only lowercase letters and digits");
    int order = before != NULL ? strcmp(pin->product, before->product) : 1;
    if (order < 0)
        return place_problem(place, "product", pin->product, "a row that sorts after %s",
                             before->id);
    if (order == 0 && version_compare(&pin->version, &before->version) <= 0)
        return place_problem_version(place, "version", &pin->version, "a row that sorts after %s",
                                     before->id);
    char version[VERSION_TEXT_SIZE];
    AUTO_FREE char *path = mem_printf("/compute/%s/redist/redistrib_%s.json", pin->product,
                                      version_text(&pin->version, 0, version));
    return string_equal(pin->path, path) ||
           place_problem(place, "path", pin->path, "%s, from product and version", path);
}

/* What the row says must be what its kind of pin rests on, no less and no more. */
static bool check_proof(const struct manifest_place *place, const struct manifest_pin *pin)
{
    if (manifest_pin_is_pinned(pin) && pin->sha256 == NULL)
        return place_problem(place, "sha256", "nothing", "a digest, since pin is \"%s\"", pin->pin);
    if (!manifest_pin_is_pinned(pin) && pin->sha256 != NULL)
        return place_problem(place, "sha256", pin->sha256, "nothing, since pin is \"none\"");
    AUTO_FREE char *size = mem_printf("%llu", (unsigned long long)pin->size);
    if (pin->size > 0 && !string_equal(pin->pin, "file"))
        return place_problem(place, "size", size, "nothing, since pin is \"%s\"", pin->pin);
    return true;
}

static bool check_contents(const struct manifest_place *place, const struct manifest_pin *pin)
{
    for (size_t i = 0; i < pin->platforms.count; i++) {
        const char *const *platform = platforms;
        while (*platform != NULL && !string_equal(*platform, pin->platforms.items[i]))
            platform++;
        if (*platform == NULL)
            return place_problem(place, "platforms", pin->platforms.items[i],
                                 "platforms such as linux-x86_64");
    }
    for (size_t i = 0; i < pin->variants.count; i++) {
        struct version variant;
        if (!version_parse(pin->variants.items[i], &variant) || variant.count > 2)
            return place_problem(place, "variants", pin->variants.items[i],
                                 "CUDA versions such as 12 or 13.1");
    }
    return true;
}

static bool pin_check(const struct manifest_place *place, const void *row, const void *previous)
{
    return check_name(place, row, previous) && check_proof(place, row) &&
           check_contents(place, row);
}

static manifest_agreement pin_agrees;

const struct manifest_subject manifest_pin_subject = {
    .name = "pin",
    .tables = {{.name = "rows",
                .about = "redistrib files and their pins",
                .keys = keys,
                .row_size = sizeof(struct manifest_pin),
                .id_offset = offsetof(struct manifest_pin, id),
                .id = pin_id,
                .check = pin_check,
                .agrees = pin_agrees}},
};

const struct manifest_pin *manifest_pin_all(struct manifest *manifest, size_t *ret_count)
{
    return manifest_rows(manifest, &manifest_pin_subject, 0, ret_count);
}

const struct manifest_pin *manifest_pin_find(struct manifest *manifest, const char *product,
                                             const struct version *version)
{
    size_t count;
    const struct manifest_pin *rows = manifest_pin_all(manifest, &count);
    for (size_t i = 0; i < count; i++)
        if (version->count == rows[i].version.count && string_equal(rows[i].product, product) &&
            version_compare(version, &rows[i].version) == 0)
            return &rows[i];
    return NULL;
}

bool manifest_pin_is_pinned(const struct manifest_pin *pin)
{
    return !string_equal(pin->pin, "none");
}

const struct manifest_pin *manifest_pin_oldest(struct manifest *manifest, const char *product)
{
    size_t count;
    const struct manifest_pin *rows = manifest_pin_all(manifest, &count);
    for (size_t i = 0; i < count; i++)
        if (string_equal(rows[i].product, product))
            return &rows[i];
    return NULL;
}

bool manifest_pin_product(struct manifest *manifest, const char *product)
{
    return manifest_pin_oldest(manifest, product) != NULL;
}

/* Dates may differ in how exact they are. */
static bool dates_agree(const char *a, const char *b)
{
    return a == NULL || b == NULL || string_starts(a, b) || string_starts(b, a);
}

static bool cuda_release_agrees(struct manifest *manifest, struct manifest_place *place,
                                const struct manifest_pin *pin)
{
    const struct manifest_cuda *cuda = manifest_cuda_find(manifest, &pin->version);
    if (cuda == NULL)
        return cuda_listed(manifest, place, "version", &pin->version);
    return dates_agree(pin->date, cuda->date) ||
           place_problem(place, "date", pin->date, "%s, as in %s", cuda->date, cuda->id);
}

/* The date of a cuDNN file may be that of a later edition. */
static bool cudnn_release_listed(struct manifest *manifest, struct manifest_place *place,
                                 const struct manifest_pin *pin)
{
    struct version release = pin->version;
    if (release.count > 3)
        release.count = 3;
    return manifest_cudnn_find(manifest, &release) != NULL ||
           place_problem_version(place, "version", &pin->version,
                                 "a version of a cuDNN release that cudnn.rows lists");
}

/* One digest proves one file. */
static bool digest_is_its_own(struct manifest *manifest, struct manifest_place *place,
                              const struct manifest_pin *pin)
{
    size_t count;
    const struct manifest_pin *rows = manifest_pin_all(manifest, &count);
    for (const struct manifest_pin *other = rows; other < rows + count; other++)
        if (other < pin && pin->sha256 != NULL && string_equal(other->sha256, pin->sha256))
            return place_problem(place, "sha256", pin->sha256, "a different digest than in %s",
                                 other->id);
    return true;
}

static bool pin_agrees(struct manifest *manifest, struct manifest_place *place, const void *row)
{
    const struct manifest_pin *pin = row;
    if (string_equal(pin->product, "cuda") && !cuda_release_agrees(manifest, place, pin))
        return false;
    if (string_equal(pin->product, "cudnn") && !cudnn_release_listed(manifest, place, pin))
        return false;
    if (!digest_is_its_own(manifest, place, pin))
        return false;
    if (pin->superseded.count == 0)
        return true;
    const struct manifest_pin *other = manifest_pin_find(manifest, pin->product, &pin->superseded);
    return (other != NULL && other->superseded.count == 0) ||
           place_problem_version(place, "superseded", &pin->superseded,
                                 "a version of %s whose row is not superseded", pin->product);
}
