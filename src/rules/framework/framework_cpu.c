/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/shell.h"
#include "manifest/versions/threshold.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/framework/framework.h"
#include "rules/framework/framework_load.h"
#include "rules/framework/framework_partial.h"
#include "rules/framework/framework_unfit.h"
#include "rules/framework/judges.h"

/* cpu_only_framework_build, jetson_wrong_wheel, onnxruntime_cpu_gpu_packages_clash,
 * framework_packages_clash: packages that
 * never use the GPU here, whatever driver it has. */

static bool is_for_processors(const struct facts *facts, const struct framework *framework)
{
    return facts_true(facts, framework->group, "cpu_only") && !framework->for_cuda;
}

/* A package whose name says that it is for processors, where another one is for CUDA: who installs
 * it means it, or another package asked for it. Of others the same name is for both. */
static bool is_named_so(const struct framework *framework)
{
    static const char *const both[] = {"pytorch", "torchvision", "torchaudio", "llama-cpp-python"};
    if (framework->conda)
        return false;
    for (size_t i = 0; i < sizeof(both) / sizeof(both[0]); i++)
        if (string_equal(framework->name, both[i]))
            return false;
    return !string_equal(framework->package, "tensorflow");
}

/* torchvision and torchaudio follow the torch that is there. */
static bool is_rider(const struct framework *framework)
{
    return string_equal(framework->name, "torchvision") ||
           string_equal(framework->name, "torchaudio");
}

static bool has_manylinux_tag(const struct facts *facts, const struct framework *framework)
{
    const struct strlist *tags = facts_list(facts, framework->group, "tags");
    for (size_t i = 0; tags && i < tags->count; i++)
        if (strstr(tags->items[i], "manylinux") && strstr(tags->items[i], "aarch64"))
            return true;
    return false;
}

static void cpu_only_found(struct rule_context *context, const struct framework *framework)
{
    const char *build = facts_string(context->facts, framework->group, "build");
    enum severity severity =
        is_named_so(framework) ? SEVERITY_INFO : framework_severity_of_warning(context, framework);
    AUTO_FREE char *words = framework_words(framework);
    struct finding *finding =
        rule_found(context, severity, "%s%s%s%s is built without CUDA: it does not use the GPU",
                   words, build ? " (" : "", build ? build : "", build ? ")" : "");
    finding_why(
        finding,
        "healthy if you want a CPU build; a package manager also picks a CPU build if it found no "
        "GPU or no driver, if channels are mixed, or if another package requires cpuonly");
    framework_finding(context, finding, framework);
    finding_evidence(finding, context->facts, framework->group, "cpu_only");
    if (framework->conda)
        finding_fix_note(
            finding, FIX_ADVICE,
            "remove the packages that select the CPU build (conda remove cpuonly pytorch-mutex) "
            "and install the CUDA build: conda install 'pytorch=*=*cuda*' from conda-forge");
    framework_fix_build(context, finding, framework);
}

void judge_cpu_only_framework_build(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    AUTO_FRAMEWORKS struct frameworks frameworks = frameworks_of(facts, context->manifest);
    AUTO_FRAMEWORK_GPUS struct framework_gpus gpus = framework_gpus(context);
    if (!rule_require_framework_gpus(context, &frameworks, &gpus))
        return;
    for (size_t i = 0; i < frameworks.count; i++) {
        const struct framework *framework = &frameworks.items[i];
        const struct framework *twin = frameworks_twin(&frameworks, framework);
        bool generic = framework_on_jetson(facts) && has_manylinux_tag(facts, framework);
        const struct fact *cpu_only = facts_get(facts, framework->group, "cpu_only");
        if (framework->active && cpu_only && cpu_only->state == FACT_UNKNOWN &&
            !is_rider(framework))
            rule_unknown(context, "it is not known what %s in %s is built for: %s",
                         framework->title, framework->environment, cpu_only->reason);
        AUTO_FREE char *unfit = framework_unfit(facts, framework);
        if (!is_for_processors(facts, framework) || is_rider(framework) || generic || unfit ||
            (twin && twin->for_cuda))
            continue;
        cpu_only_found(context, framework);
    }
}

/* The first releases of Jetson Linux have a CUDA of their own; what is built for servers fits only
 * those that have the servers'. */
static bool has_server_cuda(const struct rule_context *context)
{
    const struct manifest_threshold *first =
        manifest_threshold_find(context->manifest, "jetson-server-cuda");
    const char *release = facts_string(context->facts, "machine", "jetson_release");
    struct version version;
    return first && release && version_parse_prefix(release, &version) &&
           version_compare(&version, &first->version) >= 0;
}

