/* SPDX-License-Identifier: MIT */
#include "cli/manifest/manifest_update.h"

#include <string.h>

#include "cli/engine/command.h"
#include "cli/engine/kept.h"
#include "cli/installer/installer.h"

const struct option option_update_dry_run = {
    .name = "dry-run", .help = "update: check for a newer manifest, and keep nothing"};

/* FROM, else the one that the build has; NULL: error is filled. */
static const char *source_of(const struct session *session, const struct arguments *arguments,
                             struct error *error)
{
    const struct strlist *words = &arguments->words;
    const char *from = words->count > 1 ? words->items[1] : GPUENV_UPDATE_URL;
    if (words->count > 2 || (words->count > 1 && from[0] == '\0')) {
        usage_error(error, session->program, NULL, NULL, "update takes one FROM, got %zu",
                    words->count - 1);
        return NULL;
    }
    if (from[0] == '\0') {
        usage_error(error, session->program, NULL, NULL,
                    "this build of gpuenv has no address for updates");
        error_next(error, "give a URL, a directory or a file: gpuenv manifest update FROM");
        return NULL;
    }
    if (utf8_valid(from, strlen(from)))
        return from;
    usage_error(error, session->program, NULL, NULL, "this is not UTF-8: \"%s\"", from);
    return NULL;
}

bool manifest_update(const struct session *session, const struct arguments *arguments,
                     struct error *error)
{
    const char *from = source_of(session, arguments, error);
    AUTO_FREE char *directory = from ? kept_directory(session->live, error) : NULL;
    AUTO_JSON json_t *more = json_object();
    const struct installer_request request = {.action = "manifest_update", .more = more};
    if (directory == NULL)
        return false;
    if (arguments_have(arguments, "manifest") &&
        string_starts(arguments_origin(arguments, "manifest"), "--"))
        return usage_error(error, session->program, NULL, NULL,
                           "update takes no --manifest: that file is used as it is");
    AUTO_FREE char *path = mem_printf("%s/" KEPT_NAME, directory);
    if (!utf8_valid(path, strlen(path)))
        return usage_error(error, session->program, NULL, NULL,
                           "the directory for updates is not UTF-8: \"%s\"", path);
    json_set_string(more, "update_from", from);
    json_set_string(more, "update_directory", directory);
    json_set_string(more, "update_path", path);
    return installer_run(session, arguments, &request, error);
}
