/* SPDX-License-Identifier: MIT */
#include "manifest/error/error.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/gpu/judges.h"
#include "rules/gpu/trial.h"
#include "rules/query/gpu_nvml.h"
#include "rules/query/gpu_process.h"
#include "rules/query/hardware.h"
#include "rules/query/remaining.h"

/* ptx_not_compiled, gpu_compute_failed, gpu_compute_wrong: one kernel on each GPU (--try). */

#define COMPILES   "cuModuleLoadDataEx"
#define ROOM_BYTES (INT64_C(1) << 30) /* a context wants some hundred MB */
#define KERNEL_LOG "sudo dmesg | grep -i -e nvrm -e nvidia -e xid | tail -n 30"
#define OUTSIDE                                                                                    \
    "python3 -c 'import ctypes as c; d = c.CDLL(\"libcuda.so.1\"); x = c.c_void_p(); "             \
    "print(d.cuInit(0), d.cuCtxCreate_v2(c.byref(x), 0, %s))'"

bool rule_require_trial(struct rule_context *context, const char *kind)
{
    const struct fact *count = facts_get(context->facts, kind, "count");
    if (count && count->state == FACT_VALUE)
        return true;
    if (count && count->state == FACT_UNKNOWN)
        rule_unknown(context, "not tried: %s", count->reason);
    else
        rule_skip(context, "not tried: %s",
                  count && count->reason ? count->reason : "only --try computes on a GPU");
    return false;
}

const char *trial_outcome(struct rule_context *context, const char *group, const char *what)
{
    const struct fact *outcome = facts_get(context->facts, group, "outcome");
    if (outcome == NULL)
        rule_unknown(context, "%s: the record does not contain the outcome", what);
    else if (outcome->state == FACT_SKIPPED)
        rule_skip(context, "%s was not tried: %s", what, outcome->reason);
    else if (outcome->state != FACT_VALUE || outcome->type != FACT_STRING)
        rule_unknown(context, "%s: %s", what, outcome->reason ? outcome->reason : "no outcome");
    else
        return outcome->string;
    return NULL;
}

struct trial_error trial_error(const struct rule_context *context, const char *group)
{
    struct trial_error error = {.call = facts_string(context->facts, group, "call"),
                                .name = facts_string(context->facts, group, "error_name")};
    if (facts_integer(context->facts, group, "error", &error.number))
        error.row = manifest_error(context->manifest, ERRORS_CUDA, error.number);
    error.call = error.call ? error.call : "a call";
    error.name = error.row && error.row->name ? error.row->name : error.name;
    return error;
}

void trial_evidence(const struct rule_context *context, struct finding *finding, const char *group)
{
    static const char *const names[] = {"outcome", "call", "error", "error_name", "first_wrong"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        const struct fact *fact = facts_get(context->facts, group, names[i]);
        if (fact && fact->state == FACT_VALUE)
            finding_evidence(finding, context->facts, group, names[i]);
    }
}

static bool trial_follows(const struct rule_context *context, struct finding *finding,
                          const char *cause, const char **ret_likely)
{
    const struct judgement *judgement = context->judgement;
    for (size_t i = 0; i < judgement->finding_count; i++) {
        const struct finding *earlier = judgement->findings[i];
        if (earlier == finding || !string_equal(earlier->cause, cause) ||
            earlier->severity == SEVERITY_INFO)
            continue;
        if (earlier->severity >= finding->severity)
            return finding_follows(context, finding, cause);
        *ret_likely = *ret_likely ? *ret_likely : earlier->code;
    }
    return false;
}

bool trial_follows_any(const struct rule_context *context, struct finding *finding,
                       const struct manifest_error *row, const char *const more[],
                       const char **ret_likely)
{
    for (size_t i = 0; row && i < row->findings.count; i++)
        if (trial_follows(context, finding, row->findings.items[i], ret_likely))
            return true;
    for (size_t i = 0; more[i]; i++)
        if (trial_follows(context, finding, more[i], ret_likely))
            return true;
    return false;
}

/* A GPU that was tried, as NVML has it too. */
struct tried {
    const char *group;  /* "trial/0" */
    const char *number; /* "0", CUDA's */
    char *cuda;         /* "cuda/0" */
    const char *nvml;   /* NULL: not listed there */
    char *label;        /* "GPU 0 (NVIDIA L4)" */
};
#define AUTO_TRIED AUTO(tried_free)

static void tried_free(const struct tried *tried)
{
    free(tried->cuda);
    free(tried->label);
}

static struct tried tried_of(const struct facts *facts, const char *group)
{
    struct tried tried = {.group = group, .number = nvml_index(group)};
    tried.cuda = facts_group_name("cuda", tried.number);
    const char *bus_id = facts_string(facts, tried.cuda, "bus_id");
    tried.nvml = bus_id ? hardware_listed(facts, "nvml", bus_id) : NULL;
    tried.label = nvml_label(facts, tried.nvml ? tried.nvml : tried.cuda);
    return tried;
}

