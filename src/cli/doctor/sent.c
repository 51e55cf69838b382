/* SPDX-License-Identifier: MIT */
#include "cli/doctor/sent.h"

#include <string.h>

#include "explain/explanation.h"
#include "from/from.h"
#include "host/local/local.h"
#include "host/packed/packed.h"
#include "host/root/bytes.h"
#include "rules/engine/finding.h"

#define SENT_MAX  (64u << 20) /* bytes of a file, unpacked or not */
#define FILES_MAX 64

const struct option option_from = {
    .name = "from",
    .argument = "FILE",
    .repeatable = true,
    .whole = true,
    .help = "judge a machine from files that somebody sent, not this one: a kernel log, "
            "nvidia-bug-report.log.gz, nvidia-smi -q, lspci -nnk, a gpuenv report and others; "
            "further FILEs may follow"};

bool sent_check(const struct session *session, const struct arguments *arguments,
                struct error *error)
{
    static const char *const others[] = {"root", "facts", "assume-driver", "assume-gpu", "python",
                                         "deep", "try"};
    if (!arguments_have(arguments, "from"))
        return true;
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        if (arguments_have(arguments, others[i]))
            return usage_error(error, session->program, NULL, NULL,
                               "%s cannot be used with --from, which judges what was sent",
                               arguments_origin(arguments, others[i]));
    return true;
}

static bool take_bytes(const void *bytes, size_t size, void *data)
{
    text_append_n(data, bytes, size);
    return true;
}

/* The text of a file that may be packed with gzip, xz or zstd. */
static bool read_file(const char *path, struct text *ret_text, struct error *error)
{
    AUTO_TEXT struct text packed = {0};
    if (!local_read(path, SENT_MAX, &packed, error))
        return false;
    enum packing packing = packing_of(text_string(&packed), packed.size);
    if (packing == PACKING_NONE) {
        bytes_move(&packed, ret_text);
        return true;
    }
    AUTO_TEXT struct text text = {0};
    const char *problem =
        packed_read_bytes(packed.data, packed.size, packing, SENT_MAX + 1, take_bytes, &text);
    if (problem == NULL && text.size > SENT_MAX)
        problem = "it is larger than 64 MiB when unpacked";
    if (problem == NULL) {
        bytes_move(&text, ret_text);
        return true;
    }
    error_set(error, ERROR_DATA, "cannot unpack");
    error_where(error, "%s", path);
    return error_why(error, "%s", problem);
}

static bool add_file(struct from *from, struct explainer *explainer, const char *path,
                     struct error *error)
{
    AUTO_TEXT struct text text = {0};
    if (!read_file(path, &text, error))
        return false;
    explainer_feed(explainer, text_string(&text), text.size);
    explainer_feed(explainer, "\n", 1);
    return from_add(from, path, text_string(&text), text.size, error);
}

static bool was_read(const struct strlist *read, const char *word)
{
    for (size_t i = 0; word && i < read->count; i++)
        if (strstr(read->items[i], word))
            return true;
    return false;
}

static void sent_files(const struct arguments *arguments, struct strlist *files)
{
    strlist_copy(files, arguments_all(arguments, "from"));
    strlist_copy(files, &arguments->words);
}

struct facts *sent_facts(const struct session *session, const struct arguments *arguments,
                         struct strlist *read, struct strlist *causes, struct error *error)
{
    AUTO_FROM struct from *from = from_new();
    AUTO_STRLIST struct strlist files = {0};
    AUTO_EXPLANATION struct explanation explanation = {.items = NULL};
    bool added = true;
    sent_files(arguments, &files);
    if (files.count > FILES_MAX) {
        error_set(error, ERROR_USAGE, "--from: %zu files, but gpuenv takes at most %d", files.count,
                  FILES_MAX);
        return NULL;
    }
    struct explainer *explainer = explainer_new(session->manifest);
    for (size_t i = 0; i < files.count && added; i++)
        added = add_file(from, explainer, files.items[i], error);
    explainer_end(explainer, &explanation);
    explainer_free(explainer);
    if (!added)
        return NULL;
    strlist_copy(read, from_read(from));
    /* A page of gpuenv quotes what it found; a bug report has logs of other boots and programs. */
    if (!was_read(read, "gpuenv record") && !was_read(read, "nvidia-bug-report"))
        strlist_copy(causes, &explanation.causes);
    return from_facts(from);
}

static bool lacks_fact(const struct judgement *judgement, const char *cause)
{
    for (size_t i = 0; i < judgement->check_count; i++)
        if (judgement->checks[i].lacks && string_equal(judgement->checks[i].cause, cause))
            return true;
    return false;
}

void sent_possible(const struct judgement *judgement, const struct strlist *causes,
                   struct strlist *possible)
{
    if (judgement->finding_count == 0 ||
        !string_equal(judgement->findings[0]->cause, "log_line_unexplained") ||
        (judgement->findings[0]->severity == SEVERITY_INFO && judgement->pass > 0))
        return;
    for (size_t i = 0; i < causes->count; i++)
        if (lacks_fact(judgement, causes->items[i]))
            strlist_add(possible, causes->items[i]);
}

/* Whether a reason names facts that were not sent, all of which the command would tell. */
static bool would_tell(const char *reason, const char *kinds)
{
    AUTO_STRLIST struct strlist words = {0};
    strlist_split(&words, kinds, ' ');
    for (size_t i = 0; i < words.count; i++) {
        AUTO_FREE char *fact = mem_printf("%s.", words.items[i]);
        AUTO_FREE char *instance = mem_printf("%s/", words.items[i]);
        if (strstr(reason, fact) || strstr(reason, instance))
            return true;
    }
    return *kinds == '\0';
}

static size_t told_by(const struct judgement *judgement, const struct from_command *row)
{
    size_t count = 0;
    for (size_t i = 0; i < judgement->check_count; i++) {
        const char *reason = judgement->checks[i].reason;
        count += reason && strstr(reason, from_not_sent) && would_tell(reason, row->kinds);
    }
    return count;
}

char *sent_ask(const struct judgement *judgement, const struct strlist *read)
{
    const char *best = NULL, *own = NULL;
    size_t most = 0;
    for (const struct from_command *row = from_commands; row->command; row++) {
        size_t count = told_by(judgement, row);
        if (*row->kinds == '\0') {
            own = count > 0 ? row->command : NULL;
        } else if (count > most && !was_read(read, row->read)) {
            most = count;
            best = row->command;
        }
    }
    return own && best ? mem_printf("%s (without gpuenv: %s)", own, best) : mem_string(own);
}

void sent_settle(struct judgement *judgement)
{
    if (judgement->pass + judgement->warn + judgement->fail == 0)
        judgement->exit_code = EXIT_UNKNOWN;
}
