/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "manifest/versions/threshold.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/framework/framework.h"
#include "rules/framework/framework_partial.h"
#include "rules/framework/judges.h"
#include "rules/query/framework_choice.h"
#include "rules/remedy/remedy.h"

/* framework_does_not_fit: what --for-framework asks for, installed or not. Which build suits driver
 * and GPUs was resolved before; Python, the C library and the libraries that it wants of the system
 * are looked at here. */

static char *words_of(const struct framework_choice *choice)
{
    return mem_printf("%s %s%s%s%s", choice->title, choice->version, choice->build ? " (" : "",
                      choice->build ? choice->build : "", choice->build ? ")" : "");
}

static struct finding *choice_found(struct rule_context *context, enum severity severity,
                                    const struct framework_choice *choice, const char *message)
{
    struct finding *finding = rule_found(context, severity, "%s", message);
    finding_subject(finding, choice->asked);
    finding_evidence_text(finding, "--for-framework", choice->asked);
    if (choice->row)
        finding_manifest(finding, choice->row);
    return finding;
}

static void nothing_found(struct rule_context *context, const struct framework_choice *choice)
{
    AUTO_FREE char *message = mem_printf("no requested build of %s (%s) runs on this machine",
                                         choice->title, choice->asked);
    struct finding *finding = choice_found(context, SEVERITY_FAIL, choice, message);
    struct judged_driver driver = judged_driver(context->facts);
    finding_why(finding, "the newest build: %s", choice->why ? choice->why : "none is listed");
    finding_evidence(finding, context->facts, driver.group, driver.name);
    if (choice->reason && string_starts(choice->reason, "driver_too_old"))
        remedy_install_driver(context, finding, 0);
    finding_fix_note(finding, FIX_ADVICE,
                     "gpuenv resolve -v %s shows why each build does not fit; another release, or "
                     "another GPU, may work",
                     choice->framework);
}

/* The version of python3 here; false: not known. */
static bool python_here(const struct facts *facts, struct version *ret_version,
                        const char **ret_group)
{
    const char *group;
    for (size_t i = 0; (group = facts_next(facts, "python", &i)) != NULL;) {
        const char *text = facts_string(facts, group, "version");
        *ret_group = group;
        if (facts_true(facts, group, "active") && text && version_parse_prefix(text, ret_version))
            return true;
    }
    return false;
}

/* The newest Python that the build takes; uv and distributions no longer have the old ones. */
static void advise_environment(const struct rule_context *context, struct finding *finding,
                               const struct version *newest)
{
    char python[VERSION_TEXT_SIZE], least[VERSION_TEXT_SIZE];
    const struct manifest_threshold *oldest =
        manifest_threshold_find(context->manifest, "uv-python");
    version_text(newest, 2, python);
    if (oldest && version_compare(newest, &oldest->version) < 0)
        finding_fix_note(finding, FIX_ADVICE,
                         "create an environment with a Python version in that range: conda create "
                         "python=%s (uv installs Python %s or newer)",
                         python, version_text(&oldest->version, 0, least));
    else
        finding_fix_note(finding, FIX_ADVICE,
                         "create an environment with a Python version in that range: python%s -m "
                         "venv DIR, uv venv --python %s, or conda create python=%s",
                         python, python, python);
}

static bool judge_python(struct rule_context *context, const struct framework_choice *choice)
{
    struct version have, newest;
    const char *group = NULL;
    if (!python_here(context->facts, &have, &group) ||
        framework_choice_takes_python(choice, &have, &newest))
        return true;
    char text[VERSION_TEXT_SIZE];
    AUTO_FREE char *words = words_of(choice);
    AUTO_FREE char *message = mem_printf("%s is for Python %s, but python3 here is %s", words,
                                         choice->python, version_text(&have, 0, text));
    struct finding *finding = choice_found(context, SEVERITY_FAIL, choice, message);
    finding_why(
        finding,
        "each wheel is built for one Python version; pip finds no wheel for another version");
    finding_evidence(finding, context->facts, group, "version");
    advise_environment(context, finding, &newest);
    return false;
}

static bool judge_glibc(struct rule_context *context, const struct framework_choice *choice)
{
    const char *text = facts_string(context->facts, "os", "glibc_version");
    const struct fact *fact = facts_get(context->facts, "os", "glibc_version");
    struct version have;
    char wanted[VERSION_TEXT_SIZE];
    if (choice->glibc.count == 0)
        return true;
    if (fact && fact->state == FACT_UNKNOWN)
        return rule_require_fact(context, "os", "glibc_version");
    if (text == NULL || !version_parse_prefix(text, &have) ||
        version_compare(&have, &choice->glibc) >= 0)
        return true;
    AUTO_FREE char *words = words_of(choice);
    AUTO_FREE char *message = mem_printf("%s needs glibc %s, but this system has %s", words,
                                         version_text(&choice->glibc, 0, wanted), text);
    struct finding *finding = choice_found(context, SEVERITY_FAIL, choice, message);
    finding_why(finding, "the wheel is tagged for that glibc (manylinux): pip finds no wheel for "
                         "an older glibc, and glibc cannot be replaced on its own");
    finding_evidence(finding, context->facts, "os", "glibc_version");
    finding_fix_note(finding, FIX_ADVICE,
                     "run the program in a container with a newer distribution; containers use the "
                     "host's driver");
    finding_fix_note(
        finding, FIX_ADVICE,
        "gpuenv resolve -v %s shows older releases: choose a release with --for-framework",
        choice->framework);
    return false;
}

