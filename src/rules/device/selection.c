/* SPDX-License-Identifier: MIT */
#include <string.h>
#include <strings.h>

#include "rules/device/judges.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/query/judged.h"
#include "rules/remedy/remedy.h"

/* cuda_visible_devices_bad_index. CUDA reads CUDA_VISIBLE_DEVICES from the left and stops at the
 * first entry that names no GPU: only those before it stay visible (CUDA C++ Programming Guide,
 * "CUDA Environment Variables"). An entry is an index, the beginning of a UUID ("GPU-8932f937"), or
 * a MIG device. */

#define VARIABLE "CUDA_VISIBLE_DEVICES"

enum entry { ENTRY_GOOD, ENTRY_BAD, ENTRY_UNSURE };

struct selection {
    const struct facts *facts;
    const char *value;
    int64_t gpus;            /* how many there are */
    const char *count_group; /* and the fact that says so */
    const char *count_name;
    struct strlist visible;
    char *bad;         /* the entry at which CUDA stops; NULL: none */
    const char *fault; /* what is wrong with it */
    bool unsure;       /* an entry may be bad */
    bool repeated;     /* a number stands twice */
};

static void selection_clear(struct selection *selection)
{
    strlist_free(&selection->visible);
    free(selection->bad);
}

/* NVML's count does not depend on the variable, CUDA's does. */
static bool count_gpus(struct selection *selection)
{
    static const char *const groups[] = {"nvml", "pci", "driver_gpu"};
    for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++) {
        if (!facts_integer(selection->facts, groups[i], "count", &selection->gpus) ||
            selection->gpus <= 0)
            continue;
        selection->count_group = groups[i];
        selection->count_name = "count";
        return true;
    }
    return false;
}

/* CUDA started, or said that it finds no GPU: then what it lists decides, since it lists a GPU for
 * each entry before the one at which it stops. */
static enum entry by_answer(const struct selection *selection)
{
    int64_t count;
    struct judged_answer answer = judged_answer(selection->facts, "libcuda.so.1");
    if (answer.start == START_WORKS && facts_integer(selection->facts, "cuda", "count", &count))
        return count > 0 && (uint64_t)count > selection->visible.count ? ENTRY_GOOD : ENTRY_BAD;
    return judged_answer_is(&answer, 100) ? ENTRY_BAD : ENTRY_UNSURE;
}

static size_t uuids_with(const struct facts *facts, const char *kind, const char *prefix,
                         size_t *ret_known)
{
    size_t matches = 0;
    const char *group;
    for (size_t i = 0; (group = facts_next(facts, kind, &i)) != NULL;) {
        const char *uuid = facts_string(facts, group, "uuid");
        if (uuid == NULL)
            continue;
        ++*ret_known;
        matches += strncasecmp(uuid, prefix, strlen(prefix)) == 0;
    }
    return matches;
}

static enum entry judge_uuid(const struct selection *selection, const char *entry,
                             const char **ret_fault)
{
    size_t known = 0, known_cuda = 0;
    size_t matches = uuids_with(selection->facts, "nvml", entry, &known);
    *ret_fault = "no GPU's UUID begins with this text";
    if (known >= (size_t)selection->gpus)
        return matches ? ENTRY_GOOD : ENTRY_BAD;
    if (matches || uuids_with(selection->facts, "cuda", entry, &known_cuda))
        return ENTRY_GOOD;
    return by_answer(selection);
}

static enum entry judge_mig(const struct selection *selection, const char **ret_fault)
{
    size_t gpus = 0, off = 0;
    const char *group;
    for (size_t i = 0; (group = facts_next(selection->facts, "nvml", &i)) != NULL;) {
        const struct fact *mig = facts_get(selection->facts, group, "mig");
        gpus++;
        off += mig && (mig->state == FACT_ABSENT || (mig->state == FACT_VALUE && !mig->boolean));
    }
    *ret_fault = "no GPU is in MIG mode";
    if (gpus > 0 && off == gpus)
        return ENTRY_BAD;
    *ret_fault = "no MIG device has this name";
    /* A process gets one MIG device; those behind it are not looked at. */
    return selection->visible.count > 0 ? ENTRY_GOOD : by_answer(selection);
}

