/* SPDX-License-Identifier: MIT */
#include "cli/machine/gather.h"

#include <errno.h>
#include <string.h>

#include "base/path.h"
#include "cli/engine/output.h"
#include "facts/dictionary.h"
#include "facts/record.h"
#include "host/loader/loader.h"
#include "host/local/local.h"
#include "host/root/clock.h"
#include "manifest/framework/framework.h"
#include "manifest/toolkit/cudnn_major.h"
#include "manifest/toolkit/library.h"
#include "probe/table.h"

static bool owned_by_tree(const char *group)
{
    const struct fact_kind *kind = dictionary_kind(group);
    return kind && kind->owner == OWNER_TREE;
}

static bool not_owned_by_tree(const char *group)
{
    return !owned_by_tree(group);
}

static struct facts *load_record(const char *path, struct error *error)
{
    AUTO_TEXT struct text text = {0};
    struct facts *facts = NULL;
    if (local_read(path, RECORD_MAX, &text, error))
        facts = record_load(text_string(&text), text.size, path, error);
    if (facts)
        return facts;
    error_prefix(error, "cannot use the record");
    if (error->next == NULL) {
        error_next(error, "create a record on the machine to be checked:");
        error_command(error, "gpuenv facts --json -o FILE");
    }
    return NULL;
}

/* The environment that the record's machine had, for the search of libraries and toolkits. */
static void take_environment(struct host *host, const struct facts *record)
{
    for (size_t i = 0; i < facts_count(record, "environment"); i++) {
        const struct fact *fact = facts_at(record, "environment", i);
        if (fact->state == FACT_VALUE && fact->type == FACT_STRING)
            host_set_environment(host, fact->name, fact->string);
    }
}

/* What --root may be. */
enum root_kind {
    ROOT_SYSTEM,
    ROOT_IMAGE, /* or what is to become one: an empty directory, or one with an opt */
    ROOT_ANY,
};

/* What to look at, and how. */
struct looking {
    const char *root; /* NULL: the live machine */
    struct probe_knowledge knowledge;
    enum root_kind root_kind;
    bool deep;
    unsigned trial_ms; /* 0: without --try */
    struct strlist pythons;
    uint64_t deadline_ms;
    bool (*wanted)(const char *group); /* NULL: everything */
};

/* A build for a whole major is made with one of its last minors. */
static const char *find_soname(void *data, const char *library, const struct version *cuda)
{
    struct manifest *manifest = data;
    return manifest_soname_find(manifest, library, cuda);
}

static const struct strlist *find_cudnn(void *data, unsigned major)
{
    const struct manifest_cudnn_major *row = manifest_cudnn_major_find(data, major);
    return row ? &row->required : NULL;
}

static bool find_built_for(void *data, const char *framework, const struct version *release,
                           struct version *ret_cuda)
{
    const struct manifest_framework_wheel *row =
        manifest_framework_wheel_find(data, framework, release);
    if (row)
        *ret_cuda = row->cuda;
    return row != NULL;
}

static void probe_host(const struct host *host, const struct looking *looking,
                       bool (*wanted)(const char *group), struct facts *facts)
{
    struct loader *loader = loader_new(host);
    struct site_memo sites = {.items = NULL};
    struct probe_context context = {.host = host,
                                    .sites = &sites,
                                    .loader = loader,
                                    .deep = looking->deep,
                                    .trial_ms = looking->trial_ms,
                                    .pythons = &looking->pythons,
                                    .knowledge = &looking->knowledge,
                                    .deadline_ms = looking->deadline_ms};
    probe_all(&context, wanted, facts);
    site_memo_free(&sites);
    loader_free(loader);
}

static bool names_python(const struct host *host, const char *path)
{
    bool python = string_starts(path_base(path), "python") && host_exists(host, path);
    return python || host_is_directory(host, path);
}

/* --python: on the live machine from the current directory, within a root from its top. One that
 * is not there is a mistake, and not an environment without packages. */
static bool find_pythons(const struct arguments *arguments, const struct host *host,
                         struct strlist *pythons, struct error *error)
{
    const struct strlist *given = arguments_all(arguments, "python");
    for (size_t i = 0; given && i < given->count; i++) {
        const char *path = given->items[i];
        struct version version;
        if (version_parse(path, &version)) /* "3.12" of resolve */
            continue;
        AUTO_FREE char *absolute = host_is_live(host) ? local_absolute(path)
                                   : path[0] == '/'   ? mem_string(path)
                                                      : mem_printf("/%s", path);
        if (!names_python(host, absolute)) {
            error_set(error, ERROR_NO_INPUT, "%s: %s", arguments_origin(arguments, "python"),
                      host_exists(host, absolute)
                          ? "this is neither a directory nor a Python interpreter"
                          : "no such directory");
            error_where(error, "%s", path);
            return error_next(error, "give the directory that holds bin/python3, or a package "
                                     "directory: …/site-packages");
        }
        strlist_add(pythons, absolute);
    }
    return true;
}

#define NEXT_ROOT "give the directory that holds the system's etc, usr and var"

static bool is_empty(const struct host *host)
{
    AUTO_STRLIST struct strlist names = {0};
    return host_list(host, "/", &names, NULL) == HOST_OK && names.count == 0;
}

