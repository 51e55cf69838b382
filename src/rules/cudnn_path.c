/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "rules/cudnn_copies.h"
#include "rules/judges.h"
#include "rules/remedy.h"

/* cudnn_wrong_major: a library asks for a cuDNN of a major that is not here, and another one is.
 * cudnn_not_on_loader_path: it is here, and the loader does not look there. */

/* A library whose DT_NEEDED names a cuDNN that the loader would not find for it. */
struct need {
    const char *group;
    const char *path;
    const char *soname; /* libcudnn.so.8 */
    unsigned major;
    bool own_loading; /* of a Python or conda package, which loads cuDNN itself before it */
};
struct needs {
    struct need *items;
    size_t count, capacity;
};

static void needs_free(struct needs *needs)
{
    free(needs->items);
}

/* The 8 of libcudnn.so.8 and libcudnn_ops_infer.so.8; 0: no major is in the name. */
static unsigned major_of(const char *soname)
{
    struct version version;
    const char *number = soname ? strstr(soname, ".so.") : NULL;
    if (number == NULL || !version_parse_prefix(number + strlen(".so."), &version))
        return 0;
    return version.part[0];
}

static void add_needs(struct needs *needs, const struct facts *facts, const char *group)
{
    const struct strlist *unresolved = facts_list(facts, group, "unresolved");
    const char *path = facts_string(facts, group, "path");
    if (path == NULL || string_equal(facts_string(facts, group, "family"), "cudnn") ||
        !judged_library_fits(facts, group))
        return;
    for (size_t i = 0; unresolved && i < unresolved->count; i++) {
        const char *soname = unresolved->items[i];
        if (!string_starts(soname, "libcudnn") || major_of(soname) == 0)
            continue;
        struct need *need = vec_push(needs->items, needs->count, needs->capacity);
        need->group = group;
        need->path = path;
        need->soname = soname;
        need->major = major_of(soname);
        need->own_loading = judged_library_has_origin(facts, group, "wheel") ||
                            judged_library_has_origin(facts, group, "conda");
        return; /* one tells it */
    }
}

static struct needs needs_of(const struct facts *facts)
{
    struct needs needs = {.count = 0};
    const char *group;
    for (size_t i = 0; (group = facts_next(facts, "library", &i)) != NULL;)
        add_needs(&needs, facts, group);
    return needs;
}

static const struct cudnn_copy *copy_of_major(const struct cudnn_copies *copies, unsigned major)
{
    for (size_t i = 0; i < copies->count; i++)
        if (copies->items[i].main && major_of(copies->items[i].soname) == major)
            return &copies->items[i];
    return NULL;
}

static const struct cudnn_copy *any_copy(const struct cudnn_copies *copies)
{
    for (size_t i = 0; i < copies->count; i++)
        if (copies->items[i].main)
            return &copies->items[i];
    return NULL;
}

/* What a package of an environment asks for, the program that imports it may have loaded before. */
static enum severity severity_of(const struct rule_context *context, const struct need *need)
{
    enum severity severity = severity_for_use(context->profile);
    return severity == SEVERITY_FAIL && need->own_loading ? SEVERITY_WARN : severity;
}

static void wrong_major_found(struct rule_context *context, const struct need *need,
                              const struct cudnn_copy *other)
{
    struct finding *finding =
        rule_found(context, severity_of(context, need),
                   "%s needs %s, and only cuDNN %s is here (%s)", need->path, need->soname,
                   other->version.text ? other->version.text : "of another major", other->path);
    finding_subject(finding, need->path);
    finding_why(finding,
                "a program built for cuDNN %u does not run with another major: the names "
                "of its libraries and what is in them differ",
                need->major);
    finding_evidence(finding, context->facts, need->group, "unresolved");
    finding_evidence(finding, context->facts, other->group, "soname");
    finding_evidence(finding, context->facts, other->version.group, other->version.name);
    AUTO_TOOLKITS struct judged_toolkits toolkits = judged_toolkits(context->facts);
    if (need->own_loading && toolkits.count && toolkits.items[0].version.part[0] > 10)
        finding_fix_command(finding, false, false, "in the environment that needs it",
                            "python3 -m pip install 'nvidia-cudnn-cu%u==%u.*'",
                            toolkits.items[0].version.part[0], need->major);
    if (need->major >= 9)
        remedy_install_packages(context, finding, "cudnn", "cudnn");
    else
        finding_fix_note(finding, true, false,
                         "install cuDNN %u (package libcudnn%u of NVIDIA's repository, or its "
                         "archive); both majors may be there together",
                         need->major, need->major);
    finding_fix_note(finding, false, false,
                     "use a release of that program which is built for cuDNN %u",
                     major_of(other->soname));
}

