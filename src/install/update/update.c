/* SPDX-License-Identifier: MIT */
#include "install/update/update.h"

#include <string.h>

#include "base/error.h"
#include "install/io/digest.h"
#include "install/update/source.h"
#include "install/update/state.h"
#include "manifest/manifest.h"

/* One update on its way. */
struct update {
    const struct update_request *request;
    struct update_result *result;
    struct update_trust trust;
    struct update_source source;
    struct update_state state;
    struct text statement_text, manifest_text; /* that came; manifest: none where it is kept */
    struct update_signed document;             /* of the statement that came */
    unsigned kept_root;                        /* the newest root that is on the disk */
    bool was_checked;                          /* the manifest, now, by this program */
};

static void update_clear(struct update *update)
{
    update_trust_free(&update->trust);
    update_source_close(&update->source);
    update_state_close(&update->state);
    text_free(&update->statement_text);
    text_free(&update->manifest_text);
    update_signed_free(&update->document);
}

void update_result_free(struct update_result *result)
{
    update_statement_free(&result->statement);
    free(result->note);
}

static bool trusts_nobody(struct error *error)
{
    error_set(error, ERROR_UNSATISFIABLE,
              "this build of gpuenv trusts no key, so it accepts no update");
    return error_next(error, "use a gpuenv that was built with -DGPUENV_UPDATE_KEYS=FILE, or name "
                             "a manifest that you trust with --manifest FILE");
}

static bool refuse_expired(const char *what, const char *where, int64_t expires,
                           struct error *error)
{
    AUTO_FREE char *moment = update_moment_text(expires);
    error_set(error, ERROR_DATA, "%s has expired", what);
    error_where(error, "%s", where);
    error_why(error, "it was valid until %s", moment);
    return error_next(error, "the source is out of date, or somebody holds newer files back: use "
                             "another source; check this machine's clock (date)");
}

static bool take_roots(struct update *update, struct error *error)
{
    const struct update_wanted wanted = {
        .part = UPDATE_ROOTS, .file = "root.json", .max = UPDATE_ROOTS_MAX};
    AUTO_TEXT struct text text = {0};
    AUTO_FREE char *where = NULL;
    if (!update_source_get(&update->source, &wanted, &text, &where, error) ||
        !update_trust_walk(&update->trust, text_string(&text), text.size, where, error))
        return false;
    return update->request->now < update->trust.root.expires ||
           refuse_expired("the newest root", where, update->trust.root.expires, error);
}

static bool refuse_rollback(const char *what, unsigned found, unsigned kept, const char *where,
                            struct error *error)
{
    error_set(error, ERROR_DATA, "the source has an older %s than the one that is kept", what);
    error_where(error, "%s", where);
    error_why(error, "%s %u is older than %u", what, found, kept);
    return error_next(error, "the source is out of date, or somebody replays old files: use "
                             "another source");
}

static bool refuse_other(const char *what, unsigned number, const char *where, struct error *error)
{
    error_set(error, ERROR_DATA, "the source has another %s %u than the one that is kept", what,
              number);
    error_where(error, "%s", where);
    return error_next(error, "each one must have a number of its own: report it to the publisher");
}

/* What is kept, as far as trusted keys signed it, is what nothing may go back behind. */
static bool is_newer(const struct update *update, const char *where, struct error *error)
{
    const struct update_state *state = &update->state;
    const struct update_statement *kept = &state->statement;
    const struct update_statement *found = &update->result->statement;
    if (!state->is_valid)
        return true;
    if (found->version < kept->version)
        return refuse_rollback("statement", found->version, kept->version, where, error);
    if (found->version == kept->version &&
        (update->document.size != state->document.size ||
         memcmp(update->document.text, state->document.text, state->document.size) != 0))
        return refuse_other("statement", found->version, where, error);
    if (found->manifest_version < kept->manifest_version)
        return refuse_rollback("manifest", found->manifest_version, kept->manifest_version, where,
                               error);
    if (found->manifest_version == kept->manifest_version &&
        !string_equal(found->sha256, kept->sha256))
        return refuse_other("manifest", found->manifest_version, where, error);
    return true;
}

/* Its signatures are verified before anything that it says is looked at. */
static bool take_statement(struct update *update, struct error *error)
{
    const struct update_wanted wanted = {
        .part = UPDATE_STATEMENT, .file = "update.json", .max = UPDATE_STATEMENT_MAX};
    struct text *text = &update->statement_text;
    struct update_statement *statement = &update->result->statement;
    AUTO_FREE char *where = NULL;
    if (!update_source_get(&update->source, &wanted, text, &where, error) ||
        !update_signed_parse(text_string(text), text->size, where, "gpuenv-manifest",
                             &update->document, error) ||
        !update_trust_verify(&update->trust.root.manifest, &update->document, where, error) ||
        !update_statement_read(&update->document, where, statement, error))
        return false;
    if (update->request->now >= statement->expires)
        return refuse_expired("this update", where, statement->expires, error);
    return is_newer(update, where, error);
}

/* A publisher that signs one file and describes another one made a mistake. */
static bool is_described(const struct update_statement *statement, struct manifest *manifest,
                         const char *where, struct error *error)
{
    AUTO_FREE char *version = mem_printf("%u", statement->manifest_version);
    if (string_equal(manifest_version(manifest), version) &&
        string_equal(manifest_date(manifest), statement->manifest_date))
        return true;
    error_set(error, ERROR_DATA, "the manifest has another version or date than was signed");
    error_where(error, "%s", where);
    error_why(error, "signed %s of %s, found %s of %s", version, statement->manifest_date,
              manifest_version(manifest), manifest_date(manifest));
    return error_next(error, "report it to the publisher");
}

