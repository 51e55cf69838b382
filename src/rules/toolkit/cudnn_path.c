/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/path.h"
#include "manifest/toolkit/cudnn.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/remedy/remedy.h"
#include "rules/toolkit/cudnn_copies.h"
#include "rules/toolkit/cudnn_framework.h"
#include "rules/toolkit/judges.h"

/* cudnn_wrong_major: a library asks for a cuDNN of a major that is not here, and another one is.
 * cudnn_not_on_loader_path: it is here, and the loader does not look there. */

/* A library whose DT_NEEDED names a cuDNN that the loader would not find for it, or a framework
 * that opens one and gets nothing. */
struct need {
    const char *group;
    const char *path;
    const char *soname; /* libcudnn.so.8 */
    unsigned major;
    bool own_loading; /* of a Python or conda package, which loads cuDNN itself before it */
    const struct framework_load *load; /* NULL: by a library's headers */
};
struct needs {
    struct need *items;
    size_t count, capacity;
    struct frameworks frameworks;
    struct framework_loads loads;
};

static void needs_free(struct needs *needs)
{
    free(needs->items);
    framework_loads_free(&needs->loads);
    frameworks_clear(&needs->frameworks);
}

/* The 8 of libcudnn.so.8 and libcudnn_ops_infer.so.8; 0: no major is in the name. */
static void add_needs(struct needs *needs, const struct facts *facts, const char *group)
{
    const struct strlist *unresolved = facts_list(facts, group, "unresolved");
    const char *path = facts_string(facts, group, "path");
    if (path == NULL || string_equal(facts_string(facts, group, "family"), "cudnn") ||
        !judged_library_fits(facts, group))
        return;
    for (size_t i = 0; unresolved && i < unresolved->count; i++) {
        const char *soname = unresolved->items[i];
        if (!string_starts(soname, "libcudnn") || cudnn_major_of(soname) == 0)
            continue;
        struct need *need = vec_push(needs->items, needs->count, needs->capacity);
        need->group = group;
        need->path = path;
        need->soname = soname;
        need->major = cudnn_major_of(soname);
        need->own_loading = judged_library_has_origin(facts, group, "wheel") ||
                            judged_library_has_origin(facts, group, "conda");
        return; /* one tells it */
    }
}

static void add_loads(struct needs *needs)
{
    const struct framework *told = NULL;
    for (size_t i = 0; i < needs->loads.count; i++) {
        const struct framework_load *load = &needs->loads.items[i];
        if (!load->missing || !string_starts(load->soname, "libcudnn") ||
            cudnn_major_of(load->soname) == 0 || load->framework == told)
            continue;
        *vec_push(needs->items, needs->count, needs->capacity) = (struct need){
            .group = load->group,
            .path = load->by ? load->by : load->framework->environment,
            .soname = load->soname,
            .major = cudnn_major_of(load->soname),
            .load = load,
        };
        told = load->framework;
    }
}

/* *ret_needs stays where it is: the needs point into it. */
static void needs_find(const struct rule_context *context, struct needs *ret_needs)
{
    const struct facts *facts = context->facts;
    const char *group;
    ret_needs->frameworks = frameworks_of(facts, context->manifest);
    ret_needs->loads = framework_loads_of(facts, &ret_needs->frameworks);
    add_loads(ret_needs);
    for (size_t i = 0; (group = facts_next(facts, "library", &i)) != NULL;)
        add_needs(ret_needs, facts, group);
}

/* Copies that a package keeps for itself do not count. */
static const struct cudnn_copy *copy_of_major(const struct facts *facts,
                                              const struct cudnn_copies *copies, unsigned major)
{
    for (size_t i = 0; i < copies->count; i++)
        if (copies->items[i].main && !cudnn_is_private(facts, copies->items[i].group) &&
            cudnn_major_of(copies->items[i].soname) == major)
            return &copies->items[i];
    return NULL;
}

static const struct cudnn_copy *any_copy(const struct facts *facts,
                                         const struct cudnn_copies *copies)
{
    for (size_t i = 0; i < copies->count; i++)
        if (copies->items[i].main && !cudnn_is_private(facts, copies->items[i].group))
            return &copies->items[i];
    return NULL;
}

/* What a package of an environment asks for, the program that imports it may have loaded before. */
static enum severity severity_of(const struct rule_context *context, const struct need *need)
{
    enum severity severity = severity_for_use(context->purpose);
    if (need->load)
        return cudnn_severity_of_load(context, need->load);
    return severity == SEVERITY_FAIL && need->own_loading ? SEVERITY_WARN : severity;
}

/* Of the framework, else of the toolkit; 0: not known. */
static unsigned cuda_of(const struct need *need, const struct judged_toolkits *toolkits)
{
    if (need->load && need->load->framework->cuda.count)
        return need->load->framework->cuda.part[0];
    return toolkits->count ? toolkits->items[0].version.part[0] : 0;
}

