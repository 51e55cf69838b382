/* SPDX-License-Identifier: MIT */
#include "install/update/state.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/path.h"
#include "host/local/local.h"
#include "host/local/owner.h"
#include "host/local/trusted.h"
#include "host/local/walk.h"
#include "host/root/bytes.h"
#include "host/local/temporary.h"
#include "install/io/digest.h"
#include "install/io/fd.h"
#include "install/io/lock.h"

#define NOTHING_DONE "nothing was changed: choose another place with GPUENV_DATA_DIR=/DIR"

void update_state_close(struct update_state *state)
{
    free(state->directory);
    free(state->path);
    if (state->fd >= 0)
        close(state->fd);
    text_free(&state->text);
    update_signed_free(&state->document);
    update_statement_free(&state->statement);
}

/* Nothing is kept where gpuenv would not read it again. */
static bool is_ours(int fd, const char *path, struct error *error)
{
    struct stat status;
    const char *why = NULL;
    if (fstat(fd, &status) != 0)
        return error_set_errno(error, ERROR_CANNOT_WRITE, errno, path, "cannot open the directory");
    if (!owner_is_ours(&status))
        why = "it belongs to another user";
    else if (geteuid() == 0 && owner_lets_others_write(&status))
        why = "other users may write to it";
    if (why == NULL)
        return true;
    error_set(error, ERROR_CANNOT_WRITE, "this directory cannot keep a manifest");
    error_where(error, "%s", path);
    error_why(error, "%s", why);
    return error_next(error, NOTHING_DONE);
}

/* The first directory of path that is missing is in the one that this returns; free() it. */
static char *last_there(const char *path)
{
    char *there = mem_string(path);
    while (local_is_missing(there)) {
        char *parent = path_parent(there);
        free(there);
        there = parent;
    }
    return there;
}

/* A directory that was made is there after a power cut when the one above it is synced. */
static bool sync_made(const char *path, const char *above, struct error *error)
{
    static const struct walk_rules rules = {.making = WALK_MAKES_NOTHING};
    AUTO_FREE char *at = mem_string(path);
    while (!string_equal(at, above)) {
        char *parent = path_parent(at);
        free(at);
        at = parent;
        AUTO_CLOSE int fd = walk_open(at, &rules, NULL); /* not every one may be read */
        if (fd >= 0 && !fd_sync_directory(fd))
            return fd_not_confirmed("a directory was created", at, error);
    }
    return true;
}

static bool open_directory(const char *path, int *ret_fd, struct error *error)
{
    static const struct walk_rules rules = {.making = WALK_MAKES_OWN_ONLY, .mode = 0755};
    AUTO_FREE char *above = last_there(path);
    AUTO_CLOSE int fd = walk_open(path, &rules, error);
    if (fd < 0) {
        if (error && error->next == NULL)
            error_next(error, NOTHING_DONE);
        return error_prefix(error, "no place to keep a manifest");
    }
    if (!is_ours(fd, path, error) || !sync_made(path, above, error))
        return false;
    *ret_fd = fd_steal(&fd);
    return true;
}

bool update_state_open(const char *directory, const char *path, bool only_look,
                       unsigned lock_timeout_s, struct update_state *ret_state, struct error *error)
{
    AUTO_STATE struct update_state state = {
        .directory = mem_string(directory), .path = mem_string(path), .fd = -1};
    if (!only_look && (!open_directory(directory, &state.fd, error) ||
                       !lock_directory(state.fd, lock_timeout_s, directory, error)))
        return false;
    *ret_state = state;
    state = (struct update_state){.fd = -1};
    return true;
}

static char *note_of(const struct error *error)
{
    AUTO_TEXT struct text text = {0};
    error_format(error, &text);
    return mem_printf("what was kept is not used: %s", text_string(&text));
}

static bool parse(struct update_state *state, struct update_trust *trust, struct error *error)
{
    if (!update_bundle_parse(text_string(&state->text), state->text.size, state->path,
                             &state->bundle, error))
        return false;
    return update_trust_walk(trust, state->bundle.roots.text, state->bundle.roots.size, state->path,
                             error);
}

void update_state_read(struct update_state *state, struct update_trust *trust, char **ret_note)
{
    AUTO_ERROR struct error error = {0};
    enum trusted_result result =
        local_read_trusted(state->path, UPDATE_BUNDLE_MAX, &state->text, &error);
    if (result == TRUSTED_ABSENT)
        return;
    state->is_there = result == TRUSTED_READ && parse(state, trust, &error);
    if (!state->is_there)
        *ret_note = note_of(&error);
}

static bool has_digest(const struct update_state *state, bool *ret_has, struct error *error)
{
    const struct update_part *manifest = &state->bundle.manifest;
    struct digest wanted, found;
    if (!digest_of_bytes(manifest->text, manifest->size, &found, error))
        return false;
    *ret_has = manifest->size == state->statement.length &&
               digest_parse(state->statement.sha256, &wanted) && digest_equal(&wanted, &found);
    return true;
}

bool update_state_judge(struct update_state *state, const struct update_trust *trust,
                        struct error *error)
{
    AUTO_ERROR struct error why = {0};
    const struct update_part *statement = &state->bundle.statement;
    state->is_valid = false;
    if (!state->is_there || statement->text == NULL)
        return true;
    update_signed_free(&state->document);
    update_statement_free(&state->statement);
    if (update_statement_parse(statement->text, statement->size, state->path, &state->document,
                               &state->statement, &why) &&
        update_trust_verify(&trust->root.manifest, &state->document, state->path, &why))
        return has_digest(state, &state->is_valid, error);
    return why.kind != ERROR_INTERNAL || error_move(&why, error);
}

/* A new file, whoever the old one belongs to. It is open until it has its name: others take what
 * nobody holds for left over. */
static bool replace_file(const struct update_state *state, const struct text *text,
                         struct error *error)
{
    AUTO_TEMPORARY struct temporary temporary = {.fd = -1, .directory = state->fd};
    const char *name = path_base(state->path);
    int number = temporary_create(&temporary, name, 0644);
    if (number == 0 &&
        (!bytes_write(temporary.fd, text_string(text), text->size) || !bytes_sync(temporary.fd) ||
         renameat(state->fd, temporary.name, state->fd, name) != 0))
        number = errno;
    if (number != 0) {
        error_set_errno(error, fd_error_kind(number), number, state->path, "cannot write");
        return error_next(error, NOTHING_DONE);
    }
    temporary.there = false;
    return fd_sync_directory(state->fd) ||
           fd_not_confirmed("the update is kept", state->path, error);
}

bool update_state_write(const struct update_state *state, const struct update_trust *trust,
                        const struct update_bundle *parts, struct error *error)
{
    AUTO_TEXT struct text roots = {0};
    AUTO_TEXT struct text text = {0};
    struct update_bundle bundle = *parts;
    update_trust_append(trust, &roots);
    bundle.roots = (struct update_part){text_string(&roots), roots.size};
    update_bundle_append(&bundle, &text);
    return replace_file(state, &text, error);
}
