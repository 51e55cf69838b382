/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/path.h"
#include "base/shell.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/framework/framework_partial.h"
#include "rules/framework/framework_parts.h"
#include "rules/framework/judges.h"

/* framework_parts_mismatch: what belongs to a framework is made for another release of it.
 * framework_incomplete: files of a framework are gone. framework_hidden: something else bears its
 * name. */

const struct framework *framework_torch_of(const struct frameworks *frameworks,
                                           const struct framework *framework)
{
    for (size_t i = 0; i < frameworks->count; i++)
        if (string_equal(frameworks->items[i].name, "pytorch") &&
            string_equal(frameworks->items[i].environment, framework->environment))
            return &frameworks->items[i];
    return NULL;
}

/* What is built for PyTorch's stable interface, as the name of its library says, loads with newer
 * releases, not with older ones. */
static bool uses_stable_interface(const struct facts *facts, const struct framework *framework)
{
    const char *library = facts_string(facts, framework->group, "library");
    return string_equal(framework->name, "torchaudio") && library &&
           string_ends(library, ".abi3.so");
}

const char *framework_other_torch(const struct facts *facts, const struct frameworks *frameworks,
                                  const struct framework *framework)
{
    const struct framework *torch = framework_torch_of(frameworks, framework);
    const char *wanted = facts_string(facts, framework->group, "torch_wanted");
    struct version made, have;
    if (torch == NULL || wanted == NULL || !torch->for_cuda || torch == framework ||
        facts_string(facts, framework->group, "library") == NULL ||
        !version_parse_prefix(wanted, &made) || !version_parse_prefix(torch->version, &have) ||
        made.count < 2 || have.count < 2)
        return NULL;
    if (made.part[0] == have.part[0] && made.part[1] == have.part[1])
        return NULL;
    made.count = have.count = 2;
    return uses_stable_interface(facts, framework) && version_compare(&made, &have) < 0 ? NULL
                                                                                        : wanted;
}

static void extension_found(struct rule_context *context, const struct framework *framework,
                            const struct framework *torch, const char *wanted)
{
    bool goes_on = string_equal(framework->name, "xformers");
    AUTO_FREE char *words = framework_words(framework);
    struct finding *finding = rule_found(context,
                                         goes_on ? framework_severity_of_warning(context, framework)
                                                 : framework_severity(context, framework),
                                         "%s is built for PyTorch %s, but %s is installed", words,
                                         wanted, torch->version);
    finding_why(finding,
                "the package's modules use PyTorch's own C++ interface, which changes with each "
                "minor release: %s",
                goes_on ? "the package reports that it cannot load its extensions, and continues "
                          "without extensions"
                        : "import fails with \"undefined symbol: _ZN3c10…\"");
    framework_finding(context, finding, framework);
    finding_evidence(finding, context->facts, framework->group, "torch_wanted");
    finding_evidence(finding, context->facts, torch->group, "version");
    finding_fix_note(
        finding, FIX_ADVICE,
        "install the release or build of %s that is made for PyTorch %.*s, or install PyTorch %s",
        framework->package, (int)strcspn(torch->version, "+"), torch->version, wanted);
}

/* The version in "jaxlib 0.9.0.1" among the packages that belong to it; NULL. */
static const char *jaxlib_beside(const struct facts *facts, const struct framework *framework)
{
    static const char name[] = "jaxlib ";
    const struct strlist *beside = facts_list(facts, framework->group, "beside");
    for (size_t i = 0; beside && i < beside->count; i++)
        if (string_starts(beside->items[i], name))
            return beside->items[i] + strlen(name);
    return NULL;
}

/* jax-cuda12-plugin: 12. */
static unsigned plugin_cuda(const struct framework *framework)
{
    struct version cuda;
    const char *digits = framework->package + strcspn(framework->package, "0123456789");
    return version_parse_prefix(digits, &cuda) ? cuda.part[0] : 0;
}

/* jax/_src/lib checks the numbers of both, and takes no plugin of another release. */
static void judge_jax(struct rule_context *context, const struct framework *framework)
{
    const struct facts *facts = context->facts;
    const char *jaxlib = jaxlib_beside(facts, framework);
    struct version plugin, library;
    if (jaxlib == NULL || !string_starts(framework->package, "jax-cuda") ||
        !version_parse_prefix(framework->version, &plugin) ||
        !version_parse_prefix(jaxlib, &library) || version_compare(&plugin, &library) == 0)
        return;
    AUTO_FREE char *words = framework_words(framework);
    AUTO_FREE char *pip = framework_pip(framework);
    struct finding *finding = rule_found(context, framework_severity(context, framework),
                                         "%s: the CUDA plugin is %s, but jaxlib is %s", words,
                                         framework->version, jaxlib);
    finding_why(
        finding,
        "the plugin and jaxlib must have the same release: JAX ignores a plugin of another release "
        "and computes on the CPU, or fails with an error of its plugin interface (PJRT)");
    framework_finding(context, finding, framework);
    finding_evidence(finding, facts, framework->group, "beside");
    AUTO_FREE char *spec = mem_printf("jax[cuda%u]==%s", plugin_cuda(framework), jaxlib);
    AUTO_FREE char *quoted = shell_quote(spec);
    finding_fix_command(finding, FIX_SHELL, "installs all JAX packages in one release",
                        "%s install %s", pip, quoted);
}