/* A mistyped --root would be a tree without a fault in it. */
static bool may_be_root(const struct host *host, enum root_kind kind, struct error *error)
{
    struct host_stat status;
    if (kind == ROOT_ANY || host_is_directory(host, "/etc") || host_is_directory(host, "/usr"))
        return true;
    if (kind == ROOT_IMAGE && (is_empty(host) || host_is_directory(host, "/opt")))
        return true;
    if (host_stat(host, "/etc", &status, NULL) == HOST_DENIED) {
        error_set_errno(error, ERROR_NO_INPUT, EACCES, host_root(host), "cannot read --root");
        return error_next(error, "run gpuenv as a user who may read that tree");
    }
    error_set(error, ERROR_NO_INPUT,
              "the directory given with --root is not a system: it has neither etc nor usr");
    error_where(error, "%s", host_root(host));
    return error_next(error, NEXT_ROOT);
}

static struct host *open_root(const struct looking *looking, struct error *error)
{
    AUTO_HOST struct host *host = host_new(looking->root, error);
    if (host == NULL) {
        error_prefix(error, "cannot read --root");
        if (error->next == NULL)
            error_next(error, NEXT_ROOT);
        return NULL;
    }
    return may_be_root(host, looking->root_kind, error) ? mem_steal(&host) : NULL;
}

/* record NULL: everything that is wanted is probed. */
static struct facts *probe_root(const struct arguments *arguments, struct looking *looking,
                                const struct facts *record, struct error *error)
{
    AUTO_HOST struct host *host = open_root(looking, error);
    if (host == NULL || !find_pythons(arguments, host, &looking->pythons, error))
        return NULL;
    struct facts *facts = facts_new();
    host_set_deadline(host, looking->deadline_ms);
    if (record)
        take_environment(host, record);
    probe_host(host, looking, record ? owned_by_tree : looking->wanted, facts);
    if (record)
        facts_copy(facts, record, not_owned_by_tree);
    return facts;
}

/* The first context on a GPU that slept takes seconds, and more with many GPUs. */
#define TRIAL_MS 30000u

/* --try: how long it may take, and what it costs is said before. False and ERROR_USAGE where there
 * is no machine to compute on. */
static bool begin_trial(const struct session *session, const struct arguments *arguments,
                        unsigned timeout_ms, unsigned *ret_trial_ms, struct error *error)
{
    const char *root = arguments_get(arguments, "root");
    const char *elsewhere = arguments_get(arguments, "facts")  ? "--facts"
                            : root && !string_equal(root, "/") ? "--root"
                                                               : NULL;
    if (!arguments_have(arguments, "try"))
        return true;
    if (elsewhere) {
        usage_error(error, session->program, NULL, NULL,
                    "--try computes on this machine, but %s is about another machine", elsewhere);
        return error_next(error, "run gpuenv facts --try --json -o FILE on that machine: the "
                                 "record includes the results");
    }
    *ret_trial_ms = timeout_ms > TRIAL_MS ? timeout_ms : TRIAL_MS;
    if (string_equal(arguments_get(arguments, "verbosity"), "quiet"))
        return true;
    AUTO_TEXT struct text line = {0};
    text_printf(&line,
                "%s: --try computes on each GPU that CUDA lists, which briefly takes a few hundred "
                "MB of its memory\n",
                session->program);
    output_stderr(&line);
    return true;
}

static struct facts *gather(const struct session *session, const struct arguments *arguments,
                            bool (*wanted)(const char *group), enum root_kind root_kind,
                            struct error *error)
{
    const char *root = arguments_get(arguments, "root");
    const char *path = arguments_get(arguments, "facts");
    uint64_t start = clock_ms();
    unsigned timeout_ms;
    unsigned trial_ms = 0;
    if (!session_timeout(session, arguments, &timeout_ms, error) ||
        !begin_trial(session, arguments, timeout_ms, &trial_ms, error))
        return NULL;
    AUTO_FACTS struct facts *record = path ? load_record(path, error) : NULL;
    if (path && (record == NULL || root == NULL))
        return mem_steal(&record);
    struct looking looking = {.root = root,
                              .knowledge = {.soname = find_soname,
                                            .cudnn = find_cudnn,
                                            .built_for = find_built_for,
                                            .data = session->manifest},
                              .root_kind = root_kind,
                              .deep = arguments_have(arguments, "deep"),
                              .trial_ms = trial_ms,
                              .deadline_ms = start + timeout_ms,
                              .wanted = wanted};
    struct facts *facts = probe_root(arguments, &looking, record, error);
    strlist_free(&looking.pythons);
    return facts;
}

struct facts *gather_facts(const struct session *session, const struct arguments *arguments,
                           struct error *error)
{
    return gather(session, arguments, NULL, ROOT_SYSTEM, error);
}

struct facts *gather_some(const struct session *session, const struct arguments *arguments,
                          bool (*wanted)(const char *group), bool may_be_image, struct error *error)
{
    return gather(session, arguments, wanted, may_be_image ? ROOT_IMAGE : ROOT_SYSTEM, error);
}

struct facts *gather_image(const struct session *session, const struct arguments *arguments,
                           struct error *error)
{
    return gather(session, arguments, NULL, ROOT_ANY, error);
}

bool gather_is_tree(const struct facts *facts, const struct arguments *arguments)
{
    const char *root = arguments_get(arguments, "root");
    const struct fact *kernel = facts_get(facts, "kernel", "release");
    if (kernel)
        return kernel->state == FACT_SKIPPED;
    return root && !string_equal(root, "/");
}
