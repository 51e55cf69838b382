/* SPDX-License-Identifier: MIT */
#include "resolve/resolve.h"

#include "manifest/manifest.h"
#include "manifest/reader/range.h"
#include "manifest/versions/cuda.h"
#include "resolve/engine/fit.h"
#include "resolve/engine/resolution.h"
#include "resolve/engine/words.h"
#include "resolve/framework/framework.h"
#include "resolve/pair.h"
#include "resolve/product/driver.h"
#include "resolve/product/product.h"
#include "resolve/wanted.h"

enum kind { KIND_NONE, KIND_CUDA, KIND_CUDNN, KIND_DRIVER, KIND_FRAMEWORK, KIND_PRODUCT };

static enum kind kind_of(struct manifest *manifest, const char *product)
{
    if (string_equal(product, "cuda"))
        return KIND_CUDA;
    if (string_equal(product, "cudnn"))
        return KIND_CUDNN;
    if (string_equal(product, "driver"))
        return KIND_DRIVER;
    if (manifest_pin_product(manifest, product))
        return KIND_PRODUCT;
    return manifest_framework_find(manifest, product) ? KIND_FRAMEWORK : KIND_NONE;
}

bool resolve_knows(struct manifest *manifest, const char *product)
{
    return kind_of(manifest, product) != KIND_NONE;
}

void resolve_names(struct manifest *manifest, struct strlist *names)
{
    static const char *const products[] = {"cuda", "cudnn", "driver"};
    size_t count;
    for (size_t i = 0; i < sizeof(products) / sizeof(products[0]); i++)
        strlist_add(names, products[i]);
    const struct manifest_framework *frameworks = manifest_frameworks(manifest, &count);
    for (size_t i = 0; i < count; i++) {
        strlist_add_new(names, frameworks[i].framework);
        for (size_t k = 0; k < frameworks[i].names.count; k++)
            strlist_add_new(names, frameworks[i].names.items[k]);
    }
    const struct manifest_pin *pins = manifest_pin_all(manifest, &count);
    for (size_t i = 0; i < count; i++)
        strlist_add_new(names, pins[i].product);
}

/* The driver is newer than the manifest: what can be said all the same. */
static void note_newer(struct resolve_context *context)
{
    AUTO_FREE char *driver = words_driver(context);
    const char *date = manifest_date(context->manifest);
    struct verdict verdict = fit_driver_gpus(context);
    if (verdict.fit == FIT_UNKNOWN && verdict.why)
        context_note(context, "%s; update gpuenv to find out", verdict.why);
    else
        context_note(context,
                     "%s is newer than this manifest (%s): gpuenv compares the driver's number "
                     "with each version's minimum; update gpuenv to be sure",
                     driver, date);
    free(verdict.why);
}

/* What the reader must know of the machine before the answers. */
static void note_machine(struct resolve_context *context)
{
    const struct resolve_machine *machine = &context->machine;
    if (fit_driver_is_newer(context))
        note_newer(context);
    for (size_t i = 0; i < machine->gpu_count; i++) {
        AUTO_FREE char *gpu = words_gpu(&machine->gpus[i]);
        if (fit_capability(context, &machine->gpus[i]) == NULL)
            context_note(
                context,
                "%s is not in this manifest (%s): gpuenv does not know what runs on this GPU", gpu,
                manifest_date(context->manifest));
    }
}

static void note_no_driver(struct resolve_context *context)
{
    for (size_t i = 0; i < context->resolution->chosen_count; i++) {
        if (context->resolution->chosen[i].fit != FIT_UNKNOWN || fit_has_driver(context))
            continue;
        context_note(context, "no driver was found or assumed, so the newest version is chosen; "
                              "\"gpuenv resolve driver\" says which driver that version needs");
        return;
    }
}