/* One wheel for all machines, with libraries of another processor. */
static bool is_of_x86(const struct facts *facts, const struct framework *framework)
{
    return string_equal(facts_string(facts, framework->group, "platform"), "x86_64");
}

bool framework_is_wrong_on_jetson(const struct facts *facts, const struct framework *framework)
{
    const char *platform = facts_string(facts, framework->group, "platform");
    if (is_of_x86(facts, framework))
        return framework->for_cuda;
    if (framework->conda || string_equal(platform, "jetson") ||
        !has_manylinux_tag(facts, framework) || is_rider(framework))
        return false;
    return framework->for_cuda ||
           (is_for_processors(facts, framework) && !is_named_so(framework)) ||
           string_equal(framework->name, "bitsandbytes");
}

static void add_jetson_fixes(struct finding *finding)
{
    finding_fix_note(finding, FIX_ADVICE,
                     "install the wheel built for this JetPack (NVIDIA's PyTorch for Jetson, or "
                     "the Jetson AI Lab's index), with the Python version that the wheel names");
    finding_fix_note(finding, FIX_ADVICE,
                     "or use NVIDIA's container for Jetson (l4t-pytorch, jetson-containers)");
}

const struct framework_load *framework_of_other_jetpack(const struct facts *facts,
                                                        const struct framework_loads *loads,
                                                        const struct framework *framework)
{
    if (!framework_on_jetson(facts) || framework->conda || !framework->for_cuda ||
        is_of_x86(facts, framework) || has_manylinux_tag(facts, framework) || is_rider(framework))
        return NULL;
    for (size_t i = 0; i < loads->count; i++) {
        const struct framework_load *load = &loads->items[i];
        if (load->framework == framework && load->missing && string_equal(load->family, "cudart") &&
            framework_copy_named(facts, load->soname) == NULL &&
            framework_copy_other(facts, load->family, load->soname))
            return load;
    }
    return NULL;
}

static void other_jetpack_found(struct rule_context *context, const struct framework *framework,
                                const struct framework_load *load)
{
    const struct facts *facts = context->facts;
    const char *copy = framework_copy_other(facts, load->family, load->soname);
    AUTO_FREE char *words = framework_words(framework);
    struct finding *finding =
        rule_found(context, framework_severity(context, framework),
                   "%s is built for another JetPack: it needs %s, and this JetPack has %s", words,
                   load->soname, facts_string(facts, copy, "soname"));
    finding_why(finding,
                "each JetPack has its own CUDA (here Jetson Linux %s), and a wheel for Jetson "
                "works only with the JetPack for which it was built",
                facts_string(facts, "machine", "jetson_release"));
    framework_finding(context, finding, framework);
    finding_evidence(finding, facts, load->group, "soname");
    finding_evidence(finding, facts, copy, "path");
    finding_evidence(finding, facts, "machine", "jetson_release");
    add_jetson_fixes(finding);
}

static void jetson_found(struct rule_context *context, const struct framework *framework)
{
    const struct facts *facts = context->facts;
    bool processors = is_for_processors(facts, framework);
    AUTO_FREE char *words = framework_words(framework);
    struct finding *finding = rule_found(
        context,
        processors ? framework_severity_of_warning(context, framework)
                   : framework_severity(context, framework),
        "%s is the wheel for %s, but this is a Jetson: %s", words,
        is_of_x86(facts, framework) ? "x86-64" : "any aarch64 machine",
        processors                    ? "it has no CUDA"
        : is_of_x86(facts, framework) ? "none of the wheel's libraries can be loaded here"
                                      : "the wheel's CUDA code is for servers");
    finding_why(finding,
                "Jetson Linux %s has its own CUDA; NVIDIA publishes the builds for Jetson, each "
                "for one JetPack and one Python version",
                facts_string(facts, "machine", "jetson_release"));
    framework_finding(context, finding, framework);
    finding_evidence(finding, facts, framework->group,
                     is_of_x86(facts, framework) ? "platform" : "tags");
    finding_evidence(finding, facts, "machine", "jetson_release");
    add_jetson_fixes(finding);
}

