/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/shell.h"
#include "manifest/toolkit/library.h"
#include "manifest/versions/threshold.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/framework/framework.h"
#include "rules/framework/framework_partial.h"
#include "rules/framework/judges.h"
#include "rules/remedy/remedy.h"

/* libdevice_missing: what Numba compiles with, and XLA, which JAX and TensorFlow compile with,
 * looks for libdevice.10.bc in a few places alone: what --xla_gpu_cuda_data_dir names, the wheel of
 * nvcc beside it, /usr/local/cuda, from some release on /opt/cuda (xla
 * tsl/platform/default/cuda_root_path.cc). */

#define FLAG "--xla_gpu_cuda_data_dir="

static bool has_libdevice(const struct facts *facts, const char *group)
{
    const struct strlist *missing = facts_list(facts, group, "missing");
    return missing && !strlist_has(missing, "libdevice");
}

/* A toolkit with libdevice, the one that leads there by name, or the first; NULL: none. */
static const char *toolkit_with(const struct facts *facts, const char *name)
{
    const char *group;
    for (size_t i = 0; (group = facts_next(facts, "toolkit", &i)) != NULL;) {
        const struct strlist *named_by = facts_list(facts, group, "named_by");
        if (has_libdevice(facts, group) &&
            (name == NULL || (named_by && strlist_has(named_by, name))))
            return group;
    }
    return NULL;
}

static bool toolkit_is_at(const struct facts *facts, const char *path)
{
    const char *group;
    for (size_t i = 0; (group = facts_next(facts, "toolkit", &i)) != NULL;)
        if (has_libdevice(facts, group) && (string_equal(facts_string(facts, group, "path"), path)))
            return true;
    return false;
}

/* nvidia-cuda-nvcc-cu12; from CUDA 13 on nvidia-nvvm has it. */
static bool wheel_brings_it(const struct facts *facts, const char *environment)
{
    const char *group;
    for (size_t i = 0; (group = facts_next(facts, "wheel", &i)) != NULL;) {
        const char *name = facts_string(facts, group, "name");
        if (name && string_equal(facts_string(facts, group, "environment"), environment) &&
            (string_starts(name, "nvidia-cuda-nvcc") || string_starts(name, "nvidia-nvvm") ||
             string_starts(name, "cuda-nvcc") || string_starts(name, "cuda-nvvm")))
            return true;
    }
    return false;
}

static const char *cudatoolkit_of(const struct facts *facts, const char *environment)
{
    const char *group;
    for (size_t i = 0; (group = facts_next(facts, "wheel", &i)) != NULL;)
        if (string_equal(facts_string(facts, group, "name"), "cudatoolkit") &&
            string_equal(facts_string(facts, group, "environment"), environment))
            return group;
    return NULL;
}

/* /opt/cuda is looked at by releases that are newer than the last which is known not to. */
static bool looks_in_opt(const struct rule_context *context, const struct framework *framework)
{
    const struct manifest_threshold *last =
        manifest_threshold_find(context->manifest, "xla-without-opt-cuda");
    struct version version;
    return !(last && string_equal(framework->name, "jax") &&
             version_parse_prefix(framework->version, &version) &&
             version_compare(&version, &last->version) <= 0);
}

/* Releases that compile what they train with XLA, asked or not. */
static bool compiles(const struct rule_context *context, const struct framework *framework)
{
    const struct manifest_threshold *first =
        manifest_threshold_find(context->manifest, "tensorflow-compiles");
    struct version version;
    return first && version_parse_prefix(framework->version, &version) &&
           version_compare(&version, &first->version) >= 0;
}

static bool is_found(const struct rule_context *context, const struct framework *framework)
{
    const struct facts *facts = context->facts;
    const char *flags = facts_string(facts, "environment", "XLA_FLAGS");
    if (flags && strstr(flags, FLAG))
        return true;
    return wheel_brings_it(facts, framework->environment) ||
           toolkit_with(facts, "/usr/local/cuda") ||
           (looks_in_opt(context, framework) && toolkit_is_at(facts, "/opt/cuda"));
}

