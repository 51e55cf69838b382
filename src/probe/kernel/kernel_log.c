/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/hex.h"
#include "host/log/journal.h"
#include "host/log/kmsg.h"
#include "host/root/file.h"
#include "probe/engine/note.h"
#include "probe/engine/probes.h"
#include "probe/kernel/kernel_stream.h"

#define KMSG         "/dev/kmsg"
#define TAIL_MAX     (2u << 20) /* of each text file: some 20 000 lines */
#define ARCHIVES_MAX 2          /* journal files besides the one in use */
#define MACHINES_MAX 4
#define WALL_SIZE    32
#define MACHINE_ID   32 /* digits */
#define PROC_STAT    "/proc/stat"
#define BOOT_ID      "/proc/sys/kernel/random/boot_id"

/* What the probe has found so far. */
struct logs {
    const struct host *host;
    struct strlist watched;
    struct kernel_tally all;
    struct kernel_lines said;
    struct strlist read, unread;
    bool current;  /* a log of this boot was read */
    bool complete; /* from its first line */
    int64_t boot_time;
    char boot[JOURNAL_BOOT_SIZE]; /* id of this boot; "" where it is not to be known */
};

/* Text files, the rotated one first. The kernel's lines stand in the first of syslog's files that
 * is there: Debian's and Ubuntu's kern.log, Red Hat's messages, syslog. */
struct text_log {
    const char *older;
    const char *path;
    bool all_kernel;   /* every line is the kernel's */
    bool whole;        /* goes on to this day */
    bool through_boot; /* ends with it: enough only where nothing better can be */
    bool syslog;
    bool services; /* read for what services say even when the kernel's lines are known */
};

static const struct text_log text_logs[] = {
    {.path = "/var/log/dmesg", .all_kernel = true, .through_boot = true},
    {.older = "/var/log/kern.log.1", .path = "/var/log/kern.log", .whole = true, .syslog = true},
    {.older = "/var/log/messages.1", .path = "/var/log/messages", .whole = true, .syslog = true},
    {.older = "/var/log/syslog.1",
     .path = "/var/log/syslog",
     .whole = true,
     .syslog = true,
     .services = true},
    {.path = "/var/log/audit/audit.log", .all_kernel = true},
};

static const char *const journal_places[] = {"/run/log/journal", "/var/log/journal"};

static void add_unread(struct logs *logs, const char *path, enum host_status status,
                       const struct error *error)
{
    if (status != HOST_OK && status != HOST_ABSENT)
        strlist_take(&logs->unread,
                     mem_printf("%s: %s", path, error->why ? error->why : "cannot be read"));
}

/* GPUs and the bridges above them, as the PCI probe left them. */
static void watch_addresses(const struct facts *facts, struct strlist *watched)
{
    const char *group;
    for (size_t i = 0; (group = facts_next(facts, "pci", &i)) != NULL;) {
        const struct strlist *bridges = facts_list(facts, group, "bridges");
        strlist_add_new(watched, group + strlen("pci/"));
        for (size_t k = 0; bridges && k < bridges->count; k++)
            strlist_add_new(watched, bridges->items[k]);
    }
}

static void read_boot_time(const struct host *host, int64_t *ret_time)
{
    AUTO_TEXT struct text text = {0};
    *ret_time = 0;
    if (!host_is_live(host) || note_read_text(host, PROC_STAT, 4u << 20, &text, NULL) != HOST_OK)
        return;
    char *cursor = text.data;
    for (char *line; (line = string_next_line(&cursor));) {
        unsigned long long seconds;
        if (string_starts(line, "btime ") && string_to_unsigned(line + 6, &seconds) &&
            seconds <= INT64_MAX)
            *ret_time = (int64_t)seconds;
    }
}

