/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/query/judged.h"
#include "rules/remedy/remedy.h"
#include "rules/toolkit/cuda_framework.h"
#include "rules/toolkit/judges.h"
#include "rules/toolkit/toolkit_choice.h"

enum completeness { TOOLKIT_COMPLETE, TOOLKIT_RUNTIME_ONLY, TOOLKIT_INCOMPLETE, TOOLKIT_UNKNOWN };

/* A tree without any of the compiler's parts is there to run programs, and lacks nothing for that.
 * A wheel, or a component of Nix, holds what its package manager put into it. */
static enum completeness completeness_of(const struct facts *facts,
                                         const struct judged_toolkit *toolkit)
{
    static const char *const compiler[] = {"nvcc", "ptxas", "cicc", "libdevice"};
    const struct strlist *missing = facts_list(facts, toolkit->group, "missing");
    if (missing == NULL)
        return TOOLKIT_UNKNOWN;
    size_t absent = 0;
    for (size_t i = 0; i < sizeof(compiler) / sizeof(compiler[0]); i++)
        absent += strlist_has(missing, compiler[i]);
    bool none = absent == sizeof(compiler) / sizeof(compiler[0]);
    bool headers_alone = strlist_has(missing, "cudart") && !strlist_has(missing, "headers");
    const char *origin = facts_string(facts, toolkit->group, "origin");
    if (missing->count == 0)
        return TOOLKIT_COMPLETE;
    /* Nix has a directory for each component. */
    if ((none && !headers_alone) || string_equal(origin, "wheel") ||
        string_equal(origin, "store") || judged_toolkit_is_idle(facts, toolkit))
        return TOOLKIT_RUNTIME_ONLY;
    return TOOLKIT_INCOMPLETE;
}

void cuda_add_completion(const struct rule_context *context, struct finding *finding,
                         const struct judged_toolkit *toolkit)
{
    if (toolkit->version.count < 2) {
        finding_fix_note(finding, FIX_ADVICE | NEEDS_ROOT, "install that CUDA toolkit completely");
        return;
    }
    if (string_equal(facts_string(context->facts, toolkit->group, "origin"), "conda")) {
        finding_fix_command(finding, FIX_SHELL, "in that conda environment",
                            "conda install -c nvidia cuda-toolkit=%u.%u", toolkit->version.part[0],
                            toolkit->version.part[1]);
        return;
    }
    remedy_install_toolkit(context, finding, &toolkit->version);
}

/* The toolkit's own headers include what another of its packages brings. */
static void unmet_found(struct rule_context *context, const struct judged_toolkit *toolkit)
{
    static const char fact[] = "unmet_includes";
    const struct strlist *unmet = facts_list(context->facts, toolkit->group, fact);
    AUTO_STRLIST struct strlist parts = {0};
    for (size_t i = 0; unmet && i < unmet->count; i++)
        if (strstr(unmet->items[i], ": "))
            strlist_add_new(&parts, strstr(unmet->items[i], ": ") + 2);
    if (parts.count == 0)
        return;
    AUTO_FREE char *names = strlist_join(&parts, ", ");
    AUTO_FREE char *header = mem_string_n(unmet->items[0], strcspn(unmet->items[0], ":"));
    struct finding *finding = rule_found(
        context, SEVERITY_FAIL,
        "the CUDA toolkit%s%s in %s lacks %s, which its own header %s includes",
        toolkit->text ? " " : "", toolkit->text ? toolkit->text : "", toolkit->path, names, header);
    finding_subject(finding, toolkit->path);
    finding_why(finding,
                "what includes %s does not compile: \"fatal error: %s: No such file or directory\"",
                header, parts.items[0]);
    finding_evidence(finding, context->facts, toolkit->group, fact);
    cuda_add_completion(context, finding, toolkit);
}

