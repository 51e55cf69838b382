/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "host/root/clock.h"
#include "probe/engine/note.h"
#include "probe/engine/probes.h"
#include "probe/repository/apt_keyring.h"
#include "probe/repository/apt_lists.h"
#include "probe/repository/apt_uri.h"

/* Each entry of apt's sources: its address, the keys that it is checked with, and what the last
 * update left of it. */
#define KIND        "apt_source"
#define FILE_KIND   "source_file"
#define SOURCE      "/etc/apt/sources.list, /etc/apt/sources.list.d"
#define ENTRIES_MAX 512

struct collection {
    const struct host *host;
    struct facts *facts;
    const char *path; /* the file that is being read */
    const char *architecture;
    struct apt_keyrings trusted;
    struct apt_lists lists;
    int64_t now;
    int64_t count;
    int64_t refused;
};

static void note_keys(struct collection *collection, const char *group,
                      const struct apt_source *source)
{
    AUTO_STRLIST struct strlist keys = {0}, weak = {0}, expired = {0};
    AUTO_APT_KEYRINGS struct apt_keyrings keyrings = {.files = {0}};
    struct facts *facts = collection->facts;
    apt_keyrings_of(collection->host, source, &collection->trusted, &keyrings);
    for (size_t i = 0; i < keyrings.keys.count; i++) {
        const struct openpgp_key *key = &keyrings.keys.items[i];
        if (key->revoked)
            continue;
        strlist_add_new(&keys, key->id);
        if (key->weak)
            strlist_add_new(&weak, key->id);
        if (key->expires && key->expires <= collection->now)
            strlist_add_new(&expired, key->id);
    }
    facts_set_list(facts, group, "keyrings", &keyrings.files, collection->path);
    facts_set_list(facts, group, "missing_keyrings", &keyrings.missing, collection->path);
    facts_set_list(facts, group, "unread_keyrings", &keyrings.unread, collection->path);
    facts_set_list(facts, group, "keys", &keys, collection->path);
    facts_set_list(facts, group, "sha1_keys", &weak, collection->path);
    facts_set_list(facts, group, "expired_keys", &expired, collection->path);
}

static void note_index(struct facts *facts, const char *group, const struct apt_index *index)
{
    facts_set_string(facts, group, "index", index->path, index->path);
    facts_set_boolean(facts, group, "index_page", index->page, index->path);
    facts_set_string(facts, group, "index_malformed", index->malformed, index->path);
    if (!index->refused)
        return;
    facts_set_integer(facts, group, "index_bytes", (int64_t)index->arrived, index->path);
    if (index->expected >= 0)
        facts_set_integer(facts, group, "index_expected_bytes", index->expected, index->path);
}

static void note_update(struct facts *facts, const char *group, const struct apt_suite *suite)
{
    static const char *const names[] = {[UPDATE_WHOLE] = "whole",
                                        [UPDATE_UNSIGNED] = "unsigned",
                                        [UPDATE_STOPPED] = "stopped",
                                        [UPDATE_REFUSED] = "refused"};
    if (suite->update == UPDATE_NONE)
        return;
    facts_set_string(facts, group, "update", names[suite->update], suite->path);
    facts_set_string(facts, group, "arrived", suite->begins, suite->path);
    facts_set_string(facts, group, "stop", suite->stop, suite->path);
    if (suite->has_signature) {
        facts_set_list(facts, group, "signers", &suite->signers, suite->path);
        facts_set_list(facts, group, "sha1_signers", &suite->weak, suite->path);
    }
}

