/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "cli/installer/installer.h"

static const struct option option_older_than = {
    .name = "older-than",
    .argument = "DAYS",
    .help = "remove downloads that were not used for DAYS days; default 30"};
static const struct option option_max_size = {
    .name = "max-size",
    .argument = "SIZE",
    .help = "remove the least recently used downloads until SIZE is left: 500MB, 5GB, 2GiB"};
static const struct option option_all = {.name = "all", .help = "prune everything"};
static const struct option option_prune_dry_run = {
    .name = "dry-run", .help = "show what would be removed, and remove nothing"};

static const struct option *const options[] = {
    &option_older_than,   &option_max_size,
    &option_all,          &option_prune_dry_run,
    &option_lock_timeout, &option_format,
    &option_json,         &option_output,
    &option_help,         NULL,
};

static const struct {
    const char *unit;
    unsigned long long bytes;
} units[] = {
    {"", 1},
    {"B", 1},
    {"K", 1000},
    {"kB", 1000},
    {"KB", 1000},
    {"KiB", 1 << 10},
    {"M", 1000000},
    {"MB", 1000000},
    {"MiB", 1 << 20},
    {"G", 1000000000},
    {"GB", 1000000000},
    {"GiB", 1 << 30},
    {"T", 1000000000000},
    {"TB", 1000000000000},
    {"TiB", 1ull << 40},
};

/* "5GB": powers of ten, as everywhere in gpuenv, unless it says GiB. */
static bool size_parse(const char *text, unsigned long long *ret_size)
{
    size_t digits = strspn(text, "0123456789");
    AUTO_FREE char *number = mem_string_n(text, digits);
    unsigned long long value;
    if (digits == 0 || digits > 15 || (digits > 1 && text[0] == '0') ||
        !string_to_decimal(number, UINT64_MAX, &value))
        return false;
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
        if (string_equal(text + digits, units[i].unit) && value <= INT64_MAX / units[i].bytes) {
            *ret_size = value * units[i].bytes;
            return true;
        }
    return false;
}

#define DAYS_DEFAULT 30
#define DAYS_MAX     36500

/* What is to go; nothing said is what was not used for 30 days. */
static bool set_limits(const struct session *session, const struct arguments *arguments,
                       json_t *json, struct error *error)
{
    const char *days_text = arguments_get(arguments, "older-than");
    const char *size_text = arguments_get(arguments, "max-size");
    bool all = arguments_have(arguments, "all");
    unsigned long long days = DAYS_DEFAULT, size = 0;
    if (days_text && !string_to_decimal(days_text, DAYS_MAX, &days))
        return usage_error(error, session->program, NULL, NULL,
                           "%s: \"%s\" is not a whole number of days from 0 to %d",
                           arguments_origin(arguments, "older-than"), days_text, DAYS_MAX);
    if (size_text && !size_parse(size_text, &size))
        return usage_error(error, session->program, NULL, NULL,
                           "%s: \"%s\" is not a size such as 500MB, 5GB, 2GiB",
                           arguments_origin(arguments, "max-size"), size_text);
    json_object_set_new(json, "prune_all", json_boolean(all));
    json_object_set_new(json, "prune_by_age", json_boolean(days_text || (!size_text && !all)));
    json_object_set_new(json, "older_than_days", json_integer((json_int_t)days));
    json_object_set_new(json, "prune_by_size", json_boolean(size_text != NULL));
    json_object_set_new(json, "max_size", json_integer((json_int_t)size));
    return true;
}

static bool run(struct session *session, const struct arguments *arguments, int *ret_exit_code,
                struct error *error)
{
    static const char *const actions[] = {"show", "prune"};
    const struct strlist *words = &arguments->words;
    const char *word = words->count > 0 ? words->items[0] : "show";
    AUTO_STRLIST struct strlist names = {0};
    *ret_exit_code = EXIT_DONE;
    for (size_t i = 0; i < sizeof(actions) / sizeof(actions[0]); i++)
        strlist_add(&names, actions[i]);
    if (words->count > 1 || !strlist_has(&names, word))
        return usage_error(error, session->program, words->items[words->count - 1], &names,
                           "expected show or prune, got \"%s\"", words->items[words->count - 1]);
    AUTO_JSON json_t *more = json_object();
    bool prunes = string_equal(word, "prune");
    const struct installer_request request = {.action = prunes ? "cache_prune" : "cache_show",
                                              .more = more};
    return (!prunes || set_limits(session, arguments, more, error)) &&
           installer_run(session, arguments, &request, error);
}

const struct command command_cache = {
    .name = "cache",
    .summary = "show or remove the downloads that are kept",
    .usage = "gpuenv cache [OPTION...] [show|prune]",
    .details =
        "Shows where downloads are kept, how many there are, and when they were last used. "
        "\"gpuenv cache prune\" removes downloads by age, by size, or all of them. Files that a "
        "running install is about to unpack are kept: while it runs, prune exits with 75, or waits "
        "with --lock-timeout. Files that gpuenv did not create are left alone.",
    .examples = "gpuenv cache\n"
                "gpuenv cache prune --older-than 30",
    .options = options,
    .run = run,
};