/* "3f2b…-…" as journal files have it, without the dashes. */
static void read_boot_id(const struct host *host, char ret_boot[static JOURNAL_BOOT_SIZE])
{
    AUTO_FREE char *line = NULL;
    size_t size = 0;
    ret_boot[0] = '\0';
    if (host_read_line(host, BOOT_ID, &line, NULL) != HOST_OK)
        return;
    for (const char *at = line; *at && size < JOURNAL_BOOT_SIZE - 1; at++)
        if (*at != '-')
            ret_boot[size++] = *at;
    ret_boot[size] = '\0';
}

/* whole: it says all that this boot has said, up to now. */
static void end_stream(struct logs *logs, struct kernel_stream *stream, bool current, bool whole)
{
    if (!current)
        stream_new_boot(stream);
    else if (whole && stream->lines > 0)
        logs->current = true;
    logs->complete = logs->complete || (current && whole && stream->begins);
    kernel_tally_merge(&logs->all, &stream->tally);
    kernel_lines_merge(&logs->said, &stream->said);
    stream_free(stream);
}

static bool take_kmsg(const struct kmsg_record *record, void *data)
{
    struct kernel_stream *stream = data;
    AUTO_FREE char *text = mem_string(record->text);
    stream->level = (int)record->level;
    stream_take(stream, text,
                (struct kernel_time){.seconds = (int64_t)(record->time_us / 1000000)});
    return true;
}

static void read_kmsg(struct logs *logs)
{
    AUTO_ERROR struct error error = {0};
    struct kernel_stream stream;
    bool complete = false;
    stream_begin(&stream, &logs->watched);
    stream_source(&stream, KMSG);
    enum host_status status = kmsg_each(logs->host, take_kmsg, &stream, &complete, &error);
    add_unread(logs, KMSG, status, &error);
    stream.begins = stream.begins || complete;
    if (status == HOST_OK)
        strlist_add(&logs->read, KMSG);
    end_stream(logs, &stream, true, status == HOST_OK);
}

/* The journal's files, as one stream. */
struct journal_reading {
    struct kernel_stream stream;
    char boot[JOURNAL_BOOT_SIZE]; /* of the last entry */
};

/* wall has the text of the time's date. */
static struct kernel_time time_of(const struct journal_entry *entry, char wall[static WALL_SIZE])
{
    time_t seconds = (time_t)(entry->real_us / 1000000);
    struct tm utc;
    wall[0] = '\0';
    if (gmtime_r(&seconds, &utc) && utc.tm_year < 8100)
        strftime(wall, WALL_SIZE, "%Y-%m-%dT%H:%M:%SZ", &utc);
    return (struct kernel_time){.seconds = (int64_t)(entry->since_boot_us / 1000000),
                                .wall = wall[0] ? wall : NULL};
}

static void take_entry(const struct journal_entry *entry, void *data)
{
    struct journal_reading *reading = data;
    char wall[WALL_SIZE];
    if (reading->boot[0] && strcmp(reading->boot, entry->boot) != 0)
        stream_new_boot(&reading->stream);
    memcpy(reading->boot, entry->boot, sizeof(reading->boot));
    AUTO_FREE char *text = mem_string(entry->message);
    stream_take(&reading->stream, text, time_of(entry, wall));
}

/* Of the boot that the kernel's last entry is of. */
static void take_service(const struct journal_entry *entry, void *data)
{
    struct journal_reading *reading = data;
    char wall[WALL_SIZE];
    if (strcmp(entry->boot, reading->boot) == 0)
        kernel_lines_add_service(&reading->stream.said, entry->identifier, time_of(entry, wall),
                                 entry->message);
}

static void read_journal_file(struct logs *logs, struct journal_reading *reading, const char *path)
{
    AUTO_ERROR struct error error = {0};
    struct journal_summary summary = {.unreadable = 0};
    stream_source(&reading->stream, path);
    enum host_status status =
        journal_each_kernel(logs->host, path, take_entry, reading, &summary, &error);
    add_unread(logs, path, status, &error);
    if (status != HOST_OK)
        return;
    strlist_add(&logs->read, path);
    if (summary.unreadable > 0)
        strlist_take(&logs->unread, mem_printf("%s: %zu messages, compressed or damaged", path,
                                               summary.unreadable));
}

