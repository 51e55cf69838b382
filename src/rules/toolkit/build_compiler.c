/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "manifest/versions/nvcc.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/remedy/remedy.h"
#include "rules/remedy/repository.h"
#include "rules/toolkit/judges.h"
#include "rules/toolkit/toolkit_choice.h"

/* nvcc_host_compiler_too_new, nvcc_host_compiler_missing: which compiler nvcc starts is found by
 * the probe; what the toolkit takes is in its own header, else in the manifest. */

struct limits {
    struct version gcc_max;     /* count 0: not known */
    struct version clang_below; /* likewise */
    const char *manifest;       /* id of the row; NULL: by the header */
};

static void limit_of_fact(const struct facts *facts, const char *group, const char *name,
                          struct version *ret_version)
{
    const char *text = facts_string(facts, group, name);
    if (text == NULL || !version_parse(text, ret_version))
        ret_version->count = 0;
}

static struct limits limits_of(const struct rule_context *context,
                               const struct judged_toolkit *toolkit)
{
    struct limits limits = {.manifest = NULL};
    limit_of_fact(context->facts, toolkit->group, "gcc_max", &limits.gcc_max);
    limit_of_fact(context->facts, toolkit->group, "clang_below", &limits.clang_below);
    if (limits.gcc_max.count || limits.clang_below.count)
        return limits;
    const struct manifest_compilers *row =
        manifest_compilers_find(context->manifest, &toolkit->version);
    if (row == NULL)
        return limits;
    limits.manifest = row->id;
    limits.gcc_max = row->gcc_max;
    limits.clang_below = row->clang_max;
    if (limits.clang_below.count) {
        limits.clang_below.count = 1;
        limits.clang_below.part[0]++;
    }
    return limits;
}

/* A compiler as a group of facts has it, and under which names. */
struct compiler {
    const char *path, *family, *by;
    const char *text; /* its version */
    struct version version;
};

enum verdict { ACCEPTED, REJECTED, VERDICT_UNKNOWN };

static enum verdict verdict_of(const struct compiler *compiler, const struct limits *limits)
{
    struct version version = compiler->version;
    if (version.count == 0)
        return VERDICT_UNKNOWN;
    if (string_equal(compiler->family, "gcc") && limits->gcc_max.count) {
        if (version.count > limits->gcc_max.count)
            version.count = limits->gcc_max.count;
        return version_compare(&version, &limits->gcc_max) > 0 ? REJECTED : ACCEPTED;
    }
    if (string_equal(compiler->family, "clang") && limits->clang_below.count)
        return version_compare(&version, &limits->clang_below) >= 0 ? REJECTED : ACCEPTED;
    return VERDICT_UNKNOWN;
}

/* Without all of it nothing is judged: count 0. */
static void set_version(struct compiler *compiler)
{
    bool whole = compiler->path && compiler->family && compiler->by && compiler->text;
    if (!whole || !version_parse(compiler->text, &compiler->version))
        compiler->version.count = 0;
}

static struct compiler compiler_of_nvcc(const struct facts *facts, const char *group)
{
    struct compiler compiler = {.path = facts_string(facts, group, "host_compiler"),
                                .family = facts_string(facts, group, "host_compiler_family"),
                                .by = facts_string(facts, group, "host_compiler_by"),
                                .text = facts_string(facts, group, "host_compiler_version")};
    set_version(&compiler);
    return compiler;
}

/* That CUDAHOSTCXX or CC names, which CMake and PyTorch's builds give nvcc. */
static struct compiler compiler_of_variable(const struct facts *facts, const char *name)
{
    AUTO_FREE char *group = facts_group_name("host_compiler", name);
    struct compiler compiler = {.path = facts_string(facts, group, "path"),
                                .family = facts_string(facts, group, "family"),
                                .by = name,
                                .text = facts_string(facts, group, "version")};
    set_version(&compiler);
    return compiler;
}

static char *range_words(const struct compiler *compiler, const struct limits *limits)
{
    char text[VERSION_TEXT_SIZE];
    if (string_equal(compiler->family, "clang"))
        return mem_printf("clang before %s", version_text(&limits->clang_below, 0, text));
    return mem_printf("gcc up to %s", version_text(&limits->gcc_max, 0, text));
}