/* One library for each CUDA: true when all of them are for an older one than PyTorch's. */
static bool all_are_older(const struct strlist *cudas, const struct version *cuda)
{
    for (size_t i = 0; i < cudas->count; i++) {
        struct version one;
        if (!version_parse(cudas->items[i], &one) || version_compare(&one, cuda) >= 0)
            return false;
    }
    return cudas->count > 0;
}

static void judge_cudas(struct rule_context *context, const struct framework *framework,
                        const struct framework *torch)
{
    const struct facts *facts = context->facts;
    const struct strlist *cudas = facts_list(facts, framework->group, "cudas");
    char cuda[VERSION_TEXT_SIZE];
    if (torch == NULL || torch->cuda.count < 2 || cudas == NULL ||
        !all_are_older(cudas, &torch->cuda))
        return;
    AUTO_FREE char *words = framework_words(framework);
    AUTO_FREE char *list = strlist_join(cudas, ", ");
    AUTO_FREE char *pip = framework_pip(framework);
    struct finding *finding =
        rule_found(context, framework_severity(context, framework),
                   "%s has no library for CUDA %s, which PyTorch %s is built for: the package's "
                   "libraries are for %s",
                   words, version_text(&torch->cuda, 2, cuda), torch->version, list);
    finding_why(
        finding,
        "the package loads the library for PyTorch's CUDA; without that library, it falls back to "
        "the CPU library and says \"CUDA Setup failed despite GPU being available\"");
    framework_finding(context, finding, framework);
    finding_evidence(finding, facts, framework->group, "cudas");
    finding_evidence(finding, facts, torch->group, "cuda");
    AUTO_FREE char *package = shell_quote(framework->package);
    finding_fix_command(finding, FIX_SHELL, "a release that has that library",
                        "%s install --upgrade %s", pip, package);
}

void judge_framework_parts_mismatch(struct rule_context *context)
{
    AUTO_FRAMEWORKS struct frameworks frameworks = frameworks_of(context->facts, context->manifest);
    AUTO_FRAMEWORK_GPUS struct framework_gpus gpus = framework_gpus(context);
    if (!rule_require_framework_gpus(context, &frameworks, &gpus))
        return;
    for (size_t i = 0; i < frameworks.count; i++) {
        const struct framework *framework = &frameworks.items[i];
        const struct framework *torch = framework_torch_of(&frameworks, framework);
        const char *wanted = framework_other_torch(context->facts, &frameworks, framework);
        if (wanted)
            extension_found(context, framework, torch, wanted);
        else if (string_equal(framework->name, "jax"))
            judge_jax(context, framework);
        else
            judge_cudas(context, framework, torch);
    }
}

/* Shared libraries that RECORD names and that are not there: "missing: onnxruntime/capi/….so". */
static size_t missing_libraries(const struct facts *facts, const struct framework *framework,
                                const char **ret_first)
{
    static const char missing[] = "missing: ";
    const struct strlist *broken = facts_list(facts, framework->group, "broken");
    size_t count = 0;
    for (size_t i = 0; broken && i < broken->count; i++) {
        if (!string_starts(broken->items[i], missing) || strstr(broken->items[i], ".so") == NULL)
            continue;
        if (count++ == 0)
            *ret_first = broken->items[i] + strlen(missing);
    }
    return count;
}

static void fix_files(struct finding *finding, const struct framework *framework)
{
    AUTO_FREE char *pip = framework_pip(framework);
    AUTO_FREE char *pin = mem_printf("%s==%s", framework->package, framework->version);
    AUTO_FREE char *quoted = shell_quote(pin);
    finding_fix_command(finding, FIX_SHELL, "reinstalls only the files of this package",
                        "%s install --force-reinstall --no-deps %s", pip, quoted);
}

static const char files_are_gone[] =
    "files that pip recorded as installed are missing: a package with the "
    "same files was uninstalled, or an installation did not finish";

