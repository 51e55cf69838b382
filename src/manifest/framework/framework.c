/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "manifest/framework/framework_table.h"
#include "manifest/reader/range.h"
#include "manifest/reader/slug.h"
#include "manifest/reader/subject.h"
#include "manifest/store/store.h"

/* manifests/framework.json. Its table of builds is in framework_build.c. */

static const char *const natives[] = {"yes", "rider", "no", NULL};
static const char *const codes[] = {"none", "compiled", NULL};
static const char *const states[] = {"active", "ended", NULL};
static const char *const moments[] = {"install", "import", "optional", NULL};
static const char *const uses[] = {"run", "test", NULL};

static const struct manifest_key framework_keys[] = {
    KEY(manifest_framework, framework, KEY_STRING, .required = true),
    KEY(manifest_framework, title, KEY_STRING, .required = true),
    KEY(manifest_framework, names, KEY_STRINGS),
    KEY(manifest_framework, shared_names, KEY_STRINGS),
    KEY(manifest_framework, native, KEY_CHOICE, .required = true, .choices = natives),
    KEY(manifest_framework, backends, KEY_STRINGS),
    KEY(manifest_framework, pip, KEY_STRING),
    KEY(manifest_framework, pip_source, KEY_STRING),
    KEY(manifest_framework, jit, KEY_STRING),
    KEY(manifest_framework, gpu_code, KEY_CHOICE, .choices = codes),
    KEY(manifest_framework, status, KEY_CHOICE, .choices = states),
    KEYS_OF_EVERY_ROW(manifest_framework),
    {.name = NULL},
};

static const struct manifest_key pin_keys[] = {
    KEY(manifest_framework_pin, framework, KEY_STRING, .required = true),
    KEY(manifest_framework_pin, release, KEY_STRING, .required = true),
    KEY(manifest_framework_pin, variant, KEY_STRING),
    KEY(manifest_framework_pin, at, KEY_CHOICE, .required = true, .choices = moments),
    KEY(manifest_framework_pin, package, KEY_STRING, .required = true),
    KEY(manifest_framework_pin, spec, KEY_STRING, .required = true),
    KEY(manifest_framework_pin, newest, KEY_VERSION),
    KEYS_OF_EVERY_ROW(manifest_framework_pin),
    {.name = NULL},
};

static const struct manifest_key rider_keys[] = {
    KEY(manifest_rider, framework, KEY_STRING, .required = true),
    KEY(manifest_rider, release, KEY_STRING, .required = true),
    KEY(manifest_rider, backend, KEY_STRING, .required = true),
    KEY(manifest_rider, use, KEY_CHOICE, .required = true, .choices = uses),
    KEY(manifest_rider, spec, KEY_STRING, .required = true),
    KEY(manifest_rider, version, KEY_VERSION),
    KEY(manifest_rider, python, KEY_STRING),
    KEYS_OF_EVERY_ROW(manifest_rider),
    {.name = NULL},
};

static const struct manifest_key index_keys[] = {
    KEY(manifest_torch_index, order, KEY_UNSIGNED, .required = true),
    KEY(manifest_torch_index, index, KEY_STRING, .required = true),
    KEY(manifest_torch_index, cuda, KEY_VERSION, .required = true),
    KEY(manifest_torch_index, driver_min, KEY_VERSION, .required = true),
    KEY(manifest_torch_index, driver_min_windows, KEY_VERSION),
    KEYS_OF_EVERY_ROW(manifest_torch_index),
    {.name = NULL},
};

static const struct manifest_key capability_keys[] = {
    KEY(manifest_framework_capability, framework, KEY_STRING, .required = true),
    KEY(manifest_framework_capability, capability, KEY_VERSION, .required = true),
    KEY(manifest_framework_capability, cudas, KEY_STRINGS, .required = true),
    KEYS_OF_EVERY_ROW(manifest_framework_capability),
    {.name = NULL},
};

static const char *const glibc_architectures[] = {"aarch64", NULL};

