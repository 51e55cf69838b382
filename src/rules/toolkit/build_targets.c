/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/engine/threshold.h"
#include "rules/framework/framework.h"
#include "rules/toolkit/judges.h"
#include "rules/toolkit/toolkit_choice.h"

/* Architectures that a variable asks for, and that the build system does not know. */

static bool is_known(const struct strlist *arches, const struct strlist *names, const char *word)
{
    static const char ptx[] = "+PTX";
    size_t length = strlen(word);
    AUTO_FREE char *plain =
        mem_string_n(word, string_ends(word, ptx) ? length - strlen(ptx) : length);
    for (size_t i = 0; names && i < names->count; i++)
        if (strstr(word, names->items[i]))
            return true;
    return strlist_has(arches, plain);
}

/* Adds the words of the list that PyTorch's builds refuse. */
static void unknown_words(const struct strlist *arches, const struct strlist *names,
                          const char *value, struct strlist *unknown)
{
    AUTO_FREE char *copy = mem_string(value);
    char *rest = copy;
    for (char *word; (word = strsep(&rest, "; ")) != NULL;)
        if (*word && !is_known(arches, names, word))
            strlist_add_new(unknown, word);
}

static void unknown_found(struct rule_context *context, const struct framework *torch,
                          const struct strlist *unknown)
{
    AUTO_FREE char *words = framework_words(torch);
    AUTO_FREE char *names = strlist_join(unknown, ", ");
    struct finding *finding =
        rule_found(context, SEVERITY_FAIL, "TORCH_CUDA_ARCH_LIST has %s, which %s does not know",
                   names, words);
    finding_subject(finding, "TORCH_CUDA_ARCH_LIST");
    finding_why(finding,
                "torch.utils.cpp_extension takes only the architectures in its own list: "
                "\"Unknown CUDA arch (%s) or GPU not supported\"",
                unknown->items[0]);
    finding_evidence(finding, context->facts, "environment", "TORCH_CUDA_ARCH_LIST");
    finding_evidence(finding, context->facts, torch->group, "torch_arches");
    finding_fix_command(finding, FIX_SHELL,
                        "then PyTorch's builds compile for the GPUs that they find here",
                        "unset TORCH_CUDA_ARCH_LIST");
    finding_fix_note(finding, FIX_ADVICE, "or set it to a list without %s", names);
}

void judge_torch_arch_list_unknown(struct rule_context *context)
{
    const char *value = facts_string(context->facts, "environment", "TORCH_CUDA_ARCH_LIST");
    if (!rule_require_build(context) ||
        !rule_require_recorded(context, "environment", "TORCH_CUDA_ARCH_LIST"))
        return;
    if (value == NULL || *value == '\0') {
        rule_skip(context, "TORCH_CUDA_ARCH_LIST is not set");
        return;
    }
    AUTO_FRAMEWORKS struct frameworks frameworks = frameworks_of(context->facts, context->manifest);
    size_t judged = 0;
    for (size_t i = 0; i < frameworks.count; i++) {
        const struct framework *torch = &frameworks.items[i];
        const struct strlist *arches = facts_list(context->facts, torch->group, "torch_arches");
        if (!torch->active || arches == NULL)
            continue;
        AUTO_STRLIST struct strlist unknown = {0};
        unknown_words(arches, facts_list(context->facts, torch->group, "torch_arch_names"), value,
                      &unknown);
        judged++;
        if (unknown.count)
            unknown_found(context, torch, &unknown);
    }
    if (judged == 0)
        rule_skip(context, "no PyTorch here has a list of architectures");
}

/* What asks CMake for the GPUs of this machine; NULL: nothing does. */
static const char *native_by(const struct facts *facts)
{
    if (string_equal(facts_string(facts, "environment", "CUDAARCHS"), "native"))
        return "CUDAARCHS";
    if (string_equal(facts_string(facts, "cmake", "cache_architectures"), "native"))
        return "CMAKE_CUDA_ARCHITECTURES";
    return NULL;
}

void judge_cmake_too_old_for_native_arch(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    if (!rule_require_build(context) || !rule_require_recorded(context, "environment", "CUDAARCHS"))
        return;
    const char *by = native_by(facts);
    const char *text = facts_string(facts, "cmake", "version");
    struct version version;
    char first[VERSION_TEXT_SIZE];
    if (by == NULL) {
        rule_skip(context, "CMake is not asked for the architecture \"native\"");
        return;
    }
    if (text == NULL || !version_parse(text, &version)) {
        rule_skip(context, "the version of CMake is not known");
        return;
    }
    const struct manifest_threshold *row = threshold_of(context, "cmake-native-architectures");
    if (row == NULL || version_compare(&version, &row->version) >= 0)
        return;
    struct finding *finding = rule_found(
        context, SEVERITY_FAIL, "%s is \"native\", which CMake knows from %s on, but cmake is %s",
        by, version_text(&row->version, 0, first), text);
    finding_subject(finding, by);
    finding_why(finding,
                "an older CMake passes the word to nvcc as if it were a number: \"Unsupported gpu "
                "architecture 'compute_'\"");
    finding_evidence(finding, facts, "cmake", "version");
    finding_evidence(finding, facts, "environment", "CUDAARCHS");
    finding_evidence(finding, facts, "cmake", "cache_architectures");
    finding_manifest(finding, row->id);
    finding_fix_command(finding, FIX_SHELL, "a newer CMake for this user",
                        "python3 -m pip install --user 'cmake>=%s'",
                        version_text(&row->version, 0, first));
    finding_fix_note(finding, FIX_ADVICE,
                     "or name the compute capability as a number, without the dot: "
                     "-DCMAKE_CUDA_ARCHITECTURES=86 for 8.6");
}