static void say_which(const struct rule_context *context, struct finding *finding,
                      const struct tried *tried)
{
    const char *bus_id = facts_string(context->facts, tried->cuda, "bus_id");
    finding_subject(finding, bus_id ? bus_id : tried->label);
    trial_evidence(context, finding, tried->group);
}

/* The manifest's row of the error says so: it is about the PTX, and not about the GPU. */
static bool is_about_ptx(const struct trial_error *error)
{
    return error->row && string_equal(error->call, COMPILES) &&
           strlist_has(&error->row->findings, "ptx_not_compiled");
}

static void add_ptx_fixes(const struct rule_context *context, struct finding *finding,
                          const struct trial_error *error)
{
    const char *compiler = judged_loaded_path(context->facts, "libnvidia-ptxjitcompiler.so.1");
    if (facts_string(context->facts, "environment", "CUDA_DISABLE_PTX_JIT"))
        finding_fix_command(finding, FIX_SHELL, NULL, "unset CUDA_DISABLE_PTX_JIT");
    else if (compiler == NULL && judged_place(context->facts) == PLACE_CONTAINER)
        finding_fix_note(finding, FIX_HOST,
                         "start the container with NVIDIA_DRIVER_CAPABILITIES=compute,utility, so "
                         "the container gets libnvidia-ptxjitcompiler.so.1");
    else if (compiler == NULL)
        finding_fix_note(finding, FIX_ADVICE | NEEDS_ROOT,
                         "install all driver libraries, including libnvidia-ptxjitcompiler.so.1, "
                         "in the driver's exact release");
    else
        finding_fix_note(finding, FIX_ADVICE | NEEDS_ROOT,
                         "reinstall the driver, with all files from one release: the driver's "
                         "compiler is installed but rejects valid PTX");
    if (error->row->command)
        finding_fix_command(finding, FIX_LOOK, "shows more", "%s", error->row->command);
}

static void ptx_found(struct rule_context *context, const struct tried *tried,
                      const struct trial_error *error)
{
    const struct facts *facts = context->facts;
    bool switched_off = facts_string(facts, "environment", "CUDA_DISABLE_PTX_JIT") != NULL;
    const char *log = facts_string(facts, tried->group, "compiler_log");
    struct finding *finding = rule_found(
        context,
        switched_off ? nvml_severity_of_warning(context) : severity_for_use(context->purpose),
        "the driver does not compile PTX for %s: %s returns error %lld%s%s%s", tried->label,
        error->call, (long long)error->number, error->name ? " (" : "",
        error->name ? error->name : "", error->name ? ")" : "");
    say_which(context, finding, tried);
    if (log)
        finding_evidence(finding, facts, tried->group, "compiler_log");
    if (switched_off)
        finding_evidence(finding, facts, "environment", "CUDA_DISABLE_PTX_JIT");
    finding_why(finding,
                "%s; gpuenv's PTX is valid for every GPU; programs with machine code for this GPU "
                "still run, but programs with only PTX do not",
                error->row->meaning);
    finding_manifest(finding, error->row->id);
    finding_follows(context, finding, "libcuda_missing");
    add_ptx_fixes(context, finding, error);
}

/* One finding is enough for all GPUs: there is one compiler. */
void judge_ptx_not_compiled(struct rule_context *context)
{
    const char *group;
    bool found = false;
    if (!rule_require_trial(context, "trial"))
        return;
    for (size_t i = 0; (group = facts_next(context->facts, "trial", &i)) != NULL;) {
        AUTO_TRIED struct tried tried = tried_of(context->facts, group);
        const char *outcome = trial_outcome(context, group, tried.label);
        struct trial_error error = trial_error(context, group);
        if (!found && string_equal(outcome, "failed") && is_about_ptx(&error)) {
            ptx_found(context, &tried, &error);
            found = true;
        }
    }
}

/* Others use it, so that there was no room for the trial, or may be: no fault is proved. */
static bool is_taken(const struct rule_context *context, const struct tried *tried,
                     const struct trial_error *error)
{
    const struct facts *facts = context->facts;
    int64_t left = 0;
    if (error->row == NULL || !strlist_has(&error->row->findings, "gpu_memory_taken_by_other"))
        return false;
    const char *mode = facts_string(facts, tried->cuda, "compute_mode");
    const struct strlist *processes =
        tried->nvml ? facts_list(facts, tried->nvml, "processes") : NULL;
    return tried->nvml == NULL || processes == NULL || processes->count > 0 ||
           (mode && string_starts(mode, "exclusive")) ||
           !facts_integer(facts, tried->nvml, "memory_free_bytes", &left) || left < ROOM_BYTES;
}