static enum entry judge_index(const struct selection *selection, const char *entry,
                              const char **ret_fault)
{
    unsigned long long index;
    *ret_fault = "no GPU has that number";
    return string_to_unsigned(entry, &index) && index < (unsigned long long)selection->gpus
               ? ENTRY_GOOD
               : ENTRY_BAD;
}

static enum entry judge_entry(const struct selection *selection, const char *entry,
                              const char **ret_fault)
{
    if (string_starts(entry, "GPU-"))
        return judge_uuid(selection, entry, ret_fault);
    if (string_starts(entry, "MIG-"))
        return judge_mig(selection, ret_fault);
    if (*entry && entry[strspn(entry, "0123456789")] == '\0')
        return judge_index(selection, entry, ret_fault);
    *ret_fault =
        strcasecmp(entry, "all") == 0
            ? "\"all\" works only in NVIDIA_VISIBLE_DEVICES; leaving this variable unset means all"
            : "this is neither a number nor a UUID";
    return ENTRY_BAD;
}

/* The number of an entry that names a GPU by its place; -1: it does not. */
static long long index_of(const char *entry)
{
    unsigned long long index;
    return *entry && entry[strspn(entry, "0123456789")] == '\0' && string_to_unsigned(entry, &index)
               ? (long long)index
               : -1;
}

/* CUDA lists nothing at all where an ordinal stands twice. */
static bool is_repeated(const struct selection *selection, const char *entry)
{
    long long index = index_of(entry);
    for (size_t i = 0; index >= 0 && i < selection->visible.count; i++)
        if (index_of(selection->visible.items[i]) == index)
            return true;
    return false;
}

static void read_entries(struct selection *selection)
{
    AUTO_FREE char *copy = mem_string(selection->value);
    char *rest = copy;
    for (char *part; selection->bad == NULL && (part = strsep(&rest, ",")) != NULL;) {
        const char *fault = NULL;
        const char *entry = string_trim(part);
        enum entry verdict = judge_entry(selection, entry, &fault);
        if (verdict == ENTRY_BAD) {
            selection->bad = mem_string(entry);
            selection->fault = fault;
        } else {
            selection->unsure = selection->unsure || verdict == ENTRY_UNSURE;
            selection->repeated = selection->repeated || is_repeated(selection, entry);
            strlist_add(&selection->visible, entry);
        }
    }
}

/* What people and schedulers write to hide every GPU. */
static bool hides_all(const char *value)
{
    static const char *const words[] = {"", "-1", "NoDevFiles", "none", "void"};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (strcasecmp(value, words[i]) == 0)
            return true;
    return false;
}

static void add_evidence(const struct selection *selection, struct finding *finding)
{
    finding_subject(finding, VARIABLE);
    finding_evidence(finding, selection->facts, "environment", VARIABLE);
    finding_evidence(finding, selection->facts, selection->count_group, selection->count_name);
    finding_evidence(finding, selection->facts, "cuda", "count");
}

static void hidden_found(struct rule_context *context, const struct selection *selection)
{
    struct finding *finding = rule_found(
        context, SEVERITY_INFO, VARIABLE " is \"%s\": programs see no GPU, although there %s %lld",
        selection->value, selection->gpus == 1 ? "is" : "are", (long long)selection->gpus);
    finding_why(finding, "this value hides every GPU from CUDA; that is correct if a program is "
                         "meant to run without GPUs");
    add_evidence(selection, finding);
    if (strcasecmp(selection->value, "NoDevFiles") == 0)
        finding_fix_note(
            finding, FIX_ADVICE,
            "Slurm sets this variable for a job without a GPU: request a GPU (--gres=gpu:1)");
    finding_fix_command(finding, FIX_SHELL, "if this is not intended", "unset " VARIABLE);
}

