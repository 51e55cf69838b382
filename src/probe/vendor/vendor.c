/* SPDX-License-Identifier: MIT */
#include "probe/engine/probes.h"

#include <string.h>

#include "facts/dictionary.h"
#include "host/loader/trust.h"
#include "probe/vendor/answers.h"

#define RELEASES_MAX 8   /* of one library that are asked: libcudart.so.12, libcudart.so.13 */
#define OUTPUT_SHOWN 200 /* bytes */
#define SEARCH       "the loader's search"

/* One library that is asked about, whether or not it is called. */
struct asked {
    const struct vendor_question *question;
    char *soname;
    char *group; /* "answer/SONAME" */
};

struct vendor_work {
    const struct probe_context *context;
    struct facts *facts;
    struct asked *asked; /* those that are called */
    size_t count, capacity;
};

/* Why facts are not there. */
struct lack {
    enum fact_state state;
    const char *reason; /* NULL with FACT_ABSENT */
    const char *source;
};

/* Leaves a fact alone that is set. */
static void set_lack(struct facts *facts, const char *group, const char *name,
                     const struct lack *lack)
{
    if (facts_get(facts, group, name))
        return;
    if (lack->state == FACT_ABSENT)
        facts_set_absent(facts, group, name, lack->source);
    else if (lack->state == FACT_SKIPPED)
        facts_set_skipped(facts, group, name, lack->reason, lack->source);
    else
        facts_set_unknown(facts, group, name, lack->reason, lack->source);
}

/* The same for every fact that the dictionary has for the group. */
static void set_lack_group(struct facts *facts, const char *group, const struct lack *lack)
{
    const struct fact_kind *kind = dictionary_kind(group);
    bool instance = strchr(group, '/') != NULL;
    for (const struct fact_entry *entry = fact_entries; kind && entry->kind; entry++)
        if (entry->of_instance == instance && string_equal(entry->kind, kind->kind))
            set_lack(facts, group, entry->name, lack);
}

/* The same for all that the question should have set, but the instances of its kinds. */
static void set_lack_answer(struct facts *facts, const struct asked *asked, const struct lack *lack)
{
    const struct vendor_question *question = asked->question;
    set_lack(facts, asked->group, "path", lack);
    for (size_t i = 0; question->facts[i]; i++)
        set_lack(facts, asked->group, question->facts[i], lack);
    for (size_t i = 0; question->kinds && question->kinds[i]; i++)
        set_lack_group(facts, question->kinds[i], lack);
    set_lack(facts, asked->group, "output",
             &(struct lack){.state = FACT_ABSENT, .source = "stdout, stderr"});
}

static void asked_release(struct asked *asked)
{
    free(asked->soname);
    free(asked->group);
}

/* The library is not called: what it would have said is missing for that reason. */
static void leave_out(struct vendor_work *work, struct asked *asked, const struct lack *lack)
{
    set_lack_answer(work->facts, asked, lack);
    asked_release(asked);
}

/* A program would not get a library of that name. A link that leads nowhere is to the loader as if
 * it were not there; library/… says where it is. */
static void leave_out_unfound(struct vendor_work *work, struct asked *asked, const char *loader)
{
    const struct fact *path = facts_get(work->facts, loader, "path");
    const struct strlist *passed_over = facts_list(work->facts, loader, "passed_over");
    struct lack lack = {.state = FACT_ABSENT, .source = SEARCH};
    if (path && path->state == FACT_UNKNOWN)
        lack = (struct lack){FACT_UNKNOWN, path->reason, path->source};
    else if (passed_over && passed_over->count > 0)
        lack = (struct lack){FACT_SKIPPED, passed_over->items[0], SEARCH};
    leave_out(work, asked, &lack);
}

static bool is_stub(const struct facts *facts, const char *path)
{
    AUTO_FREE char *group = facts_group_name("library", path);
    return facts_true(facts, group, "stub");
}

/* Root loads nothing that others could have put there. */
static void leave_out_untrusted(struct vendor_work *work, struct asked *asked, const char *reason,
                                const char *path)
{
    facts_set_string(work->facts, asked->group, "untrusted", reason, path);
    leave_out(work, asked, &(struct lack){FACT_SKIPPED, reason, path});
}

#define WOULD_LOAD                                                                                 \
    "not called: the nvidia module is not loaded, and opening its device nodes would load it"

/* Opening a node makes the kernel load the module it belongs to, whoever opens it (fs/char_dev.c,
 * chrdev_open(); distributions alias char-major-195 to nvidia), and that would hide the fault.
 * Containers, whose host may show no modules, cannot load any. */
static bool would_load_module(const struct facts *facts, const struct vendor_question *question)
{
    bool loaded = true;
    int64_t nodes = 0;
    return string_equal(question->family, "driver") &&
           facts_boolean(facts, "module", "nvidia", &loaded) && !loaded &&
           facts_string(facts, "container", "engine") == NULL &&
           ((facts_integer(facts, "device", "count", &nodes) && nodes > 0) ||
            facts_string(facts, "device/nvidiactl", "path"));
}