/* "libcudart.so.11.0" is one of libcudart.so.11. */
static bool is_of(const char *soname, const char *stem)
{
    size_t size = strlen(stem);
    return soname && strncmp(soname, stem, size) == 0 &&
           (soname[size] == '\0' || soname[size] == '.');
}

/* A copy for all programs, of that name and major. */
static bool is_installed(const struct facts *facts, const char *name, const struct version *major)
{
    AUTO_FREE char *stem = mem_printf("%s.so.%u", name, major->part[0]);
    const char *group;
    for (size_t i = 0; (group = facts_next(facts, "loader", &i)) != NULL;)
        if (facts_string(facts, group, "path") && is_of(facts_string(facts, group, "name"), stem))
            return true;
    for (size_t i = 0; (group = facts_next(facts, "library", &i)) != NULL;)
        if (is_of(facts_string(facts, group, "soname"), stem) &&
            !judged_library_has_origin(facts, group, "wheel") &&
            !judged_library_has_origin(facts, group, "conda"))
            return true;
    return false;
}

static bool has(const struct facts *facts, const char *name, const char *version)
{
    struct version wanted;
    return version == NULL || !version_parse_prefix(version, &wanted) ||
           is_installed(facts, name, &wanted);
}

/* What it wants installed: the CUDA runtime and cuDNN of those majors. */
static bool judge_system(struct rule_context *context, const struct framework_choice *choice)
{
    bool has_cuda = has(context->facts, "libcudart", choice->cuda);
    bool has_cudnn = has(context->facts, "libcudnn", choice->cudnn);
    if (!choice->wants_system || (has_cuda && has_cudnn))
        return true;
    AUTO_FREE char *words = words_of(choice);
    AUTO_FREE char *message =
        mem_printf("%s needs CUDA %s%s%s to be installed, but %s here", words,
                   choice->cuda ? choice->cuda : "", choice->cudnn ? " and cuDNN " : "",
                   choice->cudnn ? choice->cudnn : "",
                   !has_cuda && !has_cudnn ? "neither is"
                   : has_cuda              ? "such a cuDNN is not"
                                           : "its runtime is not");
    struct finding *finding = choice_found(context, SEVERITY_FAIL, choice, message);
    finding_why(finding,
                "this build includes no CUDA libraries: the loader must find installed ones");
    finding_evidence(finding, context->facts, "library", "count");
    framework_fix_install(context, finding, choice->asked);
    return false;
}

/* Each is told. */
static bool judge_here(struct rule_context *context, const struct framework_choice *choice)
{
    bool python = judge_python(context, choice);
    bool glibc = judge_glibc(context, choice);
    return judge_system(context, choice) && python && glibc;
}

static void fits_found(struct rule_context *context, const struct framework_choice *choice)
{
    AUTO_FREE char *words = words_of(choice);
    AUTO_FREE char *message =
        mem_printf("%s runs on this machine%s", words, choice->limits ? ", with limits" : "");
    struct finding *finding = choice_found(context, SEVERITY_INFO, choice, message);
    finding_why(finding, "%s%s%s", choice->why ? choice->why : "nothing rules it out",
                choice->limits ? "; but " : "", choice->limits ? choice->limits : "");
    if (choice->command)
        finding_fix_command(finding, FIX_SHELL, "installs it", "%s", choice->command);
    else
        finding_fix_note(finding, FIX_ADVICE, "gpuenv resolve %s shows the details", choice->asked);
}

/* "PyTorch 2.14.0: no driver was found to check CUDA 13.0 against" */
static void note_unknown(const struct framework_choice *choice, struct strlist *unknown)
{
    strlist_take(unknown, mem_printf("%s%s%s: %s", choice->title, choice->version ? " " : "",
                                     choice->version ? choice->version : "",
                                     choice->why ? choice->why : "nothing is listed"));
}

void judge_framework_does_not_fit(struct rule_context *context)
{
    bool any = false;
    AUTO_STRLIST struct strlist unknown = {0};
    for (size_t i = 0; context->choices && i < context->choices->count; i++) {
        const struct framework_choice *choice = &context->choices->items[i];
        if (choice->asked == NULL)
            continue;
        any = true;
        if (choice->needs_no_cuda)
            continue;
        if (choice->unknown)
            note_unknown(choice, &unknown);
        else if (choice->version == NULL)
            nothing_found(context, choice);
        else if (judge_here(context, choice))
            fits_found(context, choice);
    }
    if (unknown.count) {
        AUTO_FREE char *all = strlist_join(&unknown, "; and ");
        rule_unknown(context, "%s", all);
    }
    if (!any)
        rule_skip(context, "no framework was requested (--for-framework)");
}