static void note_nothing(struct facts *facts, const char *group)
{
    static const char *const names[] = {"update",       "arrived",
                                        "stop",         "signers",
                                        "sha1_signers", "index",
                                        "index_page",   "index_malformed",
                                        "index_bytes",  "index_expected_bytes"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        facts_set_absent(facts, group, names[i], APT_LISTS);
}

/* What the last update left of the first suite that it did not end for, else of the first. */
static void note_lists(struct collection *collection, const char *group,
                       const struct apt_source *source)
{
    bool flat = source->components.count == 0;
    AUTO_APT_SUITE struct apt_suite shown = {.update = UPDATE_NONE};
    note_nothing(collection->facts, group);
    for (size_t i = 0; i < source->suites.count; i++) {
        AUTO_FREE char *uri =
            apt_uri_of_suite(source->uri, source->suites.items[i], collection->architecture);
        AUTO_FREE char *name = apt_list_name(uri);
        struct apt_suite suite =
            apt_suite_read(collection->host, &collection->lists, name, collection->now);
        AUTO_APT_INDEX struct apt_index index = {.path = NULL};
        if (apt_index_find(collection->host, &collection->lists, name, &suite, flat, &index))
            note_index(collection->facts, group, &index);
        bool worse = suite.update > shown.update;
        apt_suite_free(worse ? &shown : &suite);
        shown = worse ? suite : shown;
    }
    note_update(collection->facts, group, &shown);
}

static void take_source(const struct apt_source *source, void *data)
{
    struct collection *collection = data;
    struct facts *facts = collection->facts;
    if (collection->count++ >= ENTRIES_MAX)
        return;
    AUTO_FREE char *bare = uri_without_user(source->uri);
    AUTO_FREE char *uri = string_fill(bare, "$(ARCH)", collection->architecture);
    AUTO_FREE char *instance = mem_printf("%s:%u:%s", collection->path, source->line, uri);
    AUTO_FREE char *group = facts_group_name(KIND, instance);
    AUTO_STRLIST struct strlist signed_by = {0};
    if (source->inline_key)
        strlist_add(&signed_by, "a key in the entry itself");
    else
        strlist_copy(&signed_by, &source->signed_by);
    facts_set_string(facts, group, "file", collection->path, collection->path);
    facts_set_integer(facts, group, "line", source->line, collection->path);
    facts_set_string(facts, group, "uri", uri, collection->path);
    facts_set_list(facts, group, "suites", &source->suites, collection->path);
    facts_set_list(facts, group, "components", &source->components, collection->path);
    facts_set_list(facts, group, "architectures", &source->architectures, collection->path);
    facts_set_list(facts, group, "signed_by", &signed_by, collection->path);
    facts_set_boolean(facts, group, "trusted", source->trusted, collection->path);
    note_keys(collection, group, source);
    note_lists(collection, group, source);
}

static void take_file(const char *path, enum apt_format format, char *text, void *data)
{
    struct collection *collection = data;
    unsigned line = 0;
    AUTO_FREE char *refused = apt_sources_refused(text, format, &line);
    collection->path = path;
    if (refused) {
        AUTO_FREE char *group = facts_group_name(FILE_KIND, path);
        facts_set_string(collection->facts, group, "path", path, path);
        facts_set_integer(collection->facts, group, "line", line, path);
        facts_set_string(collection->facts, group, "text", refused, path);
        collection->refused++;
    }
    apt_sources_each(text, format, take_source, collection);
}

/* dpkg's name of the machine that programs here are for. */
static const char *dpkg_architecture(const struct facts *facts)
{
    static const char *const names[][2] = {
        {"x86_64", "amd64"}, {"aarch64", "arm64"}, {"ppc64le", "ppc64el"}, {"i686", "i386"}};
    const char *machine = facts_string(facts, "os", "architecture");
    for (size_t i = 0; machine && i < sizeof(names) / sizeof(names[0]); i++)
        if (strcmp(machine, names[i][0]) == 0)
            return names[i][1];
    return "amd64";
}

void probe_apt_source(const struct probe_context *context, struct facts *facts)
{
    AUTO_ERROR struct error error = {0};
    struct collection collection = {.host = context->host,
                                    .facts = facts,
                                    .architecture = dpkg_architecture(facts),
                                    .now = clock_seconds()};
    apt_keyrings_trusted(context->host, &collection.trusted);
    apt_lists_read(context->host, &collection.lists, NULL);
    enum host_status status = apt_sources_files(context->host, take_file, &collection, &error);
    if (status != HOST_OK && status != HOST_ABSENT)
        note_missing(facts, KIND, "count", status, &error, SOURCE);
    else if (collection.count > ENTRIES_MAX)
        facts_set_unknown(facts, KIND, "count", "too many entries to keep", SOURCE);
    else
        facts_set_integer(facts, KIND, "count", collection.count, SOURCE);
    if (status == HOST_OK || status == HOST_ABSENT)
        facts_set_integer(facts, FILE_KIND, "count", collection.refused, SOURCE);
    else
        note_missing(facts, FILE_KIND, "count", status, &error, SOURCE);
    if (collection.lists.partial_status == HOST_DENIED)
        facts_set_skipped(facts, KIND, "partial", "only root can read it", APT_PARTIAL);
    else
        facts_set_boolean(facts, KIND, "partial", collection.lists.partial.count > 0, APT_PARTIAL);
    apt_keyrings_free(&collection.trusted);
    apt_lists_free(&collection.lists);
}
