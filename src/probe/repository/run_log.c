/* SPDX-License-Identifier: MIT */
#include "probe/repository/run_log.h"

#include <string.h>

#include "base/text.h"
#include "probe/system/dpkg.h"

#define LEVEL_AT 40 /* a level of dnf's stands behind the time */

/* The text behind one of these words, which stand near the beginning; NULL: none does. */
static char *behind_level(char *line, const char *const *levels)
{
    for (size_t i = 0; levels[i]; i++) {
        char *at = strstr(line, levels[i]);
        if (at && at - line < LEVEL_AT)
            return at + strlen(levels[i]);
    }
    return NULL;
}

/* dnf: "2026-… CRITICAL Error: x", and the lines that go on with it. What is filtered out is said
 * at a level that says much else. */
static const char *text_of_dnf(char *line, struct run_state *state)
{
    static const char *const faults[] = {" CRITICAL ", " ERROR ", " WARNING ", NULL};
    static const char *const news[] = {" INFO ", NULL};
    char *text = behind_level(line, faults);
    char *told = text ? NULL : behind_level(line, news);
    if (string_starts(line, "  - ") || string_starts(line, " - ") ||
        (state->goes_on && line[0] == ' '))
        return line + strspn(line, " -");
    state->goes_on = text != NULL;
    if (told && strstr(told, "filtered out by"))
        return told;
    state->fails = state->fails ||
                   (text && (string_starts(text, "Error:") || string_starts(text, "Curl error")));
    return text;
}

/* dnf5: "2026-… [17] ERROR Problem: x", and the lines below that go on with it. A run that ends
 * well, though it may have skipped a package, says so at its end. */
static const char *text_of_dnf5(char *line, struct run_state *state)
{
    static const char *const faults[] = {"] CRITICAL ", "] ERROR ", NULL};
    char *text = behind_level(line, faults);
    if (state->goes_on && text == NULL && line[0] == ' ')
        return line + strspn(line, " -");
    state->goes_on = text != NULL;
    state->fails = (state->fails || text != NULL) && strstr(line, "] INFO DNF5 finished") == NULL;
    return text ? text + strspn(text, " -") : NULL;
}

/* The exit status in "setExitCode 4": those from 100 on are about updates, and none is a failure.
 */
static void take_exit(const char *line, struct run_state *state)
{
    const char *at = strstr(line, "setExitCode ");
    if (at == NULL)
        return;
    at += strlen("setExitCode ");
    size_t digits = strspn(at, "0123456789");
    state->fails = digits > 0 && digits < 3 && at[0] != '0';
}

/* What the solver says: a problem, or what would solve it. */
static const char *text_of_solver(char *line)
{
    char *at = strstr(line, "(problems):");
    if (at == NULL)
        return NULL;
    at += strlen("(problems):");
    at = string_trim(at + strspn(at, "0123456789"));
    bool frame = strspn(at, "=-") == strlen(at) || string_starts(at, "Problem ") ||
                 string_starts(at, "Encountered ") || string_starts(at, "Resolver::");
    return frame ? NULL : at;
}

/* What rpm says goes on in lines of its own: "… Exception.cc(log):166 text". */
static const char *text_of_more(char *line, const struct run_state *state)
{
    static const char words[] = "Exception.cc(log):";
    char *at = state->goes_on ? strstr(line, words) : NULL;
    if (at == NULL || strstr(at, "THROW:") || strstr(at, "CAUGHT:"))
        return NULL;
    at += strlen(words);
    return string_trim(at + strspn(at, "0123456789"));
}

/* zypper writes what it throws: "… Exception.cc(log):186 File.cc:12 THROW:    text". Files that a
 * repository may lack are among it in every run. */
static const char *text_of_zypper(char *line, struct run_state *state)
{
    const char *solver = text_of_solver(line);
    const char *more = text_of_more(line, state);
    char *at = strstr(line, "THROW:");
    take_exit(line, state);
    state->goes_on = at != NULL || more != NULL;
    if (solver || more)
        return solver ? solver : more;
    if (at == NULL)
        return NULL;
    at += strlen("THROW:");
    state->fails = state->fails || strstr(at, "Valid metadata not found") != NULL ||
                   strstr(at, "contains garbage") != NULL;
    return at + strspn(at, " ");
}

/* dpkg below apt: "dpkg: error processing …", and the reason in the line below; and what a script
 * says of a full disk. */
static const char *text_of_apt(char *line, struct run_state *state)
{
    bool begins = string_starts(line, "dpkg: error") || string_starts(line, "dpkg-deb: error");
    bool taken = begins || (state->goes_on && line[0] == ' ') ||
                 strstr(line, "No space left on device") != NULL;
    state->fails = state->fails || begins;
    state->goes_on = begins;
    return taken ? string_trim(line) : NULL;
}

const struct run_log run_logs[] = {
    {.name = "dnf",
     .path = "/var/log/dnf.log",
     .begins = "--- logging initialized ---",
     .text_of = text_of_dnf,
     .outdated_by = "/var/log/dnf5.log"},
    {.name = "dnf5",
     .path = "/var/log/dnf5.log",
     .begins = "--- DNF5 launched",
     .text_of = text_of_dnf5,
     .outdated_by = "/var/log/dnf.log"},
    {.name = "zypper",
     .path = "/var/log/zypper.log",
     .begins = "===== Hi, me zypper",
     .text_of = text_of_zypper},
    {.name = "apt",
     .path = "/var/log/apt/term.log",
     .begins = "Log started:",
     .text_of = text_of_apt,
     .outdated_by = DPKG_STATUS,
     .later = 60}, /* apt ends its log after dpkg has ended */
};
const size_t run_log_count = sizeof(run_logs) / sizeof(run_logs[0]);

char *run_log_last(const struct run_log *log, char *text)
{
    char *found = NULL;
    for (char *at = text; (at = strstr(at, log->begins)) != NULL; at++)
        found = at;
    return found;
}

void run_log_read(const struct run_log *log, char *run, size_t limit, struct strlist *errors)
{
    struct run_state state = {.fails = false};
    for (char *line; (line = string_next_line(&run)) != NULL;) {
        const char *text = log->text_of(line, &state);
        if (text && text[0] && errors->count < limit)
            strlist_add_new(errors, text);
    }
    if (!state.fails)
        strlist_free(errors);
}
