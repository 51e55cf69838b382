/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "probe/engine/note.h"
#include "probe/engine/probes.h"
#include "probe/repository/run_log.h"

/* How the last run of dnf, zypper or apt ended, by its own log; and what pacman lacks. */
#define KIND      "package_run"
#define PACMAN    "pacman"
#define LOG_TAIL  (2u << 20)
#define LINES_MAX 12
#define TRANSFERS "/var/log/dnf.librepo.log"
#define TIME_SIZE 19 /* "2026-11-26T10:10:29" */
#define CONF      "/etc/pacman.conf"
#define CONF_MAX  (1u << 20)
#define KEYRING   "/etc/pacman.d/gnupg"
#define SYNC      "/var/lib/pacman/sync"
#define HEAD      512

/* librepo writes why a download failed, with the time as dnf has it: what was said since the run
 * began. */
static void add_transfers(const struct host *host, const char *begin, struct strlist *errors)
{
    static const char words[] = "Error during transfer: ";
    AUTO_TEXT struct text text = {0};
    bool cut = false;
    if (host_read_tail(host, TRANSFERS, LOG_TAIL, &text, &cut, NULL) != HOST_OK || text.size == 0)
        return;
    char *cursor = text.data;
    for (char *line; (line = string_next_line(&cursor)) != NULL;) {
        const char *at = strstr(line, words);
        if (at && strlen(line) > TIME_SIZE && strncmp(line, begin, TIME_SIZE) >= 0 &&
            errors->count < LINES_MAX)
            strlist_add_new(errors, at + strlen(words));
    }
}

/* dpkg has changed its database since, or the system has gone over to dnf5: then the run in this
 * log is not the last word. */
static bool is_outdated(const struct host *host, const struct run_log *log)
{
    struct host_stat own, other;
    return log->outdated_by && host_stat(host, log->path, &own, NULL) == HOST_OK &&
           host_stat(host, log->outdated_by, &other, NULL) == HOST_OK &&
           other.modified > own.modified + log->later;
}

static bool note_run(const struct host *host, struct facts *facts, const struct run_log *log)
{
    AUTO_TEXT struct text text = {0};
    AUTO_STRLIST struct strlist errors = {0};
    bool cut = false;
    if (host_read_tail(host, log->path, LOG_TAIL, &text, &cut, NULL) != HOST_OK || text.size == 0)
        return false;
    char *run = run_log_last(log, text.data);
    if (run == NULL)
        return false;
    char *start = run;
    while (start > text.data && start[-1] != '\n')
        start--;
    AUTO_FREE char *begin = mem_string_n(start, TIME_SIZE);
    run_log_read(log, run, LINES_MAX, &errors);
    if (errors.count > 0 && strcmp(log->name, "dnf") == 0)
        add_transfers(host, begin, &errors);
    if (is_outdated(host, log))
        strlist_free(&errors);
    AUTO_FREE char *group = facts_group_name(KIND, log->name);
    facts_set_string(facts, group, "name", log->name, log->path);
    facts_set_list(facts, group, "errors", &errors, log->path);
    return true;
}

static void note_runs(const struct host *host, struct facts *facts)
{
    int64_t count = 0;
    for (size_t i = 0; i < run_log_count; i++)
        count += note_run(host, facts, &run_logs[i]);
    facts_set_integer(facts, KIND, "count", count, run_logs[0].path);
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