/* "driver 535.104.05 (supports CUDA 12.2); 2 x GeForce RTX 4090 (compute capability 8.9)" */
static char *machine_words(const struct resolve_context *context)
{
    AUTO_TEXT struct text text = {0};
    AUTO_STRLIST struct strlist gpus = {0};
    AUTO_FREE char *driver = words_driver(context);
    text_append(&text, fit_has_driver(context) ? driver : "no driver");
    for (size_t i = 0; i < context->machine.gpu_count; i++)
        strlist_take(&gpus, words_gpu(&context->machine.gpus[i]));
    for (size_t i = 0, same; i < gpus.count; i += same) {
        for (same = 1; i + same < gpus.count; same++)
            if (!string_equal(gpus.items[i], gpus.items[i + same]))
                break;
        text_append(&text, i == 0 ? "; " : ", ");
        if (same > 1)
            text_printf(&text, "%zu x ", same);
        text_append(&text, gpus.items[i]);
    }
    if (gpus.count == 0)
        text_append(&text, "; no GPU");
    return text_steal(&text);
}

/* Releases of frameworks may be words ("25.03-py3"), all else has numbers. */
static bool check_spec(struct manifest *manifest, const struct resolve_spec *spec,
                       struct error *error)
{
    enum kind kind = kind_of(manifest, spec->product);
    if (kind == KIND_NONE)
        return error_set(error, ERROR_USAGE, "no product \"%s\" in the manifest", spec->product);
    if (kind == KIND_FRAMEWORK || spec->release == NULL)
        return true;
    error_set(error, ERROR_USAGE, "%s: \"%s\" is not a version of %s", spec->text, spec->release,
              spec->product);
    return error_next(error, "a version is \"auto\", or numbers with '.' between them (12.8)");
}

/* A framework that was given before by another of its names; NULL: none was. */
static const struct resolve_spec *spec_twin(struct manifest *manifest,
                                            const struct resolve_specs *specs, size_t index)
{
    const struct manifest_framework *framework =
        manifest_framework_find(manifest, specs->items[index].product);
    for (size_t i = 0; framework && i < index; i++)
        if (manifest_framework_find(manifest, specs->items[i].product) == framework)
            return &specs->items[i];
    return NULL;
}

bool resolve_specs_check(struct manifest *manifest, const struct resolve_specs *specs,
                         const struct resolve_spec *for_framework, struct error *error)
{
    for (size_t i = 0; i < specs->count; i++) {
        const struct resolve_spec *spec = &specs->items[i];
        if (!check_spec(manifest, spec, error))
            return false;
        const struct resolve_spec *twin = spec_twin(manifest, specs, i);
        if (twin) {
            error_set(error, ERROR_USAGE, "%s and %s are the same product", twin->text, spec->text);
            return error_next(error, "give each product once");
        }
    }
    return for_framework == NULL || manifest_framework_find(manifest, for_framework->product) ||
           error_set(error, ERROR_USAGE, "no framework \"%s\" in the manifest",
                     for_framework->product);
}

/* What each SPEC asks for, and the build that --for-framework means. */
struct asked {
    const struct resolve_spec *cuda, *cudnn, *driver;
    struct request cuda_request, cudnn_request;
    const struct manifest_build *build; /* of --for-framework; NULL: none */
    char *cuda_words, *cudnn_words;     /* of requests that a framework makes */
};

static void asked_clear(struct asked *asked)
{
    free(asked->cuda_words);
    free(asked->cudnn_words);
}

static bool names_version(const struct resolve_spec *spec)
{
    return spec && spec->version.count > 0;
}

/* A framework names the build of a cuDNN (9.10.2.21), of which the release has three numbers. */
static void cut_to_release(struct version *version)
{
    if (version->count > 3)
        version->count = 3;
}

/* The CUDA and cuDNN of a build: that minor of CUDA, where it is listed, else any in the range that
 * it takes, and a cuDNN of its major that is not older. A version that is asked for goes before
 * them. */
