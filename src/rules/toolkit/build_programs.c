/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/toolkit/cuda_framework.h"
#include "rules/toolkit/judges.h"
#include "rules/toolkit/toolkit_choice.h"

/* compiler_parts_mixed: nvcc, what it starts and the runtime's headers are of several releases.
 * Which mixtures fail was tried with the real programs (tests/real-compilers). */

/* What must not be older than what. */
static const struct order {
    const char *name, *than;
    enum severity severity;
    const char *why;
} orders[] = {
    {"ptxas", "cicc", SEVERITY_FAIL,
     "cicc writes PTX, which an older ptxas does not read: \"Unsupported .version\""},
    {"cicc", "nvcc", SEVERITY_FAIL, "nvcc gives cicc options that an older cicc does not know"},
    {"cudafe++", "nvcc", SEVERITY_FAIL,
     "nvcc gives cudafe++ options that an older cudafe++ does not know: \"1 catastrophic error "
     "detected in this compilation\""},
    {"nvlink", "ptxas", SEVERITY_WARN,
     "what is compiled with -rdc=true (separate compilation) does not link: \"Input file newer "
     "than toolkit\""},
};

/* A program of the list: "ptxas 12.8.93 /usr/bin/ptxas". */
struct part {
    const char *words;
    struct version release; /* major and minor; count 0: not known */
};

static struct part part_of(const struct strlist *programs, const char *name)
{
    struct part part = {.words = NULL};
    size_t length = strlen(name);
    for (size_t i = 0; i < programs->count && part.words == NULL; i++)
        if (string_starts(programs->items[i], name) && programs->items[i][length] == ' ')
            part.words = programs->items[i];
    if (part.words && version_parse_prefix(part.words + length + 1, &part.release))
        part.release.count = part.release.count > 2 ? 2 : part.release.count;
    return part;
}

static struct finding *mixed_found(struct rule_context *context,
                                   const struct judged_toolkit *toolkit, enum severity severity,
                                   const char *other, const char *own)
{
    struct finding *finding =
        rule_found(context, severity, "the compiler in %s is mixed from two CUDA releases: %s, %s",
                   toolkit->path, other, own);
    finding_subject(finding, toolkit->path);
    return finding;
}

static void add_evidence(struct rule_context *context, struct finding *finding,
                         const struct judged_toolkit *toolkit, const struct part *nvcc)
{
    const struct facts *facts = context->facts;
    struct judged_toolkit whole = *toolkit;
    finding_evidence(finding, facts, toolkit->group, "programs");
    finding_evidence(finding, facts, toolkit->group, "runtime_headers");
    whole.version = nvcc->release;
    cuda_add_completion(context, finding, &whole);
}

static bool find_program(struct rule_context *context, const struct judged_toolkit *toolkit,
                         const struct strlist *programs, const struct part *nvcc)
{
    for (size_t i = 0; i < sizeof(orders) / sizeof(orders[0]); i++) {
        struct part part = part_of(programs, orders[i].name);
        struct part than = part_of(programs, orders[i].than);
        if (part.release.count == 0 || than.release.count == 0 ||
            version_compare(&part.release, &than.release) >= 0)
            continue;
        struct finding *finding =
            mixed_found(context, toolkit, orders[i].severity, part.words, than.words);
        finding_why(finding, "%s", orders[i].why);
        add_evidence(context, finding, toolkit, nvcc);
        return true;
    }
    return false;
}

static void find_headers(struct rule_context *context, const struct judged_toolkit *toolkit,
                         const struct part *nvcc)
{
    const char *text = facts_string(context->facts, toolkit->group, "runtime_headers");
    struct version headers;
    if (text == NULL || !version_parse(text, &headers) ||
        version_compare(&headers, &nvcc->release) == 0)
        return;
    AUTO_FREE char *words = mem_printf("the headers of CUDA %s", text);
    struct finding *finding = mixed_found(context, toolkit, SEVERITY_WARN, words, nvcc->words);
    finding_why(finding, "CUDA's C++ libraries (Thrust, CUB, libcu++) refuse such a mixture, and "
                         "declarations of the runtime may not fit: \"CUDA compiler and CUDA "
                         "toolkit headers are incompatible\"");
    add_evidence(context, finding, toolkit, nvcc);
}

static void programs_of_build(struct rule_context *context, const struct toolkit_build *build)
{
    const struct facts *facts = context->facts;
    const struct judged_toolkit *toolkit = build->toolkit;
    if (string_equal(facts_string(facts, toolkit->group, "origin"), "wheel")) {
        rule_skip(context, "the compiler consists of wheels, whose releases are compared");
        return;
    }
    if (!rule_require_recorded(context, toolkit->group, "programs"))
        return;
    const struct strlist *programs = facts_list(facts, toolkit->group, "programs");
    const struct part nvcc = part_of(programs, "nvcc");
    if (nvcc.release.count == 0)
        rule_skip(context, "nvcc in %s does not say its release without being run", toolkit->path);
    else if (!find_program(context, toolkit, programs, &nvcc))
        find_headers(context, toolkit, &nvcc);
}

void judge_compiler_parts_mixed(struct rule_context *context)
{
    rule_judge_build(context, programs_of_build);
}
