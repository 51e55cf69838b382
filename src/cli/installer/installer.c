/* SPDX-License-Identifier: MIT */
#include "cli/installer/installer_private.h"

#include <string.h>
#include <time.h>

#include "base/path.h"
#include "cli/machine/assume.h"
#include "cli/machine/gather.h"
#include "cli/machine/machine_of.h"
#include "host/local/helper.h"
#include "manifest/toolkit/download.h"
#include "manifest/toolkit/pin.h"
#include "resolve/engine/resolution.h"

/* A whole number from 0 to most; what is not given is absent. */
static bool set_number(const struct session *session, const struct arguments *arguments,
                       const char *name, const char *key, unsigned most, json_t *json,
                       struct error *error)
{
    const char *text = arguments_get(arguments, name);
    unsigned long long number;
    if (text == NULL)
        return true;
    if (!string_to_decimal(text, most, &number))
        return usage_error(error, session->program, NULL, NULL,
                           "%s: \"%s\" is not a whole number from 0 to %u",
                           arguments_origin(arguments, name), text, most);
    json_object_set_new(json, key, json_integer((json_int_t)number));
    return true;
}

static bool is_choice(const struct session *session, const struct arguments *arguments,
                      const char *name, const char *word, const char *const choices[],
                      struct error *error)
{
    AUTO_STRLIST struct strlist words = {0};
    for (size_t i = 0; choices[i]; i++)
        strlist_add(&words, choices[i]);
    if (strlist_has(&words, word))
        return true;
    AUTO_FREE char *list = strlist_join(&words, ", ");
    return usage_error(error, session->program, word, &words,
                       "%s: unknown %s \"%s\"; choose from: %s", arguments_origin(arguments, name),
                       name, word, list);
}

/* A word of the list, the first one when nothing is given. */
static bool set_choice(const struct session *session, const struct arguments *arguments,
                       const char *name, const char *const choices[], json_t *json,
                       struct error *error)
{
    const char *word = arguments_get(arguments, name);
    if (word && !is_choice(session, arguments, name, word, choices, error))
        return false;
    json_set_string(json, name, word ? word : choices[0]);
    return true;
}

static bool set_words(const struct session *session, const struct arguments *arguments,
                      json_t *json, struct error *error)
{
    static const char *const extents[] = {"full", "runtime", "build", NULL};
    static const char *const progresses[] = {"auto", "bar", "plain", "json", "none", NULL};
    static const char *const formats[] = {"text", "json", NULL};
    return set_choice(session, arguments, "profile", extents, json, error) &&
           set_choice(session, arguments, "progress", progresses, json, error) &&
           set_choice(session, arguments, "format", formats, json, error) &&
           set_number(session, arguments, "jobs", "jobs", 1024, json, error) &&
           set_number(session, arguments, "timeout", "timeout_s", 86400, json, error) &&
           set_number(session, arguments, "lock-timeout", "lock_timeout_s", 86400, json, error);
}

static void set_flags(const struct arguments *arguments, json_t *json)
{
    static const struct {
        const char *name, *key;
    } flags[] = {
        {"accept-eula", "accept_eula"},
        {"allow-unpinned", "allow_unpinned"},
        {"offline", "offline"},
        {"no-cache", "no_cache"},
        {"force", "force"},
        {"dry-run", "dry_run"},
        {"use", "use"},
        {"ldconfig", "ldconfig"},
    };
    const char *verbosity = arguments_get(arguments, "verbosity");
    for (size_t i = 0; i < sizeof(flags) / sizeof(*flags); i++)
        json_object_set_new(json, flags[i].key,
                            json_boolean(arguments_have(arguments, flags[i].name)));
    json_object_set_new(json, "quiet", json_boolean(string_equal(verbosity, "quiet")));
    json_object_set_new(json, "verbose", json_boolean(string_equal(verbosity, "verbose")));
}

/* The machine whose architecture names the platform of NVIDIA's trees: this one, or the one that
 * the programs of an image are for. */
static const char *platform_here(const struct session *session, const struct arguments *arguments)
{
    struct host_kernel kernel;
    AUTO_FREE char *machine = installer_image_machine(arguments);
    if (machine == NULL && host_kernel(session->live, &kernel))
        machine = mem_string(kernel.machine);
    return string_equal(machine, "x86_64")                 ? "linux-x86_64"
           : !string_equal(machine, "aarch64")             ? NULL
           : installer_has_jetson_cuda(session, arguments) ? "linux-aarch64"
                                                           : "linux-sbsa";
}

