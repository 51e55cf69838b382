/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/shell.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/framework/framework_load.h"
#include "rules/framework/framework_partial.h"
#include "rules/framework/framework_parts.h"
#include "rules/framework/framework_unfit.h"
#include "rules/framework/judges.h"
#include "rules/query/framework_choice.h"
#include "rules/remedy/remedy.h"

/* cuda_libs_missing, cuda_libs_wrong_version, nvrtc_missing_or_stub, jetson_libs_missing: libraries
 * that a framework asks for by name and does not get. */

enum lack { LACK_NONE, LACK_MISSING, LACK_WRONG_VERSION, LACK_JETSON };

/* What one framework does not get, and what there is instead. */
struct lacks {
    enum lack lack;
    const struct framework *framework;
    const struct framework_load *first; /* of that kind */
    const char *copy; /* LACK_MISSING: one that is elsewhere; LACK_WRONG_VERSION: another number */
    const struct framework *torch;     /* PyTorch beside it, of another CUDA; NULL: none */
    const struct framework_load *late; /* opened when it is first needed, and only elsewhere */
    bool brought;                      /* another framework of the environment gets what it opens */
    struct strlist sonames;
};

static void lacks_free(struct lacks *lacks)
{
    strlist_free(&lacks->sonames);
}

/* What NVIDIA's packages for Jetson bring. */
static bool is_of_jetpack(const struct framework_load *load)
{
    static const char *const others[] = {"cusparseLt", "cudss", "nccl", "nvshmem"};
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        if (string_equal(load->family, others[i]))
            return false;
    return true;
}

static enum lack lack_of(const struct facts *facts, const struct framework_load *load,
                         const char **ret_copy)
{
    *ret_copy = framework_copy_named(facts, load->soname);
    if (*ret_copy)
        return LACK_MISSING;
    *ret_copy = framework_copy_other(facts, load->family, load->soname);
    if (*ret_copy)
        return LACK_WRONG_VERSION;
    return framework_on_jetson(facts) && is_of_jetpack(load) ? LACK_JETSON : LACK_MISSING;
}

/* A link gives a library the name of another one. */
static bool is_misnamed(const struct facts *facts, const struct framework_load *load,
                        const char **ret_copy)
{
    const char *group = load->path ? judged_library_at(facts, load->real_path) : NULL;
    const char *soname = group ? facts_string(facts, group, "soname") : NULL;
    *ret_copy = group;
    return soname && !string_equal(soname, load->soname);
}

/* CTranslate2 opens cuBLAS when a model is loaded: what the program has imported before may have
 * brought it, where a copy is here at all. Under another number nothing brings it. */
static bool is_opened_late(const struct framework_load *load)
{
    return !load->linked && string_equal(load->framework->name, "ctranslate2");
}

static void note_load(const struct facts *facts, const struct framework_load *load,
                      struct lacks *lacks)
{
    const char *copy = NULL;
    enum lack lack = LACK_NONE;
    if (is_misnamed(facts, load, &copy))
        lack = LACK_WRONG_VERSION;
    else if (load->missing)
        lack = lack_of(facts, load, &copy);
    bool late = lack == LACK_MISSING && is_opened_late(load);
    if (late && copy)
        lacks->late = load;
    if (lack == LACK_NONE || (late && (copy || lacks->brought)))
        return;
    strlist_add(&lacks->sonames, load->soname);
    if (lack <= lacks->lack && !(lack == lacks->lack && lacks->copy == NULL && copy))
        return;
    lacks->lack = lack;
    lacks->first = load;
    lacks->copy = copy;
}

/* What is built for another CUDA than the PyTorch whose program imports it asks for other numbers,
 * whatever else lies here. NULL: of one major, or not known. */
static const struct framework *torch_of_another(const struct frameworks *frameworks,
                                                const struct lacks *lacks)
{
    const struct framework *torch = framework_torch_of(frameworks, lacks->framework);
    struct version asked;
    const char *number = lacks->first ? strstr(lacks->first->soname, ".so.") : NULL;
    if (torch == NULL || torch == lacks->framework || torch->cuda.count == 0 || number == NULL ||
        !string_equal(lacks->first->family, "cudart") ||
        !version_parse(number + strlen(".so."), &asked))
        return NULL;
    return asked.part[0] == torch->cuda.part[0] ? NULL : torch;
}

/* Another framework of the environment gets a cuBLAS, or PyTorch for that CUDA has one of its own:
 * who imports that first has it. */