/* False when nothing of cuDNN can be said; the check is ended. */
static bool has_libraries(struct rule_context *context)
{
    return !rule_lacks(context, "library", "count");
}

void judge_cudnn_wrong_major(struct rule_context *context)
{
    if (!has_libraries(context))
        return;
    AUTO_COPIES struct cudnn_copies copies = cudnn_copies(context->facts);
    AUTO(needs_free) struct needs needs = needs_of(context->facts);
    const struct cudnn_copy *other = any_copy(&copies);
    for (size_t i = 0; other && i < needs.count; i++) {
        if (copy_of_major(&copies, needs.items[i].major))
            continue;
        wrong_major_found(context, &needs.items[i], other);
        return;
    }
    if (other == NULL)
        rule_skip(context, "no cuDNN is installed");
    else if (needs.count == 0)
        rule_skip(context, "no library that is looked at asks for a cuDNN it would not get");
}

static char *directory_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return mem_string_n(path, slash ? (size_t)(slash - path) : 0);
}

static void needed_found(struct rule_context *context, const struct need *need,
                         const struct cudnn_copy *copy)
{
    const struct facts *facts = context->facts;
    AUTO_FREE char *directory = directory_of(copy->path);
    struct finding *finding =
        rule_found(context, severity_of(context, need),
                   "%s needs %s, which is only in %s, where the loader does not look", need->path,
                   need->soname, directory);
    finding_subject(finding, need->path);
    finding_why(finding, "that directory is neither in LD_LIBRARY_PATH nor in the loader's cache, "
                         "and the library has no RUNPATH that leads there");
    finding_evidence(finding, facts, need->group, "unresolved");
    finding_evidence(finding, facts, copy->group, "path");
    finding_evidence(finding, facts, "environment", "LD_LIBRARY_PATH");
    AUTO_FREE char *quoted = shell_quote(directory);
    finding_fix_command(finding, false, false, "before the program starts",
                        "export LD_LIBRARY_PATH=%s${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}", quoted);
    if (!judged_library_has_origin(facts, copy->group, "wheel") &&
        !judged_library_has_origin(facts, copy->group, "conda"))
        finding_fix_command(finding, true, false, "for every program",
                            "echo %s | sudo tee /etc/ld.so.conf.d/cudnn.conf && sudo ldconfig",
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
    finding_why(finding, "that is fine for programs that bring it, such as a Python environment's; "
                         "others do not find it");
    finding_evidence(finding, context->facts, copy->group, "path");
    if (copy->version.called)
        finding_evidence(finding, context->facts, copy->version.group, copy->version.name);
}

void judge_cudnn_not_on_loader_path(struct rule_context *context)
{
    if (!has_libraries(context))
        return;
    AUTO_COPIES struct cudnn_copies copies = cudnn_copies(context->facts);
    AUTO(needs_free) struct needs needs = needs_of(context->facts);
    for (size_t i = 0; i < needs.count; i++) {
        const struct cudnn_copy *copy = copy_of_major(&copies, needs.items[i].major);
        if (copy == NULL)
            continue;
        needed_found(context, &needs.items[i], copy);
        return;
    }
    const struct cudnn_copy *copy = any_copy(&copies);
    const char *unknown = NULL;
    if (copy == NULL)
        rule_skip(context, "no cuDNN is installed");
    else if (cudnn_on_loader_path(context->facts, &unknown))
        return;
    else if (unknown)
        rule_lacks(context, unknown, "path");
    else
        unneeded_found(context, copy);
}