/* By the flag that overrides what named the compiler: NVCC_APPEND_FLAGS wins over the others. */
static void add_use(struct finding *finding, const struct compiler *compiler, const char *program,
                    const char *note)
{
    AUTO_FREE char *quoted = shell_quote(program);
    const char *variable =
        string_equal(compiler->by, "NVCC_APPEND_FLAGS") ? compiler->by : "NVCC_PREPEND_FLAGS";
    finding_fix_command(finding, FIX_SHELL, note, "export CUDAHOSTCXX=%s %s=\"-ccbin %s\"", quoted,
                        variable, quoted);
}

static void add_fixes(const struct rule_context *context, struct finding *finding,
                      const struct compiler *compiler, const struct limits *limits)
{
    const struct facts *facts = context->facts;
    const struct version none = {.count = 0};
    const struct strlist *there = facts_list(facts, "compiler", "gcc_versions");
    const char *gcc = there && limits->gcc_max.count
                          ? manifest_compiler_within(there, &none, &limits->gcc_max)
                          : NULL;
    if (gcc) {
        AUTO_FREE char *major = mem_string_n(gcc, strcspn(gcc, "."));
        AUTO_FREE char *program = mem_printf("g++-%s", major);
        add_use(finding, compiler, program, "this compiler is installed, and nvcc accepts it");
        return;
    }
    const struct manifest_system system = distribution_system(facts);
    const struct manifest_host_compilers *packaged =
        manifest_host_compilers_find(context->manifest, &system);
    gcc = packaged && limits->gcc_max.count
              ? manifest_compiler_within(&packaged->gcc, &none, &limits->gcc_max)
              : NULL;
    if (gcc == NULL) {
        finding_fix_note(finding, FIX_ADVICE,
                         "install a compiler that nvcc accepts and name it: nvcc -ccbin PROGRAM, "
                         "CUDAHOSTCXX=PROGRAM for CMake; or use a newer CUDA toolkit");
        return;
    }
    AUTO_FREE char *package = manifest_compiler_name(packaged->package, gcc);
    AUTO_FREE char *program = manifest_compiler_name(packaged->program, gcc);
    enum distribution distribution = remedy_distribution(facts);
    if (distribution == DISTRIBUTION_UBUNTU || distribution == DISTRIBUTION_DEBIAN)
        finding_fix_command(finding, FIX_STEP | NEEDS_ROOT, NULL, "sudo apt-get install %s",
                            package);
    else
        finding_fix_command(finding, FIX_STEP | NEEDS_ROOT, NULL, "sudo %s install %s",
                            remedy_rpm_tool(facts), package);
    add_use(finding, compiler, program, "then, for this shell");
}

static void rejected_found(struct rule_context *context, const struct judged_toolkit *toolkit,
                           const struct compiler *compiler, const struct limits *limits)
{
    AUTO_FREE char *range = range_words(compiler, limits);
    struct finding *finding =
        rule_found(context, SEVERITY_FAIL, "nvcc of CUDA %s accepts %s, but %s gives it %s %s (%s)",
                   toolkit->text ? toolkit->text : "", range, compiler->by, compiler->family,
                   compiler->text, compiler->path);
    finding_subject(finding, toolkit->path);
    finding_why(
        finding,
        "nvcc uses another compiler for the code of the host, and its header "
        "crt/host_config.h rejects a compiler that is newer than it supports: \"unsupported "
        "GNU version\", \"unsupported clang version\"");
    finding_evidence(finding, context->facts, toolkit->group, "host_compiler");
    finding_evidence(finding, context->facts, toolkit->group, "host_compiler_version");
    finding_evidence(finding, context->facts, toolkit->group, "gcc_max");
    if (string_starts(compiler->by, "NVCC_") || string_equal(compiler->by, "CUDAHOSTCXX"))
        finding_evidence(finding, context->facts, "environment", compiler->by);
    if (limits->manifest)
        finding_manifest(finding, limits->manifest);
    add_fixes(context, finding, compiler, limits);
    finding_fix_note(finding, FIX_CHOICE,
                     "or skip nvcc's check, at your own risk: nvcc "
                     "-allow-unsupported-compiler");
}