bool installer_platforms(const struct session *session, const struct arguments *arguments,
                         struct strlist *ret_platforms, struct error *error)
{
    static const char *const platforms[] = {"linux-x86_64", "linux-sbsa", "linux-aarch64",
                                            "linux-ppc64le", NULL};
    const struct strlist *given = arguments_all(arguments, "platform");
    const char *here = given ? NULL : platform_here(session, arguments);
    for (size_t i = 0; given && i < given->count; i++) {
        if (!is_choice(session, arguments, "platform", given->items[i], platforms, error))
            return false;
        strlist_add_new(ret_platforms, given->items[i]);
    }
    if (here)
        strlist_add(ret_platforms, here);
    strlist_sort(ret_platforms);
    if (ret_platforms->count > 0)
        return true;
    error_set(error, ERROR_UNSATISFIABLE, "NVIDIA has no archives for this machine's architecture");
    return error_next(error, "name another one: --platform linux-x86_64");
}

static bool set_platform(const struct session *session, const struct arguments *arguments,
                         json_t *json, struct error *error)
{
    AUTO_STRLIST struct strlist platforms = {0};
    if (!installer_platforms(session, arguments, &platforms, error))
        return false;
    json_set_string(json, "platform", platforms.items[0]);
    json_set_list(json, "asked_platforms", &platforms);
    return true;
}

static const char *date_text(const struct session *session)
{
    return host_environment(session->live, "SOURCE_DATE_EPOCH");
}

#define DATE_LAST 253402300799ull /* 9999-12-31T23:59:59Z: a year has four digits */

/* What is no date is an error, and not another date, as its specification asks for
 * (reproducible-builds.org/specs/source-date-epoch). Empty is not set, as with all variables. */
static bool set_date(const struct session *session, json_t *json, struct error *error)
{
    const char *text = date_text(session);
    unsigned long long seconds = (unsigned long long)time(NULL);
    if (text && *text && !string_to_decimal(text, DATE_LAST, &seconds)) {
        usage_error(error, session->program, NULL, NULL,
                    "SOURCE_DATE_EPOCH: \"%s\" is not a number of seconds from 0 to %llu", text,
                    DATE_LAST);
        return error_next(error, "give the seconds since 1970 in decimal digits (date +%%s), or "
                                 "unset the variable");
    }
    json_object_set_new(json, "date", json_integer((json_int_t)seconds));
    return true;
}

/* "12" of a build for CUDA 12. Which ones a release without a pin has is not known: there it is the
 * CUDA beside it. NULL: none. */
static char *variant_of(const struct resolution *resolution, const struct resolve_choice *choice)
{
    struct version version;
    if (choice->build && string_starts(choice->build, "cuda"))
        return mem_string(choice->build + strlen("cuda"));
    if (choice->build || !string_equal(choice->pin, "none"))
        return NULL;
    for (size_t i = 0; i < resolution->chosen_count; i++)
        if (choice != &resolution->chosen[i] &&
            string_equal(resolution->chosen[i].product, "cuda") &&
            version_parse(resolution->chosen[i].version, &version))
            return mem_printf("%u", version.part[0]);
    return NULL;
}

/* Where no CUDA is asked for beside it, the build that --archive has by its name; NULL: none. */
static char *variant_given(const struct session *session, const struct arguments *arguments,
                           const struct resolution *resolution, const struct resolve_choice *choice)
{
    size_t count;
    char text[VERSION_TEXT_SIZE];
    struct version version;
    const struct strlist *files = arguments_all(arguments, "archive");
    const struct manifest_download *rows = manifest_downloads(session->manifest, &count);
    if (string_equal(choice->rule, "paired") || resolve_choice_of(resolution, "cuda") ||
        !version_parse(choice->version, &version))
        return NULL;
    for (size_t i = 0; i < count; i++)
        if (rows[i].cuda.count && string_equal(rows[i].product, choice->product) &&
            version_compare(&rows[i].version, &version) == 0 && path_is_named(files, rows[i].file))
            return mem_string(version_text(&rows[i].cuda, 0, text));
    return NULL;
}

/* What stands after the @ of a word, where that is a version; else NULL. */
static const char *asked_of(const struct arguments *arguments, const char *product)
{
    size_t length = strlen(product);
    for (size_t i = 0; i < arguments->words.count; i++) {
        const char *word = arguments->words.items[i];
        struct version version;
        if (strncmp(word, product, length) == 0 && word[length] == '@' &&
            version_parse(word + length + 1, &version))
            return word + length + 1;
    }
    return NULL;
}