static const struct manifest_key glibc_keys[] = {
    KEY(manifest_framework_glibc, framework, KEY_STRING, .required = true),
    KEY(manifest_framework_glibc, architecture, KEY_CHOICE, .choices = glibc_architectures),
    KEY(manifest_framework_glibc, release, KEY_VERSION, .required = true),
    KEY(manifest_framework_glibc, glibc, KEY_VERSION, .required = true),
    KEY(manifest_framework_glibc, everywhere, KEY_CHOICE, .choices = manifest_yes),
    KEYS_OF_EVERY_ROW(manifest_framework_glibc),
    {.name = NULL},
};

static const struct manifest_key wheel_keys[] = {
    KEY(manifest_framework_wheel, framework, KEY_STRING, .required = true),
    KEY(manifest_framework_wheel, releases, KEY_RANGE, .required = true),
    KEY(manifest_framework_wheel, cuda, KEY_VERSION, .required = true),
    KEYS_OF_EVERY_ROW(manifest_framework_wheel),
    {.name = NULL},
};

static char *framework_id(const void *row)
{
    const struct manifest_framework *framework = row;
    return mem_printf("framework/%s", framework->framework);
}

static char *pin_id(const void *row)
{
    const struct manifest_framework_pin *pin = row;
    bool any = pin->variant == NULL;
    AUTO_FREE char *package = manifest_slug(pin->package);
    return mem_printf("framework/%s-%s%s%s:%s", pin->framework, pin->release, any ? "" : "+",
                      any ? "" : pin->variant, package);
}

static char *rider_id(const void *row)
{
    const struct manifest_rider *rider = row;
    return mem_printf("framework/%s-%s:%s%s", rider->framework, rider->release, rider->backend,
                      string_equal(rider->use, "test") ? "-test" : "");
}

static char *index_id(const void *row)
{
    const struct manifest_torch_index *index = row;
    return mem_printf("framework/index-%s", index->index);
}

static char *capability_id(const void *row)
{
    const struct manifest_framework_capability *capability = row;
    char version[VERSION_TEXT_SIZE];
    return mem_printf("framework/%s:%s", capability->framework,
                      version_text(&capability->capability, 0, version));
}

static char *glibc_id(const void *row)
{
    const struct manifest_framework_glibc *glibc = row;
    char version[VERSION_TEXT_SIZE];
    return mem_printf("framework/%s-%s:glibc%s%s", glibc->framework,
                      version_text(&glibc->release, 0, version), glibc->architecture ? "-" : "",
                      glibc->architecture ? glibc->architecture : "");
}

static char *wheel_id(const void *row)
{
    const struct manifest_framework_wheel *wheel = row;
    char version[VERSION_TEXT_SIZE];
    return mem_printf("framework/%s-%s:wheel", wheel->framework,
                      version_text(&wheel->releases.from, 0, version));
}

static bool framework_check(const struct manifest_place *place, const void *row,
                            const void *previous)
{
    const struct manifest_framework *framework = row;
    const struct manifest_framework *before = previous;
    bool is_rider = string_equal(framework->native, "rider");
    if (!slug_check(place, "framework", framework->framework))
        return false;
    for (size_t i = 0; i < framework->names.count; i++)
        if (!slug_check(place, "names", framework->names.items[i]))
            return false;
    for (size_t i = 0; i < framework->shared_names.count; i++)
        if (!slug_check(place, "shared_names", framework->shared_names.items[i]))
            return false;
    if (before != NULL && !framework_order_check(place, framework->framework, NULL,
                                                 before->framework, NULL, before->id))
        return false;
    if (is_rider != (framework->backends.count > 0))
        return place_problem(place, "backends", is_rider ? "nothing" : framework->backends.items[0],
                             is_rider ? "the frameworks that this rider runs on"
                                      : "none, since native is not \"rider\"");
    return true;
}

static bool pin_check(const struct manifest_place *place, const void *row, const void *previous)
{
    const struct manifest_framework_pin *pin = row;
    const struct manifest_framework_pin *before = previous;
    if (!string_starts(pin->spec, ">=") && !string_starts(pin->spec, "=="))
        return place_problem(place, "spec", pin->spec, "\">=\" or \"==\" and a version");
    return before == NULL || framework_order_check(place, pin->framework, pin->release,
                                                   before->framework, before->release, before->id);
}

