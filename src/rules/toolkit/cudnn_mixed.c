/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "manifest/toolkit/cudnn_major.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/toolkit/cudnn_copies.h"
#include "rules/toolkit/cudnn_framework.h"
#include "rules/toolkit/judges.h"

/* cuDNN's libcudnn.so.N opens its sub-libraries when they are needed. All of them must be of one
 * release. They compare themselves with each other and refuse another
 * (CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH); where they do not, nobody has tested the mixture. */

/* More copies than any machine has; a record from elsewhere may name any number. */
#define CUDNN_MAX 256

/* The library itself, whatever number it has: libcudnn.so.6.5, libcudnn.so.9. */
#define MAIN "libcudnn.so."

/* One libcudnn.so.N that a program can load. */
struct cudnn {
    const struct cudnn_copies *copies;
    const struct framework_loads *loads;
    const struct cudnn_copy *own;
    const struct manifest_cudnn_major *row;
    bool loaded; /* the one the loader picks */
    bool hidden; /* LD_LIBRARY_PATH puts another one before it */
    enum cudnn_user user;
};

/* The copy that a framework was followed to; NULL: it is not known. */
static const struct cudnn_copy *followed(const struct cudnn *cudnn, const char *soname)
{
    const char *path = cudnn_part_of_user(cudnn->loads, cudnn->own->path, soname);
    for (size_t i = 0; path && i < cudnn->copies->count; i++)
        if (string_equal(cudnn->copies->items[i].path, path))
            return &cudnn->copies->items[i];
    return NULL;
}

/* The sub-library it gets: the one that its framework was followed to, or in the loader's order:
 * LD_LIBRARY_PATH, its own directory ($ORIGIN in its RUNPATH), the cache. */
static const struct cudnn_copy *sublibrary_of(const struct cudnn *cudnn, const char *soname)
{
    const struct cudnn_copies *copies = cudnn->copies;
    const struct cudnn_copy *known = followed(cudnn, soname);
    if (known)
        return known;
    const struct cudnn_pick *pick = cudnn_pick(copies, soname);
    if (cudnn_pick_is_forced(pick))
        return pick->copy;
    for (size_t i = 0; i < copies->count; i++)
        if (cudnn_copy_is_beside(&copies->items[i], soname, cudnn->own))
            return &copies->items[i];
    return pick ? pick->copy : NULL;
}

enum sublibrary { SUBLIBRARY_FITS, SUBLIBRARY_MIXED, SUBLIBRARY_MISSING };

static enum sublibrary sublibrary_judge(const struct cudnn_copy *own, const struct cudnn_copy *part)
{
    if (part == NULL)
        return SUBLIBRARY_MISSING;
    if (own->release.count && part->release.count)
        return version_compare(&own->release, &part->release) == 0 ? SUBLIBRARY_FITS
                                                                   : SUBLIBRARY_MIXED;
    return cudnn_same_directory(own->path, part->path) ? SUBLIBRARY_FITS : SUBLIBRARY_MIXED;
}

/* A wheel without a part that a newer cuDNN of the system has gets the system's. */
static void add_wheel_upgrade(struct finding *finding, const struct cudnn_copy *part)
{
    char release[VERSION_TEXT_SIZE];
    version_text(&part->release, 0, release);
    AUTO_FREE char *note =
        mem_printf("in that Python environment: installs cuDNN in the other copy's release; or "
                   "remove the other copy (%s) if no program needs it",
                   part->path);
    finding_fix_command(finding, FIX_SHELL, note,
                        "python3 -m pip install \"$(python3 -m pip freeze | sed -n "
                        "'s/^\\(nvidia-cudnn-cu[0-9]*\\)==.*/\\1==%s.*/p')\"",
                        release);
}

/* part NULL: it is missing. */
static void add_fixes(const struct rule_context *context, struct finding *finding,
                      const struct cudnn *cudnn, const struct cudnn_copy *part, const char *soname)
{
    static const char forced[] = "LD_LIBRARY_PATH: ";
    const struct cudnn_pick *pick = cudnn_pick(cudnn->copies, soname);
    if (part && pick && pick->copy == part && pick->why && string_starts(pick->why, forced))
        finding_fix_note(finding, FIX_ADVICE, "remove %s from LD_LIBRARY_PATH",
                         pick->why + strlen(forced));
    bool wheel = judged_library_has_origin(context->facts, cudnn->own->group, "wheel");
    bool elsewhere = part && !cudnn_same_directory(cudnn->own->path, part->path);
    if (wheel && elsewhere && part->release.count)
        add_wheel_upgrade(finding, part);
    else if (wheel)
        finding_fix_command(finding, FIX_SHELL, "in that Python environment",
                            "python3 -m pip install --force-reinstall \"$(python3 -m pip freeze | "
                            "grep '^nvidia-cudnn-cu')\"");
    else if (elsewhere)
        finding_fix_note(finding, FIX_ADVICE,
                         "change both copies to the same release, or remove the copy that no "
                         "program needs: %s or %s",
                         cudnn->own->path, part->path);
    else
        finding_fix_note(finding, FIX_ADVICE, "reinstall one complete cuDNN release where %s is",
                         cudnn->own->path);
}