static void ask_for_build(struct manifest *manifest, struct asked *asked,
                          const struct manifest_build *build, const struct version *cuda)
{
    const char *release = build->release ? build->release : "";
    if (cuda->count && !names_version(asked->cuda)) {
        asked->cuda_words = mem_printf("cuda for %s %s", build->framework, release);
        asked->cuda_request =
            (struct request){.asked = asked->cuda_words, .within = *cuda, .wanted = true};
        if (cuda->count > 2)
            asked->cuda_request.within.count = 2;
        if (build->cuda_range.from.count && manifest_cuda_find(manifest, cuda) == NULL) {
            asked->cuda_request.within.count = 0;
            asked->cuda_request.range = build->cuda_range;
        }
    }
    if (names_version(asked->cudnn) ||
        (build->cudnn.count == 0 && build->cudnn_range.from.count == 0))
        return;
    asked->cudnn_words = mem_printf("cudnn for %s %s", build->framework, release);
    asked->cudnn_request =
        (struct request){.asked = asked->cudnn_words, .range = build->cudnn_range, .wanted = true};
    struct manifest_range *range = &asked->cudnn_request.range;
    if (range->from.count == 0) {
        range->from = build->cudnn;
        range->below = (struct version){.part = {build->cudnn.part[0] + 1}, .count = 1};
    }
    cut_to_release(&range->from);
}

static void need_add(struct driver_needs *needs, char *what, const struct version *cuda, bool exact,
                     const struct version *driver_min)
{
    struct driver_need *need = vec_push(needs->items, needs->count, needs->capacity);
    *need = (struct driver_need){.cuda = *cuda, .exact = exact};
    need->what = what;
    if (driver_min)
        need->driver_min = *driver_min;
}

static bool resolve_framework(struct resolve_context *context, const struct resolve_spec *spec,
                              struct driver_needs *needs, const struct manifest_build **ret_build,
                              struct build_fit *ret_fit)
{
    const struct manifest_framework *framework =
        manifest_framework_find(context->manifest, spec->product);
    bool fits = framework_resolve(context, spec, framework, ret_build, ret_fit);
    const struct manifest_build *build = *ret_build;
    if (build)
        need_add(needs, mem_printf("%s %s", build->framework, build->release ? build->release : ""),
                 &ret_fit->cuda, ret_fit->code == CODE_PTX, &build->driver_min);
    return fits;
}

static void resolve_frameworks(struct resolve_context *context, const struct resolve_specs *specs,
                               const struct resolve_spec *for_framework, struct asked *asked,
                               struct driver_needs *needs)
{
    const struct manifest_build *build;
    struct build_fit fit;
    const struct version python = context->machine.python;
    if (for_framework && (names_version(for_framework) || for_framework->release))
        context->machine.python.count = 0; /* it is its CUDA that is asked for */
    if (for_framework && resolve_framework(context, for_framework, needs, &build, &fit) && build) {
        ask_for_build(context->manifest, asked, build, &fit.cuda);
        asked->build = build;
    }
    context->machine.python = python;
    for (size_t i = 0; i < specs->count; i++)
        if (kind_of(context->manifest, specs->items[i].product) == KIND_FRAMEWORK)
            resolve_framework(context, &specs->items[i], needs, &build, &fit);
}

/* cuda_failed: a CUDA is asked for beside them, and none fits. */
static void resolve_products(struct resolve_context *context, const struct resolve_specs *specs,
                             bool cuda_failed)
{
    for (size_t i = 0; i < specs->count; i++) {
        if (kind_of(context->manifest, specs->items[i].product) != KIND_PRODUCT)
            continue;
        if (cuda_failed) {
            strlist_add_new(&context->resolution->failed, specs->items[i].product);
            continue;
        }
        struct request request = request_of(&specs->items[i], VERSION_PARTS);
        struct cudnn_partner partner = {.cuda = context->cuda};
        if (context->cuda.count ||
            pair_partner(context, specs->items[i].product, specs->items[i].text, NULL, &partner))
            product_choose(context, &request, specs->items[i].product, &partner.cuda);
    }
}