static char *gpus_hidden(int64_t gpus)
{
    return gpus == 1 ? mem_string("do not see the GPU")
                     : mem_printf("see none of the %lld GPUs", (long long)gpus);
}

static char *gpu_numbers(int64_t gpus)
{
    return gpus == 1 ? mem_string("the only GPU has number 0")
                     : mem_printf("the GPUs are numbered from 0 to %lld", (long long)gpus - 1);
}

static void bad_found(struct rule_context *context, const struct selection *selection)
{
    bool none = selection->visible.count == 0;
    enum severity severity = severity_for_use(context->purpose);
    if (severity == SEVERITY_FAIL && !none)
        severity = SEVERITY_WARN;
    AUTO_FREE char *visible = strlist_join(&selection->visible, ",");
    AUTO_FREE char *hidden = gpus_hidden(selection->gpus);
    AUTO_FREE char *numbers = gpu_numbers(selection->gpus);
    struct finding *finding =
        none ? rule_found(context, severity, VARIABLE " is \"%s\": programs %s", selection->value,
                          hidden)
             : rule_found(context, severity, VARIABLE " is \"%s\": programs see only \"%s\"",
                          selection->value, visible);
    finding_why(finding,
                "CUDA stops reading at the first entry that names no GPU, here \"%s\": %s; %s",
                selection->bad, selection->fault, numbers);
    add_evidence(selection, finding);
    AUTO_FREE char *quoted = shell_quote(visible);
    if (!none)
        finding_fix_command(finding, FIX_SHELL,
                            "the same value, without the entries that do nothing",
                            "export " VARIABLE "=%s", quoted);
    finding_fix_command(finding, FIX_SHELL, "programs then see every GPU", "unset " VARIABLE);
}

/* The value without what stands twice. free() it. */
static char *each_once(const struct selection *selection)
{
    AUTO_STRLIST struct strlist list = {0};
    for (size_t i = 0; i < selection->visible.count; i++)
        strlist_add_new(&list, selection->visible.items[i]);
    return strlist_join(&list, ",");
}

static void repeated_found(struct rule_context *context, const struct selection *selection)
{
    AUTO_FREE char *hidden = gpus_hidden(selection->gpus);
    AUTO_FREE char *once = each_once(selection);
    AUTO_FREE char *quoted = shell_quote(once);
    struct finding *finding =
        rule_found(context, severity_for_use(context->purpose), VARIABLE " is \"%s\": programs %s",
                   selection->value, hidden);
    finding_why(finding, "a number appears twice: CUDA then lists no GPU at all");
    add_evidence(selection, finding);
    finding_fix_command(finding, FIX_SHELL, "the same list, with each number once",
                        "export " VARIABLE "=%s", quoted);
    finding_fix_command(finding, FIX_SHELL, "programs then see every GPU", "unset " VARIABLE);
}

void judge_cuda_visible_devices_bad_index(struct rule_context *context)
{
    AUTO(selection_clear)
    struct selection selection = {
        .facts = context->facts,
        .value = facts_string(context->facts, "environment", VARIABLE),
    };
    const struct fact *fact = facts_get(context->facts, "environment", VARIABLE);
    if (fact && (fact->state == FACT_UNKNOWN || fact->state == FACT_SKIPPED)) {
        rule_require_fact(context, "environment", VARIABLE);
        return;
    }
    if (selection.value == NULL) {
        rule_skip(context, VARIABLE " is not set: programs see every GPU");
        return;
    }
    if (!count_gpus(&selection)) {
        rule_skip(context, "there is no GPU to choose");
        return;
    }
    AUTO_FREE char *trimmed = mem_string(selection.value);
    if (hides_all(string_trim(trimmed))) {
        hidden_found(context, &selection);
        return;
    }
    read_entries(&selection);
    if (selection.repeated)
        repeated_found(context, &selection);
    else if (selection.bad)
        bad_found(context, &selection);
    else if (selection.unsure)
        rule_unknown(context,
                     "it is not known whether " VARIABLE
                     " \"%s\" names a GPU: no GPU UUIDs are known",
                     selection.value);
}
