/* SPDX-License-Identifier: MIT */
#include "cli/engine/kept.h"

#include <string.h>
#include <unistd.h>

#include "host/local/trusted.h"
#include "host/root/clock.h"
#include "manifest/manifest.h"
#include "manifest/update/bundle.h"
#include "manifest/update/statement.h"

#define ROOT_PLACE "/var/lib/gpuenv"
#define PLACES_MAX 2
#define ADVICE     "run \"gpuenv manifest update\" again, or remove this file"

/* A home that sudo left in the environment is not root's. */
char *kept_directory(const struct host *live, struct error *error)
{
    const char *given = host_environment(live, "GPUENV_DATA_DIR");
    const char *data = host_environment(live, "XDG_DATA_HOME");
    const char *home = host_environment(live, "HOME");
    if (given && given[0] == '/')
        return mem_string(given);
    if (given && given[0]) {
        error_set(error, ERROR_USAGE, "GPUENV_DATA_DIR is not an absolute path");
        error_where(error, "%s", given);
        error_next(error, "give an absolute path: GPUENV_DATA_DIR=/DIR");
        return NULL;
    }
    if (geteuid() == 0)
        return mem_string(ROOT_PLACE);
    if (data && data[0] == '/')
        return mem_printf("%s/gpuenv", data);
    if (home && home[0] == '/')
        return mem_printf("%s/.local/share/gpuenv", home);
    error_set(error, ERROR_USAGE, "there is no place to keep a manifest: HOME is not set");
    error_next(error, "set HOME, or give a directory: GPUENV_DATA_DIR=/DIR");
    return NULL;
}

void kept_free(struct kept *kept)
{
    manifest_free(kept->manifest);
    free(kept->path);
    text_free(&kept->text);
    *kept = (struct kept){.manifest = NULL};
}

/* One file, as far as it was read. */
struct candidate {
    char *path;
    struct text text;
    struct update_bundle bundle;
    struct update_statement statement;
    bool is_sound; /* so far */
};

static void candidate_clear(struct candidate *candidate)
{
    free(candidate->path);
    text_free(&candidate->text);
    update_statement_free(&candidate->statement);
}

static void add_note(struct text *notes, const struct error *error)
{
    AUTO_TEXT struct text words = {0};
    error_format(error, &words);
    text_append(notes, "gpuenv: note: the updated manifest is not used: ");
    text_append(notes, text_string(&words));
    text_append_char(notes, '\n');
}

static bool candidate_refuse(struct error *error, struct text *notes)
{
    if (error->next == NULL)
        error_next(error, ADVICE);
    add_note(notes, error);
    return false;
}

static bool candidate_open(struct candidate *candidate, struct text *notes)
{
    AUTO_ERROR struct error error = {0};
    const struct update_bundle *bundle = &candidate->bundle;
    switch (local_read_trusted(candidate->path, UPDATE_BUNDLE_MAX, &candidate->text, &error)) {
    case TRUSTED_ABSENT:
        return false;
    case TRUSTED_REFUSED:
        return candidate_refuse(&error, notes);
    case TRUSTED_READ:
        break;
    }
    if (!update_bundle_parse(text_string(&candidate->text), candidate->text.size, candidate->path,
                             &candidate->bundle, &error))
        return candidate_refuse(&error, notes);
    if (bundle->statement.text == NULL) /* roots alone: what was kept was withdrawn */
        return false;
    return update_statement_parse(bundle->statement.text, bundle->statement.size, candidate->path,
                                  NULL, &candidate->statement, &error) ||
           candidate_refuse(&error, notes);
}

/* Of its text the manifest stays, which is what others are given. */
static void keep_manifest_alone(struct candidate *candidate)
{
    const struct update_part *part = &candidate->bundle.manifest;
    struct text *text = &candidate->text;
    memmove(text->data, part->text, part->size);
    text->data[part->size] = '\0';
    text->size = part->size;
    candidate->bundle = (struct update_bundle){.manifest = {text->data, text->size}};
}

/* NULL: error is filled. */
static struct manifest *load(struct candidate *candidate, struct error *error)
{
    bool is_checked = update_bundle_was_checked(&candidate->bundle, manifest_reader());
    const char *path = candidate->path;
    const struct text *text = &candidate->text;
    AUTO_FREE char *version = mem_printf("%u", candidate->statement.manifest_version);
    keep_manifest_alone(candidate);
    struct manifest *manifest = is_checked ? manifest_load_again(text->data, text->size, path)
                                           : manifest_load(text->data, text->size, path, error);
    if (manifest == NULL || string_equal(manifest_version(manifest), version))
        return manifest;
    manifest_free(manifest);
    error_set(error, ERROR_DATA, "the manifest does not have the version that was signed");
    error_where(error, "%s", path);
    return NULL;
}

static struct manifest *candidate_load(struct candidate *candidate, struct text *notes)
{
    AUTO_ERROR struct error error = {0};
    struct manifest *manifest = load(candidate, &error);
    if (manifest)
        return manifest;
    error_next(&error, ADVICE);
    add_note(notes, &error);
    return NULL;
}

static void note_expired(const struct candidate *candidate, struct text *notes)
{
    AUTO_FREE char *moment = update_moment_text(candidate->statement.expires);
    if (clock_seconds() < candidate->statement.expires)
        return;
    text_printf(notes, "gpuenv: note: the updated manifest %u expired on %.10s: it is still used\n",
                candidate->statement.manifest_version, moment);
    text_append(notes, "gpuenv: to get a newer one: gpuenv manifest update\n");
}

/* The newest of them that is newer than version; NULL: none. */
static struct candidate *newest(struct candidate *candidates, size_t count,
                                unsigned long long version)
{
    struct candidate *best = NULL;
    for (size_t i = 0; i < count; i++)
        if (candidates[i].is_sound && candidates[i].statement.manifest_version > version &&
            (best == NULL ||
             candidates[i].statement.manifest_version > best->statement.manifest_version))
            best = &candidates[i];
    return best;
}

static size_t find_candidates(const struct host *live, struct candidate *candidates,
                              struct text *notes)
{
    AUTO_FREE char *own = kept_directory(live, NULL);
    size_t count = 0;
    if (own)
        candidates[count++].path = mem_printf("%s/" KEPT_NAME, own);
    if (own == NULL || (geteuid() != 0 && !string_equal(own, ROOT_PLACE)))
        candidates[count++].path = mem_string(ROOT_PLACE "/" KEPT_NAME);
    for (size_t i = 0; i < count; i++)
        candidates[i].is_sound = candidate_open(&candidates[i], notes);
    return count;
}

void kept_read(const struct host *live, struct manifest *built_in, struct kept *ret_kept,
               struct text *notes)
{
    struct candidate candidates[PLACES_MAX] = {{.path = NULL}};
    struct candidate *best;
    unsigned long long version = 0;
    size_t count = find_candidates(live, candidates, notes);
    bool any = candidates[0].is_sound || candidates[1].is_sound;
    if (any && manifest_version(built_in))
        string_to_decimal(manifest_version(built_in), UINT32_MAX, &version);
    while (any && (best = newest(candidates, count, version)) != NULL) {
        best->is_sound = false;
        ret_kept->manifest = candidate_load(best, notes);
        if (ret_kept->manifest == NULL)
            continue;
        ret_kept->path = mem_string(best->path);
        ret_kept->text = best->text;
        best->text = (struct text){.data = NULL};
        note_expired(best, notes);
        break;
    }
    for (size_t i = 0; i < PLACES_MAX; i++)
        candidate_clear(&candidates[i]);
}
