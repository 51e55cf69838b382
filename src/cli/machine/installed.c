/* SPDX-License-Identifier: MIT */
#include "cli/machine/installed.h"

#include <string.h>

#include "base/json.h"
#include "base/shell.h"
#include "cli/engine/specs.h"
#include "host/local/local.h"
#include "host/root/file.h"
#include "resolve/engine/resolution.h"

/* As install/ledger/ledger.h has them, whose room this one does not see. */
#define LEDGER         ".gpuenv/ledger.json"
#define LEDGER_LEAVING ".gpuenv/uninstalling.json"
#define LEDGER_PENDING ".gpuenv/pending.json"
#define LEDGER_MAX     (64u << 20)
#define ROOT_LINK      "/usr/local/cuda"

void installed_free(struct installed *installed)
{
    for (size_t i = 0; i < installed->count; i++) {
        free(installed->products[i].product);
        free(installed->products[i].variant);
    }
    free(installed->products);
    free(installed->path);
    *installed = (struct installed){.path = NULL};
}

static void add_product(const json_t *row, struct installed *installed)
{
    struct version version;
    const char *product = json_string_value(json_object_get(row, "product"));
    const char *text = json_string_value(json_object_get(row, "version"));
    if (product == NULL || text == NULL || !version_parse(text, &version))
        return;
    *vec_push(installed->products, installed->count, installed->capacity) =
        (struct installed_product){
            .product = mem_string(product),
            .variant = mem_string(json_string_value(json_object_get(row, "variant"))),
            .version = version};
}

bool installed_read(const struct host *host, const char *path, struct installed *ret_installed)
{
    AUTO_FREE char *ledger = mem_printf("%s/" LEDGER, path);
    AUTO_TEXT struct text text = {0};
    struct host_stat status;
    if (host_lstat(host, ledger, &status, NULL) != HOST_OK || status.type != HOST_REGULAR ||
        (status.user != 0 && status.user != host_user_id(host)) || (status.mode & 022) != 0 ||
        host_read(host, ledger, LEDGER_MAX, &text, NULL) != HOST_OK)
        return false;
    AUTO_JSON json_t *json = json_parse(text_string(&text), text.size, LEDGER_MAX, ledger, NULL);
    const json_t *products = json_object_get(json, "products");
    if (products == NULL)
        return false;
    *ret_installed = (struct installed){.path = mem_string(path)};
    for (size_t i = 0; i < json_array_size(products); i++)
        add_product(json_array_get(products, i), ret_installed);
    return true;
}

bool installed_is_whole(const struct host *host, const char *path, char **ret_note,
                        struct error *error)
{
    AUTO_FREE char *ledger = mem_printf("%s/" LEDGER, path);
    AUTO_FREE char *leaving = mem_printf("%s/" LEDGER_LEAVING, path);
    AUTO_FREE char *pending = mem_printf("%s/" LEDGER_PENDING, path);
    AUTO_FREE char *quoted = shell_quote(path);
    if (host_exists(host, leaving) && !host_exists(host, ledger)) {
        error_set(error, ERROR_NO_INPUT, "an uninstall of this installation was interrupted");
        error_where(error, "%s", path);
        error_next(error,
                   "finish the uninstall, or name another installation (gpuenv list shows all):");
        return error_command(error, "gpuenv uninstall --prefix %s", quoted);
    }
    if (host_exists(host, pending))
        *ret_note = mem_printf("%s: a change was interrupted; the next gpuenv install, use or "
                               "uninstall for this prefix finishes that change first",
                               path);
    return true;
}

/* NULL: a tree, or a user without a home. */
static char *own_place(const struct host *host)
{
    const char *data = host_environment(host, "XDG_DATA_HOME");
    const char *home = host_environment(host, "HOME");
    if (data && data[0] == '/')
        return mem_printf("%s/gpuenv", data);
    return home && home[0] == '/' ? mem_printf("%s/.local/share/gpuenv", home) : NULL;
}

char *installed_link(const struct session *session, bool in_tree)
{
    if (in_tree || host_user_id(session->live) == 0)
        return mem_string(ROOT_LINK);
    AUTO_FREE char *place = own_place(session->live);
    return place ? mem_printf("%s/cuda", place) : NULL;
}

static void places_of(const struct host *host, struct strlist *places)
{
    char *own = own_place(host);
    if (own)
        strlist_take(places, own);
    strlist_add(places, "/usr/local");
    strlist_add(places, "/opt");
}

/* All installations, in the order of their places. A link to one is none. */
static void find_all(const struct host *host, const struct strlist *places, struct installed **all,
                     size_t *count)
{
    size_t capacity = 0;
    for (size_t i = 0; i < places->count; i++) {
        AUTO_STRLIST struct strlist names = {0};
        if (host_list(host, places->items[i], &names, NULL) != HOST_OK)
            continue;
        for (size_t k = 0; k < names.count; k++) {
            AUTO_FREE char *path = mem_printf("%s/%s", places->items[i], names.items[k]);
            struct host_stat status;
            struct installed one = {.path = NULL};
            if (names.items[k][0] != '.' && host_lstat(host, path, &status, NULL) == HOST_OK &&
                status.type == HOST_DIRECTORY && installed_read(host, path, &one))
                *vec_push(*all, *count, capacity) = one;
        }
    }
}

/* NULL: it has no such product of such a version. */
static const struct version *version_of(const struct installed *installed,
                                        const struct resolve_spec *spec)
{
    for (size_t i = 0; i < installed->count; i++)
        if (string_equal(installed->products[i].product, spec->product) &&
            version_within(&installed->products[i].version, &spec->version))
            return &installed->products[i].version;
    return NULL;
}