static void judge_compilers(struct rule_context *context, const struct judged_toolkit *toolkit,
                            const struct limits *limits)
{
    const struct facts *facts = context->facts;
    const struct compiler own = compiler_of_nvcc(facts, toolkit->group);
    const struct compiler cmake = compiler_of_variable(facts, "CUDAHOSTCXX");
    const struct compiler torch = compiler_of_variable(facts, "CC");
    enum verdict of_own = verdict_of(&own, limits), of_cmake = verdict_of(&cmake, limits);
    if (of_cmake == REJECTED)
        rejected_found(context, toolkit, &cmake, limits);
    else if (of_own == REJECTED && of_cmake != ACCEPTED && verdict_of(&torch, limits) != ACCEPTED)
        rejected_found(context, toolkit, &own, limits);
    else if (of_own == REJECTED)
        rule_skip(context, "nvcc alone rejects %s %s; %s names a compiler that it accepts",
                  own.family, own.text, of_cmake == ACCEPTED ? "CUDAHOSTCXX" : "CC");
    else if (own.path == NULL)
        rule_skip(context, "it is not known which compiler nvcc starts");
    else if (of_own == VERDICT_UNKNOWN)
        rule_skip(context, "whether nvcc accepts %s is not known", own.path);
}

static void compiler_of_build(struct rule_context *context, const struct toolkit_build *build)
{
    const struct judged_toolkit *toolkit = build->toolkit;
    const char *allowed = facts_string(context->facts, "toolkit", "unsupported_compiler");
    const struct limits limits = limits_of(context, toolkit);
    if (allowed)
        rule_skip(context, "%s has -allow-unsupported-compiler", allowed);
    else if (limits.gcc_max.count == 0 && limits.clang_below.count == 0)
        rule_skip(context, "which compilers the toolkit in %s accepts is not known", toolkit->path);
    else
        judge_compilers(context, toolkit, &limits);
}

void judge_nvcc_host_compiler_too_new(struct rule_context *context)
{
    rule_judge_build(context, compiler_of_build);
}

static void missing_found(struct rule_context *context, const struct judged_toolkit *toolkit,
                          const char *by)
{
    struct finding *finding =
        rule_found(context, SEVERITY_FAIL, "%s names \"%s\", but there is no such compiler", by,
                   facts_string(context->facts, "environment", by));
    finding_subject(finding, by);
    finding_why(finding, "nvcc does not look for another compiler then: \"No such file or "
                         "directory\", \"Failed to preprocess host compiler properties\"");
    finding_evidence(finding, context->facts, "environment", by);
    if (string_equal(by, "CUDAHOSTCXX"))
        finding_evidence(finding, context->facts, "host_compiler/CUDAHOSTCXX", "there");
    else
        finding_evidence(finding, context->facts, toolkit->group, "host_compiler_there");
    if (string_equal(by, "NVCC_CCBIN") || string_equal(by, "CUDAHOSTCXX"))
        finding_fix_command(finding, FIX_SHELL, "if nvcc accepts this system's gcc", "unset %s",
                            by);
    else
        finding_fix_note(finding, FIX_SHELL,
                         "remove -ccbin from %s, if nvcc accepts this system's gcc", by);
    finding_fix_note(finding, FIX_ADVICE, "or install that compiler");
}

static void named_compiler_of_build(struct rule_context *context, const struct toolkit_build *build)
{
    static const char of_cmake[] = "host_compiler/CUDAHOSTCXX";
    const struct facts *facts = context->facts;
    const struct judged_toolkit *toolkit = build->toolkit;
    bool there = true;
    if (!rule_require_recorded(context, toolkit->group, "host_compiler_there"))
        return;
    const char *by = facts_string(facts, toolkit->group, "host_compiler_by");
    if (by && facts_boolean(facts, toolkit->group, "host_compiler_there", &there) && !there)
        missing_found(context, toolkit, by);
    else if (facts_boolean(facts, of_cmake, "there", &there) && !there)
        missing_found(context, toolkit, "CUDAHOSTCXX");
    else if (facts_get(facts, of_cmake, "there") == NULL &&
             !facts_boolean(facts, toolkit->group, "host_compiler_there", &there))
        rule_skip(context, "no variable names a compiler for nvcc");
}

void judge_nvcc_host_compiler_missing(struct rule_context *context)
{
    rule_judge_build(context, named_compiler_of_build);
}