/* How the programs of an environment load what lies off the loader's path is not known, unless one
 * of its frameworks does. */
static enum severity severity_of(const struct rule_context *context, const struct cudnn *cudnn,
                                 bool sure)
{
    enum severity severity = severity_for_use(context->purpose);
    if (!cudnn->loaded && cudnn->user == CUDNN_USER_IDLE)
        return SEVERITY_INFO;
    return severity == SEVERITY_FAIL && !sure && cudnn->user != CUDNN_USER_ACTIVE ? SEVERITY_WARN
                                                                                  : severity;
}

/* From 9 on libcudnn.so.9 only hands calls on, and the parts compare themselves with one another:
 * where all of them are of one release, cudnn…VersionCheck() of each succeeds (tried with 9.10 and
 * 9.1, both ways; one part of another release answers CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH). */
static bool parts_agree(const struct cudnn *cudnn)
{
    const struct strlist *const lists[] = {&cudnn->row->required, &cudnn->row->optional};
    const struct cudnn_copy *first = NULL;
    struct version major;
    for (size_t i = 0; i < lists[0]->count + lists[1]->count; i++) {
        bool optional = i >= lists[0]->count;
        const char *name = lists[optional]->items[optional ? i - lists[0]->count : i];
        const struct cudnn_copy *part = sublibrary_of(cudnn, name);
        if (string_equal(name, cudnn->own->soname) || (part == NULL && optional))
            continue;
        if (part == NULL || part->release.count == 0 ||
            (first && version_compare(&first->release, &part->release) != 0))
            return false;
        first = first ? first : part;
    }
    return first && version_parse_prefix(cudnn->own->soname + strlen("libcudnn.so."), &major) &&
           major.part[0] >= 9;
}

static void mixed_found(struct rule_context *context, const struct cudnn *cudnn,
                        const struct cudnn_copy *part, const char *soname)
{
    const struct cudnn_copy *own = cudnn->own;
    bool sure = cudnn->loaded || cudnn_same_directory(own->path, part->path);
    AUTO_FREE char *own_version = judged_version_words(&own->version);
    AUTO_FREE char *part_version = judged_version_words(&part->version);
    bool agree = parts_agree(cudnn);
    enum severity severity = severity_of(context, cudnn, sure);
    struct finding *finding =
        rule_found(context, agree && severity == SEVERITY_FAIL ? SEVERITY_WARN : severity,
                   "cuDNN is mixed: %s (%s) would load %s (%s)", own->path, own_version, part->path,
                   part_version);
    finding_subject(finding, own->path);
    finding_why(
        finding, "%s",
        agree ? "all other parts belong to one release, so cuDNN accepts these parts, and "
                "programs get that release; two releases in one process are not supported"
              : "parts of two cuDNN releases in one process are not supported; if cuDNN compares "
                "the parts, it rejects them (CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH)");
    finding_manifest(finding, cudnn->row->id);
    finding_evidence(finding, context->facts, own->version.group, own->version.name);
    finding_evidence(finding, context->facts, own->group, "path");
    finding_evidence(finding, context->facts, part->version.group, part->version.name);
    finding_evidence(finding, context->facts, part->group, "path");
    add_fixes(context, finding, cudnn, part, soname);
}

static void missing_found(struct rule_context *context, const struct cudnn *cudnn,
                          const struct strlist *missing)
{
    AUTO_FREE char *names = strlist_join(missing, ", ");
    struct finding *finding = rule_found(context, severity_of(context, cudnn, cudnn->loaded),
                                         "%s lacks its sub-librar%s %s", cudnn->own->path,
                                         missing->count == 1 ? "y" : "ies", names);
    finding_subject(finding, cudnn->own->path);
    finding_why(finding, "the missing parts belong in the same directory, and the loader does not "
                         "find them elsewhere");
    finding_manifest(finding, cudnn->row->id);
    finding_evidence(finding, context->facts, cudnn->own->group, "path");
    add_fixes(context, finding, cudnn, NULL, missing->items[0]);
}

