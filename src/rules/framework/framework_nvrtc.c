/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/path.h"
#include "base/shell.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/framework/framework_load.h"
#include "rules/framework/framework_partial.h"
#include "rules/framework/judges.h"
#include "rules/query/framework_choice.h"

/* nvrtc_missing_or_stub: the compiler that a framework calls while it runs. */

static void stub_found(struct rule_context *context, const struct framework_load *load)
{
    AUTO_FREE char *words = framework_words(load->framework);
    struct finding *finding =
        rule_found(context, framework_severity(context, load->framework),
                   "%s loads the stub of %s: %s", words, load->soname, load->path);
    finding_why(finding,
                "libraries in a \"stubs\" directory are only for linking and do nothing; this stub "
                "was found through %s",
                load->why ? load->why : "the loader's search");
    framework_finding(context, finding, load->framework);
    finding_evidence(finding, context->facts, load->group, "path");
    finding_evidence(finding, context->facts, "environment", "LD_LIBRARY_PATH");
    finding_fix_note(finding, FIX_ADVICE,
                     "remove the stubs directory from LD_LIBRARY_PATH and from /etc/ld.so.conf.d: "
                     "only the linker needs that directory (-L)");
}

/* Whether a CuPy for that major of CUDA suits driver and GPUs: the one that was chosen is the
 * newest that does. */
static bool suits(const struct rule_context *context, const struct framework *framework,
                  unsigned major)
{
    const struct framework_choice *choice =
        framework_choice_find(context->choices, framework->name);
    struct version cuda;
    if (choice == NULL || (choice->version && choice->cuda == NULL))
        return true;
    return choice->version && version_parse_prefix(choice->cuda, &cuda) && major <= cuda.part[0];
}

static void add_cupy(struct rule_context *context, struct finding *finding,
                     const struct framework_load *load, unsigned major)
{
    AUTO_FREE char *pip = framework_pip(load->framework);
    AUTO_FREE char *package = shell_quote(load->framework->package);
    if (suits(context, load->framework, major))
        finding_fix_command(
            finding, FIX_SHELL, "the CuPy build for the CUDA version that is installed",
            "%s uninstall -y %s && %s install cupy-cuda%ux", pip, package, pip, major);
    else
        framework_fix_build(context, finding, load->framework);
}

static void add_fixes(struct rule_context *context, struct finding *finding,
                      const struct framework_load *load, const char *same, const char *other)
{
    struct version number;
    const char *soname = other ? facts_string(context->facts, other, "soname") : NULL;
    const char *digits = soname ? strstr(soname, ".so.") : NULL;
    if (same)
        framework_fix_path(finding, facts_string(context->facts, same, "path"),
                           "before the program starts");
    if (string_equal(load->framework->name, "cupy") && digits && same == NULL &&
        version_parse_prefix(digits + strlen(".so."), &number))
        add_cupy(context, finding, load, number.part[0]);
    const char *package = framework_wheel_of(context->manifest, "nvrtc", load->soname);
    finding_fix_note(finding, FIX_ADVICE,
                     "or install the missing NVRTC from the toolkit of the same CUDA version or "
                     "from NVIDIA's wheel%s%s, and add the library's directory to LD_LIBRARY_PATH",
                     package ? " " : "", package ? package : "");
}

/* PyTorch's libcaffe2_nvrtc.so is opened when code is first compiled; what else is linked to NVRTC
 * does not load without it. */
static enum severity severity_of_missing(const struct rule_context *context,
                                         const struct framework_load *load)
{
    return load->by && string_starts(path_base(load->by), "libcaffe2_nvrtc.")
               ? framework_severity_of_warning(context, load->framework)
               : framework_severity(context, load->framework);
}

static void missing_found(struct rule_context *context, const struct framework_loads *loads,
                          const struct framework_load *load)
{
    const struct facts *facts = context->facts;
    const char *same = framework_copy_named(facts, load->soname);
    const char *other = framework_copy_other(facts, "nvrtc", load->soname);
    const char *group = same ? same : other;
    AUTO_FREE char *words = framework_words(load->framework);
    AUTO_FREE char *here =
        same    ? mem_printf("the file is at %s, where the loader does not look",
                             facts_string(facts, same, "path"))
        : other ? mem_printf("instead there is %s", facts_string(facts, other, "path"))
                : mem_string("there is none");
    struct finding *finding = rule_found(context, severity_of_missing(context, load),
                                         "%s does not find %s: %s", words, load->soname, here);
    finding_why(
        finding,
        "NVRTC compiles CUDA code while the program runs; programs load NVRTC by its version "
        "number, which is a CUDA major version (but 11.2 for CUDA 11.2 and every later 11.x)");
    framework_finding(context, finding, load->framework);
    finding_evidence(finding, facts, load->group, "soname");
    finding_evidence(finding, facts, load->group, "path");
    if (group)
        finding_evidence(finding, facts, group, "path");
    finding_evidence(finding, facts, "environment", "LD_LIBRARY_PATH");
    framework_fix_order(finding, loads, load);
    add_fixes(context, finding, load, same, other);
}

