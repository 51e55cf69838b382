/* SPDX-License-Identifier: MIT */
#include "properties/used.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/strlist.h"
#include "base/text.h"
#include "cli/cli.h"
#include "facts/dictionary.h"
#include "properties/trace.h"
#include "rules/rules.h"

/* The planted fault: a reader that is gone. */
static bool is_planted(const struct asked *asked)
{
    return string_equal(asked->group, "module") && asked->name &&
           string_equal(asked->name, "version");
}

static char *entry_name(const struct fact_entry *entry)
{
    return mem_printf("%s%s.%s", entry->kind, entry->of_instance ? "/*" : "", entry->name);
}

/* Walking the instances of a kind asks for their number. */
static void mark(const struct used *used, const struct asked *asked, bool *now)
{
    if (used->plant && is_planted(asked))
        return;
    const struct fact_entry *entry =
        dictionary_entry(asked->group, asked->name ? asked->name : "count");
    if (entry)
        now[entry - fact_entries] = true;
}

/* Runs gpuenv with these words (at most two), and with --facts. */
static void run(const char *const *words, const char *record)
{
    AUTO_STRLIST struct strlist list = {0};
    strlist_add(&list, "gpuenv");
    strlist_add(&list, words[0]);
    if (words[1])
        strlist_add(&list, words[1]);
    if (words[1] && words[2])
        strlist_add(&list, words[2]);
    strlist_add(&list, "--facts");
    strlist_add(&list, record);
    char *arguments[8] = {NULL};
    for (size_t i = 0; i < list.count; i++)
        arguments[i] = list.items[i];
    cli_main((int)list.count, arguments);
}

static void run_commands(const char *record)
{
    static const char *const commands[][4] = {
        {"doctor", "-v"},
        {"doctor", "--format", "json"},
        {"doctor", "--format", "brief"},
        {"doctor", "--fix"},
        {"gpu"},
        {"resolve", "driver"},
        {"resolve", "pytorch"},
        {"resolve", "cuda"},
        {"resolve", "cudnn"},
        {"inspect", "/proc/self/exe"},
    };
    for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
        run(commands[i], record);
}

/* Standard output and error stay quiet between quiet_begin() and quiet_end(). */
struct quiet {
    int output, error;
};
static struct quiet quiet_begin(void)
{
    fflush(stdout);
    struct quiet quiet = {dup(STDOUT_FILENO), dup(STDERR_FILENO)};
    int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    dup2(nowhere, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
    close(nowhere);
    return quiet;
}

static void quiet_end(struct quiet quiet)
{
    dup2(quiet.output, STDOUT_FILENO);
    dup2(quiet.error, STDERR_FILENO);
    close(quiet.output);
    close(quiet.error);
}

void used_check(struct used *used, const struct machine *machine, const char *record)
{
    struct trace trace = {.count = 0};
    if (used->facts == NULL) {
        while (fact_entries[used->count].kind)
            used->count++;
        used->facts = mem_alloc(used->count * sizeof(bool));
    }
    struct quiet quiet = quiet_begin();
    trace_begin(&trace);
    judgement_free(machine_judge(machine, machine->facts));
    run_commands(record);
    trace_begin(NULL);
    quiet_end(quiet);
    used->machines++;
    bool *now = mem_alloc(used->count * sizeof(bool));
    for (size_t i = 0; i < trace.count; i++)
        mark(used, &trace.items[i], now);
    for (size_t i = 0; i < used->count; i++) {
        AUTO_FREE char *name = entry_name(&fact_entries[i]);
        used->facts[i] |= now[i];
        if (now[i])
            printf("%s\t%s\n", name, machine->name);
    }
    free(now);
    trace_free(&trace);
}

size_t used_unread(const struct used *used)
{
    size_t unread = 0;
    for (size_t i = 0; i < used->count; i++) {
        if (used->facts[i])
            continue;
        AUTO_FREE char *name = entry_name(&fact_entries[i]);
        printf("%s\n", name);
        unread++;
    }
    return unread;
}

void used_free(struct used *used)
{
    free(used->facts);
}