static void add_failed_reason(struct finding *finding, const struct trial_error *error,
                              const char *likely)
{
    const char *meaning = error->row ? error->row->meaning : NULL;
    finding_why(finding,
                "%s%s%s%s; gpuenv ran its own kernel, so no program is at fault; possible causes: "
                "the GPU, its power or its cooling has failed; the driver; a limit on this process "
                "(container, cgroup, memory)",
                meaning ? meaning : "", meaning ? "; " : "",
                likely ? likely : "no other finding explains it",
                likely ? " is likely its cause" : "");
    finding_fix_command(finding, FIX_LOOK | NEEDS_ROOT, "an Xid from that moment shows the cause",
                        KERNEL_LOG);
}

static void failed_found(struct rule_context *context, const struct tried *tried,
                         const struct trial_error *error)
{
    static const char *const more[] = {"gpu_fell_off_bus",
                                       "gsp_rpc_timeout",
                                       "ecc_uncorrectable",
                                       "row_remap_failure",
                                       "row_remap_pending",
                                       "mig_enabled_no_instance",
                                       "fabric_manager_not_running",
                                       "fabric_not_completed",
                                       "gpu_throttled_power_thermal",
                                       NULL};
    const char *likely = NULL;
    struct finding *finding =
        rule_found(context, severity_for_use(context->purpose),
                   "%s cannot compute: %s returns error %lld%s%s%s", tried->label, error->call,
                   (long long)error->number, error->name ? " (" : "",
                   error->name ? error->name : "", error->name ? ")" : "");
    say_which(context, finding, tried);
    finding_manifest(finding, error->row ? error->row->id : NULL);
    if (trial_follows_any(context, finding, error->row, more, &likely)) {
        finding_why(finding, "%s; %s says why",
                    error->row && error->row->meaning ? error->row->meaning : "it has failed",
                    finding->caused_by);
        return;
    }
    add_failed_reason(finding, error, likely);
    if (tried->nvml)
        nvml_fix_by_reset(context, finding, tried->nvml);
    AUTO_FREE char *number = nvml_argument(tried->group);
    finding_fix_command(
        finding, FIX_LOOK,
        "creates a context outside gpuenv's confined child process: prints 0 0 on success", OUTSIDE,
        number);
}

void judge_gpu_compute_failed(struct rule_context *context)
{
    const char *group;
    if (!rule_require_trial(context, "trial"))
        return;
    for (size_t i = 0; (group = facts_next(context->facts, "trial", &i)) != NULL;) {
        AUTO_TRIED struct tried tried = tried_of(context->facts, group);
        if (!string_equal(trial_outcome(context, group, tried.label), "failed"))
            continue;
        struct trial_error error = trial_error(context, group);
        if (is_about_ptx(&error))
            rule_unknown(context, "%s: the test kernel could not be compiled (DRV-037)",
                         tried.label);
        else if (is_taken(context, &tried, &error))
            rule_unknown(context,
                         "%s had too little free memory for the trial: %s returned error %lld; try "
                         "again when no other program uses this GPU",
                         tried.label, error.call, (long long)error.number);
        else
            failed_found(context, &tried, &error);
    }
}

static void wrong_found(struct rule_context *context, const struct tried *tried)
{
    static const char *const causes[] = {"ecc_uncorrectable", "row_remap_failure",
                                         "row_remap_pending", "gpu_throttled_power_thermal", NULL};
    const char *likely = NULL;
    const struct facts *facts = context->facts;
    const char *first = facts_string(facts, tried->group, "first_wrong");
    int64_t wrong = 0;
    facts_integer(facts, tried->group, "wrong", &wrong);
    struct finding *finding = rule_found(context, severity_for_use(context->purpose),
                                         "%s computes wrong results, without an error: %lld wrong "
                                         "numbers",
                                         tried->label, (long long)wrong);
    say_which(context, finding, tried);
    bool follows = trial_follows_any(context, finding, NULL, causes, &likely);
    finding_why(finding,
                "%s%s%s%sthis kernel has only one correct result; the GPU's memory, power, cooling "
                "or clocks are at fault, and all other results from this GPU may be wrong",
                first ? first : "", first ? "; " : "", likely ? likely : "",
                likely ? " is likely its cause; " : "");
    if (follows)
        return;
    finding_fix_note(finding, FIX_ADVICE,
                     "stop using this GPU; undo overclocking, and check its cooling and power");
    if (tried->nvml)
        nvml_fix_by_reset(context, finding, tried->nvml);
    finding_fix_note(finding, FIX_ADVICE,
                     "if gpuenv doctor --try finds a wrong result again, have the card replaced");
}

void judge_gpu_compute_wrong(struct rule_context *context)
{
    const char *group;
    if (!rule_require_trial(context, "trial"))
        return;
    for (size_t i = 0; (group = facts_next(context->facts, "trial", &i)) != NULL;) {
        AUTO_TRIED struct tried tried = tried_of(context->facts, group);
        const char *outcome = trial_outcome(context, group, tried.label);
        if (string_equal(outcome, "wrong"))
            wrong_found(context, &tried);
        else if (string_equal(outcome, "failed"))
            rule_unknown(context, "%s gave no results: a call failed", tried.label);
    }
}