static void incomplete_found(struct rule_context *context, const struct judged_toolkit *toolkit,
                             bool another_complete)
{
    enum severity severity = severity_for_build(context->purpose);
    if (severity == SEVERITY_FAIL && another_complete && !toolkit->is_default)
        severity = SEVERITY_WARN; /* builds that do not choose it work */
    const struct strlist *missing = facts_list(context->facts, toolkit->group, "missing");
    AUTO_FREE char *names = strlist_join(missing, ", ");
    struct finding *finding = rule_found(context, severity, "the CUDA toolkit%s%s in %s lacks %s",
                                         toolkit->text ? " " : "",
                                         toolkit->text ? toolkit->text : "", toolkit->path, names);
    finding_subject(finding, toolkit->path);
    finding_why(finding, "a build needs more than this toolkit contains: nvcc calls cicc and "
                         "ptxas, reads libdevice and the headers, and links with cudart");
    finding_evidence(finding, context->facts, toolkit->group, "missing");
    finding_evidence(finding, context->facts, toolkit->group, "version");
    if (context->purpose == PURPOSE_BUILD)
        finding_follows(context, finding, "disk_full");
    cuda_add_completion(context, finding, toolkit);
}

void judge_toolkit_incomplete(struct rule_context *context)
{
    size_t counts[TOOLKIT_UNKNOWN + 1] = {0};
    if (!rule_require_fact(context, "toolkit", "count"))
        return;
    AUTO_TOOLKITS struct judged_toolkits toolkits = judged_toolkits(context->facts);
    for (size_t i = 0; i < toolkits.count; i++)
        counts[completeness_of(context->facts, &toolkits.items[i])]++;
    for (size_t i = 0; i < toolkits.count; i++) {
        enum completeness completeness = completeness_of(context->facts, &toolkits.items[i]);
        if (completeness == TOOLKIT_INCOMPLETE)
            incomplete_found(context, &toolkits.items[i], counts[TOOLKIT_COMPLETE] > 0);
        else if (completeness == TOOLKIT_UNKNOWN)
            rule_unknown(context, "it is not known which parts the toolkit in %s lacks",
                         toolkits.items[i].path);
    }
    struct toolkit_choices choices = toolkit_choices_of(context->facts, &toolkits);
    const struct judged_toolkit *chosen = toolkit_chosen(&choices);
    if (context->purpose == PURPOSE_BUILD && chosen &&
        completeness_of(context->facts, chosen) == TOOLKIT_COMPLETE) {
        unmet_found(context, chosen);
        cuda_find_headers_missing(context, chosen);
    }
    if (toolkits.count == 0)
        rule_skip(context, "no CUDA toolkit is installed");
    else if (context->purpose == PURPOSE_BUILD && counts[TOOLKIT_RUNTIME_ONLY] == toolkits.count)
        rule_skip(context, "no CUDA toolkit here is meant for building");
}

static void default_is_nothing(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    bool build = context->purpose == PURPOSE_BUILD;
    const char *link = facts_string(facts, "toolkit", "default_link");
    const char *path = facts_string(facts, "toolkit", "default");
    /* A directory may hold cuda-compat alone, which is not a fault until something is built. */
    enum severity severity =
        path ? (build ? SEVERITY_WARN : SEVERITY_INFO) : (build ? SEVERITY_FAIL : SEVERITY_WARN);
    struct finding *finding =
        path ? rule_found(context, severity,
                          "/usr/local/cuda leads to %s, which is not a CUDA toolkit", path)
             : rule_found(context, severity,
                          "/usr/local/cuda is a link to %s, which does not exist", link);
    finding_subject(finding, "/usr/local/cuda");
    finding_why(finding, "builds look for the toolkit in /usr/local/cuda by default");
    finding_evidence(finding, facts, "toolkit", "default_link");
    finding_evidence(finding, facts, "toolkit", "default");
    AUTO_TOOLKITS struct judged_toolkits toolkits = judged_toolkits(facts);
    if (toolkits.count) {
        AUTO_FREE char *quoted = shell_quote(toolkits.items[0].path);
        finding_fix_command(finding, FIX_SHELL, "for this shell", "export CUDA_HOME=%s", quoted);
        if (link)
            remedy_relink(finding, toolkits.items[0].path, "/usr/local/cuda");
        return;
    }
    finding_fix_note(
        finding, FIX_ADVICE | NEEDS_ROOT,
        "install a CUDA toolkit and point the link at that toolkit, or remove the link");
}

static bool cannot_compare(const struct judged_toolkit *a, const struct judged_toolkit *b)
{
    return a && b && a != b && (a->version.count == 0 || b->version.count == 0);
}

static void append_choice(struct text *text, const char *name, const struct judged_toolkit *toolkit)
{
    if (toolkit)
        text_printf(text, "%s%s leads to CUDA %s (%s)", text->size ? ", " : "", name,
                    toolkit->text ? toolkit->text : "of unknown version", toolkit->path);
}