/* True when a sub-library is mixed: one finding tells of all. */
static bool judge_names(struct rule_context *context, const struct cudnn *cudnn,
                        const struct strlist *names, struct strlist *missing)
{
    for (size_t i = 0; i < names->count; i++) {
        const char *soname = names->items[i];
        if (string_starts(soname, MAIN))
            continue;
        const struct cudnn_copy *part = sublibrary_of(cudnn, soname);
        enum sublibrary sublibrary = sublibrary_judge(cudnn->own, part);
        if (sublibrary == SUBLIBRARY_MIXED) {
            mixed_found(context, cudnn, part, soname);
            return true;
        }
        if (sublibrary == SUBLIBRARY_MISSING)
            strlist_add(missing, soname);
    }
    return false;
}

/* A release that lies there and that nothing loads: no fault, but good to know. */
static void judge_leftover(struct rule_context *context, const struct cudnn *cudnn)
{
    const struct cudnn_copy *own = cudnn->own;
    for (size_t i = 0; own->release.count && i < cudnn->copies->count; i++) {
        const struct cudnn_copy *other = &cudnn->copies->items[i];
        if (other->release.count == 0 || other->release.part[0] != own->release.part[0] ||
            version_compare(&own->release, &other->release) == 0 ||
            !cudnn_same_directory(other->path, own->path))
            continue;
        AUTO_FREE char *own_version = judged_version_words(&own->version);
        struct finding *finding =
            rule_found(context, SEVERITY_INFO,
                       "%s belongs to a different cuDNN release than the other parts in use (%s)",
                       other->path, own_version);
        finding_subject(finding, own->path);
        finding_why(finding, "no program loads this file, so you can remove it");
        finding_evidence(finding, context->facts, other->version.group, other->version.name);
        finding_evidence(finding, context->facts, own->version.group, own->version.name);
        return;
    }
}

static void judge_cudnn(struct rule_context *context, const struct cudnn *cudnn)
{
    AUTO_STRLIST struct strlist missing = {0};
    AUTO_STRLIST struct strlist not_asked = {0};
    if (judge_names(context, cudnn, &cudnn->row->required, &missing) ||
        judge_names(context, cudnn, &cudnn->row->optional, &not_asked))
        return;
    if (missing.count > 0)
        missing_found(context, cudnn, &missing);
    else
        judge_leftover(context, cudnn);
}

/* False for what no program loads as libcudnn.so.N, and for a major that is not known. */
static bool require_cudnn(struct rule_context *context, struct cudnn *cudnn)
{
    const char *soname = cudnn->own->soname;
    struct version version;
    if (soname == NULL || !string_starts(soname, MAIN) ||
        !version_parse_prefix(soname + strlen(MAIN), &version) ||
        !cudnn_copy_serves(cudnn->own, soname))
        return false;
    const struct cudnn_pick *pick = cudnn_pick(cudnn->copies, soname);
    cudnn->loaded = pick && pick->copy == cudnn->own;
    cudnn->user = cudnn_user_of(context->facts, context->manifest, cudnn->own->path);
    cudnn->hidden = !cudnn->loaded && cudnn_pick_is_forced(pick);
    cudnn->row = manifest_cudnn_major_find(context->manifest, version.part[0]);
    if (cudnn->row == NULL)
        rule_unknown(context, "the manifest does not know which libraries cuDNN %u has",
                     version.part[0]);
    return cudnn->row != NULL;
}

void judge_cudnn_sublibrary_mixed(struct rule_context *context)
{
    if (!rule_require_fact(context, "library", "count"))
        return;
    cudnn_find_mixed_wheels(context);
    AUTO_COPIES struct cudnn_copies copies = cudnn_copies(context->facts);
    AUTO_FRAMEWORKS struct frameworks frameworks = frameworks_of(context->facts, context->manifest);
    AUTO_LOADS struct framework_loads loads = framework_loads_of(context->facts, &frameworks);
    size_t judged = 0;
    for (size_t i = 0; i < copies.count; i++) {
        struct cudnn cudnn = {.copies = &copies, .loads = &loads, .own = &copies.items[i]};
        if (!cudnn.own->main)
            continue;
        if (judged++ == CUDNN_MAX) {
            rule_unknown(context, "there are more than %d copies of cuDNN", CUDNN_MAX);
            return;
        }
        if (require_cudnn(context, &cudnn) && !(cudnn.hidden && cudnn.user == CUDNN_USER_NONE))
            judge_cudnn(context, &cudnn);
    }
    if (judged == 0)
        rule_skip(context, "no cuDNN is installed");
}