static bool is_brought(const struct frameworks *frameworks, const struct framework_loads *loads,
                       const struct framework *framework)
{
    const struct framework *torch = framework_torch_of(frameworks, framework);
    if (torch && torch->for_cuda &&
        (torch->cuda.count == 0 || framework->cuda.count == 0 ||
         torch->cuda.part[0] == framework->cuda.part[0]))
        return true;
    for (size_t i = 0; i < loads->count; i++)
        if (loads->items[i].framework != framework && loads->items[i].path &&
            string_equal(loads->items[i].family, "cublas") &&
            string_equal(loads->items[i].framework->environment, framework->environment))
            return true;
    return false;
}

/* Each library that is found decides: one under another number says more than one that is
 * nowhere. */
static struct lacks lacks_of(const struct facts *facts, const struct frameworks *frameworks,
                             const struct framework_loads *loads, const struct framework *framework)
{
    struct lacks lacks = {.framework = framework,
                          .brought = is_brought(frameworks, loads, framework)};
    AUTO_FREE char *unfit = framework_unfit(facts, framework);
    const struct strlist *parts = facts_list(facts, framework->group, "requires_missing");
    if (unfit || (parts && parts->count > 0) ||
        framework_other_torch(facts, frameworks, framework)) /* that comes first */
        return lacks;
    for (size_t i = 0; i < loads->count; i++)
        if (loads->items[i].framework == framework && framework_load_is_core(&loads->items[i]) &&
            !framework_load_is_dependency(loads, &loads->items[i]))
            note_load(facts, &loads->items[i], &lacks);
    lacks.torch = torch_of_another(frameworks, &lacks);
    if (lacks.torch)
        lacks.lack = LACK_WRONG_VERSION;
    return lacks;
}

/* "libcudart.so.11.0, libcublas.so.11 and 5 more"; first of all the one that decided. */
static char *names_of(const struct lacks *lacks)
{
    AUTO_TEXT struct text text = {0};
    size_t shown = 1, all = lacks->sonames.count;
    text_append(&text, lacks->first->soname);
    for (size_t i = 0; i < all && shown < 4; i++) {
        if (string_equal(lacks->sonames.items[i], lacks->first->soname))
            continue;
        text_printf(&text, ", %s", lacks->sonames.items[i]);
        shown++;
    }
    if (all > shown)
        text_printf(&text, " and %zu more", all - shown);
    return text_steal(&text);
}

/* RAPIDS requires CuPy and brings what it uses of it; CuPy imports without cuBLAS and others, and
 * only its functions that use them fail. */
static bool finds_rapids(const struct facts *facts, const struct framework *framework)
{
    const char *group;
    for (size_t i = 0; (group = facts_next(facts, "framework", &i)) != NULL;)
        if (string_equal(facts_string(facts, group, "name"), "rapids") &&
            string_equal(facts_string(facts, group, "environment"), framework->environment))
            return true;
    return false;
}

static struct finding *lack_found(struct rule_context *context, const struct framework_loads *loads,
                                  const struct lacks *lacks, const char *instead)
{
    const struct facts *facts = context->facts;
    bool brought = framework_loads_brought(loads, lacks->first);
    bool goes_on = string_equal(lacks->framework->name, "xformers"); /* without its extension */
    bool unused = string_equal(lacks->framework->name, "cupy") &&
                  finds_rapids(context->facts, lacks->framework);
    enum severity severity = brought || unused ? SEVERITY_INFO
                             : goes_on ? framework_severity_of_warning(context, lacks->framework)
                                       : framework_severity(context, lacks->framework);
    AUTO_FREE char *words = framework_words(lacks->framework);
    AUTO_FREE char *names = names_of(lacks);
    struct finding *finding =
        rule_found(context, severity, "%s does not find %s%s", words, names, instead);
    framework_finding(context, finding, lacks->framework);
    finding_evidence(finding, facts, lacks->first->group, "soname");
    finding_evidence(finding, facts, lacks->first->group, "path");
    finding_evidence(finding, facts, "environment", "LD_LIBRARY_PATH");
    if (lacks->copy)
        finding_evidence(finding, facts, lacks->copy, "path");
    if (string_equal(lacks->framework->name, "cupy"))
        finding_follows(context, finding, "nvrtc_missing_or_stub");
    if (framework_of_other_jetpack(facts, loads, lacks->framework))
        finding_follows(context, finding, "jetson_wrong_wheel");
    if (brought)
        finding_fix_note(finding, FIX_ADVICE,
                         "import torch first, or call "
                         "onnxruntime.preload_dlls()");
    framework_fix_order(finding, loads, lacks->first);
    return finding;
}

