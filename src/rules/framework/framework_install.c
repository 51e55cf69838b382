/* SPDX-License-Identifier: MIT */
#include "base/shell.h"
#include "manifest/toolkit/legacy.h"
#include "manifest/versions/cuda.h"
#include "manifest/versions/driver_standing.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/framework/framework.h"
#include "rules/query/framework_choice.h"

/* Fixes that install CUDA and cuDNN for a framework. What `gpuenv install` does with a request was
 * tried before: a command that it refuses is not printed. */

bool framework_takes_system(const struct framework *framework)
{
    return framework->build && string_equal(framework->build->carries, "system");
}

/* "CUDA 10.1.243 and cuDNN 7.6.5" */
static char *versions_of(const struct framework_install *install)
{
    return mem_printf("%s%s%s%s%s", install->cuda ? "CUDA " : "",
                      install->cuda ? install->cuda : "",
                      install->cuda && install->cudnn ? " and " : "",
                      install->cudnn ? "cuDNN " : "", install->cudnn ? install->cudnn : "");
}

/* Where NVIDIA's own files of those versions are: "URL and URL"; empty: not known. free() it. */
static char *files_of(const struct rule_context *context, const struct framework_install *install)
{
    struct version cuda = {.count = 0}, cudnn = {.count = 0};
    bool arm = string_equal(facts_string(context->facts, "os", "architecture"), "aarch64");
    const char *platform = arm ? "linux-sbsa" : "linux-x86_64";
    AUTO_FREE char *cuda_file = NULL;
    AUTO_FREE char *cudnn_file = NULL;
    if (install->cuda && version_parse(install->cuda, &cuda))
        cuda_file = manifest_runfile_url(context->manifest, &cuda, platform);
    if (install->cudnn && version_parse(install->cudnn, &cudnn))
        cudnn_file = manifest_archive_url(context->manifest, &cudnn, &cuda, platform);
    return mem_printf("%s%s%s", cuda_file ? cuda_file : "", cuda_file && cudnn_file ? " and " : "",
                      cudnn_file ? cudnn_file : "");
}

static void by_nvidias_files(const struct rule_context *context, struct finding *finding,
                             const struct framework_install *install)
{
    AUTO_FREE char *versions = versions_of(install);
    AUTO_FREE char *files = files_of(context, install);
    finding_fix_note(finding, FIX_ADVICE,
                     "install %s, which the framework was built with, from NVIDIA's own files: "
                     "gpuenv does not install such old releases%s%s",
                     *versions ? versions : "the CUDA and cuDNN", *files ? ": " : "", files);
}

void framework_fix_install(const struct rule_context *context, struct finding *finding,
                           const char *asked)
{
    AUTO_INSTALL struct framework_install install = {.asked = NULL};
    bool tried = framework_install_try(context->choices, asked, &install);
    AUTO_FREE char *quoted = shell_quote(asked);
    AUTO_FREE char *plain =
        mem_printf("gpuenv install --for-framework %s --profile runtime", quoted);
    if (tried && install.command == NULL)
        by_nvidias_files(context, finding, &install);
    else
        finding_fix_command(finding, FIX_SHELL,
                            install.unpinned
                                ? "installs the CUDA and cuDNN that the framework was built with. "
                                  "Their checksums are not known: --allow-unpinned trusts NVIDIA's "
                                  "server alone. gpuenv env shows how programs find CUDA and cuDNN"
                                : "installs the CUDA and cuDNN that the framework was built with; "
                                  "--accept-eula accepts NVIDIA's licences, and gpuenv env shows "
                                  "how programs find CUDA and cuDNN",
                            "%s", tried ? install.command : plain);
}

bool framework_fix_system(const struct rule_context *context, struct finding *finding,
                          const struct framework *framework)
{
    if (!framework_takes_system(framework))
        return false;
    AUTO_FREE char *asked = mem_printf("%s@%s", framework->name, framework->build->release);
    framework_fix_install(context, finding, asked);
    return true;
}

void framework_fix_cuda(const struct rule_context *context, struct finding *finding,
                        const struct framework *framework)
{
    char cuda[VERSION_TEXT_SIZE];
    if (framework->cuda.count == 0)
        return;
    AUTO_FREE char *asked = mem_printf("cuda@%s", version_text(&framework->cuda, 2, cuda));
    AUTO_INSTALL struct framework_install install = {.asked = NULL};
    framework_install_try(context->choices, asked, &install);
    if (install.command)
        finding_fix_command(
            finding, FIX_SHELL,
            install.unpinned
                ? "the CUDA that PyTorch is built for, in addition to the other CUDA. The checksum "
                  "is not known: --allow-unpinned trusts NVIDIA's server alone"
                : "the CUDA that PyTorch is built for, in addition to the other CUDA; "
                  "--accept-eula accepts NVIDIA's licences",
            "%s", install.command);
    else
        finding_fix_note(
            finding, FIX_ADVICE,
            "install CUDA %s, which PyTorch is built for, in addition to the other CUDA", cuda);
}

/* The driver branch that the framework's CUDA needs at least; 0: the driver here runs it, as far as
 * is known. */
static unsigned branch_needed(const struct rule_context *context, const struct framework *framework)
{
    struct judged_driver driver = judged_driver(context->facts);
    struct version api = {.count = 0};
    const char *group;
    if (framework->cuda.count == 0 || driver.version.count == 0)
        return 0;
    if (!driver.assumed)
        judged_driver_api(context->facts, &api, &group);
    struct comparison comparison =
        driver_compare_told(context->manifest, &driver.version, &api, &framework->cuda);
    return comparison.standing == STANDING_TOO_OLD && comparison.major
               ? comparison.major->driver_min.part[0]
               : 0;
}

void framework_fix_with_its_cuda(const struct rule_context *context, struct finding *finding,
                                 const struct framework *framework)
{
    char cuda[VERSION_TEXT_SIZE];
    unsigned branch = branch_needed(context, framework);
    if (branch == 0)
        framework_fix_cuda(context, finding, framework);
    else
        finding_fix_note(finding, FIX_ADVICE,
                         "or install driver R%u or newer, and then CUDA %s beside the other one: "
                         "this driver is too old for the CUDA that it is built for",
                         branch, version_text(&framework->cuda, 2, cuda));
}