static bool rider_check(const struct manifest_place *place, const void *row, const void *previous)
{
    const struct manifest_rider *rider = row;
    const struct manifest_rider *before = previous;
    return before == NULL || framework_order_check(place, rider->framework, rider->release,
                                                   before->framework, before->release, before->id);
}

/* Newest first, and never with a higher floor than the one before. */
static bool index_check(const struct manifest_place *place, const void *row, const void *previous)
{
    const struct manifest_torch_index *index = row;
    const struct manifest_torch_index *before = previous;
    AUTO_FREE char *tag = mem_printf("cu%u%u", index->cuda.part[0], index->cuda.part[1]);
    if (index->cuda.count != 2)
        return place_problem_version(place, "cuda", &index->cuda, "two numbers");
    if (!string_equal(index->index, tag))
        return place_problem(place, "index", index->index, "%s", tag);
    if (before == NULL)
        return true;
    if (index->order != before->order + 1) {
        AUTO_FREE char *found = mem_printf("%u", index->order);
        return place_problem(place, "order", found, "one more than in %s", before->id);
    }
    if (version_compare(&index->cuda, &before->cuda) >= 0)
        return place_problem_version(place, "cuda", &index->cuda, "less than in %s", before->id);
    if (version_compare(&index->driver_min, &before->driver_min) > 0)
        return place_problem_version(place, "driver_min", &index->driver_min,
                                     "at most the value in %s", before->id);
    return true;
}

static bool capability_check(const struct manifest_place *place, const void *row,
                             const void *previous)
{
    const struct manifest_framework_capability *capability = row;
    const struct manifest_framework_capability *before = previous;
    if (capability->capability.count != 2)
        return place_problem_version(place, "capability", &capability->capability, "two numbers");
    if (before != NULL && string_equal(capability->framework, before->framework) &&
        version_compare(&capability->capability, &before->capability) < 0)
        return place_problem_version(place, "capability", &capability->capability,
                                     "a row that sorts after %s", before->id);
    return framework_cudas_check(place, "cudas", &capability->cudas);
}

static bool glibc_check(const struct manifest_place *place, const void *row, const void *previous)
{
    const struct manifest_framework_glibc *glibc = row;
    const struct manifest_framework_glibc *before = previous;
    char release[VERSION_TEXT_SIZE], release_before[VERSION_TEXT_SIZE];
    version_text(&glibc->release, 0, release);
    if (glibc->glibc.count != 2)
        return place_problem_version(place, "glibc", &glibc->glibc, "two numbers");
    if (before == NULL)
        return true;
    version_text(&before->release, 0, release_before);
    return framework_order_check(place, glibc->framework, release, before->framework,
                                 release_before, before->id);
}

/* What comes after a range is not known to be as what is in it. */
static bool wheel_check(const struct manifest_place *place, const void *row, const void *previous)
{
    const struct manifest_framework_wheel *wheel = row;
    const struct manifest_framework_wheel *before = previous;
    const struct version *from = &wheel->releases.from;
    if (!slug_check(place, "framework", wheel->framework))
        return false;
    if (from->count == 0 || wheel->releases.below.count == 0)
        return place_problem(place, "releases", wheel->framework, "both ends of a range");
    int order = before ? strcmp(before->framework, wheel->framework) : -1;
    if (order > 0)
        return place_problem(place, "framework", wheel->framework, "a row that sorts after %s",
                             before->id);
    if (order == 0 && version_compare(from, &before->releases.below) < 0)
        return place_problem_version(place, "releases", from, "a row that sorts after %s",
                                     before->id);
    return true;
}

#define TABLE(table, words, row, table_keys, stem, agreement)                                      \
    {                                                                                              \
        .name = (table), .about = (words), .keys = (table_keys), .row_size = sizeof(struct row),   \
        .id_offset = offsetof(struct row, id), .id = stem##_id, .check = stem##_check,             \
        .agrees = (agreement)                                                                      \
    }