/* The one that was most likely chosen on purpose: the conda environment that is active, else what
 * the variable says. */
static const struct judged_toolkit *toolkit_wanted(const struct facts *facts,
                                                   const struct toolkit_choices *choices)
{
    const struct judged_toolkit *path = choices->path;
    if (path && string_equal(facts_string(facts, path->group, "origin"), "conda"))
        return path;
    if (choices->home)
        return choices->home;
    if (choices->standard)
        return choices->standard;
    return path ? path : choices->cudacxx;
}

static void disagreement_found(struct rule_context *context, const struct toolkit_choices *choices)
{
    const struct facts *facts = context->facts;
    AUTO_TEXT struct text message = {0};
    append_choice(&message, "/usr/local/cuda", choices->standard);
    append_choice(&message, choices->home_name, choices->home);
    append_choice(&message, "nvcc on PATH", choices->path);
    append_choice(&message, "CUDACXX", choices->cudacxx);
    append_choice(&message, "CUDAToolkit_ROOT", choices->cmake_root);
    /* CUDA_HOME and PATH that agree were chosen so; the default is then no one's. */
    bool chosen = choices->home && choices->path &&
                  !toolkit_differs(choices->home, choices->path) &&
                  !toolkit_differs(choices->cudacxx, choices->cmake_root);
    bool matters = !chosen && context->purpose == PURPOSE_BUILD; /* programs are built already */
    struct finding *finding =
        rule_found(context, matters ? SEVERITY_WARN : SEVERITY_INFO, "%s", text_string(&message));
    finding_subject(finding, "/usr/local/cuda");
    finding_why(finding,
                chosen
                    ? "builds use CUDA_HOME and PATH, which name the same toolkit: this is healthy"
                    : "some builds use CUDA_HOME, others nvcc on PATH or /usr/local/cuda: a "
                      "program can then contain parts of two CUDA versions, or the build stops");
    finding_evidence(finding, facts, "toolkit", "default");
    finding_evidence(finding, facts, "environment", choices->home_name);
    finding_evidence(finding, facts, "toolkit", "nvcc_on_path");
    if (chosen)
        return;
    finding_follows(context, finding, "distro_nvcc_shadows_toolkit");
    if (toolkit_differs(choices->cudacxx, choices->cmake_root)) {
        AUTO_FREE char *quoted = shell_quote(choices->cudacxx->path);
        finding_evidence(finding, facts, "environment", "CUDACXX");
        finding_evidence(finding, facts, "environment", "CUDAToolkit_ROOT");
        finding_fix_command(finding, FIX_SHELL, "for CMake", "export CUDAToolkit_ROOT=%s", quoted);
    }
    toolkit_fix_use(
        finding,
        "uses one toolkit for everything; to use another toolkit, name its directory instead",
        toolkit_wanted(facts, choices));
}

void judge_usr_local_cuda_wrong_version(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    if (!rule_require_fact(context, "toolkit", "count") ||
        !rule_require_fact(context, "toolkit", "default"))
        return;
    AUTO_TOOLKITS struct judged_toolkits toolkits = judged_toolkits(facts);
    struct toolkit_choices choices = toolkit_choices_of(facts, &toolkits);
    bool exists =
        facts_string(facts, "toolkit", "default_link") || facts_string(facts, "toolkit", "default");
    bool build = context->purpose == PURPOSE_BUILD;
    if (exists && choices.standard == NULL)
        default_is_nothing(context);
    else if (build && cuda_find_framework_of_another(context, &choices))
        return;
    else if (toolkit_differs(choices.standard, choices.home) ||
             toolkit_differs(choices.standard, choices.path) ||
             toolkit_differs(choices.home, choices.path) ||
             (build && toolkit_differs(choices.cudacxx, choices.cmake_root)))
        disagreement_found(context, &choices);
    else if (cannot_compare(choices.standard, choices.home) ||
             cannot_compare(choices.standard, choices.path))
        rule_unknown(context, "cannot compare toolkits: the version of one toolkit is not known");
    else if (!choices.standard && !choices.home && !choices.path)
        rule_skip(context, "there is no /usr/local/cuda, no CUDA_HOME and no nvcc on PATH");
}
