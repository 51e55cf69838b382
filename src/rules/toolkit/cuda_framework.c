/* SPDX-License-Identifier: MIT */
#include "rules/toolkit/cuda_framework.h"

#include "base/path.h"
#include "base/shell.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/framework/framework.h"

/* Part of usr_local_cuda_wrong_version: the toolkit that a build takes is of another CUDA than the
 * PyTorch that the extension is built for. torch.utils.cpp_extension refuses another major, and
 * says nothing of another minor that matters. */

static void mismatch_found(struct rule_context *context, const struct framework *torch,
                           const struct judged_toolkit *toolkit, const char *named_by)
{
    char built[VERSION_TEXT_SIZE];
    AUTO_FREE char *words = framework_words(torch);
    struct finding *finding =
        rule_found(context, SEVERITY_FAIL,
                   "builds use the CUDA toolkit %s in %s (by %s), but %s is built for CUDA %s",
                   toolkit->text ? toolkit->text : "", toolkit->path, named_by, words,
                   version_text(&torch->cuda, 2, built));
    finding_subject(finding, toolkit->path);
    finding_why(
        finding,
        "PyTorch extensions are compiled with the toolkit from CUDA_HOME, from the nvcc on PATH or "
        "from /usr/local/cuda; if its major version differs from PyTorch's, the build stops: \"The "
        "detected CUDA version mismatches the version that was used to compile PyTorch\"");
    finding_evidence(finding, context->facts, toolkit->group, "version");
    if (string_starts(named_by, "CUDA_"))
        finding_evidence(finding, context->facts, "environment", named_by);
    finding_evidence(finding, context->facts, torch->group, "cuda");
    if (torch->cuda.count > 1) {
        framework_fix_cuda(context, finding, torch);
        finding_fix_note(finding, FIX_ADVICE, "then set CUDA_HOME to that toolkit");
    }
    finding_fix_note(finding, FIX_ADVICE, "or install the build of PyTorch for CUDA %u",
                     toolkit->version.part[0]);
}

bool cuda_find_framework_of_another(struct rule_context *context,
                                    const struct toolkit_choices *choices)
{
    /* PyTorch's builds do not read CUDACXX. */
    const struct toolkit_choices read = {.standard = choices->standard,
                                         .home = choices->home,
                                         .home_name = choices->home_name,
                                         .path = choices->path};
    const struct judged_toolkit *toolkit = toolkit_chosen(&read);
    AUTO_FRAMEWORKS struct frameworks frameworks = frameworks_of(context->facts, context->manifest);
    for (size_t i = 0; toolkit && i < frameworks.count; i++) {
        const struct framework *torch = &frameworks.items[i];
        if (string_equal(torch->name, "pytorch") && torch->active && torch->cuda.count > 0 &&
            toolkit->version.count > 0 && torch->cuda.part[0] != toolkit->version.part[0]) {
            mismatch_found(context, torch, toolkit, toolkit_chosen_by(&read));
            return true;
        }
    }
    return false;
}

/* The HPC SDK has them in a directory of its own: then nothing is missing but a path to it. */
static bool add_headers_beside(const struct rule_context *context, struct finding *finding,
                               const struct judged_toolkit *toolkit)
{
    static const char fact[] = "library_headers_beside";
    const char *beside = facts_string(context->facts, toolkit->group, fact);
    if (beside == NULL)
        return false;
    AUTO_FREE char *quoted = shell_quote(beside);
    AUTO_FREE char *parent = path_parent(beside);
    AUTO_FREE char *libraries = shell_quote(parent);
    finding_evidence(finding, context->facts, toolkit->group, fact);
    finding_fix_command(finding, FIX_SHELL,
                        "the HPC SDK has the mathematical libraries there; its module file does "
                        "the same",
                        "export CPATH=%s${CPATH:+:$CPATH} "
                        "LIBRARY_PATH=%s/lib64${LIBRARY_PATH:+:$LIBRARY_PATH}",
                        quoted, libraries);
    finding_fix_note(finding, FIX_ADVICE,
                     "or install NVIDIA's CUDA toolkit, which has all of them in one directory, "
                     "and set CUDA_HOME to it");
    return true;
}

/* Without PyTorch nobody knows whether a program includes them. */
static void beside_found(struct rule_context *context, const struct judged_toolkit *toolkit,
                         const char *names)
{
    if (facts_string(context->facts, toolkit->group, "library_headers_beside") == NULL)
        return;
    struct finding *finding = rule_found(
        context, SEVERITY_INFO,
        "the HPC SDK's CUDA%s%s in %s has %s in its directory math_libs, where compilers "
        "do not look",
        toolkit->text ? " " : "", toolkit->text ? toolkit->text : "", toolkit->path, names);
    finding_subject(finding, toolkit->path);
    finding_why(finding, "programs that include them do not compile with this CUDA_HOME alone; "
                         "others do, and CMake's FindCUDAToolkit knows the directory");
    finding_evidence(finding, context->facts, toolkit->group, "library_headers");
    add_headers_beside(context, finding, toolkit);
}

/* Headers of CUDA's libraries that PyTorch's own headers include. */
void cuda_find_headers_missing(struct rule_context *context, const struct judged_toolkit *toolkit)
{
    static const char *const wanted[] = {"cublas_v2.h", "cusparse.h", "cusolverDn.h"};
    const struct strlist *there = facts_list(context->facts, toolkit->group, "library_headers");
    AUTO_STRLIST struct strlist missing = {0};
    for (size_t i = 0; there && i < sizeof(wanted) / sizeof(wanted[0]); i++)
        if (!strlist_has(there, wanted[i]))
            strlist_add(&missing, wanted[i]);
    if (missing.count == 0)
        return;
    AUTO_FREE char *names = strlist_join(&missing, ", ");
    AUTO_FRAMEWORKS struct frameworks frameworks = frameworks_of(context->facts, context->manifest);
    for (size_t i = 0; i < frameworks.count; i++) {
        const struct framework *torch = &frameworks.items[i];
        if (!string_equal(torch->name, "pytorch") || !torch->active || !torch->for_cuda)
            continue;
        AUTO_FREE char *words = framework_words(torch);
        struct finding *finding =
            rule_found(context, SEVERITY_FAIL,
                       "the CUDA toolkit%s%s in %s lacks %s, which the headers of %s include",
                       toolkit->text ? " " : "", toolkit->text ? toolkit->text : "", toolkit->path,
                       names, words);
        finding_subject(finding, toolkit->path);
        finding_why(finding, "every extension that is compiled against PyTorch includes its "
                             "headers, and these include those of cuBLAS, cuSPARSE and cuSOLVER");
        finding_evidence(finding, context->facts, toolkit->group, "library_headers");
        if (add_headers_beside(context, finding, toolkit))
            return;
        cuda_add_completion(context, finding, toolkit);
        return;
    }
    beside_found(context, toolkit, names);
}
