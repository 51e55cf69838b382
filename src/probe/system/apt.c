/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "probe/engine/note.h"
#include "probe/engine/probes.h"
#include "probe/system/apt_sources.h"

#define LIST       "/etc/apt/sources.list"
#define PARTS      "/etc/apt/sources.list.d"
#define SOURCE     LIST ", " PARTS
#define SOURCE_MAX (1u << 20)
#define FILES_MAX  256

/* What the distribution's own entries offer. Addresses are not kept: they may hold a password. */
struct archive {
    const struct strlist *names; /* words that its addresses have: os.id, os.id_like */
    const char *path;            /* the file that is being read */
    struct strlist components;
    char *file; /* the first that has its component main */
};

/* Launchpad's archives of single persons have the distribution's name too. */
static bool is_of_distribution(const struct archive *archive, const char *uri)
{
    if (strstr(uri, "//ppa.") != NULL)
        return false;
    for (size_t i = 0; i < archive->names->count; i++)
        if (archive->names->items[i][0] && string_contains_nocase(uri, archive->names->items[i]))
            return true;
    return false;
}

/* Fixes and flat repositories have no driver: bookworm-security, "/". */
static bool has_base_suite(const struct apt_source *source)
{
    for (size_t i = 0; i < source->suites.count; i++)
        if (strpbrk(source->suites.items[i], "-/") == NULL)
            return true;
    return false;
}

static void take_source(const struct apt_source *source, void *data)
{
    struct archive *archive = data;
    if (!is_of_distribution(archive, source->uri) || !has_base_suite(source))
        return;
    for (size_t i = 0; i < source->components.count; i++)
        strlist_add_new(&archive->components, source->components.items[i]);
    if (archive->file == NULL && strlist_has(&source->components, "main"))
        archive->file = mem_string(archive->path);
}

static enum host_status read_sources(const struct host *host, const char *path,
                                     struct archive *archive, struct error *error)
{
    AUTO_TEXT struct text text = {0};
    enum host_status status = note_read_text(host, path, SOURCE_MAX, &text, error);
    if (status != HOST_OK)
        return status;
    archive->path = path;
    if (text.size)
        apt_sources_each(text.data, string_ends(path, ".sources") ? APT_PARAGRAPHS : APT_LINES,
                         take_source, archive);
    return HOST_OK;
}

/* HOST_ABSENT when there is no file at all. */
static enum host_status read_all(const struct host *host, struct archive *archive,
                                 struct error *error)
{
    AUTO_STRLIST struct strlist names = {0};
    enum host_status found = read_sources(host, LIST, archive, error);
    if (found != HOST_OK && found != HOST_ABSENT)
        return found;
    enum host_status status = host_list(host, PARTS, &names, error);
    for (size_t i = 0; i < names.count && i < FILES_MAX && status == HOST_OK; i++) {
        if (!string_ends(names.items[i], ".list") && !string_ends(names.items[i], ".sources"))
            continue;
        AUTO_FREE char *path = mem_printf(PARTS "/%s", names.items[i]);
        status = read_sources(host, path, archive, error);
        if (status == HOST_OK || status == HOST_ABSENT)
            found = status == HOST_OK ? HOST_OK : found;
        if (status == HOST_ABSENT) /* a link that leads nowhere */
            status = HOST_OK;
    }
    return status == HOST_OK || status == HOST_ABSENT ? found : status;
}

void probe_apt(const struct probe_context *context, struct facts *facts)
{
    AUTO_ERROR struct error error = {0};
    AUTO_STRLIST struct strlist names = {0};
    struct archive archive = {.names = &names};
    const char *id = facts_string(facts, "os", "id");
    const char *like = facts_string(facts, "os", "id_like");
    if (id)
        strlist_add(&names, id);
    if (like)
        strlist_split(&names, like, ' ');
    enum host_status status = read_all(context->host, &archive, &error);
    if (status == HOST_OK) {
        facts_set_list(facts, "apt", "components", &archive.components, SOURCE);
        facts_set_string(facts, "apt", "file", archive.file, SOURCE);
    } else {
        note_missing(facts, "apt", "components", status, &error, SOURCE);
        note_missing(facts, "apt", "file", status, &error, SOURCE);
    }
    strlist_free(&archive.components);
    free(archive.file);
}