void judge_jetson_wrong_wheel(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    AUTO_FRAMEWORKS struct frameworks frameworks = frameworks_of(facts, context->manifest);
    if (!framework_on_jetson(facts)) {
        rule_skip(context, "this is not a Jetson");
        return;
    }
    if (has_server_cuda(context)) {
        rule_skip(context, "this Jetson Linux uses the same CUDA as servers");
        return;
    }
    if (!rule_require_frameworks(context, &frameworks))
        return;
    AUTO_LOADS struct framework_loads loads = framework_loads_of(facts, &frameworks);
    for (size_t i = 0; i < frameworks.count; i++) {
        const struct framework *framework = &frameworks.items[i];
        const struct framework_load *load = framework_of_other_jetpack(facts, &loads, framework);
        if (framework_is_wrong_on_jetson(facts, framework))
            jetson_found(context, framework);
        else if (load)
            other_jetpack_found(context, framework, load);
    }
}

/* Of two packages with one folder the last that was installed has its files there. */
static bool is_clash(const struct framework *a, const struct framework *b)
{
    return string_equal(a->name, "onnxruntime") && b && string_equal(a->package, "onnxruntime") &&
           string_starts(b->package, "onnxruntime") && !string_equal(b->package, "onnxruntime");
}

/* Of the two, twin is the one that stays. */
static void clash_fix(struct finding *finding, const struct framework *framework,
                      const struct framework *other, const struct framework *twin)
{
    AUTO_FREE char *pip = framework_pip(framework);
    AUTO_FREE char *first = shell_quote(framework->package);
    AUTO_FREE char *second = shell_quote(other->package);
    AUTO_FREE char *release = mem_printf("%s==%s", twin->package, twin->version);
    AUTO_FREE char *quoted = shell_quote(release);
    finding_fix_command(finding, FIX_SHELL,
                        "removes both packages and installs one again; use --no-deps for packages "
                        "that require the other",
                        "%s uninstall -y %s %s && %s install %s", pip, first, second, pip, quoted);
}

void judge_onnxruntime_cpu_gpu_packages_clash(struct rule_context *context)
{
    AUTO_FRAMEWORKS struct frameworks frameworks = frameworks_of(context->facts, context->manifest);
    if (!rule_require_frameworks(context, &frameworks))
        return;
    for (size_t i = 0; i < frameworks.count; i++) {
        const struct framework *framework = &frameworks.items[i];
        const struct framework *twin = frameworks_twin(&frameworks, framework);
        if (!is_clash(framework, twin))
            continue;
        struct finding *finding =
            rule_found(context, framework_severity(context, framework),
                       "%s %s and %s %s are both in %s and share one folder", framework->package,
                       framework->version, twin->package, twin->version, framework->environment);
        finding_why(finding, "the package installed last overwrote the other; a package that "
                             "requires onnxruntime gets the CPU build, and the GPU is not used");
        framework_finding(context, finding, framework);
        finding_evidence(finding, context->facts, twin->group, "version");
        clash_fix(finding, framework, twin, twin);
    }
}

/* Each pair once, by the order of the record. Names of one package, and of conda, are no two. */
static bool shares_folder(const struct facts *facts, const struct framework *a,
                          const struct framework *b)
{
    const char *folder = facts_string(facts, a->group, "directory");
    return a < b && string_equal(a->name, b->name) && !a->conda && !b->conda && folder &&
           string_equal(folder, facts_string(facts, b->group, "directory")) &&
           string_equal(a->environment, b->environment) && !string_equal(a->package, b->package) &&
           !string_equal(a->name, "onnxruntime");
}

static void packages_found(struct rule_context *context, const struct framework *a,
                           const struct framework *b)
{
    const struct facts *facts = context->facts;
    struct finding *finding =
        rule_found(context, framework_severity(context, a),
                   "%s %s and %s %s are both in %s and share one folder", a->package, a->version,
                   b->package, b->version, a->environment);
    finding_why(finding, "the package installed last overwrote the other; files of two builds are "
                         "mixed, and Python does not import what pip lists");
    framework_finding(context, finding, a);
    finding_evidence(finding, facts, b->group, "version");
    finding_evidence(finding, facts, a->group, "directory");
    clash_fix(finding, a, b, b->for_cuda || !a->for_cuda ? b : a);
}

void judge_framework_packages_clash(struct rule_context *context)
{
    AUTO_FRAMEWORKS struct frameworks frameworks = frameworks_of(context->facts, context->manifest);
    if (!rule_require_frameworks(context, &frameworks))
        return;
    for (size_t i = 0; i < frameworks.count; i++)
        for (size_t k = i + 1; k < frameworks.count; k++)
            if (shares_folder(context->facts, &frameworks.items[i], &frameworks.items[k]))
                packages_found(context, &frameworks.items[i], &frameworks.items[k]);
}
