/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/path.h"
#include "manifest/toolkit/library.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/framework/framework_load.h"
#include "rules/framework/framework_partial.h"
#include "rules/framework/judges.h"

/* ld_library_path_shadows_wheel_libs: LD_LIBRARY_PATH or LD_PRELOAD gives a framework older
 * libraries than the ones that came with it. cuda_libs_dependency_of_library: a library that it
 * gets lacks another. */

/* By major and minor: that is what the names of new functions carry (__nvJitLinkComplete_12_4). */
static bool is_older(const char *got, const char *own)
{
    struct version a, b;
    if (got == NULL || own == NULL || !version_parse_prefix(got, &a) ||
        !version_parse_prefix(own, &b) || a.count < 2 || b.count < 2)
        return false;
    a.count = 2;
    b.count = 2;
    return version_compare(&a, &b) < 0;
}

/* CUPTI's file is numbered by years, its wheel by CUDA's releases: 2024.1.1 and 12.8.90. */
static bool are_comparable(const char *got, const char *own)
{
    struct version a, b;
    return got && own && version_parse_prefix(got, &a) && version_parse_prefix(own, &b) &&
           (a.part[0] >= 2000) == (b.part[0] >= 2000);
}

/* The release of the toolkit that a library lies in, where its own copy tells no version that can
 * be compared: CUDA's libraries inside the framework's folder, CUPTI. */
static const char *older_toolkit(const struct facts *facts, const struct framework_load *load)
{
    const struct framework *framework = load->framework;
    const char *group;
    const char *own = facts_string(facts, load->group, "own_version");
    const char *got = facts_string(facts, load->group, "version");
    if (framework->cuda.count < 2 || facts_string(facts, load->group, "own") == NULL ||
        (own && strchr(own, '.') && (got == NULL || are_comparable(got, own))))
        return NULL;
    for (size_t i = 0; (group = facts_next(facts, "toolkit", &i)) != NULL;) {
        const char *root = facts_string(facts, group, "path");
        const char *version = facts_string(facts, group, "version");
        struct version release;
        if (root == NULL || version == NULL || !path_is_below(load->real_path, root) ||
            !version_parse_prefix(version, &release) || release.count < 2)
            continue;
        release.count = 2;
        if (version_compare(&release, &framework->cuda) < 0)
            return version;
    }
    return NULL;
}

/* The newest CUDA whose libraries, of those that this framework gets, ask nvJitLink for functions:
 * these have that release in their names, whatever newer nvJitLink pip took. False: not known. */
static bool jitlink_wanted(const struct rule_context *context, const struct framework_loads *loads,
                           const struct framework *framework, struct version *ret_cuda)
{
    static const char *const users[] = {"cusparse", "cusolver"};
    struct version version, cuda;
    *ret_cuda = (struct version){.count = 0};
    for (size_t i = 0; i < loads->count; i++) {
        const struct framework_load *load = &loads->items[i];
        const char *text = facts_string(context->facts, load->group, "version");
        bool uses = string_equal(load->family, users[0]) || string_equal(load->family, users[1]);
        if (load->framework != framework || !uses || text == NULL ||
            !version_parse_prefix(text, &version) ||
            !manifest_library_origin(context->manifest, load->family, &version, &cuda))
            continue;
        if (ret_cuda->count == 0 || version_compare(&cuda, ret_cuda) > 0)
            *ret_cuda = cuda;
    }
    return ret_cuda->count > 1;
}

/* False too where the libraries that use it are old enough for the one it gets. */
static bool jitlink_is_older(const struct rule_context *context,
                             const struct framework_loads *loads, const struct framework_load *load,
                             const char *got, const char *own)
{
    struct version wanted;
    char text[VERSION_TEXT_SIZE];
    if (!is_older(got, own))
        return false;
    return !jitlink_wanted(context, loads, load->framework, &wanted) ||
           is_older(got, version_text(&wanted, 2, text));
}

/* What a framework gets is older than its own copy. ret_toolkit: the release of the toolkit that
 * says so; NULL: the copies' versions do. */
