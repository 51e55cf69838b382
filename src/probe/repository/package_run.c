/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "probe/engine/note.h"
#include "probe/engine/probes.h"

/* How the last run of dnf or zypper ended, by its own log; and what pacman lacks. */
#define KIND      "package_run"
#define PACMAN    "pacman"
#define LOG_TAIL  (256u << 10)
#define LINES_MAX 12
#define CONF      "/etc/pacman.conf"
#define CONF_MAX  (1u << 20)
#define KEYRING   "/etc/pacman.d/gnupg"
#define SYNC      "/var/lib/pacman/sync"
#define HEAD      512

/* A log, and how a run begins in it. */
struct manager {
    const char *name;
    const char *log;
    const char *begins;
};
static const struct manager managers[] = {
    {.name = "dnf", .log = "/var/log/dnf.log", .begins = "--- logging initialized ---"},
    {.name = "zypper", .log = "/var/log/zypper.log", .begins = "===== Hi, me zypper"},
};

/* The text of a line of dnf's log at these levels ("2026-… CRITICAL Error: x"), or a line that goes
 * on with the one before. NULL: another one. */
static const char *text_of_dnf(const char *line, bool *fails)
{
    static const char *const levels[] = {" CRITICAL ", " ERROR ", " WARNING "};
    if (string_starts(line, "  - ") || string_starts(line, " - "))
        return line + strspn(line, " -");
    for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++) {
        const char *at = strstr(line, levels[i]);
        const char *text = at && at - line < 40 ? at + strlen(levels[i]) : NULL;
        if (text == NULL)
            continue;
        *fails = *fails || string_starts(text, "Error:") || string_starts(text, "Curl error");
        return text;
    }
    return NULL;
}

/* zypper writes what it throws: "… Exception.cc(log):186 File.cc:12 THROW:    text". Files that a
 * repository may lack are among it in every run. */
static const char *text_of_zypper(const char *line, bool *fails)
{
    const char *at = strstr(line, "THROW:");
    if (at == NULL)
        return NULL;
    at += strlen("THROW:");
    *fails = *fails || strstr(at, "Valid metadata not found") || strstr(at, "contains garbage");
    return at + strspn(at, " ");
}

static void read_run(const struct manager *manager, char *run, struct strlist *errors)
{
    bool fails = false;
    bool zypper = strcmp(manager->name, "zypper") == 0;
    for (char *line; (line = string_next_line(&run)) != NULL;) {
        const char *text = zypper ? text_of_zypper(line, &fails) : text_of_dnf(line, &fails);
        if (text && text[0] && errors->count < LINES_MAX)
            strlist_add_new(errors, text);
    }
    if (!fails)
        strlist_free(errors);
}

/* Where the last run begins. */
static char *last_run(char *log, const char *begins)
{
    char *found = NULL;
    for (char *at = log; (at = strstr(at, begins)) != NULL; at++)
        found = at;
    return found;
}

static void note_runs(const struct host *host, struct facts *facts)
{
    int64_t count = 0;
    for (size_t i = 0; i < sizeof(managers) / sizeof(managers[0]); i++) {
        const struct manager *manager = &managers[i];
        AUTO_TEXT struct text text = {0};
        AUTO_STRLIST struct strlist errors = {0};
        bool cut = false;
        if (host_read_tail(host, manager->log, LOG_TAIL, &text, &cut, NULL) != HOST_OK ||
            text.size == 0)
            continue;
        char *run = last_run(text.data, manager->begins);
        if (run == NULL)
            continue;
        read_run(manager, run, &errors);
        AUTO_FREE char *group = facts_group_name(KIND, manager->name);
        facts_set_string(facts, group, "name", manager->name, manager->log);
        facts_set_list(facts, group, "errors", &errors, manager->log);
        count++;
    }
    facts_set_integer(facts, KIND, "count", count, managers[0].log);
}

/* Databases that begin like a page of the web. */
static void note_pages(const struct host *host, struct facts *facts)
{
    AUTO_STRLIST struct strlist names = {0}, pages = {0};
    host_list(host, SYNC, &names, NULL);
    for (size_t i = 0; i < names.count; i++) {
        AUTO_TEXT struct text text = {0};
        AUTO_FREE char *path = mem_printf(SYNC "/%s", names.items[i]);
        if (string_ends(path, ".db") && host_read_head(host, path, HEAD, &text, NULL) == HOST_OK &&
            text.size > 0 && text.data[strspn(text.data, " \t\r\n")] == '<')
            strlist_add(&pages, path);
    }
    facts_set_list(facts, PACMAN, "pages", &pages, SYNC);
}

/* gpg makes an empty file (a header of 32 bytes) as soon as it looks. */
static bool has_keys(const struct host *host, const char *path)
{
    struct host_stat stat;
    return host_stat(host, path, &stat, NULL) == HOST_OK && stat.size > 64;
}

/* pacman-key --init makes the keyring in a directory that is there from the beginning. */
static void note_keyring(const struct host *host, struct facts *facts)
{
    if (!host_is_directory(host, KEYRING))
        facts_set_absent(facts, PACMAN, "keyring", KEYRING);
    else
        facts_set_boolean(facts, PACMAN, "keyring",
                          has_keys(host, KEYRING "/pubring.kbx") ||
                              has_keys(host, KEYRING "/pubring.gpg"),
                          KEYRING);
}

/* The first line of pacman.conf that stands before any section. */
static void note_configuration(const struct host *host, struct facts *facts)
{
    AUTO_TEXT struct text text = {0};
    if (note_read_text(host, CONF, CONF_MAX, &text, NULL) != HOST_OK || text.size == 0) {
        facts_set_absent(facts, PACMAN, "refused", CONF);
        return;
    }
    char *cursor = text.data;
    const char *refused = NULL;
    for (char *line; (line = string_next_line(&cursor)) != NULL;) {
        line = string_trim(line);
        if (line[0] == '\0' || line[0] == '#')
            continue;
        refused = line[0] == '[' ? NULL : line;
        break;
    }
    facts_set_string(facts, PACMAN, "refused", refused, CONF);
}

void probe_package_run(const struct probe_context *context, struct facts *facts)
{
    note_runs(context->host, facts);
    note_pages(context->host, facts);
    note_keyring(context->host, facts);
    note_configuration(context->host, facts);
}
