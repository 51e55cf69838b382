/* SPDX-License-Identifier: MIT */
#include "install/report.h"

#include <errno.h>
#include <unistd.h>

#include "base/path.h"
#include "host/local/local.h"
#include "host/root/bytes.h"

/* FILE may lie in what is only made: in the prefix, or in a directory above it. */
static bool is_to_be_made(const struct request *request)
{
    if (request->action != ACTION_INSTALL && request->action != ACTION_MIRROR)
        return false;
    AUTO_FREE char *path = local_absolute(request->output);
    AUTO_FREE char *directory = path_parent(path);
    AUTO_FREE char *made = mem_printf("%s%s", request->root ? request->root : "", request->prefix);
    return local_is_missing(directory) &&
           (path_is_below(directory, made) || path_is_below(made, directory));
}

bool report_check(const struct request *request, struct error *error)
{
    if (request->output == NULL || is_to_be_made(request) ||
        local_can_write(request->output, error))
        return true;
    if (error->next == NULL)
        error_next(error, "nothing was done: give -o a file in a writable directory");
    return false;
}

/* What a run that came to its end has done; NULL: it has changed nothing. */
static const char *done_by(const struct request *request)
{
    bool is_locked = request->lock_path && (!request->lock_text || request->lock_extends);
    if (request->action == ACTION_PLAN || request->dry_run)
        return is_locked ? "the lock file is written" : NULL;
    switch (request->action) {
    case ACTION_INSTALL:
    case ACTION_UNINSTALL:
    case ACTION_USE:
    case ACTION_LINK:
    case ACTION_MIRROR:
    case ACTION_CACHE_PRUNE:
    case ACTION_MANIFEST_UPDATE:
        return "everything requested is done";
    default:
        return NULL;
    }
}

static bool write_to(const char *path, const struct text *report, bool *ret_is_gone,
                     struct error *error)
{
    if (path)
        return local_write(path, text_string(report), report->size, error);
    if (bytes_write(STDOUT_FILENO, text_string(report), report->size))
        return true;
    *ret_is_gone = errno == EPIPE;
    return error_set_errno(error, ERROR_CANNOT_WRITE, errno, "stdout", "cannot write the output");
}

/* Where to look instead. */
static const char *shown_by(const struct request *request)
{
    if (request->action == ACTION_PLAN)
        return "the same command";
    if (request->action == ACTION_MIRROR)
        return request->dry_run ? "the same command" : "the same command with --dry-run";
    return request->action == ACTION_CACHE_PRUNE       ? "gpuenv cache"
           : request->action == ACTION_MANIFEST_UPDATE ? "gpuenv manifest"
                                                       : "gpuenv list";
}

bool report_write(const struct request *request, const struct text *report, struct error *error)
{
    const char *done = done_by(request);
    bool is_gone = false;
    if (write_to(request->output, report, &is_gone, error))
        return true;
    if (done) {
        error_prefix(error, "%s; only the report could not be written", done);
        return error_next(error, "the command itself succeeded: %s shows the result",
                          shown_by(request));
    }
    if (is_gone) { /* on purpose: an exit code, and no words */
        error_clear(error);
        error->kind = ERROR_CANNOT_WRITE;
    }
    return false;
}