static void missing_found(struct rule_context *context, const struct framework *framework)
{
    const struct facts *facts = context->facts;
    const char *named = toolkit_with(facts, "CUDA_HOME");
    const char *toolkit = named ? named : toolkit_with(facts, NULL);
    const char *path = toolkit ? facts_string(facts, toolkit, "path") : NULL;
    bool jax = string_equal(framework->name, "jax");
    AUTO_FREE char *words = framework_words(framework);
    AUTO_FREE char *pip = framework_pip(framework);
    struct finding *finding = rule_found(
        context,
        jax                            ? framework_severity(context, framework)
        : compiles(context, framework) ? framework_severity_of_warning(context, framework)
                                       : SEVERITY_INFO,
        "%s does not find libdevice.10.bc%s%s", words,
        path ? ", which is under " : ": no toolkit or wheel here has this file", path ? path : "");
    finding_why(
        finding,
        "XLA compiles with this file and looks for it only in --xla_gpu_cuda_data_dir, in the nvcc "
        "wheel of the same environment and in /usr/local/cuda, not in CUDA_HOME or PATH%s",
        jax ? ""
        : compiles(context, framework)
            ? "; in this release, model.fit() compiles with XLA by default"
            : "; TensorFlow needs the file if jit_compile is on");
    framework_finding(context, finding, framework);
    finding_evidence(finding, facts, "environment", "XLA_FLAGS");
    finding_evidence(finding, facts, "toolkit", "default");
    if (path) {
        AUTO_FREE char *quoted = shell_quote(path);
        finding_evidence(finding, facts, toolkit, "path");
        finding_fix_command(finding, FIX_SHELL, "before the program starts",
                            "export XLA_FLAGS=" FLAG "%s", quoted);
        if (facts_string(facts, "toolkit", "default_link") == NULL &&
            facts_string(facts, "toolkit", "default") == NULL)
            remedy_link(finding, "or for every program", path, "/usr/local/cuda");
    }
    const char *conda = cudatoolkit_of(facts, framework->environment);
    if (conda) {
        AUTO_FREE char *lib = mem_printf("%s/lib", framework->environment);
        AUTO_FREE char *quoted = shell_quote(lib);
        finding_evidence(finding, facts, conda, "version");
        finding_fix_command(
            finding, FIX_SHELL,
            "conda's cudatoolkit has the file directly in lib, where XLA does not look",
            "mkdir -p %s/nvvm/libdevice && cp %s/libdevice.10.bc "
            "%s/nvvm/libdevice/ && export XLA_FLAGS=" FLAG "%s",
            quoted, quoted, quoted, quoted);
    }
    const struct version *cuda = &framework->cuda;
    const char *package =
        cuda->count ? manifest_library_package(context->manifest, "nvvm", cuda->part[0]) : NULL;
    AUTO_FREE char *note =
        mem_printf("or the wheel that includes the file, for CUDA %u", cuda->part[0]);
    if (package)
        finding_fix_command(finding, FIX_SHELL, note, "%s install %s", pip, package);
    else
        finding_fix_note(finding, FIX_ADVICE,
                         "or the wheel that includes the file, for the framework's CUDA");
}

/* numba-cuda: libNVVM and libdevice of a wheel, of conda, of CUDA_HOME or of /usr/local/cuda. */
static bool numba_finds(const struct facts *facts, const struct framework *framework)
{
    return wheel_brings_it(facts, framework->environment) ||
           cudatoolkit_of(facts, framework->environment) || toolkit_with(facts, "CUDA_HOME") ||
           toolkit_with(facts, "CUDA_PATH") || toolkit_with(facts, "/usr/local/cuda");
}

static void numba_found(struct rule_context *context, const struct framework *framework)
{
    const struct facts *facts = context->facts;
    const char *toolkit = toolkit_with(facts, NULL);
    const char *path = toolkit ? facts_string(facts, toolkit, "path") : NULL;
    AUTO_FREE char *words = framework_words(framework);
    AUTO_FREE char *pip = framework_pip(framework);
    struct finding *finding =
        rule_found(context, framework_severity(context, framework),
                   "%s does not find libNVVM and libdevice.10.bc%s%s", words,
                   path ? ", which are under " : ": no toolkit or wheel here has these files",
                   path ? path : "");
    finding_why(
        finding,
        "Numba needs these files to compile kernels (otherwise: NvvmSupportError), and looks in "
        "NVIDIA's wheels of the same environment, in CUDA_HOME and in /usr/local/cuda");
    framework_finding(context, finding, framework);
    finding_evidence(finding, facts, "environment", "CUDA_HOME");
    finding_evidence(finding, facts, "toolkit", "default");
    if (path) {
        AUTO_FREE char *quoted = shell_quote(path);
        finding_evidence(finding, facts, toolkit, "path");
        finding_fix_command(finding, FIX_SHELL, "before the program starts", "export CUDA_HOME=%s",
                            quoted);
    }
    finding_fix_command(finding, FIX_SHELL, "the wheels that include these files, for CUDA 12",
                        "%s install 'numba-cuda[cu12]'", pip);
}

void judge_libdevice_missing(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    AUTO_FRAMEWORKS struct frameworks frameworks = frameworks_of(facts, context->manifest);
    AUTO_FRAMEWORK_GPUS struct framework_gpus gpus = framework_gpus(context);
    if (!rule_require_framework_gpus(context, &frameworks, &gpus))
        return;
    bool any = false;
    for (size_t i = 0; i < frameworks.count; i++) {
        const struct framework *framework = &frameworks.items[i];
        if (string_equal(framework->name, "numba-cuda")) {
            any = true;
            if (!numba_finds(facts, framework))
                numba_found(context, framework);
            continue;
        }
        if ((!string_equal(framework->name, "jax") &&
             !string_equal(framework->name, "tensorflow")) ||
            !framework->for_cuda)
            continue;
        any = true;
        if (!is_found(context, framework))
            missing_found(context, framework);
    }
    if (!any)
        rule_skip(context, "nothing that compiles with XLA or Numba for CUDA is installed");
}