static const char *runs_words(enum fit fit)
{
    static const char *const words[] = {
        [FIT_EXACT] = "runs",
        [FIT_MINOR] = "runs with limits",
        [FIT_COMPAT] = "runs through cuda-compat",
        [FIT_UNKNOWN] = "may run",
        [FIT_NO] = "does not run",
    };
    return words[fit];
}

/* The driver runs all that was chosen before it. The one that is there is told of. */
static void resolve_driver(struct resolve_context *context, const struct resolve_machine *machine,
                           const struct resolve_spec *spec, struct driver_needs *needs)
{
    struct request request = request_of(spec, 2);
    char cuda[VERSION_TEXT_SIZE];
    if (context->cuda.count)
        need_add(needs, mem_printf("CUDA %s", version_text(&context->cuda, 0, cuda)),
                 &context->cuda, false, NULL);
    if (context->cudnn_driver.count) {
        struct version none = {.count = 0};
        need_add(needs, mem_string("cuDNN"), &none, false, &context->cudnn_driver);
    }
    bool chosen = driver_choose(context, &request, needs);
    struct resolve_context there = *context;
    there.machine = *machine;
    if (!fit_has_driver(&there) || !chosen)
        return;
    AUTO_FREE char *words = words_driver(&there);
    struct verdict worst = fit_driver_gpus(&there);
    for (size_t i = 0; i < needs->count; i++) {
        struct verdict pair[2] = {worst, driver_need_verdict(&there, &needs->items[i])};
        worst = fit_worst(pair, 2);
    }
    free(worst.why);
    context_note(context, "%s is present: it %s what is chosen here", words, runs_words(worst.fit));
}

/* Whatever was chosen runs on that driver, which a driver that is chosen takes the place of. */
static void limit_unlisted(const struct resolve_context *context,
                           const struct resolve_machine *machine)
{
    struct resolve_context there = *context;
    there.machine = *machine;
    for (size_t i = 0; i < context->resolution->chosen_count; i++) {
        struct resolve_choice *choice = &context->resolution->chosen[i];
        struct version driver = context->machine.driver;
        if (string_equal(choice->product, "driver") && !version_parse(choice->version, &driver))
            continue;
        words_unlisted(&there, &driver, &choice->limits);
    }
}

bool resolve(struct manifest *manifest, const struct resolve_machine *machine,
             const struct resolve_specs *specs, const struct resolve_spec *for_framework,
             struct resolution *ret_resolution, struct error *error)
{
    if (!resolve_specs_check(manifest, specs, for_framework, error))
        return false;
    AUTO_NEEDS struct driver_needs needs = {.count = 0};
    AUTO(asked_clear)
    struct asked asked = {.cuda = resolve_spec_of(specs, "cuda"),
                          .cudnn = resolve_spec_of(specs, "cudnn"),
                          .driver = resolve_spec_of(specs, "driver")};
    struct resolve_context context = {
        .manifest = manifest, .machine = *machine, .resolution = ret_resolution, .error = error};
    ret_resolution->machine = machine_words(&context);
    if (asked.driver) {
        context.machine.driver = context.machine.driver_api = (struct version){.count = 0};
        context.machine.driver_assumed = false;
        context.asks_driver = true;
    }
    note_machine(&context);
    if (asked.cuda)
        asked.cuda_request = request_of(asked.cuda, 3);
    if (asked.cudnn)
        asked.cudnn_request = request_of(asked.cudnn, 3);
    resolve_frameworks(&context, specs, for_framework, &asked, &needs);
    pair_resolve(&context, asked.cuda_request.asked ? &asked.cuda_request : NULL,
                 asked.cudnn_request.asked ? &asked.cudnn_request : NULL);
    resolve_products(&context, specs, asked.cuda_request.asked && context.cuda.count == 0);
    if (asked.build)
        wanted_resolve(&context, asked.build, specs);
    if (asked.driver)
        resolve_driver(&context, machine, asked.driver, &needs);
    else
        note_no_driver(&context);
    limit_unlisted(&context, machine);
    return ret_resolution->failed.count == 0;
}