static void add_product(const struct session *session, const struct arguments *arguments,
                        json_t *products, const struct resolution *resolution,
                        const struct resolve_choice *choice)
{
    json_t *json = json_object();
    AUTO_FREE char *given = variant_given(session, arguments, resolution, choice);
    AUTO_FREE char *cuda = given ? mem_steal(&given) : variant_of(resolution, choice);
    AUTO_FREE char *spec = mem_printf("%s@%s", choice->product, choice->version);
    json_set_string(json, "spec", spec);
    json_set_string(json, "product", choice->product);
    json_set_string(json, "version", choice->version);
    json_set_string(json, "cuda", cuda);
    json_set_string(json, "asked",
                    string_equal(choice->rule, "locked") ? choice->version
                                                         : asked_of(arguments, choice->product));
    json_set_string(json, "rule", choice->rule);
    json_set_string(json, "why", choice->why);
    json_set_list(json, "limits", &choice->limits);
    json_set_string(json, "exact", choice->exact);
    json_array_append_new(products, json);
}

/* "cuda@12.8.1", to be found in the prefix. */
static void add_spec(json_t *products, const struct resolve_spec *spec)
{
    char text[VERSION_TEXT_SIZE];
    json_t *json = json_object();
    json_set_string(json, "spec", spec->text);
    json_set_string(json, "product", spec->product);
    if (spec->version.count > 0)
        json_set_string(json, "version", version_text(&spec->version, 0, text));
    json_array_append_new(products, json);
}

static json_t *products_of(const struct session *session, const struct arguments *arguments,
                           const struct installer_request *request)
{
    json_t *products = json_array();
    for (size_t i = 0; request->resolution && i < request->resolution->chosen_count; i++)
        add_product(session, arguments, products, request->resolution,
                    &request->resolution->chosen[i]);
    for (size_t i = 0; request->specs && i < request->specs->count; i++)
        add_spec(products, &request->specs->items[i]);
    return products;
}

/* What goes as JSON must be UTF-8: escaped, a path would be another one. */
static bool texts_are_sound(const struct session *session, const struct arguments *arguments,
                            const char *prefix, struct error *error)
{
    for (size_t i = 0; i < arguments->count; i++)
        for (size_t k = 0; k < arguments->items[i].values.count; k++) {
            const char *value = arguments->items[i].values.items[k];
            if (!utf8_valid(value, strlen(value)))
                return usage_error(error, session->program, NULL, NULL,
                                   "%s: this is not UTF-8: \"%s\"", arguments->items[i].origin,
                                   value);
        }
    if (prefix == NULL || utf8_valid(prefix, strlen(prefix)))
        return true;
    return usage_error(error, session->program, NULL, NULL,
                       "the prefix is not UTF-8: \"%s\": give --prefix DIR", prefix);
}

bool installer_run(const struct session *session, const struct arguments *arguments,
                   const struct installer_request *request, struct error *error)
{
    AUTO_JSON json_t *json = json_object();
    AUTO_TEXT struct text text = {0};
    AUTO_FREE char *usual =
        request->resolution ? installer_usual_prefix(session, arguments, request->resolution, NULL)
                            : NULL;
    AUTO_FREE char *root = installer_root(arguments);
    AUTO_STRLIST struct strlist indexes = {0};
    if (!texts_are_sound(session, arguments, request->prefix, error) ||
        !installer_indexes(session, arguments, &indexes, error))
        return false;
    json_object_set_new(json, "action", json_string(request->action));
    json_object_set_new(json, "products", products_of(session, arguments, request));
    json_set_list(json, "notes", request->resolution ? &request->resolution->notes : NULL);
    json_set_string(json, "root", root);
    json_set_list(json, "then", &session->then);
    json_set_list(json, "then_commands", &session->then_commands);
    json_set_string(json, "prefix", request->prefix);
    json_set_string(json, "usual_prefix", usual && utf8_valid(usual, strlen(usual)) ? usual : NULL);
    json_object_set_new(json, "only", json_boolean(request->only));
    json_object_set_new(json, "previous", json_boolean(request->previous));
    json_object_set_new(json, "profile_given", json_boolean(arguments_have(arguments, "profile")));
    json_set_string(json, "link", request->link);
    json_set_list(json, "components", arguments_all(arguments, "component"));
    json_set_list(json, "mirrors", arguments_all(arguments, "mirror"));
    json_set_list(json, "archives", arguments_all(arguments, "archive"));
    json_set_list(json, "indexes", &indexes);
    json_set_string(json, "output", arguments_get(arguments, "output"));
    json_set_string(json, "cacert", arguments_get(arguments, "cacert"));
    if (session->manifest_text.size > 0) {
        json_set_string(json, "manifest_path", session->manifest_path);
        json_set_string(json, "manifest_origin", report_origin_word(session->origin));
        json_set_string(json, "manifest_text", text_string(&session->manifest_text));
    }
    set_flags(arguments, json);
    if (!set_words(session, arguments, json, error) ||
        !set_platform(session, arguments, json, error) || !set_date(session, json, error))
        return false;
    if (request->more)
        json_object_update(json, request->more);
    installer_lock_add(session, arguments, json);
    json_append_text(json, &text);
    return helper_become(session->live, &text, error);
}