/* The package that it requires, and that is not installed, by the library's name:
 * nvidia-cusparselt-cu12 has libcusparseLt. */
static void fix_wheel(const struct rule_context *context, struct finding *finding,
                      const struct lacks *lacks)
{
    const struct strlist *missing = facts_list(context->facts, lacks->framework->group, "missing");
    for (size_t i = 0; missing && i < missing->count; i++) {
        const char *pin = missing->items[i];
        AUTO_FREE char *part = mem_printf("-%s-", lacks->first->family);
        if (strcasestr(pin, part) == NULL || strstr(pin, ": "))
            continue;
        AUTO_FREE char *pip = framework_pip(lacks->framework);
        AUTO_FREE char *quoted = shell_quote(pin);
        finding_fix_command(finding, FIX_SHELL, "the required package that was left out",
                            "%s install %s", pip, quoted);
        return;
    }
}

/* Neither a package nor a build of the framework brings it: cuDSS on a Jetson. */
static void fix_by_hand(struct finding *finding, const struct lacks *lacks)
{
    char cuda[VERSION_TEXT_SIZE] = "";
    if (lacks->framework->cuda.count)
        version_text(&lacks->framework->cuda, 2, cuda);
    finding_fix_note(
        finding, FIX_ADVICE,
        "install NVIDIA's %s, which contains %s%s%s, where the loader looks (ldconfig -p lists the "
        "loader's libraries): \"gpuenv list --available\" shows what gpuenv can install",
        lacks->first->family, lacks->first->soname, cuda[0] ? ", for CUDA " : "", cuda);
}

/* True where the build that suits this machine needs no CUDA of the system: a change to one that
 * needs yet another CUDA does not help. */
static bool brings_its_own(const struct rule_context *context, const struct framework *framework)
{
    const struct framework_choice *choice =
        framework_choice_find(context->choices, framework->name);
    return framework_has_choice(context, framework) && !choice->wants_system;
}

static void missing_found(struct rule_context *context, const struct framework_loads *loads,
                          const struct lacks *lacks)
{
    const char *path = lacks->copy ? facts_string(context->facts, lacks->copy, "path") : NULL;
    AUTO_FREE char *instead =
        path ? mem_printf(": the file is at %s, where the loader does not look", path)
             : mem_string("");
    struct finding *finding = lack_found(context, loads, lacks, instead);
    finding_why(finding,
                "%s with that name exists %s; without this library, the framework does not start, "
                "or silently computes on the CPU",
                lacks->copy ? "a library" : "no library", lacks->copy ? "elsewhere" : "anywhere");
    if (path)
        framework_fix_path(finding, path, "before the program starts");
    else
        fix_wheel(context, finding, lacks);
    framework_fix_extras(context, finding, lacks->framework);
    bool system = framework_fix_system(context, finding, lacks->framework);
    if (!system || (path == NULL && brings_its_own(context, lacks->framework)))
        framework_fix_build(context, finding, lacks->framework);
    if (finding->fix_count == 0)
        fix_by_hand(finding, lacks);
}

/* "CUDA 10.1's": the version of the copy that is there. */
static char *copy_words(const struct facts *facts, const struct lacks *lacks)
{
    const char *path = facts_string(facts, lacks->copy, "path");
    const char *version = judged_library_version(facts, lacks->copy);
    return mem_printf(": instead there is %s%s%s, %s", facts_string(facts, lacks->copy, "soname"),
                      version ? " " : "", version ? version : "", path ? path : "");
}

static char *torch_words(const struct framework *torch)
{
    char cuda[VERSION_TEXT_SIZE];
    return mem_printf(": PyTorch %s in the same environment is built for CUDA %s", torch->version,
                      version_text(&torch->cuda, 2, cuda));
}