/* Archived files are named "system@SEQNUM-ID-HEAD-REALTIME.journal": the last part, in hex digits
 * of one length, tells which is newest. */
static void archives_of(const struct strlist *names, struct strlist *ret_names)
{
    AUTO_STRLIST struct strlist keys = {0};
    for (size_t i = 0; i < names->count; i++) {
        const char *dash = strrchr(names->items[i], '-');
        if (string_starts(names->items[i], "system@") && string_ends(names->items[i], ".journal") &&
            dash)
            strlist_take(&keys, mem_printf("%s/%s", dash + 1, names->items[i]));
    }
    strlist_sort(&keys);
    for (size_t i = keys.count > ARCHIVES_MAX ? keys.count - ARCHIVES_MAX : 0; i < keys.count; i++)
        strlist_add(ret_names, strchr(keys.items[i], '/') + 1);
}

static void read_machine(struct logs *logs, const char *directory)
{
    AUTO_ERROR struct error error = {0};
    AUTO_STRLIST struct strlist names = {0};
    AUTO_STRLIST struct strlist chosen = {0};
    struct journal_reading reading = {.boot = ""};
    stream_begin(&reading.stream, &logs->watched);
    enum host_status status = host_list(logs->host, directory, &names, &error);
    add_unread(logs, directory, status, &error);
    archives_of(&names, &chosen);
    if (strlist_has(&names, "system.journal"))
        strlist_add(&chosen, "system.journal");
    for (size_t i = 0; i < chosen.count; i++) {
        AUTO_FREE char *path = mem_printf("%s/%s", directory, chosen.items[i]);
        read_journal_file(logs, &reading, path);
    }
    for (size_t i = 0; i < chosen.count; i++) {
        AUTO_FREE char *path = mem_printf("%s/%s", directory, chosen.items[i]);
        stream_source(&reading.stream, path);
        journal_each_service(logs->host, path, take_service, &reading, NULL);
    }
    bool current = logs->boot[0] == '\0' || strcmp(reading.boot, logs->boot) == 0;
    end_stream(logs, &reading.stream, current, true);
}

static void read_journals(struct logs *logs)
{
    AUTO_FREE char *machine = NULL;
    host_read_line(logs->host, "/etc/machine-id", &machine, NULL);
    for (size_t i = 0; i < sizeof(journal_places) / sizeof(journal_places[0]); i++) {
        AUTO_ERROR struct error error = {0};
        AUTO_STRLIST struct strlist names = {0};
        enum host_status status = host_list(logs->host, journal_places[i], &names, &error);
        add_unread(logs, journal_places[i], status, &error);
        size_t machines = 0;
        for (size_t k = 0; k < names.count; k++) {
            AUTO_FREE char *path = mem_printf("%s/%s", journal_places[i], names.items[k]);
            /* Journals of other machines may be gathered here. */
            bool other =
                machine && hex_is(machine, MACHINE_ID) && strcmp(machine, names.items[k]) != 0;
            if (hex_is(names.items[k], MACHINE_ID) && !other && machines++ < MACHINES_MAX)
                read_machine(logs, path);
        }
    }
}

static enum host_status read_text(struct logs *logs, struct kernel_stream *stream,
                                  const struct text_log *log, const char *path)
{
    AUTO_ERROR struct error error = {0};
    AUTO_TEXT struct text text = {0};
    bool cut = false;
    enum host_status status = host_read_tail(logs->host, path, TAIL_MAX, &text, &cut, &error);
    add_unread(logs, path, status, &error);
    if (status != HOST_OK)
        return status;
    strlist_add(&logs->read, path);
    for (size_t i = 0; i < text.size; i++)
        if (text.data[i] == '\0')
            text.data[i] = ' ';
    stream_source(stream, path);
    stream_take_file(stream, text.data, log->all_kernel, !cut);
    return status;
}

