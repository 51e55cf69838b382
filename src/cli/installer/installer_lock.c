/* SPDX-License-Identifier: MIT */
#include "cli/installer/installer_private.h"

#include <string.h>

#include "host/local/local.h"
#include "manifest/toolkit/pin.h"
#include "resolve/engine/resolution.h"

/* --lock FILE and --locked: whether the lock file answers what is asked
 * (docs/reference/lockfile.md). */

static const char *path_of(const struct arguments *arguments)
{
    const char *path = arguments_get(arguments, "lock");
    return path || !arguments_have(arguments, "locked") ? path : LOCKFILE_NAME;
}

static void copy_list(struct strlist *to, const struct strlist *from)
{
    if (from)
        strlist_copy(to, from);
}

/* What is asked, in the words of the command line. */
static bool asked_of(const struct session *session, const struct arguments *arguments,
                     const struct resolve_specs *specs, struct lockfile_request *ret_asked,
                     struct error *error)
{
    const char *extent = arguments_get(arguments, "profile");
    for (size_t i = 0; i < specs->count; i++) {
        const char *version = strchr(specs->items[i].text, '@');
        strlist_take(&ret_asked->specs,
                     mem_printf("%s%s", specs->items[i].product, version ? version : ""));
    }
    copy_list(&ret_asked->components, arguments_all(arguments, "component"));
    copy_list(&ret_asked->assume_gpus, arguments_all(arguments, "assume-gpu"));
    ret_asked->assume_driver = mem_string(arguments_get(arguments, "assume-driver"));
    ret_asked->framework = mem_string(arguments_get(arguments, "for-framework"));
    ret_asked->extent = mem_string(extent ? extent : "full");
    strlist_sort(&ret_asked->specs);
    strlist_sort(&ret_asked->assume_gpus);
    return installer_platforms(session, arguments, &ret_asked->platforms, error);
}

static void adopt_list(struct strlist *asked, const struct strlist *locked)
{
    if (asked->count == 0)
        strlist_copy(asked, locked);
}

static void adopt_string(char **asked, const char *locked)
{
    if (*asked == NULL)
        *asked = mem_string(locked);
}

/* --locked without a word of what to install: what the lock file was made for, but for what is said
 * otherwise. */
static void adopt(const struct arguments *arguments, const struct lockfile_request *locked,
                  struct lockfile_request *asked)
{
    adopt_list(&asked->specs, &locked->specs);
    adopt_list(&asked->components, &locked->components);
    adopt_list(&asked->assume_gpus, &locked->assume_gpus);
    adopt_string(&asked->assume_driver, locked->assume_driver);
    adopt_string(&asked->framework, locked->framework);
    if (arguments_have(arguments, "profile"))
        return;
    free(asked->extent);
    asked->extent = mem_string(locked->extent);
}

static bool refuse_missing(const char *path, struct error *error)
{
    error_set(error, ERROR_UNSATISFIABLE, "--locked: there is no lock file");
    error_where(error, "%s", path);
    return error_next(
        error,
        "create the lock file first: run the same command with --lock %s and without --locked",
        path);
}

static bool refuse_difference(const char *path, const char *difference, struct error *error)
{
    error_set(error, ERROR_UNSATISFIABLE, "--locked: the lock file is for a different request");
    error_where(error, "%s", path);
    error_why(error, "%s", difference);
    return error_next(error,
                      "request what is locked, or create the lock file again: run the same command "
                      "with --lock %s and without --locked",
                      path);
}

static bool refuse_contradiction(const char *path, const char *spec, struct error *error)
{
    error_set(error, ERROR_DATA, "the lock file contradicts itself");
    error_where(error, "%s: products", path);
    error_why(error, "the lock file was created for %s, but has no version of that product", spec);
    return error_next(error, LOCKFILE_NEXT);
}

/* Each SPEC that it says it is for is answered by one of its versions. */
static bool is_consistent(const char *path, const struct lockfile *lock, struct error *error)
{
    AUTO_SPECS struct resolve_specs specs = {0};
    for (size_t i = 0; i < lock->request.specs.count; i++) {
        const char *text = lock->request.specs.items[i];
        if (!resolve_specs_add(&specs, text, NULL))
            return refuse_contradiction(path, text, error);
        const struct resolve_spec *spec = &specs.items[i];
        const struct lockfile_product *product = lockfile_product_find(lock, spec->product);
        if (product == NULL || (!version_within(&product->version, &spec->version) &&
                                !version_within(&spec->version, &product->version)))
            return refuse_contradiction(path, text, error);
    }
    return true;
}