static void wrong_version_found(struct rule_context *context, const struct framework_loads *loads,
                                const struct lacks *lacks)
{
    const struct facts *facts = context->facts;
    AUTO_FREE char *instead = lacks->torch ? torch_words(lacks->torch) : copy_words(facts, lacks);
    struct finding *finding = lack_found(context, loads, lacks, instead);
    char cuda[VERSION_TEXT_SIZE];
    if (lacks->torch)
        finding_why(finding, "the package uses the CUDA libraries that PyTorch provides; another "
                             "CUDA's libraries have different version numbers");
    else if (lacks->framework->cuda.count)
        finding_why(finding,
                    "the framework is built for CUDA %s and loads libraries by name and version "
                    "number; another CUDA's libraries have different numbers, and a symbolic link "
                    "does not make them compatible",
                    version_text(&lacks->framework->cuda, 0, cuda));
    else
        finding_why(finding,
                    "libraries are loaded by name and version number; another CUDA's libraries "
                    "have different numbers, and a symbolic link does not make them compatible");
    if (lacks->torch)
        finding_fix_note(
            finding, FIX_ADVICE,
            "install the build of %s for CUDA %u, or PyTorch for the CUDA version of %s",
            lacks->framework->package, lacks->torch->cuda.part[0], lacks->first->soname);
    if (lacks->first->path)
        finding_fix_note(finding, FIX_ADVICE,
                         "remove the link %s, or remove its directory from LD_LIBRARY_PATH",
                         lacks->first->path);
    bool system = framework_fix_system(context, finding, lacks->framework);
    if (!system || brings_its_own(context, lacks->framework))
        framework_fix_build(context, finding, lacks->framework);
    if (!system && !framework_on_jetson(facts))
        framework_fix_with_its_cuda(context, finding, lacks->framework);
}

static void jetson_found(struct rule_context *context, const struct framework_loads *loads,
                         const struct lacks *lacks)
{
    struct finding *finding = lack_found(context, loads, lacks, ", a part of JetPack");
    finding_why(finding, "NVIDIA's wheels for Jetson use the system's CUDA, which Jetson Linux "
                         "alone does not include");
    finding_evidence(finding, context->facts, "machine", "jetson_release");
    remedy_install_jetpack(finding);
}

/* Two packages in one folder have the same files: what these lack is said once. */
static bool is_told(const struct frameworks *frameworks, const struct framework_loads *loads,
                    size_t index, const struct facts *facts)
{
    const struct framework *framework = &frameworks->items[index];
    const char *folder = facts_string(facts, framework->group, "directory");
    for (size_t i = 0; folder && i < index; i++)
        if (string_equal(frameworks->items[i].name, framework->name) &&
            framework_has_loads(loads, &frameworks->items[i]) &&
            string_equal(facts_string(facts, frameworks->items[i].group, "directory"), folder))
            return true;
    return false;
}

static void judge_lack(struct rule_context *context, enum lack lack,
                       void (*report)(struct rule_context *context,
                                      const struct framework_loads *loads,
                                      const struct lacks *lacks))
{
    AUTO_FRAMEWORKS struct frameworks frameworks = frameworks_of(context->facts, context->manifest);
    AUTO_LOADS struct framework_loads loads = framework_loads_of(context->facts, &frameworks);
    AUTO_FRAMEWORK_GPUS struct framework_gpus gpus = framework_gpus(context);
    if (!rule_require_framework_gpus(context, &frameworks, &gpus))
        return;
    for (size_t i = 0; i < frameworks.count; i++) {
        if (is_told(&frameworks, &loads, i, context->facts))
            continue;
        AUTO(lacks_free)
        struct lacks lacks = lacks_of(context->facts, &frameworks, &loads, &frameworks.items[i]);
        if (lacks.lack == lack)
            report(context, &loads, &lacks);
        else if (lacks.lack == LACK_NONE && lack == LACK_MISSING && lacks.late && !lacks.brought &&
                 frameworks.items[i].active)
            rule_unknown(context,
                         "the loader does not find %s; it is not known whether the program loads "
                         "this library before %s opens it",
                         lacks.late->soname, frameworks.items[i].title);
    }
}

void judge_cuda_libs_missing(struct rule_context *context)
{
    judge_lack(context, LACK_MISSING, missing_found);
}

void judge_cuda_libs_wrong_version(struct rule_context *context)
{
    judge_lack(context, LACK_WRONG_VERSION, wrong_version_found);
    framework_find_wheels_of_two_releases(context);
}

void judge_jetson_libs_missing(struct rule_context *context)
{
    if (!framework_on_jetson(context->facts)) {
        rule_skip(context, "this is not a Jetson");
        return;
    }
    judge_lack(context, LACK_JETSON, jetson_found);
}
