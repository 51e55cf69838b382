/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/toolkit/cuda_framework.h"
#include "rules/toolkit/judges.h"
#include "rules/toolkit/toolkit_choice.h"

/* library_half_installed: headers of a library without what the linker takes, or the reverse. */

static const struct title {
    const char *name, *words;
} titles[] = {
    {"cublas", "cuBLAS"}, {"cusparse", "cuSPARSE"}, {"cusolver", "cuSOLVER"},
    {"curand", "cuRAND"}, {"cufft", "cuFFT"},       {"nvrtc", "NVRTC"},
    {"nvjpeg", "nvJPEG"}, {"cudnn", "cuDNN"},       {"nccl", "NCCL"},
};

static const char *title_of(const char *half)
{
    for (size_t i = 0; i < sizeof(titles) / sizeof(titles[0]); i++)
        if (string_starts(half, titles[i].name) && half[strlen(titles[i].name)] == ':')
            return titles[i].words;
    return "nvJitLink";
}

/* "cuBLAS, cuFFT" of those with that half missing. free() it. */
static char *names_of(const struct strlist *halves, const char *missing)
{
    AUTO_STRLIST struct strlist names = {0};
    for (size_t i = 0; i < halves->count; i++)
        if (string_ends(halves->items[i], missing))
            strlist_add(&names, title_of(halves->items[i]));
    return names.count ? strlist_join(&names, ", ") : NULL;
}

static void half_found(struct rule_context *context, const struct judged_toolkit *toolkit,
                       const struct strlist *halves)
{
    AUTO_FREE char *unlinked = names_of(halves, ": no library");
    AUTO_FREE char *headless = names_of(halves, ": no header");
    AUTO_FREE char *all = unlinked && headless ? mem_printf("%s; %s", unlinked, headless) : NULL;
    struct finding *finding =
        unlinked ? rule_found(context, SEVERITY_WARN,
                              "the headers of %s are there, but no library to link with (CUDA "
                              "toolkit %s in %s)",
                              unlinked, toolkit->text ? toolkit->text : "", toolkit->path)
                 : rule_found(context, SEVERITY_WARN,
                              "libraries to link with are there, but not the headers of %s (CUDA "
                              "toolkit %s in %s)",
                              headless, toolkit->text ? toolkit->text : "", toolkit->path);
    finding_subject(finding, toolkit->path);
    finding_why(finding,
                unlinked ? "what uses them compiles, and is not linked: \"cannot find -l…\", or "
                           "CMake's target is missing (CUDA::cublas)"
                         : "CMake finds the library, and what includes its header does not "
                           "compile: \"No such file or directory\"");
    finding_evidence(finding, context->facts, toolkit->group, "half_libraries");
    cuda_add_completion(context, finding, toolkit);
    finding_fix_note(finding, FIX_ADVICE | NEEDS_ROOT,
                     "or install the development packages of %s again (-dev or -devel), which have "
                     "headers and libraries together",
                     all        ? all
                     : unlinked ? unlinked
                                : headless);
}

static void libraries_of_build(struct rule_context *context, const struct toolkit_build *build)
{
    const struct judged_toolkit *toolkit = build->toolkit;
    if (!rule_require_recorded(context, toolkit->group, "half_libraries"))
        return;
    const struct strlist *halves = facts_list(context->facts, toolkit->group, "half_libraries");
    if (halves == NULL)
        rule_skip(context, "the toolkit in %s does not have all libraries in one directory",
                  toolkit->path);
    else if (halves->count > 0 && !rule_has_found(context, "toolkit_incomplete"))
        half_found(context, toolkit, halves);
}

void judge_library_half_installed(struct rule_context *context)
{
    rule_judge_build(context, libraries_of_build);
}
