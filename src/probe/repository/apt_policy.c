/* SPDX-License-Identifier: MIT */
#include "probe/repository/apt_policy.h"

#include <fnmatch.h>
#include <regex.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"
#include "probe/engine/note.h"

#define FILE_ONE  "/etc/apt/preferences"
#define FILES     "/etc/apt/preferences.d"
#define SIZE_MAX_ (1u << 20)
#define PINS_MAX  4096

enum { PRIORITY_USUAL = 500, PRIORITY_UPGRADES = 100, PRIORITY_MANUAL = 1 };

void apt_origin_free(struct apt_origin *origin)
{
    free(origin->host);
    free(origin->origin);
    free(origin->label);
    free(origin->suite);
    free(origin->codename);
    free(origin->version);
    free(origin->component);
}

static void pin_clear(struct apt_pin *pin)
{
    strlist_free(&pin->packages);
    free(pin->kind);
    free(pin->value);
    *pin = (struct apt_pin){.kind = NULL};
}

void apt_policy_free(struct apt_policy *policy)
{
    for (size_t i = 0; i < policy->count; i++)
        pin_clear(&policy->items[i]);
    free(policy->items);
}

/* "Pin: release l=NVIDIA CUDA" */
static void take_pin(char *value, struct apt_pin *pin)
{
    char *end = value + strcspn(value, " \t");
    free(pin->kind);
    free(pin->value);
    pin->kind = mem_string_n(value, (size_t)(end - value));
    pin->value = mem_string(string_trim(end));
}

static void take_line(char *line, struct apt_pin *pin)
{
    char *value = strchr(line, ':');
    if (value == NULL)
        return;
    *value++ = '\0';
    value = string_trim(value);
    if (strcasecmp(line, "Package") == 0)
        strlist_split_words(&pin->packages, value);
    else if (strcasecmp(line, "Pin") == 0)
        take_pin(value, pin);
    else if (strcasecmp(line, "Pin-Priority") == 0)
        pin->priority = (int)strtol(value, NULL, 10);
}

static void end_pin(struct apt_policy *policy, struct apt_pin *pin)
{
    if (pin->packages.count == 0 || pin->kind == NULL || policy->count >= PINS_MAX) {
        pin_clear(pin);
        return;
    }
    *vec_push(policy->items, policy->count, policy->capacity) = *pin;
    *pin = (struct apt_pin){.kind = NULL};
}

static void read_file(const struct host *host, const char *path, struct apt_policy *policy)
{
    AUTO_TEXT struct text text = {0};
    struct apt_pin pin = {.kind = NULL};
    if (note_read_text(host, path, SIZE_MAX_, &text, NULL) != HOST_OK || text.size == 0)
        return;
    char *cursor = text.data;
    for (char *line; (line = string_next_line(&cursor)) != NULL;) {
        if (line[0] == '#')
            continue;
        if (string_is_blank(line))
            end_pin(policy, &pin);
        else
            take_line(line, &pin);
    }
    end_pin(policy, &pin);
}

/* No extension, or .pref. */
static bool is_read(const char *name)
{
    return strchr(name, '.') == NULL || string_ends(name, ".pref");
}

struct apt_policy apt_policy_read(const struct host *host)
{
    struct apt_policy policy = {.items = NULL};
    AUTO_STRLIST struct strlist names = {0};
    host_list(host, FILES, &names, NULL);
    for (size_t i = 0; i < names.count; i++) {
        AUTO_FREE char *path = mem_printf(FILES "/%s", names.items[i]);
        if (is_read(names.items[i]))
            read_file(host, path, &policy);
    }
    read_file(host, FILE_ONE, &policy);
    return policy;
}

/* A pattern of fnmatch(3), or a regular expression between slashes. */
static bool matches(const char *pattern, const char *text)
{
    size_t length = strlen(pattern);
    regex_t regex;
    if (text == NULL)
        return false;
    if (length < 3 || pattern[0] != '/' || pattern[length - 1] != '/')
        return fnmatch(pattern, text, 0) == 0;
    AUTO_FREE char *inner = mem_string_n(pattern + 1, length - 2);
    if (regcomp(&regex, inner, REG_EXTENDED | REG_NOSUB | REG_ICASE) != 0)
        return false;
    bool found = regexec(&regex, text, 0, NULL, 0) == 0;
    regfree(&regex);
    return found;
}

/* "l=NVIDIA CUDA", "a=jammy-security": all that stand between commas. */
static bool release_fits(const char *value, const struct apt_origin *origin)
{
    AUTO_STRLIST struct strlist parts = {0};
    strlist_split(&parts, value, ',');
    for (size_t i = 0; i < parts.count; i++) {
        const char *part = string_trim(parts.items[i]);
        const char *const fields[] = {
            ['a'] = origin->suite,    ['c'] = origin->component, ['l'] = origin->label,
            ['n'] = origin->codename, ['o'] = origin->origin,    ['v'] = origin->version};
        unsigned char key = (unsigned char)part[0];
        if (key == '\0' || part[1] != '=')
            return strchr(part, '=') == NULL &&
                   (matches(part, origin->suite) || matches(part, origin->codename));
        if (key >= sizeof(fields) / sizeof(fields[0]) || !matches(part + 2, fields[key]))
            return false;
    }
    return true;
}

static bool origin_fits(const char *value, const struct apt_origin *origin)
{
    size_t length = strlen(value);
    bool quoted = length >= 2 && value[0] == '"' && value[length - 1] == '"';
    AUTO_FREE char *host = quoted ? mem_string_n(value + 1, length - 2) : mem_string(value);
    return matches(host, origin->host);
}

static bool pin_fits(const struct apt_pin *pin, const char *version,
                     const struct apt_origin *origin)
{
    if (strcasecmp(pin->kind, "release") == 0)
        return release_fits(pin->value, origin);
    if (strcasecmp(pin->kind, "origin") == 0)
        return origin_fits(pin->value, origin);
    return strcasecmp(pin->kind, "version") == 0 && matches(pin->value, version);
}

static bool is_general(const struct apt_pin *pin)
{
    return pin->packages.count == 1 && strcmp(pin->packages.items[0], "*") == 0;
}

static bool names_package(const struct apt_pin *pin, const char *package)
{
    for (size_t i = 0; i < pin->packages.count; i++)
        if (matches(pin->packages.items[i], package))
            return true;
    return false;
}

bool apt_policy_needs_release(const struct apt_policy *policy)
{
    for (size_t i = 0; i < policy->count; i++)
        if (strcasecmp(policy->items[i].kind, "release") == 0)
            return true;
    return false;
}

int apt_policy_priority(const struct apt_policy *policy, const char *package, const char *version,
                        const struct apt_origin *origin)
{
    const struct apt_pin *general = NULL;
    for (size_t i = 0; i < policy->count; i++) {
        const struct apt_pin *pin = &policy->items[i];
        if (!pin_fits(pin, version, origin))
            continue;
        if (!is_general(pin) && names_package(pin, package))
            return pin->priority;
        if (is_general(pin) && general == NULL)
            general = pin;
    }
    if (general)
        return general->priority;
    if (origin->not_automatic)
        return origin->but_automatic ? PRIORITY_UPGRADES : PRIORITY_MANUAL;
    return PRIORITY_USUAL;
}
