/* SPDX-License-Identifier: MIT */
#include "rules/driver/driver_age.h"

#include "manifest/versions/capability.h"
#include "manifest/versions/cuda.h"
#include "manifest/versions/driver.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/framework/framework.h"
#include "rules/remedy/remedy.h"

/* The CUDA driver API version, as called, else as listed for the branch. NULL: not known. */
static const struct version *supported_cuda(const struct age *age,
                                            const struct comparison *comparison)
{
    if (age->api.count)
        return &age->api;
    return comparison->branch && comparison->branch->cuda.count ? &comparison->branch->cuda : NULL;
}

char *age_driver_words(const struct age *age, const struct comparison *comparison)
{
    char cuda[VERSION_TEXT_SIZE];
    const char *assumed = age->driver.assumed ? "assumed " : "";
    const struct version *supported = supported_cuda(age, comparison);
    if (supported == NULL)
        return mem_printf("%sdriver %s", assumed, age->driver.text);
    version_text(supported, 0, cuda);
    if (age->driver.version.count == 0)
        return mem_printf("the driver (supports CUDA %s)", cuda);
    return mem_printf("%sdriver %s (supports CUDA %s)", assumed, age->driver.text, cuda);
}

static char *runtime_words(const struct cuda_runtime *runtime)
{
    if (runtime->more == 0)
        return mem_printf("%s in %s", runtime->name, runtime->path);
    return mem_printf("%s in %s and %zu more place%s", runtime->name, runtime->path, runtime->more,
                      runtime->more == 1 ? "" : "s");
}

static void add_evidence(const struct age *age, const struct outcome *outcome,
                         struct finding *finding)
{
    const struct facts *facts = age->context->facts;
    finding_subject(finding, outcome->runtime->path);
    if (age->driver.text)
        finding_evidence(finding, facts, age->driver.group, age->driver.name);
    if (age->api.count)
        finding_evidence(finding, facts, age->api_group, "version");
    finding_evidence(finding, facts, outcome->runtime->group,
                     outcome->runtime->text ? "version" : "soname");
    if (age->compat.path)
        finding_evidence(finding, facts, age->compat.loader_group, "path");
    if (outcome->comparison.cuda)
        finding_manifest(finding, outcome->comparison.cuda->id);
    else if (outcome->comparison.major)
        finding_manifest(finding, outcome->comparison.major->id);
}

/* "CUDA 12.9.0 asks for driver 575.51.03", or that nothing is listed. */
static void append_minimum(const struct comparison *comparison, const struct cuda_runtime *runtime,
                           struct text *text)
{
    if (comparison->cuda == NULL || comparison->cuda->driver_min.count == 0) {
        text_printf(text, "the minimum driver for %s is not listed", runtime->name);
        return;
    }
    char cuda[VERSION_TEXT_SIZE], driver[VERSION_TEXT_SIZE];
    text_printf(text, "CUDA %s requires driver %s or newer",
                version_text(&comparison->cuda->version, 0, cuda),
                version_text(&comparison->cuda->driver_min, 0, driver));
}

static void append_floor(const struct comparison *comparison, struct text *text)
{
    const struct manifest_cuda_major *major = comparison->major;
    if (major == NULL)
        return;
    if (major->driver_min.count == 0) {
        text_printf(text, "; CUDA %u has no minor-version compatibility", major->major);
        return;
    }
    if (comparison->cuda && version_compare(&comparison->cuda->driver_min, &major->driver_min) <= 0)
        return;
    char driver[VERSION_TEXT_SIZE];
    text_printf(text,
                "; with limits, any CUDA %u release runs on driver %s or newer (minor-version "
                "compatibility)",
                major->major, version_text(&major->driver_min, 0, driver));
}

void age_report_minor(const struct age *age, const struct outcome *outcome)
{
    AUTO_TEXT struct text why = {0};
    AUTO_FREE char *driver = age_driver_words(age, &outcome->comparison);
    AUTO_FREE char *runtime = runtime_words(outcome->runtime);
    struct finding *finding =
        rule_found(age->context, SEVERITY_INFO, "%s runs %s through minor-version compatibility",
                   driver, runtime);
    append_minimum(&outcome->comparison, outcome->runtime, &why);
    append_floor(&outcome->comparison, &why);
    text_append(&why, "; the limits: the driver refuses PTX from this CUDA (error 222), and "
                      "features newer than the driver are missing (error 36)");
    finding_why(finding, "%s", text_string(&why));
    add_evidence(age, outcome, finding);
    if (outcome->runtime->toolkit && outcome->runtime->is_default)
        finding_follows(age->context, finding, "ptx_toolchain_newer_than_driver");
}

void age_report_compat(const struct age *age, const struct outcome *outcome)
{
    AUTO_FREE char *driver = age_driver_words(age, &outcome->comparison);
    AUTO_FREE char *runtime = runtime_words(outcome->runtime);
    struct finding *finding =
        rule_found(age->context, SEVERITY_INFO, "%s runs %s through the cuda-compat in %s", driver,
                   runtime, age->compat.path);
    finding_why(
        finding,
        "forward compatibility: the loader picks cuda-compat's libcuda, %s; sharing CUDA "
        "data with OpenGL or Vulkan does not work",
        outcome->proved
            ? "and CUDA has started with this cuda-compat"
            : "this cuda-compat is listed for the driver's branch and the GPUs are eligible");
    add_evidence(age, outcome, finding);
    if (outcome->compat_row)
        finding_manifest(finding, outcome->compat_row);
}

