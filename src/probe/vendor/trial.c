/* SPDX-License-Identifier: MIT */
#include "probe/vendor/trial.h"

#include "base/version.h"
#include "facts/dictionary.h"
#include "host/child/asking.h"
#include "host/root/clock.h"
#include "probe/engine/probes.h"
#include "probe/vendor/answers.h"

#define LIBRARY    "libcuda.so.1"
#define ANSWER     "answer/" LIBRARY
#define TRIALS_MAX 64 /* children at once, each with a context */
#define PTX_MAJOR  3  /* of the compute capability that the kernel is for: trial_kernel.c */
#define NOT_ASKED  "only --try computes on a GPU"
/* Nothing that the driver compiles is to stay on the disk. */
#define NO_CACHE "CUDA_CACHE_DISABLE=1"

static const char *const no_facts[] = {NULL};
static const char *const no_kinds[] = {NULL};
static const char *const copy_kinds[] = {"peer_copy", NULL};
/* Which facts a child may answer: those of its own group, or of a kind. */
static const struct vendor_question of_one = {
    .family = "driver", .facts = no_facts, .kinds = no_kinds};
static const struct vendor_question of_copies = {
    .family = "driver", .facts = no_facts, .kinds = copy_kinds};

struct work {
    const struct probe_context *context;
    struct facts *facts;
    struct trial_task tasks[TRIALS_MAX];
    size_t count; /* GPUs that compute */
};

static char *group_of(const char *kind, int64_t number)
{
    return mem_printf("%s/%lld", kind, (long long)number);
}

/* The same fact of both kinds, when nothing is tried. */
static void set_counts(struct facts *facts, enum fact_state state, const char *reason,
                       const char *source)
{
    static const char *const kinds[] = {"trial", "peer_copy"};
    for (size_t i = 0; i < 2; i++)
        if (state == FACT_UNKNOWN)
            facts_set_unknown(facts, kinds[i], "count", reason, source);
        else
            facts_set_skipped(facts, kinds[i], "count", reason, source);
}

/* True when CUDA starts and lists its GPUs, in the library that was called before, and so may be
 * called. Else says why nothing is tried. */
static bool may_try(struct work *work, int64_t *ret_count)
{
    const struct fact *init = facts_get(work->facts, ANSWER, "init");
    const struct fact *count = facts_get(work->facts, "cuda", "count");
    if (work->context->trial_ms == 0)
        set_counts(work->facts, FACT_SKIPPED, NOT_ASKED, "--try");
    else if (init == NULL || init->state == FACT_ABSENT)
        set_counts(work->facts, FACT_SKIPPED, "no " LIBRARY " is found", LIBRARY);
    else if (init->state != FACT_VALUE)
        set_counts(work->facts, init->state, init->reason, init->source);
    else if (init->integer != 0)
        set_counts(work->facts, FACT_SKIPPED, "cuInit returns an error", init->source);
    else if (count == NULL || count->state != FACT_VALUE)
        set_counts(work->facts, FACT_UNKNOWN,
                   count && count->reason ? count->reason : "CUDA did not list its GPUs", LIBRARY);
    else {
        *ret_count = count->integer;
        return true;
    }
    return false;
}

/* The compute mode of a GPU of CUDA's: NVML's word, else CUDA's own. */
static const char *mode_of(const struct facts *facts, const char *cuda, const char *nvml)
{
    const char *mode = nvml ? facts_string(facts, nvml, "compute_mode") : NULL;
    return mode ? mode : facts_string(facts, cuda, "compute_mode");
}

/* Why a GPU is left alone; NULL: it is not. A second program on a GPU in exclusive mode is refused,
 * and one that comes while the trial runs would be. */
static const char *why_not(const struct facts *facts, int64_t number)
{
    AUTO_FREE char *cuda = group_of("cuda", number);
    const char *bus_id = facts_string(facts, cuda, "bus_id");
    const char *nvml = bus_id ? facts_find(facts, "nvml", "bus_id", bus_id) : NULL;
    const char *mode = mode_of(facts, cuda, nvml);
    struct version capability;
    const struct strlist *processes = nvml ? facts_list(facts, nvml, "processes") : NULL;
    if (number >= TRIALS_MAX)
        return "at most 64 GPUs are tried";
    const char *text = facts_string(facts, cuda, "capability");
    if (text && version_parse(text, &capability) && capability.part[0] < PTX_MAJOR)
        return "the GPU's compute capability is below 3.0, and the test kernel needs 3.0";
    if (string_equal(mode, "prohibited"))
        return "the GPU's compute mode is prohibited: no program may use the GPU";
    if (mode == NULL || !string_starts(mode, "exclusive"))
        return NULL;
    if (processes == NULL)
        return "the GPU is in exclusive mode, and NVML does not say whether a program uses it";
    return processes->count > 0 ? "the GPU is in exclusive mode, and a program uses it" : NULL;
}

