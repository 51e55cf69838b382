/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "probe/engine/note.h"
#include "probe/engine/probes.h"
#include "probe/repository/apt_sources.h"

#define SOURCE "/etc/apt/sources.list, /etc/apt/sources.list.d"

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

static void read_sources(const char *path, enum apt_format format, char *text, void *data)
{
    struct archive *archive = data;
    archive->path = path;
    apt_sources_each(text, format, take_source, archive);
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
    enum host_status status = apt_sources_files(context->host, read_sources, &archive, &error);
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