/* Why forward compatibility does not help, when one might think it does. */
static void append_compat(const struct age *age, const struct outcome *outcome, struct text *text)
{
    const char *present = age->compat.path ? age->compat.path : outcome->runtime->compat_path;
    if (present == NULL)
        return;
    text_printf(text, "; cuda-compat is in %s", present);
    if (age->eligible == ANSWER_NO)
        text_append(text,
                    ", but only data-centre GPUs may use cuda-compat, and this is a different GPU");
    else if (outcome->listed == ANSWER_NO)
        text_append(text, ", but cuda-compat is not listed for this driver's branch");
    else if (age->compat.path)
        text_append(text, ", but that is not enough for this CUDA");
    else
        text_append(text, ", but the loader does not look there");
}

/* The branch to install: the first for this CUDA, or, where the GPUs do not go that far, the one at
 * which minor-version compatibility begins. 0: none that drives these GPUs. */
static unsigned branch_needed(const struct age *age, const struct outcome *outcome)
{
    struct version minor = outcome->runtime->version;
    minor.count = minor.count > 2 ? 2 : minor.count;
    const struct manifest_branch *branch = manifest_branch_for_cuda(age->manifest, &minor);
    const struct manifest_cuda_major *major = outcome->comparison.major;
    unsigned floor = major && major->driver_min.count ? major->driver_min.part[0] : 0;
    unsigned needed = branch ? branch->branch : floor;
    if (age->last_branch == 0 || needed <= age->last_branch)
        return needed;
    return floor && floor <= age->last_branch ? floor : 0;
}

/* Whether cuda-compat of that CUDA would help. Its libcuda is of a later branch, which must drive
 * the GPUs too. */
static bool compat_helps(const struct age *age, const struct outcome *outcome)
{
    const struct version *cuda = &outcome->runtime->version;
    if (outcome->listed != ANSWER_YES || age->eligible != ANSWER_YES || age->compat.path ||
        cuda->count < 2)
        return false;
    const struct manifest_branch *branch = manifest_branch_for_cuda(age->manifest, cuda);
    return age->last_branch == 0 || (branch && branch->branch <= age->last_branch);
}

static void add_compat_path(const struct outcome *outcome, struct finding *finding)
{
    AUTO_FREE char *quoted = shell_quote(outcome->runtime->compat_path);
    finding_fix_command(finding, FIX_SHELL, "forward compatibility, for data-centre GPUs",
                        "export LD_LIBRARY_PATH=%s${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}", quoted);
}

/* The package does not put its directory where the loader looks. */
static void add_compat_package(const struct age *age, const struct outcome *outcome,
                               struct finding *finding)
{
    const struct version *cuda = &outcome->runtime->version;
    enum distribution distribution = remedy_distribution(age->context->facts);
    if (distribution == DISTRIBUTION_ARCH || distribution == DISTRIBUTION_OTHER)
        return;
    AUTO_FREE char *package = mem_printf("cuda-compat-%u-%u", cuda->part[0], cuda->part[1]);
    remedy_install_packages(age->context, finding, package, NULL);
    finding_fix_kind(finding, FIX_CHOICE);
    struct finding_fix *fix = &finding->fixes[finding->fix_count - 1];
    free(fix->note);
    fix->note = mem_printf("does not change the driver (forward compatibility, for data-centre "
                           "GPUs); then: export LD_LIBRARY_PATH=/usr/local/cuda-%u.%u/compat",
                           cuda->part[0], cuda->part[1]);
}

/* vLLM's wheel takes one PyTorch alone: another build breaks it. */
static bool is_pinned(const struct facts *facts, const struct framework *framework)
{
    const char *group;
    for (size_t i = 0; (group = facts_next(facts, "framework", &i)) != NULL;)
        if (string_equal(framework->name, "pytorch") &&
            facts_string(facts, group, "torch_wanted") &&
            string_equal(facts_string(facts, group, "environment"), framework->environment))
            return true;
    return false;
}

/* The build that was resolved, of the framework that needs this CUDA. False: none is known. */
static bool add_build_fix(const struct age *age, const struct outcome *outcome,
                          struct finding *finding)
{
    const char *group = outcome->runtime->framework;
    const struct facts *facts = age->context->facts;
    AUTO_FRAMEWORKS struct frameworks frameworks = frameworks_of(facts, age->manifest);
    const struct framework *framework = group ? frameworks_at(&frameworks, group) : NULL;
    if (framework == NULL || is_pinned(facts, framework) || framework_on_jetson(facts) ||
        !framework_has_choice(age->context, framework))
        return false;
    framework_fix_build(age->context, finding, framework);
    return true;
}