static bool is_shadowed(const struct rule_context *context, const struct framework_loads *loads,
                        const struct framework_load *load, const char **ret_toolkit)
{
    const struct facts *facts = context->facts;
    *ret_toolkit = older_toolkit(facts, load);
    const char *got = facts_string(facts, load->group, "version");
    const char *own = facts_string(facts, load->group, "own_version");
    if (string_equal(load->family, "nvJitLink"))
        return jitlink_is_older(context, loads, load, got, own);
    return *ret_toolkit || (are_comparable(got, own) && is_older(got, own));
}

/* Linked libraries whose newer functions are missing when they are loaded; what is opened by name
 * is asked for each function when it is used. nvJitLink is linked by whoever wants it. */
static bool ends_the_import(const struct framework_load *load)
{
    static const char *const families[] = {"nvJitLink", "cublas",   "cublasLt",
                                           "cusparse",  "cusolver", "cupti"};
    for (size_t i = 0; i < sizeof(families) / sizeof(families[0]); i++)
        if (string_equal(load->family, families[i]))
            return load->linked || i == 0;
    return false;
}

/* "12.1.105 … not its own 12.4.127"; "… of CUDA 11.0.194 … not its own, of CUDA 11.8". */
static struct finding *report_shadow(struct rule_context *context,
                                     const struct framework_load *load, enum severity severity,
                                     const char *toolkit)
{
    const struct facts *facts = context->facts;
    char cuda[VERSION_TEXT_SIZE];
    AUTO_FREE char *words = framework_words(load->framework);
    if (toolkit)
        return rule_found(context, severity,
                          "%s loads %s of CUDA %s from %s instead of its own copy of CUDA %s",
                          words, load->soname, toolkit, load->path,
                          version_text(&load->framework->cuda, 2, cuda));
    return rule_found(context, severity, "%s loads %s %s from %s instead of its own copy %s", words,
                      load->soname, facts_string(facts, load->group, "version"), load->path,
                      facts_string(facts, load->group, "own_version"));
}

static const char preload[] = "LD_PRELOAD";

/* The variable that decides which copy is loaded; NULL: none does. */
static const char *variable_of(const struct framework_load *load)
{
    if (load->path == NULL || load->why == NULL)
        return NULL;
    return string_starts(load->why, preload)             ? preload
           : string_starts(load->why, "LD_LIBRARY_PATH") ? "LD_LIBRARY_PATH"
                                                         : NULL;
}

static void shadow_found(struct rule_context *context, const struct framework_load *load,
                         const char *toolkit)
{
    const struct facts *facts = context->facts;
    const char *own = facts_string(facts, load->group, "own");
    enum severity severity = ends_the_import(load)
                                 ? framework_severity(context, load->framework)
                                 : framework_severity_of_warning(context, load->framework);
    struct finding *finding = report_shadow(context, load, severity, toolkit);
    const char *variable = variable_of(load);
    finding_why(finding,
                "%s, and that copy is older than the copy they were built with: loading fails with "
                "\"undefined symbol\", or a function is missing at run time",
                string_equal(variable, preload)
                    ? "LD_PRELOAD loads its objects before all others"
                    : "LD_LIBRARY_PATH comes before the path stored in the libraries (RUNPATH)");
    framework_finding(context, finding, load->framework);
    finding_evidence(finding, facts, "environment", variable);
    finding_evidence(finding, facts, load->group, "path");
    finding_evidence(finding, facts, load->group, "own");
    finding_fix_command(finding, FIX_SHELL,
                        string_equal(variable, preload)
                            ? "the wheels find their own libraries without this variable; or "
                              "remove only that library"
                            : "the wheels find their own libraries without this variable; or "
                              "remove only that directory",
                        "unset %s", variable);
    if (!string_equal(variable, preload))
        framework_fix_path(finding, own, "or put the framework's own copy first");
}