static bool check_manifest(const struct update_statement *statement, const char *text, size_t size,
                           const char *where, struct error *error)
{
    struct manifest *manifest = manifest_load(text, size, where, error);
    if (manifest == NULL)
        return error_next(error, "this gpuenv cannot read it: install a newer gpuenv, or report "
                                 "it to the publisher");
    bool ok = is_described(statement, manifest, where, error);
    manifest_free(manifest);
    return ok;
}

/* One that is kept already is not fetched again; it is checked again where an older program did. */
static bool take_kept(struct update *update, struct error *error)
{
    const struct update_bundle *kept = &update->state.bundle;
    if (update_bundle_was_checked(kept, manifest_reader()))
        return true;
    update->was_checked = check_manifest(&update->result->statement, kept->manifest.text,
                                         kept->manifest.size, update->state.path, error);
    return update->was_checked;
}

static bool take_manifest(struct update *update, struct error *error)
{
    const struct update_statement *statement = &update->result->statement;
    struct text *text = &update->manifest_text;
    AUTO_FREE char *file = update_statement_file(statement);
    AUTO_FREE char *where = NULL;
    struct digest sha256;
    if (update->state.is_valid && string_equal(update->state.statement.sha256, statement->sha256))
        return take_kept(update, error);
    if (!digest_parse(statement->sha256, &sha256))
        return error_set(error, ERROR_INTERNAL, "a digest that was read cannot be read again");
    const struct update_wanted wanted = {.part = UPDATE_MANIFEST,
                                         .file = file,
                                         .max = MANIFEST_MAX,
                                         .size = statement->length,
                                         .sha256 = &sha256};
    update->was_checked = update_source_get(&update->source, &wanted, text, &where, error) &&
                          check_manifest(statement, text_string(text), text->size, where, error);
    return update->was_checked;
}

static enum update_outcome outcome_of(const struct update *update)
{
    const struct update_statement *statement = &update->result->statement;
    if (statement->manifest_version <= update->request->built_in)
        return UPDATE_OLDER;
    if (!update->state.is_valid ||
        update->state.statement.manifest_version < statement->manifest_version)
        return UPDATE_NEW;
    return update->state.statement.version < statement->version ? UPDATE_RENEWED : UPDATE_SAME;
}

static bool take(struct update *update, struct error *error)
{
    if (!take_roots(update, error) || !update_state_judge(&update->state, &update->trust, error) ||
        !take_statement(update, error))
        return false;
    update->result->outcome = outcome_of(update);
    return update->result->outcome == UPDATE_OLDER || take_manifest(update, error);
}

static bool write_state(const struct update *update, const struct update_bundle *parts,
                        struct error *error)
{
    update->result->changed = true;
    return update->request->only_look ||
           update_state_write(&update->state, &update->trust, parts, error);
}

/* Roots that are newer than those on the disk, with what is kept there if they still have it. */
static bool write_roots(const struct update *update, struct error *error)
{
    const struct update_bundle none = {.statement = {.text = NULL}};
    const struct update_state *state = &update->state;
    bool had = state->is_there && state->bundle.statement.text != NULL;
    if (update->trust.root.version == update->kept_root && (state->is_valid || !had))
        return true;
    if (had && !state->is_valid && update->result->note == NULL)
        update->result->note =
            mem_string("the manifest that was kept is removed: trusted keys have not signed it");
    return write_state(update, state->is_valid ? &state->bundle : &none, error);
}

static bool write_all(const struct update *update, struct error *error)
{
    const struct text *manifest = &update->manifest_text;
    struct update_bundle parts = update->state.bundle;
    if (update->result->outcome == UPDATE_OLDER)
        return write_roots(update, error);
    if (update->result->outcome == UPDATE_SAME && !update->was_checked &&
        update->trust.root.version == update->kept_root)
        return true;
    parts.statement =
        (struct update_part){text_string(&update->statement_text), update->statement_text.size};
    if (manifest->size > 0)
        parts.manifest = (struct update_part){text_string(manifest), manifest->size};
    if (update->was_checked)
        parts.reader = (struct update_part){manifest_reader(), UPDATE_READER_SIZE};
    return write_state(update, &parts, error);
}

/* After a failure, of which alone the caller speaks. */
static void save_roots(struct update *update)
{
    AUTO_ERROR struct error ignored = {0};
    if (update_state_judge(&update->state, &update->trust, &ignored))
        write_roots(update, &ignored);
}

bool update_run(const struct update_request *request, struct update_result *ret_result,
                struct error *error)
{
    AUTO(update_clear)
    struct update update = {.request = request, .result = ret_result, .state = {.fd = -1}};
    if (request->roots_size == 0)
        return trusts_nobody(error);
    if (!update_trust_begin(request->roots, request->roots_size, &update.trust, error) ||
        !update_source_open(request->from, request->timeout_s, request->cacert, &update.source,
                            error) ||
        !update_state_open(request->directory, request->path, request->only_look,
                           request->lock_timeout_s, &update.state, error))
        return false;
    update.kept_root = update.trust.root.version;
    update_state_read(&update.state, &update.trust, &ret_result->note);
    if (update.state.is_there)
        update.kept_root = update.trust.root.version;
    if (!take(&update, error)) {
        save_roots(&update);
        return error_prefix(error, "no update");
    }
    ret_result->root_version = update.trust.root.version;
    return write_all(&update, error);
}