static void wrong_major_found(struct rule_context *context, const struct need *need,
                              const struct cudnn_copy *other)
{
    struct finding *finding = rule_found(
        context, severity_of(context, need), "%s needs %s, but only cuDNN %s is here (%s)",
        need->path, need->soname,
        other->version.text ? other->version.text : "of another major version", other->path);
    finding_subject(finding, need->path);
    finding_why(finding,
                "a program built for cuDNN %u does not run with another major version: the names "
                "and contents of cuDNN's libraries differ",
                need->major);
    finding_evidence(finding, context->facts, need->group, need->load ? "soname" : "unresolved");
    finding_evidence(finding, context->facts, other->group, "soname");
    finding_evidence(finding, context->facts, other->version.group, other->version.name);
    AUTO_TOOLKITS struct judged_toolkits toolkits = judged_toolkits(context->facts);
    const struct manifest_cudnn_wheel *wheel =
        need->own_loading && toolkits.count && toolkits.items[0].version.count
            ? manifest_cudnn_wheel_find(context->manifest, toolkits.items[0].version.part[0])
            : NULL;
    if (need->load)
        cudnn_fix_wheel(context, finding, need->load);
    if (wheel)
        finding_fix_command(finding, FIX_SHELL, "in the environment that needs this cuDNN",
                            "python3 -m pip install '%s==%u.*'", wheel->package, need->major);
    if (!framework_on_jetson(context->facts)) /* JetPack has one major, which is here */
        remedy_install_cudnn(context, finding, need->major, cuda_of(need, &toolkits));
    finding_fix_note(finding, FIX_ADVICE,
                     "use a release of that program that is built for cuDNN %u",
                     cudnn_major_of(other->soname));
}

void judge_cudnn_wrong_major(struct rule_context *context)
{
    if (!rule_require_fact(context, "library", "count"))
        return;
    AUTO_COPIES struct cudnn_copies copies = cudnn_copies(context->facts);
    AUTO(needs_free) struct needs needs = {.count = 0};
    needs_find(context, &needs);
    const struct cudnn_copy *other = any_copy(context->facts, &copies);
    for (size_t i = 0; other && i < needs.count; i++) {
        if (copy_of_major(context->facts, &copies, needs.items[i].major))
            continue;
        wrong_major_found(context, &needs.items[i], other);
        return;
    }
    if (other == NULL)
        rule_skip(context, "no cuDNN is installed");
    else if (needs.count == 0)
        rule_skip(context, "every library that was checked finds the cuDNN that it needs");
}

static void needed_found(struct rule_context *context, const struct needs *needs,
                         const struct need *need, const struct cudnn_copy *copy)
{
    const struct facts *facts = context->facts;
    AUTO_FREE char *directory = path_parent(copy->path);
    bool brought = need->load && framework_loads_brought(&needs->loads, need->load);
    enum severity severity = brought ? SEVERITY_INFO : severity_of(context, need);
    struct finding *finding = rule_found(
        context, severity, "%s needs %s, which is only in %s, where the loader does not look",
        need->path, need->soname, directory);
    finding_subject(finding, need->path);
    finding_why(finding, "that directory is neither in LD_LIBRARY_PATH nor in the loader's cache, "
                         "and the library has no RUNPATH with that directory");
    finding_evidence(finding, facts, need->group, need->load ? "soname" : "unresolved");
    finding_evidence(finding, facts, copy->group, "path");
    finding_evidence(finding, facts, "environment", "LD_LIBRARY_PATH");
    AUTO_FREE char *quoted = shell_quote(directory);
    if (need->load && string_equal(need->load->framework->name, "onnxruntime"))
        finding_fix_note(
            finding, FIX_ADVICE,
            "let the program call onnxruntime.preload_dlls() before its first session, "
            "or import torch first");
    finding_fix_command(finding, FIX_SHELL, "before the program starts",
                        "export LD_LIBRARY_PATH=%s${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}", quoted);
    if (!judged_library_has_origin(facts, copy->group, "wheel") &&
        !judged_library_has_origin(facts, copy->group, "conda"))
        finding_fix_command(finding, FIX_STEP | NEEDS_ROOT, "for every program",
                            "echo %s | sudo tee -a /etc/ld.so.conf.d/cudnn.conf && sudo ldconfig",
                            quoted);
}

/* Where nothing that is looked at asks for it, it is only told: wheels and conda packages are
 * loaded by the program that brings them, and a cuDNN beside a toolkit may be for programs that
 * have its directory in their RUNPATH. */
static void unneeded_found(struct rule_context *context, const struct cudnn_copy *copy)
{
    struct finding *finding = rule_found(
        context, SEVERITY_INFO, "cuDNN%s%s is not on the loader's path, only at %s",
        copy->version.text ? " " : "", copy->version.text ? copy->version.text : "", copy->path);
    finding_subject(finding, copy->path);
    finding_why(finding, "programs that include their own cuDNN, such as those in a Python "
                         "environment, work; other programs do not find this copy");
    finding_evidence(finding, context->facts, copy->group, "path");
    if (copy->version.called)
        finding_evidence(finding, context->facts, copy->version.group, copy->version.name);
}

void judge_cudnn_not_on_loader_path(struct rule_context *context)
{
    if (!rule_require_fact(context, "library", "count"))
        return;
    AUTO_COPIES struct cudnn_copies copies = cudnn_copies(context->facts);
    AUTO(needs_free) struct needs needs = {.count = 0};
    needs_find(context, &needs);
    for (size_t i = 0; i < needs.count; i++) {
        const struct cudnn_copy *copy =
            copy_of_major(context->facts, &copies, needs.items[i].major);
        if (copy == NULL)
            continue;
        needed_found(context, &needs, &needs.items[i], copy);
        return;
    }
    const struct cudnn_copy *copy = any_copy(context->facts, &copies);
    const char *unknown = NULL;
    if (copy == NULL)
        rule_skip(context, "no cuDNN is installed");
    else if (cudnn_on_loader_path(context->facts, &unknown))
        return;
    else if (unknown)
        rule_require_fact(context, unknown, "path");
    else
        unneeded_found(context, copy);
}