void judge_ld_library_path_shadows_wheel_libs(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    AUTO_FRAMEWORKS struct frameworks frameworks = frameworks_of(facts, context->manifest);
    AUTO_LOADS struct framework_loads loads = framework_loads_of(facts, &frameworks);
    const struct framework *told = NULL; /* one finding for each, NVJITLINK's if there is one */
    if (!rule_require_frameworks(context, &frameworks))
        return;
    if (facts_string(facts, "environment", "LD_LIBRARY_PATH") == NULL &&
        facts_string(facts, "environment", preload) == NULL) {
        rule_skip(context, "LD_LIBRARY_PATH is not set");
        return;
    }
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < loads.count; i++) {
            const struct framework_load *load = &loads.items[i];
            const char *toolkit = NULL;
            if (variable_of(load) == NULL || load->framework == told ||
                string_equal(load->family, "cudnn") ||
                string_equal(load->family, "nvJitLink") != (pass == 0) ||
                !is_shadowed(context, &loads, load, &toolkit))
                continue;
            shadow_found(context, load, toolkit);
            told = load->framework;
        }
}

/* Who asks for it is itself a library of CUDA that the framework got. */
static const struct framework_load *asker_of(const struct framework_loads *loads,
                                             const struct framework_load *load)
{
    for (size_t i = 0; load->by && i < loads->count; i++) {
        const struct framework_load *other = &loads->items[i];
        if (other->framework == load->framework && other->path &&
            (string_equal(other->path, load->by) || string_equal(other->real_path, load->by)))
            return other;
    }
    return NULL;
}

bool framework_load_is_dependency(const struct framework_loads *loads,
                                  const struct framework_load *load)
{
    return load->missing && asker_of(loads, load) != NULL &&
           framework_loads_got(loads, load->framework, load->soname) == NULL;
}

static void dependency_found(struct rule_context *context, const struct framework_loads *loads,
                             const struct framework_load *load)
{
    const struct facts *facts = context->facts;
    const struct framework_load *asker = asker_of(loads, load);
    AUTO_FREE char *words = framework_words(load->framework);
    struct finding *finding =
        rule_found(context, framework_severity(context, load->framework),
                   "%s loads %s (%s), but %s, which that library needs, is not found", words,
                   asker->soname, asker->path, load->soname);
    finding_why(finding, "a library loads only if the loader finds everything that the library "
                         "needs; a newer CUDA's library may have the same name and need more "
                         "(since CUDA 12, libcusolver and libcusparse need libnvJitLink)");
    framework_finding(context, finding, load->framework);
    finding_evidence(finding, facts, load->group, "by");
    finding_evidence(finding, facts, load->group, "soname");
    finding_evidence(finding, facts, load->group, "path");
    const char *copy = framework_copy_named(facts, load->soname);
    if (copy)
        framework_fix_path(finding, facts_string(facts, copy, "path"),
                           "the directory that contains it");
    const char *package = framework_wheel_of(context->manifest, load->family, load->soname);
    finding_fix_note(finding, FIX_ADVICE,
                     "use the %s of the CUDA version that the framework is built for, or install "
                     "the libraries that the newer one needs%s%s%s",
                     asker->soname, package ? " (wheel " : "", package ? package : "",
                     package ? ")" : "");
    framework_fix_build(context, finding, load->framework);
}

void judge_cuda_libs_dependency_of_library(struct rule_context *context)
{
    AUTO_FRAMEWORKS struct frameworks frameworks = frameworks_of(context->facts, context->manifest);
    AUTO_LOADS struct framework_loads loads = framework_loads_of(context->facts, &frameworks);
    const struct framework *told = NULL;
    if (!rule_require_frameworks(context, &frameworks))
        return;
    for (size_t i = 0; i < loads.count; i++) {
        const struct framework_load *load = &loads.items[i];
        if (load->framework == told || !framework_load_is_core(load) ||
            !framework_load_is_dependency(&loads, load) ||
            rule_has_found(context, "cuda_libs_wrong_version"))
            continue;
        dependency_found(context, &loads, load);
        told = load->framework;
    }
}
