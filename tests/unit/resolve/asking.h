/* SPDX-License-Identifier: MIT */
#ifndef TESTS_UNIT_RESOLVE_ASKING_H
#define TESTS_UNIT_RESOLVE_ASKING_H

#include "test.h"

#include "base/error.h"
#include "base/strlist.h"
#include "base/text.h"
#include "base/version.h"
#include "manifest/gpu/gpu.h"
#include "manifest/manifest.h"
#include "manifest/toolkit/pin.h"
#include "manifest/versions/cuda.h"
#include "manifest/versions/driver.h"
#include "resolve/engine/resolution.h"
#include "resolve/resolve.h"

/* A machine in a few words, and what resolve() says of it by the built-in manifest. */

#define UNUSED __attribute__((unused))

struct asking {
    struct manifest *manifest;
    struct resolve_machine machine;
    struct resolve_gpu gpus[4];
    struct version compat[4];
    struct resolve_specs specs, framework;
    struct resolution resolution;
    struct error error;
    bool fits;
};

UNUSED static struct version version_of(const char *text)
{
    struct version version = {.count = 0};
    assert_true(text == NULL || version_parse(text, &version));
    return version;
}

UNUSED static void asking_end(struct asking *asking)
{
    resolution_free(&asking->resolution);
    resolve_specs_free(&asking->specs);
    resolve_specs_free(&asking->framework);
    error_clear(&asking->error);
}
#define AUTO_ASKING AUTO(asking_end)

/* The built-in manifest: read once, by all tests of a program. */
UNUSED static struct manifest *built_in(void)
{
    static struct manifest *manifest;
    if (manifest == NULL)
        manifest = manifest_new();
    return manifest;
}

/* gpus: models or capabilities between ';'. driver NULL: none. */
UNUSED static struct asking asking_of(const char *driver, const char *gpus)
{
    struct asking asking = {.manifest = built_in()};
    AUTO_STRLIST struct strlist names = {0};
    asking.machine.driver = version_of(driver);
    if (gpus)
        strlist_split(&names, gpus, ';');
    assert_true(names.count <= 4);
    for (size_t i = 0; i < names.count; i++) {
        struct resolve_gpu *gpu = &asking.gpus[i];
        if (version_parse(names.items[i], &gpu->capability))
            continue;
        gpu->model = manifest_gpu_by_name(asking.manifest, names.items[i], NULL);
        if (gpu->model)
            gpu->capability = gpu->model->capability;
        else
            gpu->name = "a GPU of tomorrow";
    }
    asking.machine.gpu_count = names.count;
    return asking;
}

/* specs between spaces; framework NULL: none. */
UNUSED static void ask_for(struct asking *asking, const char *specs, const char *framework)
{
    AUTO_STRLIST struct strlist words = {0};
    asking->machine.gpus = asking->gpus;
    asking->machine.compat = asking->compat;
    if (*specs)
        strlist_split(&words, specs, ' ');
    for (size_t i = 0; i < words.count; i++)
        assert_true(resolve_specs_add(&asking->specs, words.items[i], &asking->error));
    if (framework)
        assert_true(resolve_specs_add(&asking->framework, framework, &asking->error));
    asking->fits = resolve(asking->manifest, &asking->machine, &asking->specs,
                           framework ? &asking->framework.items[0] : NULL, &asking->resolution,
                           &asking->error);
    assert_int_equal(asking->fits, !error_is_set(&asking->error));
}

UNUSED static struct asking ask(const char *driver, const char *gpus, const char *specs)
{
    struct asking asking = asking_of(driver, gpus);
    ask_for(&asking, specs, NULL);
    return asking;
}

UNUSED static const struct resolve_choice *chosen(const struct asking *asking, const char *product)
{
    for (size_t i = 0; i < asking->resolution.chosen_count; i++)
        if (strcmp(asking->resolution.chosen[i].product, product) == 0)
            return &asking->resolution.chosen[i];
    return NULL;
}

UNUSED static const struct resolve_candidate *
candidate(const struct asking *asking, const char *product, const char *version, const char *build)
{
    for (size_t i = 0; i < asking->resolution.candidate_count; i++) {
        const struct resolve_candidate *one = &asking->resolution.candidates[i];
        if (strcmp(one->product, product) == 0 && strcmp(one->version, version) == 0 &&
            (build == NULL || string_equal(one->build, build)))
            return one;
    }
    fail_msg("%s %s is not listed", product, version);
    return NULL;
}

/* The newest toolkit of that major with a pin: what grows with the manifest. */
UNUSED static const char *newest_cuda(const struct asking *asking, unsigned major)
{
    static char text[VERSION_TEXT_SIZE];
    size_t count;
    const struct manifest_cuda *rows = manifest_cuda_all(asking->manifest, &count);
    for (size_t i = count; i > 0; i--) {
        const struct manifest_pin *pin =
            manifest_pin_find(asking->manifest, "cuda", &rows[i - 1].version);
        if (rows[i - 1].version.part[0] == major && !manifest_cuda_is_early(&rows[i - 1]) && pin &&
            manifest_pin_is_pinned(pin))
            return version_text(&rows[i - 1].version, 0, text);
    }
    fail_msg("no toolkit of %u has a pin", major);
    return NULL;
}

/* The newest release of a driver branch: likewise. */
UNUSED static const char *latest_driver(const struct asking *asking, unsigned branch)
{
    static char text[VERSION_TEXT_SIZE];
    struct version number = {.part = {branch}, .count = 1};
    const struct manifest_branch *row = manifest_branch_find(asking->manifest, &number);
    assert_non_null(row);
    return version_text(&row->latest, 0, text);
}

UNUSED static void assert_says(const char *text, const char *words)
{
    if (text == NULL || strstr(text, words) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", text ? text : "nothing", words);
}

UNUSED static bool any_says(const struct strlist *list, const char *words)
{
    for (size_t i = 0; i < list->count; i++)
        if (strstr(list->items[i], words))
            return true;
    return false;
}

/* Every one has what the contract promises. */
UNUSED static void assert_sound(const struct asking *asking)
{
    const struct resolution *resolution = &asking->resolution;
    for (size_t i = 0; i < resolution->candidate_count; i++) {
        const struct resolve_candidate *one = &resolution->candidates[i];
        assert_non_null(one->version);
        assert_non_null(one->reason);
        assert_non_null(one->why);
        assert_non_null(one->row);
        assert_non_null(one->source);
    }
    for (size_t i = 0; i < resolution->chosen_count; i++) {
        assert_non_null(resolution->chosen[i].rule);
        assert_non_null(resolution->chosen[i].why);
        assert_non_null(resolution->chosen[i].row);
        assert_non_null(resolution->chosen[i].source);
    }
}

/* The one that is chosen; version NULL: none. */
UNUSED static void assert_chosen(const struct asking *asking, const char *product,
                                 const char *version, const char *rule)
{
    const struct resolve_choice *choice = chosen(asking, product);
    assert_sound(asking);
    if (version == NULL) {
        assert_null(choice);
        return;
    }
    if (choice == NULL)
        fail_msg("no %s is chosen, not %s", product, version);
    assert_string_equal(choice->version, version);
    assert_string_equal(choice->rule, rule);
}

UNUSED static void assert_candidate(const struct asking *asking, const char *product,
                                    const char *version, enum fit fit, const char *reason)
{
    const struct resolve_candidate *one = candidate(asking, product, version, NULL);
    if (one->fit != fit)
        print_error("%s %s: %s: %s\n", product, version, fit_name(one->fit), one->why);
    assert_int_equal(one->fit, fit);
    assert_string_equal(one->reason, reason);
}

#endif
