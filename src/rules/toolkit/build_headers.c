/* SPDX-License-Identifier: MIT */
#include "base/path.h"
#include "manifest/versions/nvcc.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/engine/threshold.h"
#include "rules/remedy/remedy.h"
#include "rules/toolkit/judges.h"
#include "rules/toolkit/toolkit_choice.h"

/* Headers that do not go with the toolkit's: those of the C library, and those of another CUDA. */

/* What the C library declares: by its headers, else by its version. */
static void functions_declared(const struct rule_context *context, const char *group,
                               struct strlist *functions)
{
    const struct strlist *read = facts_list(context->facts, group, "c_library_functions");
    const char *text = facts_string(context->facts, "os", "glibc_version");
    struct version glibc;
    if (read)
        strlist_copy(functions, read);
    if (read || text == NULL || !version_parse(text, &glibc))
        return;
    size_t count;
    const struct manifest_c_library *rows = manifest_c_libraries(context->manifest, &count);
    for (size_t i = 0; i < count; i++)
        if (rows[i].glibc.from.count && manifest_range_has(&rows[i].glibc, &glibc))
            strlist_copy(functions, &rows[i].functions);
}

/* The row that says from which release on the toolkit's header has the words; NULL: none. */
static const struct manifest_c_library *row_of(const struct rule_context *context,
                                               const char *function)
{
    size_t count;
    const struct manifest_c_library *rows = manifest_c_libraries(context->manifest, &count);
    for (size_t i = 0; i < count; i++)
        if (strlist_has(&rows[i].functions, function))
            return &rows[i];
    return NULL;
}

static void conflict_found(struct rule_context *context, const struct judged_toolkit *toolkit,
                           const struct strlist *functions)
{
    const struct facts *facts = context->facts;
    AUTO_FREE char *names = strlist_join(functions, ", ");
    const char *glibc = facts_string(facts, "os", "glibc_version");
    const struct manifest_c_library *row = row_of(context, functions->items[functions->count - 1]);
    struct finding *finding = rule_found(
        context, SEVERITY_FAIL,
        "the C library%s%s declares %s with noexcept, but CUDA %s in %s declares %s without it",
        glibc ? " glibc " : "", glibc ? glibc : "", names, toolkit->text ? toolkit->text : "",
        toolkit->path, functions->count > 1 ? "them" : "it");
    finding_subject(finding, toolkit->path);
    finding_why(finding, "every compilation that includes math.h then stops: \"exception "
                         "specification is incompatible with that of previous function\"");
    finding_evidence(finding, facts, toolkit->group, "math_without_noexcept");
    finding_evidence(finding, facts, toolkit->group, "c_library_functions");
    finding_evidence(finding, facts, "os", "glibc_version");
    if (row) {
        finding_manifest(finding, row->id);
        remedy_install_toolkit(context, finding, &row->cuda.below);
    }
    finding_fix_note(finding, FIX_CHOICE | NEEDS_ROOT,
                     "or add noexcept (true) to these declarations (and to those with f at the end "
                     "of the name) in the toolkit's header crt/math_functions.h");
    finding_fix_note(finding, FIX_ADVICE,
                     "or build in a container whose C library is older, such as NVIDIA's -devel "
                     "image for this CUDA");
}

/* Of aarch64: types in the C library's header that the preprocessor of gcc leaves in, and that an
 * older nvcc does not know. */
static bool find_vector_types(struct rule_context *context, const struct judged_toolkit *toolkit)
{
    static const char fact[] = "c_library_vector_types";
    char first[VERSION_TEXT_SIZE];
    if (!facts_true(context->facts, toolkit->group, fact) || toolkit->version.count < 2)
        return false;
    const struct manifest_threshold *row = threshold_of(context, "nvcc-vector-types");
    if (row == NULL || version_compare(&toolkit->version, &row->version) >= 0)
        return false;
    struct finding *finding = rule_found(
        context, SEVERITY_FAIL,
        "the C library's header bits/math-vector.h has types that nvcc of CUDA %s in %s does not "
        "know: CUDA %s is the first that does",
        toolkit->text, toolkit->path, version_text(&row->version, 0, first));
    finding_subject(finding, toolkit->path);
    finding_why(finding, "every compilation that includes math.h then stops: \"identifier "
                         "\"__Float32x4_t\" is undefined\"");
    finding_evidence(finding, context->facts, toolkit->group, fact);
    finding_evidence(finding, context->facts, "os", "glibc_version");
    finding_manifest(finding, row->id);
    remedy_install_toolkit(context, finding, &row->version);
    finding_fix_note(finding, FIX_ADVICE,
                     "or build in a container whose C library is older, such as NVIDIA's -devel "
                     "image for this CUDA");
    return true;
}