static void add_older_cuda_fix(const struct age *age, const struct outcome *outcome,
                               struct finding *finding)
{
    char cuda[VERSION_TEXT_SIZE];
    const struct version *supported = supported_cuda(age, &outcome->comparison);
    if (supported == NULL)
        return;
    version_text(supported, 0, cuda);
    if (outcome->runtime->toolkit)
        finding_fix_note(finding, FIX_ADVICE,
                         "without changing the driver: use a toolkit for CUDA %s or older", cuda);
    else if (!add_build_fix(age, outcome, finding))
        finding_fix_note(finding, FIX_ADVICE,
                         "without changing the driver: install a build of that program for CUDA "
                         "%s or older",
                         cuda);
}

void age_report_ptx(const struct age *age, const struct outcome *outcome)
{
    AUTO_FREE char *driver = age_driver_words(age, &outcome->comparison);
    AUTO_FREE char *runtime = runtime_words(outcome->runtime);
    bool build = age->context->purpose == PURPOSE_BUILD;
    struct finding *finding =
        rule_found(age->context, build ? SEVERITY_INFO : SEVERITY_WARN,
                   "%s generates PTX that is too new for %s", runtime, driver);
    finding_why(finding, "minor-version compatibility lets programs built with this CUDA run if "
                         "these programs contain machine code for the GPU (SASS); the driver "
                         "refuses PTX from this CUDA with error 222 (unsupported PTX version)");
    add_evidence(age, outcome, finding);
    finding_fix_note(finding, FIX_ADVICE,
                     "build code for the GPU, not PTX: nvcc -gencode arch=compute_XX,code=sm_XX, "
                     "where XX is the GPU's compute capability (or -arch=native)");
    add_older_cuda_fix(age, outcome, finding);
    unsigned branch = branch_needed(age, outcome);
    if (branch && age->driver.assumed)
        finding_fix_note(finding, FIX_ADVICE | NEEDS_ROOT | THEN_REBOOT,
                         "install driver branch R%u or newer on the target machine", branch);
    else if (branch)
        remedy_install_driver(age->context, finding, branch);
}

/* The row of a GPU for which this CUDA no longer has code; NULL: it has for one of them, or that is
 * not known. */
static const struct manifest_capability *dropped_by(const struct age *age,
                                                    const struct version *cuda)
{
    const struct manifest_capability *dropped = NULL;
    AUTO_GPUS struct judged_gpus gpus = judged_gpus(age->context->facts, age->manifest);
    for (size_t i = 0; i < gpus.count; i++) {
        const struct version *capability = &gpus.items[i].capability;
        dropped = capability->count ? manifest_capability_find(age->manifest, capability) : NULL;
        if (dropped == NULL || dropped->dropped_in.count == 0 ||
            version_compare(cuda, &dropped->dropped_in) < 0)
            return NULL;
    }
    return dropped;
}

/* A newer driver would not be enough: what runs on this GPU is older, and needs no other driver. */
static void add_dropped_fix(const struct manifest_capability *dropped, struct finding *finding)
{
    char capability[VERSION_TEXT_SIZE], last[VERSION_TEXT_SIZE];
    finding_fix_note(finding, FIX_ADVICE,
                     "a newer driver is not enough: the libraries of this CUDA have no code for "
                     "compute capability %s; install a build of that program for CUDA %s or older",
                     version_text(&dropped->capability, 0, capability),
                     version_text(&dropped->last_cuda, 0, last));
}

void age_report_too_old(const struct age *age, const struct outcome *outcome,
                        enum severity severity)
{
    AUTO_TEXT struct text why = {0};
    AUTO_FREE char *driver = age_driver_words(age, &outcome->comparison);
    AUTO_FREE char *runtime = runtime_words(outcome->runtime);
    unsigned branch = branch_needed(age, outcome);
    struct finding *finding =
        rule_found(age->context, severity, "%s is too old for %s", driver, runtime);
    append_minimum(&outcome->comparison, outcome->runtime, &why);
    append_floor(&outcome->comparison, &why);
    append_compat(age, outcome, &why);
    if (branch == 0 && age->last_branch)
        text_printf(&why, "; no branch newer than R%u drives this GPU", age->last_branch);
    finding_why(finding, "%s", text_string(&why));
    add_evidence(age, outcome, finding);
    const struct manifest_capability *dropped = dropped_by(age, &outcome->runtime->version);
    if (dropped) {
        const struct version *supported = supported_cuda(age, &outcome->comparison);
        add_dropped_fix(dropped, finding);
        if (supported && supported->part[0] < dropped->last_cuda.part[0])
            add_older_cuda_fix(age, outcome, finding);
        return;
    }
    bool compat = compat_helps(age, outcome);
    if (compat && outcome->runtime->compat_path)
        add_compat_path(outcome, finding);
    if (branch && age->driver.assumed)
        finding_fix_note(finding, FIX_ADVICE | NEEDS_ROOT | THEN_REBOOT,
                         "install driver branch R%u or newer on the target machine", branch);
    else if (branch)
        remedy_install_driver(age->context, finding, branch);
    if (compat && outcome->runtime->compat_path == NULL)
        add_compat_package(age, outcome, finding);
    add_older_cuda_fix(age, outcome, finding);
}