static void files_missing(struct rule_context *context, const struct framework *framework,
                          const char *first, size_t count)
{
    AUTO_FREE char *words = framework_words(framework);
    AUTO_FREE char *more = count > 2    ? mem_printf(" and %zu other libraries", count - 1)
                           : count == 2 ? mem_string(" and another library")
                                        : mem_string("");
    struct finding *finding = rule_found(context, framework_severity(context, framework),
                                         "%s is incomplete: %s%s of package %s %s missing", words,
                                         first, more, framework->package, count > 1 ? "are" : "is");
    finding_why(finding, "%s", files_are_gone);
    framework_finding(context, finding, framework);
    finding_evidence(finding, context->facts, framework->group, "broken");
    fix_files(finding, framework);
}

/* "libc10.so: …/torch/lib/libtorch_cuda.so" */
static void part_missing(struct rule_context *context, const struct framework *framework,
                         const char *unmet)
{
    const char *colon = strstr(unmet, ": ");
    const char *asker = colon ? colon + strlen(": ") : framework->package;
    AUTO_FREE char *soname = mem_string_n(unmet, strcspn(unmet, ":"));
    AUTO_FREE char *words = framework_words(framework);
    struct finding *finding =
        rule_found(context, framework_severity(context, framework),
                   "%s is incomplete: %s, which %s needs, is missing", words, soname, asker);
    finding_why(finding, "its own libraries are linked to one another: without one of them, the "
                         "import fails. An installation that did not finish leaves files out");
    framework_finding(context, finding, framework);
    finding_evidence(finding, context->facts, framework->group, "unmet");
    fix_files(finding, framework);
}

/* "librmm-cu12==25.6.0: librmm/lib64/librmm.so" */
static void part_broken(struct rule_context *context, const struct framework *framework,
                        const char *broken)
{
    const char *colon = strstr(broken, ": ");
    const char *file = colon ? colon + strlen(": ") : broken;
    AUTO_FREE char *pin = mem_string_n(broken, strcspn(broken, ":"));
    AUTO_FREE char *package = mem_string_n(pin, strcspn(pin, "="));
    AUTO_FREE char *words = framework_words(framework);
    AUTO_FREE char *pip = framework_pip(framework);
    AUTO_FREE char *quoted = shell_quote(pin);
    struct finding *finding =
        rule_found(context, framework_severity(context, framework),
                   "%s is incomplete: %s of package %s is missing", words, file, package);
    finding_why(finding, "%s", files_are_gone);
    framework_finding(context, finding, framework);
    finding_evidence(finding, context->facts, framework->group, "parts_broken");
    finding_fix_command(finding, FIX_SHELL, "reinstalls only the files of this package",
                        "%s install --force-reinstall --no-deps %s", pip, quoted);
}

void judge_framework_incomplete(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    AUTO_FRAMEWORKS struct frameworks frameworks = frameworks_of(facts, context->manifest);
    if (!rule_require_frameworks(context, &frameworks))
        return;
    for (size_t i = 0; i < frameworks.count; i++) {
        const struct framework *framework = &frameworks.items[i];
        const struct strlist *broken = facts_list(facts, framework->group, "broken");
        const struct strlist *unmet = facts_list(facts, framework->group, "unmet");
        const struct strlist *parts = facts_list(facts, framework->group, "parts_broken");
        const char *first = NULL;
        size_t count = missing_libraries(facts, framework, &first);
        if (frameworks_twin(&frameworks, framework))
            continue;
        if (count > 0)
            files_missing(context, framework, first, count);
        else if (unmet && unmet->count > 0 && broken && strlist_has(broken, "no RECORD"))
            part_missing(context, framework, unmet->items[0]);
        else if (parts && parts->count > 0)
            part_broken(context, framework, parts->items[0]);
    }
}

static void hidden_found(struct rule_context *context, const struct framework *framework,
                         const char *module)
{
    AUTO_FREE char *words = framework_words(framework);
    AUTO_FREE char *directory = path_parent(module);
    struct finding *finding = rule_found(context, framework_severity(context, framework),
                                         "%s is hidden: Python imports %s instead", words, module);
    finding_why(finding,
                "PYTHONPATH names %s, and Python searches its directories before the "
                "installed packages; what is there shadows the framework",
                directory);
    framework_finding(context, finding, framework);
    finding_evidence(finding, context->facts, framework->group, "hidden_by");
    finding_evidence(finding, context->facts, "environment", "PYTHONPATH");
    finding_fix_note(finding, FIX_ADVICE, "rename %s, or remove %s from PYTHONPATH", module,
                     directory);
}

void judge_framework_hidden(struct rule_context *context)
{
    AUTO_FRAMEWORKS struct frameworks frameworks = frameworks_of(context->facts, context->manifest);
    if (!rule_require_frameworks(context, &frameworks))
        return;
    for (size_t i = 0; i < frameworks.count; i++) {
        const struct framework *framework = &frameworks.items[i];
        const char *module = facts_string(context->facts, framework->group, "hidden_by");
        if (module)
            hidden_found(context, framework, module);
    }
}
