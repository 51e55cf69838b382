/* SPDX-License-Identifier: MIT */
/* The kernel's log: dmesg, journalctl -k, kern.log, and such lines within another text. */
#include "from/from_private.h"

#include <ctype.h>
#include <stdlib.h>

#include "probe/kernel/nvrm.h"

#define WALL_SIZE 40
#define WATCHED   512 /* PCI functions */

/* A line of the kernel's log, without what tools put before it. */
struct log_line {
    char *text; /* NULL: it is none */
    struct kernel_time time;
    char wall[WALL_SIZE];
    bool syslog; /* "Nov 21 13:37:01 host kernel: …": kernel_stream.c reads such lines */
};

/* "kern  :err   : " of dmesg -x, "<3>" of dmesg -r. */
static char *skip_level(char *line)
{
    if (line[0] == '<') {
        char *end = line + 1 + strspn(line + 1, "0123456789");
        return *end == '>' && end > line + 1 ? end + 1 : line;
    }
    size_t word = strcspn(line, " :");
    bool tool = word > 0 && word <= 8 && islower((unsigned char)line[0]) &&
                line[word + strspn(line + word, " ")] == ':' && !string_starts(line, "kernel:");
    if (!tool)
        return line;
    char *colon = strchr(line, ':');
    char *second = colon ? strchr(colon + 1, ':') : NULL;
    if (second == NULL || second - line > 24)
        return line;
    return second + 1 + strspn(second + 1, " ");
}

/* "[   12.345678] ", "[   12.345678][ T1194] ". */
static char *take_seconds(char *line, struct log_line *taken)
{
    char *digits = line + 1 + strspn(line + 1, " ");
    size_t count = strspn(digits, "0123456789");
    char *end = strchr(digits, ']');
    if (count == 0 || count > 12 || digits[count] != '.' || end == NULL ||
        digits + count + 1 + strspn(digits + count + 1, "0123456789") != end)
        return NULL;
    taken->time.seconds = strtoll(digits, NULL, 10);
    char *rest = end + 1;
    if (rest[0] == '[' && strchr(rest, ']'))
        rest = strchr(rest, ']') + 1;
    return rest + strspn(rest, " ");
}

/* "[Fri Aug 30 11:11:22 2024] " of dmesg -T. */
static char *take_wall(char *line, struct log_line *taken)
{
    char *end = strchr(line, ']');
    size_t size = end ? (size_t)(end - line) - 1 : 0;
    if (size < 20 || size >= WALL_SIZE || !isupper((unsigned char)line[1]) || line[4] != ' ' ||
        !isupper((unsigned char)line[5]))
        return NULL;
    memcpy(taken->wall, line + 1, size);
    taken->wall[size] = '\0';
    taken->time.wall = taken->wall;
    return end + 1 + strspn(end + 1, " ");
}

/* "2025-01-21T04:41:44,285060+00:00 " of dmesg --time-format iso. */
static char *take_date(char *line, struct log_line *taken)
{
    size_t size = strcspn(line, " ");
    if (size < 19 || size >= WALL_SIZE || strspn(line, "0123456789") != 4 || line[4] != '-' ||
        line[10] != 'T' || line[size] != ' ')
        return NULL;
    memcpy(taken->wall, line, size);
    taken->wall[size] = '\0';
    taken->time.wall = taken->wall;
    return line + size + strspn(line + size, " ");
}

/* "6,3964,206764307,-;" of /dev/kmsg: level, number, microseconds. */
static char *take_record(char *line, struct log_line *taken)
{
    AUTO_STRLIST struct strlist fields = {0};
    char *end = strchr(line, ';');
    if (end == NULL || end - line > 60 || strspn(line, "0123456789,-c=+") != (size_t)(end - line))
        return NULL;
    AUTO_FREE char *head = mem_string_n(line, (size_t)(end - line));
    strlist_split(&fields, head, ',');
    if (fields.count < 4)
        return NULL;
    taken->time.seconds = strtoll(fields.items[2], NULL, 10) / 1000000;
    return end + 1;
}