/* What a child has not said: unknown is its outcome, the rest is not there. */
static void complete(struct facts *facts, const char *group, const char *reason)
{
    const struct fact_kind *kind = dictionary_kind(group);
    if (facts_get(facts, group, "outcome") == NULL)
        facts_set_unknown(facts, group, "outcome", reason, LIBRARY);
    for (const struct fact_entry *entry = fact_entries; entry->kind; entry++)
        if (entry->of_instance && string_equal(entry->kind, kind->kind) &&
            facts_get(facts, group, entry->name) == NULL)
            facts_set_absent(facts, group, entry->name, LIBRARY);
}

static void plan(struct work *work, int64_t count)
{
    facts_set_integer(work->facts, "trial", "count", count, LIBRARY);
    for (int64_t i = 0; i < count && i < ANSWER_INSTANCES; i++) {
        const char *reason = why_not(work->facts, i);
        AUTO_FREE char *group = group_of("trial", i);
        if (reason)
            facts_set_skipped(work->facts, group, "outcome", reason, "compute mode");
        else
            work->tasks[work->count++] = (struct trial_task){.soname = LIBRARY, .ordinal = (int)i};
    }
}

static void compute(struct work *work)
{
    struct asking askings[TRIALS_MAX];
    struct reply replies[TRIALS_MAX];
    for (size_t i = 0; i < work->count; i++)
        askings[i] = (struct asking){
            .library = LIBRARY, .ask = trial_ask, .context = &work->tasks[i], .variable = NO_CACHE};
    asking_all(work->context->host, askings, work->count, clock_ms() + work->context->trial_ms,
               replies);
    for (size_t i = 0; i < work->count; i++) {
        AUTO_FREE char *group = group_of("trial", work->tasks[i].ordinal);
        answers_take(&replies[i].answers, &of_one, group, work->facts);
        complete(work->facts, group,
                 replies[i].complete ? "the answer is not valid" : replies[i].reason);
        reply_free(&replies[i]);
    }
}

/* Each GPU that computes to the next one that does, and the last to the first. */
static size_t pair_up(const struct work *work, struct trial_pair *pairs)
{
    int able[TRIALS_MAX];
    size_t count = 0;
    for (size_t i = 0; i < work->count; i++) {
        AUTO_FREE char *group = group_of("trial", work->tasks[i].ordinal);
        if (string_equal(facts_string(work->facts, group, "outcome"), "right"))
            able[count++] = work->tasks[i].ordinal;
    }
    for (size_t i = 0; count > 1 && i < count; i++)
        pairs[i] = (struct trial_pair){.from = able[i], .to = able[(i + 1) % count]};
    return count > 1 ? count : 0;
}

/* The first copy without an outcome is the one that ended them all. */
static void complete_copies(struct work *work, const struct trial_pair *pairs, size_t count,
                            const struct reply *reply)
{
    const char *reason = reply->complete ? "the answer is not valid" : reply->reason;
    for (size_t i = 0; i < count; i++) {
        AUTO_FREE char *group = mem_printf("peer_copy/%d-%d", pairs[i].from, pairs[i].to);
        bool right = facts_string(work->facts, group, "outcome") != NULL;
        bool failed = string_equal(facts_string(work->facts, group, "outcome"), "failed");
        complete(work->facts, group, reason);
        if (failed || !right)
            reason = "not tried, because the previous copy failed";
    }
}

static void copy(struct work *work)
{
    struct trial_pair pairs[TRIALS_MAX];
    size_t count = pair_up(work, pairs);
    facts_set_integer(work->facts, "peer_copy", "count", (int64_t)count, LIBRARY);
    struct trial_task task = {.soname = LIBRARY, .pairs = pairs, .pair_count = count};
    struct asking asking = {
        .library = LIBRARY, .ask = trial_ask_peers, .context = &task, .variable = NO_CACHE};
    struct reply reply;
    if (count == 0)
        return;
    asking_all(work->context->host, &asking, 1, clock_ms() + work->context->trial_ms, &reply);
    answers_take(&reply.answers, &of_copies, "peer_copy", work->facts);
    complete_copies(work, pairs, count, &reply);
    reply_free(&reply);
}

void probe_trial(const struct probe_context *context, struct facts *facts)
{
    struct work work = {.context = context, .facts = facts};
    int64_t count = 0;
    if (!may_try(&work, &count))
        return;
    plan(&work, count);
    compute(&work);
    copy(&work);
}
