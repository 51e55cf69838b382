/* SPDX-License-Identifier: MIT */
#include "resolve/framework/entries.h"

#include <string.h>

#include "manifest/versions/capability.h"
#include "resolve/engine/fit.h"
#include "resolve/engine/words.h"

bool entries_is_experimental(const struct manifest_build *build)
{
    return string_equal(build->tier, "experimental");
}

/* "CUDA 12.6 and cuDNN 9.10.2.21" */
static void append_stack(const struct manifest_build *build, const struct version *cuda,
                         struct text *text)
{
    char buffer[VERSION_TEXT_SIZE];
    bool is_least = build->cuda.count == 0 && build->cuda_range.from.count &&
                    ((string_equal(build->kind, "source") && build->sass.count == 0) ||
                     version_compare(cuda, &build->cuda_range.from) == 0);
    if (cuda->count)
        text_printf(text, "CUDA %s%s", version_text(cuda, 0, buffer), is_least ? " or newer" : "");
    if (cuda->count && build->cudnn.count)
        text_append(text, " and ");
    if (build->cudnn.count)
        text_printf(text, "cuDNN %s%s", version_text(&build->cudnn, 0, buffer),
                    build->cudnn_range.from.count ? " or newer" : "");
    if (cuda->count == 0 && build->cudnn.count == 0)
        text_append(text, "an unknown CUDA version");
}

static bool runs_by_ptx(const struct entry *entry)
{
    return entry->fit.code == CODE_PTX && entry->fit.verdict.fit < FIT_UNKNOWN;
}

static char *choice_words(const struct resolve_context *context, const struct entry *entry,
                          const char *driver)
{
    AUTO_TEXT struct text text = {0};
    const struct manifest_build *build = entry->build;
    if (string_equal(build->carries, "cuda"))
        text_append(&text, "it includes ");
    else if (string_equal(build->carries, "system"))
        text_append(&text, "it needs these installed: ");
    else
        text_append(&text, "it is built for ");
    append_stack(build, &entry->fit.cuda, &text);
    const char *code = framework_code_words(entry->fit.code);
    if (context->machine.gpu_count && code && (entry->fit.code != CODE_PTX || runs_by_ptx(entry)))
        text_printf(&text, "; %s", code);
    text_printf(&text, "; %s", driver);
    return text_steal(&text);
}

bool entries_is_unsuited(const struct resolve_candidate *candidate)
{
    return string_equal(candidate->turned_down, "python_unsupported") ||
           string_equal(candidate->turned_down, "glibc_too_old");
}

/* Other builds of the release that run. */
static void add_also(const struct resolve_context *context, const struct entries *entries,
                     size_t chosen, struct resolve_choice *choice)
{
    const struct manifest_build *build = entries->items[chosen].build;
    for (size_t i = 0; i < entries->count; i++) {
        const struct entry *other = &entries->items[i];
        const struct resolve_candidate *candidate = listing_at(context, &entries->listing, i);
        if (i == chosen || !candidate_runs(candidate) || other->build->stage ||
            entries_is_unsuited(candidate) || !string_equal(other->build->release, build->release))
            continue;
        AUTO_FREE char *bound = NULL;
        AUTO_FREE char *command =
            framework_command(context, other->build, &other->fit.cuda, &bound);
        const char *kind = other->build->kind ? other->build->kind : "build";
        const char *fit = candidate->fit == FIT_UNKNOWN ? "not measured" : fit_name(candidate->fit);
        strlist_take(&choice->also,
                     mem_printf("%s (%s)%s%s", other->build->variant ? other->build->variant : kind,
                                fit, command ? ": " : "", command ? command : ""));
    }
}

size_t entries_newer_unknown(const struct resolve_context *context, const struct entries *entries,
                             size_t chosen)
{
    const char *release = entries->items[chosen].build->release;
    for (size_t i = 0; i < chosen; i++) {
        const struct resolve_candidate *candidate = listing_at(context, &entries->listing, i);
        const struct manifest_build *build = entries->items[i].build;
        if (candidate->fit == FIT_UNKNOWN && build->release &&
            !string_equal(build->kind, "conda") && !string_equal(build->release, release) &&
            string_equal(candidate->turned_down, candidate->reason))
            return i;
    }
    return entries->count;
}

/* Newer releases of which too little is known are not chosen; the reader may know better. */
static void note_unknown(struct resolve_context *context, const struct entries *entries,
                         size_t chosen)
{
    size_t newer = entries_newer_unknown(context, entries, chosen);
    if (newer == entries->count)
        return;
    const struct resolve_candidate *candidate = listing_at(context, &entries->listing, newer);
    context_note(context, "%s %s is newer and was not chosen: %s; to request it, use %s@%s",
                 candidate->product, candidate->version, candidate->why, candidate->product,
                 candidate->version);
}

/* PTX is of the build's own kernels: what its libraries have is that of their CUDA. */
static void limit_by_libraries(const struct resolve_context *context, const struct entry *entry,
                               struct strlist *limits)
{
    char cuda[VERSION_TEXT_SIZE], first[VERSION_TEXT_SIZE];
    for (size_t i = 0; runs_by_ptx(entry) && i < context->machine.gpu_count; i++) {
        const struct resolve_gpu *gpu = &context->machine.gpus[i];
        struct verdict toolkit = fit_toolkit_gpu(context, gpu, &entry->fit.cuda);
        free(toolkit.why);
        if (!string_equal(toolkit.reason, "toolkit_precedes_gpu"))
            continue;
        AUTO_FREE char *name = words_gpu(gpu);
        strlist_take(limits,
                     mem_printf("CUDA %s is older than %s, the first CUDA that compiles for %s: it "
                                "is not known whether the older libraries run on this GPU",
                                version_text(&entry->fit.cuda, 0, cuda),
                                version_text(&fit_capability(context, gpu)->first_cuda, 0, first),
                                name));
        return;
    }
}

/* "3.9-3.13": without what stands in brackets behind. */
static char *python_words(const char *python)
{
    const char *end = python ? strstr(python, " (") : NULL;
    return end ? mem_string_n(python, (size_t)(end - python)) : mem_string(python);
}

void entries_choose(struct resolve_context *context, const struct entries *entries, size_t chosen)
{
    const struct entry *entry = &entries->items[chosen];
    const struct manifest_build *build = entry->build;
    const struct resolve_candidate *candidate = listing_at(context, &entries->listing, chosen);
    struct resolve_choice *choice = choice_add(context, candidate);
    free(choice->why);
    choice->why = choice_words(context, entry, candidate->why);
    choice->cuda = entry->fit.cuda.count ? words_version(&entry->fit.cuda) : NULL;
    choice->cudnn = build->cudnn.count ? words_version(&build->cudnn) : NULL;
    choice->limit_gpu = listing_limit_gpu(context, &entries->listing, chosen);
    words_limits(candidate->fit, &choice->limits);
    if (!candidate_runs(candidate))
        strlist_add(&choice->limits, "it is not known whether this version runs on this machine");
    if (runs_by_ptx(entry))
        strlist_add(&choice->limits, "there is no machine code for a GPU here: the driver compiles "
                                     "the PTX, and the first start is slow");
    limit_by_libraries(context, entry, &choice->limits);
    choice->notes = build->notes;
    if (manifest_build_is_of_pip(build))
        choice->python = python_words(manifest_build_python(build, context->machine.architecture));
    if (entries_is_experimental(build))
        strlist_add(&choice->limits, "the developers call this build experimental");
    framework_add_command(context, build, &entry->fit.cuda, choice);
    add_also(context, entries, chosen, choice);
    note_unknown(context, entries, chosen);
}