static void take(char *line, struct log_line *taken)
{
    *taken = (struct log_line){.time = {.seconds = -1}};
    if (strstr(line, " kernel: ")) {
        taken->syslog = true;
        taken->text = line;
        return;
    }
    char *text = skip_level(line + strspn(line, " \t>"));
    if (text[0] == '[') {
        char *rest = take_seconds(text, taken);
        taken->text = rest ? rest : take_wall(text, taken);
    } else if (isdigit((unsigned char)text[0])) {
        char *rest = take_record(text, taken);
        taken->text = rest                                 ? rest
                      : text > line + strspn(line, " \t>") ? take_date(text, taken)
                                                           : NULL;
    } else if (string_starts(text, "kernel: ")) {
        taken->text = text + strlen("kernel: ");
    } else if (string_starts(text, "NVRM: ") && !strstr(text, "NVRM version")) {
        taken->text = text;
    }
}

/* "NVRM: loading NVIDIA UNIX x86_64 Kernel Module  535.161.08  …": the release of this boot. */
static void take_release(const struct from_part *part, size_t line, const char *text)
{
    static const char loading[] = "NVRM: loading ";
    AUTO(nvrm_free) struct nvrm nvrm = {0};
    if (!string_starts(text, loading))
        return;
    AUTO_FREE char *whole = mem_printf("NVRM version: %s", text + strlen(loading));
    nvrm_parse(whole, strlen(whole), &nvrm);
    if (nvrm.version == NULL)
        return;
    from_string(part, line, "module", "version", nvrm.version);
    if (nvrm.flavour)
        from_string(part, line, "module", "flavour", nvrm.flavour);
}

/* The lines of the driver that name GPUs, and the bridges above them, as lspci showed them. Each
 * line is compared with all of them. */
static void watch(const struct facts *facts, struct strlist *watched)
{
    const char *group;
    for (size_t i = 0; (group = facts_next(facts, "pci", &i)) != NULL && watched->count < WATCHED;)
        strlist_add(watched, group + strlen("pci/"));
}

/* Sections of nvidia-bug-report.log that say again what another one says, or of earlier boots. */
static bool is_other_log(const struct from_part *part)
{
    return part->title && !string_starts(part->title, "dmesg") &&
           !string_starts(part->title, "journalctl -b -0") &&
           !string_starts(part->title, "Scanning kernel log");
}

/* "  journalctl -b -1:" within "Scanning kernel log files": what follows is of an earlier boot, up
 * to the heading of another log. */
static void take_heading(const char *text, bool *earlier)
{
    const char *line = text + strspn(text, " ");
    if (line == text || !string_ends(line, ":"))
        return;
    if (string_starts(line, "journalctl -b -"))
        *earlier = line[strlen("journalctl -b -")] != '0';
    else if (string_starts(line, "/var/log/"))
        *earlier = false;
}

size_t from_log(struct from_part *part)
{
    AUTO_STRLIST struct strlist watched = {0};
    AUTO_TEXT struct text copy = {0};
    struct kernel_stream stream;
    size_t used = 0;
    bool earlier = false;
    if (is_other_log(part))
        return 0;
    watch(part->from->facts, &watched);
    stream_begin(&stream, &watched);
    for (size_t i = part->first; i < part->end; i++) {
        struct log_line line;
        if (part->title)
            take_heading(part->file->lines[i], &earlier);
        if (part->file->lines[i][0] == '\0' || earlier)
            continue;
        text_clear(&copy);
        text_append(&copy, part->file->lines[i]);
        take(copy.data, &line);
        if (line.text == NULL)
            continue;
        AUTO_FREE char *source = from_source(part, i);
        used++;
        if (!line.syslog)
            take_release(part, i, line.text);
        stream_source(&stream, source);
        if (line.syslog)
            stream_take_file(&stream, line.text, false, true);
        else
            stream_take(&stream, line.text, line.time);
    }
    if (used > 0) {
        kernel_tally_merge(&part->from->tally, &stream.tally);
        kernel_lines_merge(&part->from->said, &stream.said);
        part->from->complete = part->from->complete || stream.begins;
        strlist_add_new(&part->from->logs, part->file->name);
        /* Whoever ran nvidia-bug-report.sh could read the kernel's log: that is no container. */
        if (part->title && string_starts(part->title, "dmesg"))
            from_absent(part, part->first, "container", "engine");
    }
    stream_free(&stream);
    return used;
}