const struct manifest_subject manifest_framework_subject = {
    .name = "framework",
    .tables =
        {
            [FRAMEWORK_FRAMEWORKS] = TABLE("frameworks", "frameworks", manifest_framework,
                                           framework_keys, framework, framework_agrees),
            [FRAMEWORK_BUILDS] =
                TABLE("builds", "builds of frameworks", manifest_build, framework_build_keys,
                      framework_build, framework_build_agrees),
            [FRAMEWORK_PINS] = TABLE("pins", "versions that builds require", manifest_framework_pin,
                                     pin_keys, pin, framework_pin_agrees),
            [FRAMEWORK_RIDERS] = TABLE("riders", "what riders need from a backend", manifest_rider,
                                       rider_keys, rider, framework_rider_agrees),
            [FRAMEWORK_INDEXES] = TABLE("indexes", "indexes of PyTorch", manifest_torch_index,
                                        index_keys, index, framework_index_agrees),
            [FRAMEWORK_CAPABILITIES] = TABLE("capabilities", "GPUs that packages contain code for",
                                             manifest_framework_capability, capability_keys,
                                             capability, framework_capability_agrees),
            [FRAMEWORK_GLIBCS] =
                TABLE("glibcs", "the C library that wheels need", manifest_framework_glibc,
                      glibc_keys, glibc, framework_glibc_agrees),
            [FRAMEWORK_WHEELS] =
                TABLE("wheels", "the CUDA version of wheels that do not state one",
                      manifest_framework_wheel, wheel_keys, wheel, framework_wheel_agrees),
        },
};

const struct manifest_framework *manifest_frameworks(struct manifest *manifest, size_t *ret_count)
{
    return manifest_rows(manifest, &manifest_framework_subject, FRAMEWORK_FRAMEWORKS, ret_count);
}

const struct manifest_build *manifest_builds(struct manifest *manifest, size_t *ret_count)
{
    return manifest_rows(manifest, &manifest_framework_subject, FRAMEWORK_BUILDS, ret_count);
}

const struct manifest_framework_pin *manifest_framework_pins(struct manifest *manifest,
                                                             size_t *ret_count)
{
    return manifest_rows(manifest, &manifest_framework_subject, FRAMEWORK_PINS, ret_count);
}

const struct manifest_rider *manifest_riders(struct manifest *manifest, size_t *ret_count)
{
    return manifest_rows(manifest, &manifest_framework_subject, FRAMEWORK_RIDERS, ret_count);
}

const struct manifest_framework_capability *
manifest_framework_capabilities(struct manifest *manifest, size_t *ret_count)
{
    return manifest_rows(manifest, &manifest_framework_subject, FRAMEWORK_CAPABILITIES, ret_count);
}

const struct manifest_framework_glibc *manifest_framework_glibc_find(struct manifest *manifest,
                                                                     const char *framework,
                                                                     const char *architecture,
                                                                     const struct version *release)
{
    size_t count;
    const struct manifest_framework_glibc *rows =
        manifest_rows(manifest, &manifest_framework_subject, FRAMEWORK_GLIBCS, &count);
    const struct manifest_framework_glibc *found = NULL;
    for (size_t i = 0; i < count; i++)
        if (string_equal(rows[i].framework, framework) &&
            string_equal(rows[i].architecture ? rows[i].architecture : "x86_64", architecture) &&
            version_compare(&rows[i].release, release) <= 0)
            found = &rows[i];
    return found;
}

struct version manifest_build_glibc(struct manifest *manifest, const struct manifest_build *build,
                                    const char *architecture)
{
    const struct version unknown = {.count = 0};
    struct version release;
    if (!string_equal(build->kind, "wheel") || build->release == NULL ||
        !version_parse_prefix(build->release, &release))
        return unknown;
    const struct manifest_framework_glibc *row = manifest_framework_glibc_find(
        manifest, build->framework, architecture ? architecture : "x86_64", &release);
    if (row == NULL || (string_equal(build->is_default, "no") && row->everywhere == NULL))
        return unknown;
    return row->glibc;
}

const struct manifest_framework_wheel *manifest_framework_wheel_find(struct manifest *manifest,
                                                                     const char *framework,
                                                                     const struct version *release)
{
    size_t count;
    const struct manifest_framework_wheel *rows =
        manifest_rows(manifest, &manifest_framework_subject, FRAMEWORK_WHEELS, &count);
    for (size_t i = 0; i < count; i++)
        if (string_equal(rows[i].framework, framework) &&
            manifest_range_has(&rows[i].releases, release))
            return &rows[i];
    return NULL;
}