static bool read_lock(const char *path, struct lockfile *ret_lock, struct error *error)
{
    AUTO_TEXT struct text text = {0};
    if (!local_read(path, LOCKFILE_MAX, &text, error))
        return error_next(error, "name a lock file; the file need not exist yet");
    return lockfile_parse(text_string(&text), text.size, path, ret_lock, error) &&
           is_consistent(path, ret_lock, error);
}

/* Whether what was read is used, and how. */
static bool judge(const struct arguments *arguments, const char *path, struct lockfile *lock,
                  struct installer_lock *state, struct error *error)
{
    bool locked = arguments_have(arguments, "locked");
    AUTO_FREE char *difference = NULL;
    if (locked && state->asked.specs.count == 0 && state->asked.framework == NULL)
        adopt(arguments, &lock->request, &state->asked);
    enum lockfile_answer answer = lockfile_compare(&lock->request, &state->asked, &difference);
    if (locked && answer != LOCKFILE_ANSWERS)
        return refuse_difference(path, difference, error);
    if (answer == LOCKFILE_DIFFERS) {
        state->note =
            mem_printf("%s is for a different request; creating a new one: %s", path, difference);
        return true;
    }
    state->is_used = true;
    state->extends = answer == LOCKFILE_PLATFORM;
    state->lock = *lock;
    *lock = (struct lockfile){.products = NULL};
    return true;
}

bool installer_lock_look(struct session *session, const struct arguments *arguments,
                         const struct resolve_specs *specs, struct error *error)
{
    AUTO_LOCKFILE struct lockfile lock = {.products = NULL};
    const char *path = path_of(arguments);
    if (path == NULL)
        return true;
    if (string_equal(path, "-"))
        return usage_error(error, session->program, NULL, NULL, "%s needs a file name, not \"-\"",
                           arguments_origin(arguments, "lock"));
    struct installer_lock *state = mem_alloc(sizeof(*state));
    session->lock = state;
    if (!asked_of(session, arguments, specs, &state->asked, error))
        return false;
    if (!local_is_missing(path))
        return read_lock(path, &lock, error) && judge(arguments, path, &lock, state, error);
    return !arguments_have(arguments, "locked") || refuse_missing(path, error);
}

void installer_lock_free(struct installer_lock *lock)
{
    if (lock == NULL)
        return;
    lockfile_request_free(&lock->asked);
    lockfile_free(&lock->lock);
    free(lock->note);
    free(lock);
}

static void choose(struct resolution *resolution, const struct lockfile_product *product,
                   const char *path)
{
    char text[VERSION_TEXT_SIZE];
    for (size_t i = 0; i < resolution->chosen_count; i++)
        if (string_equal(resolution->chosen[i].product, product->product))
            return;
    struct resolve_choice *choice =
        vec_push(resolution->chosen, resolution->chosen_count, resolution->chosen_capacity);
    choice->product = product->product;
    choice->version = mem_string(version_text(&product->version, 0, text));
    if (product->cuda.count)
        choice->build = mem_printf("cuda%s", version_text(&product->cuda, 0, text));
    choice->rule = "locked";
    choice->pin = product->pin;
    choice->fit = FIT_UNKNOWN;
    choice->why = mem_printf("locked by %s", path);
}

bool installer_lock_resolve(const struct session *session, const struct arguments *arguments,
                            const struct resolve_specs *specs, struct resolution *resolution)
{
    const struct installer_lock *state = session->lock;
    const char *path = path_of(arguments);
    if (state == NULL || !state->is_used)
        return false;
    for (size_t i = 0; i < specs->count; i++)
        choose(resolution, lockfile_product_find(&state->lock, specs->items[i].product), path);
    for (size_t i = 0; i < state->lock.product_count; i++)
        choose(resolution, &state->lock.products[i], path);
    return true;
}

void installer_lock_add(const struct session *session, const struct arguments *arguments,
                        json_t *json)
{
    const struct installer_lock *state = session->lock;
    if (state == NULL)
        return;
    json_set_string(json, "lock_path", path_of(arguments));
    json_set_list(json, "asked_specs", &state->asked.specs);
    json_set_list(json, "asked_assume_gpus", &state->asked.assume_gpus);
    json_set_string(json, "asked_assume_driver", state->asked.assume_driver);
    json_set_string(json, "asked_framework", state->asked.framework);
    json_set_string(json, "profile", state->asked.extent);
    json_set_list(json, "components", &state->asked.components);
    if (!state->is_used)
        return;
    AUTO_TEXT struct text text = {0};
    lockfile_append(&state->lock, &text);
    json_set_string(json, "lock_text", text_string(&text));
    json_object_set_new(json, "lock_extends", json_boolean(state->extends));
}