/* A file that was last written before this boot says nothing of it. */
static bool is_of_this_boot(const struct logs *logs, const char *path)
{
    struct host_stat stat;
    return host_stat(logs->host, path, &stat, NULL) == HOST_OK && stat.modified >= logs->boot_time;
}

static void read_texts(struct logs *logs)
{
    bool have_syslog = false;
    for (size_t i = 0; i < sizeof(text_logs) / sizeof(text_logs[0]); i++) {
        const struct text_log *log = &text_logs[i];
        struct kernel_stream stream;
        if (log->syslog && have_syslog && !log->services)
            continue;
        stream_begin(&stream, &logs->watched);
        stream.services_only = have_syslog && log->services;
        if (log->older && !have_syslog && host_exists(logs->host, log->path))
            read_text(logs, &stream, log, log->older);
        bool read = read_text(logs, &stream, log, log->path) == HOST_OK;
        have_syslog = have_syslog || (log->syslog && stream.lines > 0);
        bool whole = read && (log->whole || (log->through_boot && !host_is_live(logs->host)));
        end_stream(logs, &stream, is_of_this_boot(logs, log->path), whole);
    }
}

static void note_count(const struct logs *logs, struct facts *facts)
{
    static const char places[] = KMSG ", /var/log, /run/log/journal";
    AUTO_FREE char *reasons = strlist_join(&logs->unread, "; ");
    if (logs->all.full)
        facts_set_unknown(facts, "kernel_log", "count", "too many different messages", places);
    else if (logs->current)
        facts_set_integer(facts, "kernel_log", "count", (int64_t)logs->all.count, places);
    else if (facts_string(facts, "container", "engine"))
        facts_set_skipped(facts, "kernel_log", "count",
                          "the kernel log belongs to the host: check it there", places);
    else if (reasons[0])
        facts_set_unknown(facts, "kernel_log", "count", reasons, places);
    else if (host_is_live(logs->host))
        facts_set_unknown(facts, "kernel_log", "count", "no log from this boot was found", places);
    else
        facts_set_skipped(facts, "kernel_log", "count", "the tree holds no kernel log", places);
}

static void note_lines(const struct logs *logs, struct facts *facts)
{
    const struct fact *count = facts_get(facts, "kernel_log", "count");
    kernel_lines_note(&logs->said, facts);
    if (logs->current)
        facts_set_integer(facts, "log_line", "count", (int64_t)logs->said.count, count->source);
    else if (count->state == FACT_SKIPPED)
        facts_set_skipped(facts, "log_line", "count", count->reason, count->source);
    else
        facts_set_unknown(facts, "log_line", "count", count->reason ? count->reason : "",
                          count->source);
}

void probe_kernel_log(const struct probe_context *context, struct facts *facts)
{
    static const char source[] = "the logs that could be read";
    struct logs logs = {.host = context->host};
    watch_addresses(facts, &logs.watched);
    read_boot_time(logs.host, &logs.boot_time);
    read_boot_id(logs.host, logs.boot);
    read_kmsg(&logs);
    read_journals(&logs);
    read_texts(&logs);
    note_count(&logs, facts);
    facts_set_list(facts, "kernel_log", "read", &logs.read, source);
    facts_set_list(facts, "kernel_log", "unread", &logs.unread, source);
    facts_set_boolean(facts, "kernel_log", "complete", logs.complete, source);
    kernel_tally_note(&logs.all, facts);
    note_lines(&logs, facts);
    kernel_tally_free(&logs.all);
    kernel_lines_free(&logs.said);
    strlist_free(&logs.read);
    strlist_free(&logs.unread);
    strlist_free(&logs.watched);
}