/* "cudnn-9.8" is where cuDNN 9.8 alone is. */
static bool is_named_for(const struct installed *installed, const struct resolve_spec *spec)
{
    AUTO_FREE char *start = mem_printf("%s-", spec->product);
    return string_starts(strrchr(installed->path, '/') + 1, start);
}

/* The newest; of equal ones that which is named for it, then the first. */
static const struct installed *best_of(const struct installed *all, size_t count,
                                       const struct resolve_spec *spec)
{
    const struct installed *best = NULL;
    for (size_t i = 0; i < count; i++) {
        const struct version *version = version_of(&all[i], spec);
        if (version == NULL)
            continue;
        int order = best ? version_compare(version, version_of(best, spec)) : 1;
        if (order > 0 || (order == 0 && is_named_for(&all[i], spec) && !is_named_for(best, spec)))
            best = &all[i];
    }
    return best;
}

static bool refuse_absent(const struct host *host, const struct resolve_spec *spec,
                          const struct strlist *places, struct error *error)
{
    AUTO_FREE char *looked = strlist_join(places, ", ");
    AUTO_FREE char *root = host_is_live(host) ? NULL : shell_quote(host_root(host));
    error_set(error, ERROR_NO_INPUT, "%s is not installed", spec ? spec->text : "CUDA");
    error_where(error, "%s", looked);
    error_next(
        error,
        "name an installation elsewhere with --prefix DIR (gpuenv list shows all), or install:");
    return error_command(error, "gpuenv install %s%s%s --accept-eula", spec ? spec->text : "cuda",
                         root ? " --root " : "", root ? root : "");
}

static bool refuse_several(const struct session *session, const struct installed *all, size_t count,
                           struct error *error)
{
    AUTO_STRLIST struct strlist paths = {0};
    for (size_t i = 0; i < count; i++)
        strlist_add(&paths, all[i].path);
    AUTO_FREE char *list = strlist_join(&paths, ", ");
    return usage_error(
        error, session->program, NULL, NULL,
        "several installations, and none is in use: choose one with a SPEC or --prefix: %s", list);
}

static bool choose_linked(const struct session *session, const struct host *host, char **ret_path)
{
    AUTO_FREE char *link = installed_link(session, !host_is_live(host));
    if (link && host_is_directory(host, link))
        *ret_path = mem_steal(&link);
    else if (host_is_directory(host, ROOT_LINK))
        *ret_path = mem_string(ROOT_LINK);
    return *ret_path != NULL;
}

static bool choose(const struct session *session, const struct host *host,
                   const struct resolve_spec *spec, char **ret_path, struct error *error)
{
    AUTO_STRLIST struct strlist places = {0};
    struct installed *all = NULL;
    size_t count = 0;
    bool ok = false;
    places_of(host, &places);
    if (spec == NULL && choose_linked(session, host, ret_path))
        return true;
    find_all(host, &places, &all, &count);
    const struct installed *best = spec ? best_of(all, count, spec) : count == 1 ? &all[0] : NULL;
    if (best) {
        *ret_path = mem_string(best->path);
        ok = true;
    } else if (spec || all == NULL) {
        refuse_absent(host, spec, &places, error);
    } else {
        refuse_several(session, all, count, error);
    }
    for (size_t i = 0; i < count; i++)
        installed_free(&all[i]);
    free(all);
    return ok;
}

/* "/a//b/./" as "/a/b"; with ".." in it what it leads to. */
static bool choose_given(const struct host *host, const char *given, char **ret_path,
                         struct error *error)
{
    AUTO_FREE char *absolute =
        host_is_live(host) ? local_absolute(given) : mem_printf("/%s", given);
    AUTO_STRLIST struct strlist steps = {0};
    AUTO_TEXT struct text text = {0};
    bool climbs = false;
    strlist_split(&steps, absolute, '/');
    for (size_t i = 0; i < steps.count; i++) {
        climbs = climbs || string_equal(steps.items[i], "..");
        if (steps.items[i][0] && !string_equal(steps.items[i], "."))
            text_printf(&text, "/%s", steps.items[i]);
    }
    if (climbs)
        return host_real_path(host, text_string(&text), ret_path, error) == HOST_OK;
    *ret_path = text.size > 0 ? text_steal(&text) : mem_string("/");
    return true;
}

bool installed_choose(const struct session *session, const struct host *host,
                      const struct arguments *arguments, const struct strlist *words,
                      char **ret_path, struct error *error)
{
    const char *given = arguments_get(arguments, "prefix");
    const char *origin = arguments_origin(arguments, "prefix");
    AUTO_SPECS struct resolve_specs specs = {0};
    if (words->count > 1 || (words->count == 1 && given && string_starts(origin, "--")))
        return usage_error(error, session->program, NULL, NULL,
                           "give one SPEC such as cuda@12.8, or --prefix DIR");
    if (words->count == 0 && given)
        return choose_given(host, given, ret_path, error);
    if (!specs_take(session, words, &specs, error))
        return false;
    if (specs.count == 1 && (specs.items[0].is_auto || specs.items[0].release))
        return usage_error(error, session->program, NULL, NULL,
                           "\"%s\" does not name an installation: give a version, as in cuda@12.8",
                           specs.items[0].text);
    return choose(session, host, specs.count ? &specs.items[0] : NULL, ret_path, error);
}

bool installed_host(const struct session *session, const struct arguments *arguments,
                    struct host **ret_tree, const struct host **ret_host, struct error *error)
{
    const char *root = arguments_get(arguments, "root");
    *ret_tree = NULL;
    *ret_host = session->live;
    if (root == NULL || string_equal(root, "/"))
        return true;
    *ret_tree = host_new(root, error);
    *ret_host = *ret_tree;
    return *ret_tree != NULL ||
           error_next(error, "give the directory that holds the system's etc, usr and var");
}