/* The CUDA that is here is another as a whole: LIB-002 tells. CuPy opens this one alone at its
 * start. */
static bool is_one_of_many(const struct facts *facts, const struct framework_loads *loads,
                           const struct framework_load *nvrtc)
{
    if (string_equal(nvrtc->framework->name, "cupy"))
        return false;
    for (size_t i = 0; i < loads->count; i++) {
        const struct framework_load *load = &loads->items[i];
        if (load->framework == nvrtc->framework && load->missing && framework_load_is_core(load) &&
            framework_copy_named(facts, load->soname) == NULL &&
            framework_copy_other(facts, load->family, load->soname))
            return true;
    }
    return false;
}

/* "missing: nvidia/cuda_nvrtc/lib/libnvrtc-builtins.so.12.6" of the wheel that the library lies in;
 * NULL: it is whole. */
static const char *gone_builtins(const struct facts *facts, const struct framework_load *load,
                                 const char **ret_wheel)
{
    const char *group;
    for (size_t i = 0; (group = facts_next(facts, "wheel", &i)) != NULL;) {
        const char *directory = facts_string(facts, group, "directory");
        const struct strlist *broken = facts_list(facts, group, "broken");
        if (directory == NULL || !path_is_below(load->real_path, directory))
            continue;
        for (size_t k = 0; broken && k < broken->count; k++)
            if (string_starts(broken->items[k], "missing: ") &&
                strstr(broken->items[k], "libnvrtc-builtins.so")) {
                *ret_wheel = group;
                return broken->items[k] + strlen("missing: ");
            }
    }
    return NULL;
}

/* False when the wheel is whole. */
static bool find_gone_builtins(struct rule_context *context, const struct framework_load *load)
{
    const struct facts *facts = context->facts;
    const char *wheel = NULL;
    const char *gone = load->path ? gone_builtins(facts, load, &wheel) : NULL;
    if (gone == NULL)
        return false;
    AUTO_FREE char *words = framework_words(load->framework);
    AUTO_FREE char *pip = framework_pip(load->framework);
    AUTO_FREE char *pin = mem_printf("%s==%s", facts_string(facts, wheel, "name"),
                                     facts_string(facts, wheel, "version"));
    AUTO_FREE char *quoted = shell_quote(pin);
    struct finding *finding = rule_found(context, framework_severity(context, load->framework),
                                         "%s loads %s from an incomplete wheel: %s is missing",
                                         words, load->soname, gone);
    finding_why(finding, "NVRTC opens its library of built-in functions by name when it compiles: "
                         "\"failed to open libnvrtc-builtins.so\"");
    framework_finding(context, finding, load->framework);
    finding_evidence(finding, facts, load->group, "path");
    finding_evidence(finding, facts, wheel, "broken");
    finding_fix_command(finding, FIX_SHELL, "reinstalls only the files of this package",
                        "%s install --force-reinstall --no-deps %s", pip, quoted);
    return true;
}

void judge_nvrtc_missing_or_stub(struct rule_context *context)
{
    AUTO_FRAMEWORKS struct frameworks frameworks = frameworks_of(context->facts, context->manifest);
    AUTO_LOADS struct framework_loads loads = framework_loads_of(context->facts, &frameworks);
    AUTO_FRAMEWORK_GPUS struct framework_gpus gpus = framework_gpus(context);
    if (!rule_require_framework_gpus(context, &frameworks, &gpus))
        return;
    const struct framework *told = NULL; /* one finding for each */
    for (size_t i = 0; i < loads.count; i++) {
        const struct framework_load *load = &loads.items[i];
        if (!string_equal(load->family, "nvrtc") || load->framework == told ||
            is_one_of_many(context->facts, &loads, load))
            continue;
        bool stub = load->path && path_has_component(load->path, "stubs");
        if (stub)
            stub_found(context, load);
        else if (load->missing)
            missing_found(context, &loads, load);
        else if (!find_gone_builtins(context, load))
            continue;
        told = load->framework;
    }
}