/* Takes the library into the list of those that are called, or says why it is not. */
static void consider(struct vendor_work *work, const struct vendor_question *question,
                     const char *soname)
{
    AUTO_FREE char *loader = facts_group_name("loader", soname);
    AUTO_FREE char *distrust = NULL;
    struct asked asked = {.question = question,
                          .soname = mem_string(soname),
                          .group = facts_group_name("answer", soname)};
    facts_set_string(work->facts, asked.group, "library", soname, SEARCH);
    const char *path = facts_string(work->facts, loader, "real_path");
    if (path == NULL)
        leave_out_unfound(work, &asked, loader);
    else if (is_stub(work->facts, path))
        leave_out(work, &asked,
                  &(struct lack){FACT_SKIPPED, "a link-time stub is not called", path});
    else if (would_load_module(work->facts, question))
        leave_out(work, &asked, &(struct lack){FACT_SKIPPED, WOULD_LOAD, path});
    else if (!trust_library(work->context->host, work->context->loader, soname, &distrust))
        leave_out_untrusted(work, &asked, distrust, path);
    else
        *vec_push(work->asked, work->count, work->capacity) = asked;
}

/* Under each SONAME that copies of the library have. */
static void consider_family(struct vendor_work *work, const struct vendor_question *question)
{
    AUTO_STRLIST struct strlist sonames = {0};
    size_t cursor = 0;
    for (const char *group; (group = facts_next(work->facts, "library", &cursor));) {
        const char *family = facts_string(work->facts, group, "family");
        const char *name = facts_string(work->facts, group, "name");
        const char *soname = facts_string(work->facts, group, "soname");
        if (soname && string_equal(family, question->family) && string_equal(name, question->name))
            strlist_add_new(&sonames, soname);
    }
    strlist_sort(&sonames);
    for (size_t i = 0; i < sonames.count && i < RELEASES_MAX; i++)
        consider(work, question, sonames.items[sonames.count - 1 - i]);
}

static void ask(struct channel *channel, const void *context)
{
    const struct asked *asked = context;
    asked->question->ask(channel, asked->soname, asked->group);
}

/* Groups of instances that are there in part, and those that the count promises. */
static void complete_instances(struct facts *facts, const char *kind, const struct lack *lack)
{
    int64_t count = 0;
    facts_integer(facts, kind, "count", &count);
    for (int64_t i = 0; i < count && i < ANSWER_INSTANCES; i++) {
        AUTO_FREE char *group = mem_printf("%s/%lld", kind, (long long)i);
        set_lack_group(facts, group, lack);
    }
    size_t cursor = 0;
    for (const char *group; (group = facts_next(facts, kind, &cursor));)
        set_lack_group(facts, group, lack);
}

/* Why something is missing from a reply; free() it. */
static char *why_missing(const struct asked *asked, const struct reply *reply, size_t thrown_away,
                         const struct facts *facts)
{
    const struct fact *path = facts_get(facts, asked->group, "path");
    if (!reply->complete)
        return mem_string(reply->reason);
    if (path && path->state == FACT_UNKNOWN)
        return mem_string(path->reason);
    if (thrown_away > 0)
        return mem_printf("%zu lines of the library's output are not valid", thrown_away);
    return mem_string("it did not answer");
}

static void take_reply(const struct asked *asked, const struct reply *reply, struct facts *facts)
{
    size_t thrown_away = answers_take(&reply->answers, asked->question, asked->group, facts);
    facts_set_absent(facts, asked->group, "untrusted",
                     "permissions"); /* not the library's to say */
    size_t shown = reply->output.size < OUTPUT_SHOWN ? reply->output.size : OUTPUT_SHOWN;
    AUTO_FREE char *output = mem_string_n(text_string(&reply->output), shown);
    if (shown > 0)
        facts_set_string(facts, asked->group, "output", output, "stdout, stderr");
    AUTO_FREE char *reason = why_missing(asked, reply, thrown_away, facts);
    struct lack lack = {FACT_UNKNOWN, reason, asked->soname};
    set_lack_answer(facts, asked, &lack);
    for (size_t i = 0; asked->question->kinds && asked->question->kinds[i]; i++)
        complete_instances(facts, asked->question->kinds[i], &lack);
}

static void ask_all(struct vendor_work *work)
{
    struct asking *askings = mem_alloc((work->count + 1) * sizeof(*askings));
    struct reply *replies = mem_alloc((work->count + 1) * sizeof(*replies));
    for (size_t i = 0; i < work->count; i++)
        askings[i] = (struct asking){
            .library = work->asked[i].soname, .ask = ask, .context = &work->asked[i]};
    asking_all(work->context->host, askings, work->count, work->context->deadline_ms, replies);
    for (size_t i = 0; i < work->count; i++) {
        take_reply(&work->asked[i], &replies[i], work->facts);
        reply_free(&replies[i]);
        asked_release(&work->asked[i]);
    }
    free(askings);
    free(replies);
    free(work->asked);
}

void probe_vendor(const struct probe_context *context, struct facts *facts)
{
    struct vendor_work work = {.context = context, .facts = facts};
    for (const struct vendor_question *question = vendor_questions; question->family; question++) {
        if (question->deep && !context->deep)
            continue;
        if (question->library)
            consider(&work, question, question->library);
        else
            consider_family(&work, question);
    }
    ask_all(&work);
}