static void c_library_of_build(struct rule_context *context, const struct toolkit_build *build)
{
    const struct judged_toolkit *toolkit = build->toolkit;
    if (find_vector_types(context, toolkit))
        return;
    const struct strlist *plain =
        facts_list(context->facts, toolkit->group, "math_without_noexcept");
    if (plain == NULL) {
        rule_skip(context, "the header crt/math_functions.h of the toolkit in %s was not read",
                  toolkit->path);
        return;
    }
    AUTO_STRLIST struct strlist declared = {0};
    AUTO_STRLIST struct strlist both = {0};
    functions_declared(context, toolkit->group, &declared);
    for (size_t i = 0; i < plain->count; i++)
        if (strlist_has(&declared, plain->items[i]))
            strlist_add(&both, plain->items[i]);
    if (both.count)
        conflict_found(context, toolkit, &both);
}

void judge_glibc_newer_than_toolkit(struct rule_context *context)
{
    rule_judge_build(context, c_library_of_build);
}

static bool is_flag(const char *variable)
{
    return string_starts(variable, "NVCC_");
}

static void other_headers_found(struct rule_context *context, const struct judged_toolkit *toolkit,
                                const char *group)
{
    const struct facts *facts = context->facts;
    const char *variable = facts_string(facts, group, "variable");
    const char *path = facts_string(facts, group, "path");
    const char *version = facts_string(facts, group, "version");
    struct finding *finding =
        rule_found(context, is_flag(variable) ? SEVERITY_FAIL : SEVERITY_WARN,
                   "%s names the headers of CUDA %s (%s), but nvcc belongs to CUDA %s (%s)",
                   variable, version, path, toolkit->text, toolkit->path);
    finding_subject(finding, variable);
    finding_why(finding,
                is_flag(variable)
                    ? "this directory is searched before nvcc's own headers: \"macro __cudaLaunch "
                      "passed 2 arguments, but takes just 1\", \"CUDA compiler and CUDA toolkit "
                      "headers are incompatible\""
                    : "nvcc searches its own directory first, but code for the host and what nvcc "
                      "searches as system headers (Thrust, CUB, libcu++ since CUDA 13.0) then take "
                      "the headers of the other CUDA");
    finding_evidence(finding, facts, "environment", variable);
    finding_evidence(finding, facts, group, "version");
    finding_evidence(finding, facts, toolkit->group, "version");
    AUTO_FREE char *quoted = shell_quote(variable);
    if (is_flag(variable))
        finding_fix_note(finding, FIX_SHELL, "remove the flag -I%s from %s", path, variable);
    else
        finding_fix_command(finding, FIX_SHELL, NULL, "unset %s", quoted);
}

static bool is_of_other(const struct facts *facts, const struct judged_toolkit *toolkit,
                        const char *group)
{
    const char *path = facts_string(facts, group, "path");
    const char *text = facts_string(facts, group, "version");
    struct judged_toolkit other = {.path = path};
    if (path == NULL || facts_string(facts, group, "variable") == NULL ||
        path_is_below(path, toolkit->path) || text == NULL || !version_parse(text, &other.version))
        return false;
    return toolkit_differs(&other, toolkit);
}

static void include_paths_of_build(struct rule_context *context, const struct toolkit_build *build)
{
    const struct judged_toolkit *toolkit = build->toolkit;
    if (!rule_require_recorded(context, "include_path", "count"))
        return;
    const char *group;
    size_t count = 0;
    for (size_t i = 0; (group = facts_next(context->facts, "include_path", &i)) != NULL; count++)
        if (is_of_other(context->facts, toolkit, group))
            other_headers_found(context, toolkit, group);
    if (count == 0)
        rule_skip(context, "no variable names a directory with headers of CUDA");
    else if (toolkit->version.count == 0)
        rule_skip(context, "the version of the toolkit in %s is not known", toolkit->path);
}

void judge_include_path_of_other_toolkit(struct rule_context *context)
{
    rule_judge_build(context, include_paths_of_build);
}
