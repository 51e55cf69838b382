/* SPDX-License-Identifier: MIT */
#include "resolve/engine/context.h"

#include <stdarg.h>

#include "resolve/engine/resolution.h"

struct resolve_candidate *candidate_add(struct resolve_context *context, const char *product,
                                        const char *version, const char *build,
                                        struct verdict *verdict)
{
    struct resolution *resolution = context->resolution;
    struct resolve_candidate *candidate = vec_push(
        resolution->candidates, resolution->candidate_count, resolution->candidate_capacity);
    *candidate = (struct resolve_candidate){
        .product = product,
        .version = mem_string(version),
        .build = mem_string(build),
        .fit = verdict->fit,
        .reason = verdict->reason,
        .row = verdict->row,
        .source = verdict->source,
        .confidence = verdict->confidence,
        .notes = verdict->notes,
        .gpu = verdict->gpu,
    };
    candidate->why = mem_steal(&verdict->why);
    return candidate;
}

void candidate_turn_down(struct resolve_candidate *candidate, const char *slug, const char *format,
                         ...)
{
    candidate->turned_down = slug;
    free(candidate->turned_why);
    candidate->turned_why = NULL;
    if (format == NULL)
        return;
    AUTO_TEXT struct text text = {0};
    va_list arguments;
    va_start(arguments, format);
    text_vprintf(&text, format, arguments);
    va_end(arguments);
    candidate->turned_why = text_steal(&text);
}

bool candidate_runs(const struct resolve_candidate *candidate)
{
    return candidate->fit < FIT_UNKNOWN || string_equal(candidate->reason, "no_driver");
}

static const char *rule_of(const struct resolve_candidate *candidate)
{
    if (candidate->fit < FIT_UNKNOWN)
        return fit_name(candidate->fit);
    return string_equal(candidate->reason, "no_driver") ? "newest" : "asked";
}

struct resolve_choice *choice_add(struct resolve_context *context,
                                  const struct resolve_candidate *candidate)
{
    struct resolution *resolution = context->resolution;
    struct resolve_choice *choice =
        vec_push(resolution->chosen, resolution->chosen_count, resolution->chosen_capacity);
    *choice = (struct resolve_choice){
        .product = candidate->product,
        .version = mem_string(candidate->version),
        .build = mem_string(candidate->build),
        .rule = rule_of(candidate),
        .fit = candidate->fit,
        .why = mem_string(candidate->why),
        .row = candidate->row,
        .source = candidate->source,
        .confidence = candidate->confidence,
        .notes = string_equal(candidate->confidence, "high") ? NULL : candidate->notes,
        .pin = candidate->pin,
    };
    return choice;
}

void context_note(struct resolve_context *context, const char *format, ...)
{
    AUTO_TEXT struct text text = {0};
    va_list arguments;
    va_start(arguments, format);
    text_vprintf(&text, format, arguments);
    va_end(arguments);
    strlist_add_new(&context->resolution->notes, text_string(&text));
}

bool context_fail(struct resolve_context *context, const char *product, const char *asked,
                  const char *why, const char *next)
{
    strlist_add_new(&context->resolution->failed, product);
    if (context->error == NULL || error_is_set(context->error))
        return false;
    error_set(context->error, ERROR_UNSATISFIABLE, "no version satisfies \"%s\"", asked);
    if (why)
        error_why(context->error, "%s", why);
    return error_next(context->error, "%s",
                      next ? next : "\"gpuenv resolve -v\" shows every version and its reason");
}

const char *pin_name(struct manifest *manifest, const char *product, const struct version *version,
                     const struct manifest_pin **ret_pin)
{
    const struct manifest_pin *pin = manifest_pin_find(manifest, product, version);
    if (ret_pin)
        *ret_pin = pin;
    if (pin)
        return pin->pin;
    return manifest_pin_product(manifest, product) ? "none" : NULL;
}

bool pin_is_pinned(const char *pin)
{
    return !string_equal(pin, "none");
}

bool pin_has_platform(const struct resolve_context *context, const struct manifest_pin *pin)
{
    const char *architecture = context->machine.architecture;
    if (pin == NULL || pin->platforms.count == 0)
        return true;
    AUTO_FREE char *platform = mem_printf("linux-%s", architecture ? architecture : "x86_64");
    return strlist_has(&pin->platforms, platform) ||
           (string_equal(architecture, "aarch64") && strlist_has(&pin->platforms, "linux-sbsa"));
}
