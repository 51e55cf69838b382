/* SPDX-License-Identifier: MIT */
#include "from/from_private.h"

#include <ctype.h>

#include "facts/dictionary.h"
#include "probe/system/environment_name.h"

#define SOURCE    "--from"
#define LINES_MAX 4000000 /* of a file; in a log of 64 MiB a line has more than 16 bytes */

const char from_not_sent[] = "not in what was sent";

struct from *from_new(void)
{
    struct from *from = mem_alloc(sizeof(struct from));
    from->facts = facts_new();
    return from;
}

static void file_free(struct from_file *file)
{
    free(file->name);
    text_free(&file->text);
    free(file->lines);
    free(file);
}

void from_free(struct from *from)
{
    if (from == NULL)
        return;
    for (size_t i = 0; i < from->count; i++)
        file_free(from->files[i]);
    free(from->files);
    facts_free(from->facts);
    strlist_free(&from->read);
    strlist_free(&from->logs);
    kernel_tally_free(&from->tally);
    kernel_lines_free(&from->said);
    free(from);
}

const struct strlist *from_read(const struct from *from)
{
    return &from->read;
}

/* A terminal's colours (ESC [ … letter) and the marks of a quotation, in place. */
static void strip_marks(char *line)
{
    char *to = line;
    const char *at = line;
    while (at[0] == '>' && (at[1] == ' ' || at[1] == '>' || at[1] == '\0'))
        at += 1 + (at[1] == ' ');
    while (*at) {
        if (at[0] == '\x1b' && at[1] == '[') {
            at += 2 + strspn(at + 2, "0123456789;?");
            at += *at != '\0';
            continue;
        }
        *to++ = *at++;
    }
    *to = '\0';
}

static struct from_file *file_new(const char *name, const char *text, size_t size)
{
    struct from_file *file = mem_alloc(sizeof(struct from_file));
    file->name = mem_string(name);
    text_append_n(&file->text, text, size);
    for (size_t i = 0; i < size; i++)
        if (file->text.data[i] == '\0')
            file->text.data[i] = ' ';
    char *cursor = file->text.data;
    for (char *line; (line = string_next_line(&cursor)) != NULL;) {
        strip_marks(line);
        size_t length = strlen(line);
        if (length > 0 && line[length - 1] == '\r')
            line[length - 1] = '\0';
        *vec_push(file->lines, file->count, file->capacity) = line;
    }
    return file;
}

size_t from_find(const struct from_part *part, size_t first, const char *word)
{
    for (size_t i = first; i < part->end; i++)
        if (strstr(part->file->lines[i], word))
            return i;
    return part->end;
}

/* Reads a part as every kind that it has; adds each kind's name and lines to used. */
static void read_part(struct from_part *part, size_t used[])
{
    for (size_t i = 0; from_table[i].name; i++)
        used[i] += from_table[i].read(part);
}

static bool is_rule(const char *line)
{
    return string_starts(line, "____________________");
}

/* "*** /proc/modules", or the command of the section: the first line that says something. */
static char *title_of(const struct from_file *file, size_t first, size_t end)
{
    while (first < end && file->lines[first][strspn(file->lines[first], " ")] == '\0')
        first++;
    if (first == end)
        return mem_string("");
    const char *line = file->lines[first];
    if (!string_starts(line, "*** "))
        return mem_string(line);
    AUTO_FREE char *path = mem_string_n(line + 4, strcspn(line + 4, " "));
    char *dot = strstr(path, "/./");
    return dot ? mem_printf("%.*s%s", (int)(dot - path), path, dot + 2) : mem_steal(&path);
}

/* nvidia-bug-report.log is read section by section. */
static void read_report(struct from *from, const struct from_file *file, size_t used[])
{
    for (size_t begin = 0; begin < file->count;) {
        size_t end = begin + 1;
        while (end < file->count && !is_rule(file->lines[end]))
            end++;
        size_t first = begin + is_rule(file->lines[begin]);
        AUTO_FREE char *title = title_of(file, first, end);
        struct from_part part = {
            .from = from, .file = file, .first = first, .end = end, .title = title};
        read_part(&part, used);
        begin = end;
    }
}

static bool is_report(const struct from_part *part)
{
    size_t line = from_find(part, 0, "Start of NVIDIA bug report log file");
    return line < part->end && line < 200;
}

/* "a.log: nvidia-bug-report with lspci, kernel log (812 lines)" */
static bool add_read(struct from *from, const struct from_file *file, bool report,
                     const size_t used[])
{
    AUTO_TEXT struct text line = {0};
    size_t lines = 0;
    bool any = false;
    text_printf(&line, "%s: %s", file->name, report ? "nvidia-bug-report with " : "");
    for (size_t i = 0; from_table[i].name; i++) {
        if (used[i] == 0)
            continue;
        text_printf(&line, "%s%s", any ? ", " : "", from_table[i].name);
        any = true;
        lines += used[i];
    }
    text_printf(&line, " (%zu of %zu lines)", lines < file->count ? lines : file->count,
                file->count);
    if (any)
        strlist_take(&from->read, text_steal(&line));
    return any;
}

/* The kinds, one each. */
static void from_kinds(struct strlist *lines)
{
    strlist_add(lines, "nvidia-bug-report.log, nvidia-bug-report.log.gz");
    for (size_t i = 0; from_table[i].name; i++)
        if (from_table[i].words)
            strlist_add(lines, from_table[i].words);
}

static bool has_too_many_lines(const char *text, size_t size)
{
    size_t lines = 0;
    const char *end = text + size;
    for (const char *at = text; (at = memchr(at, '\n', (size_t)(end - at))) != NULL; at++)
        if (++lines > LINES_MAX)
            return true;
    return false;
}

#define KINDS_MAX 32

bool from_add(struct from *from, const char *name, const char *text, size_t size,
              struct error *error)
{
    size_t used[KINDS_MAX] = {0};
    if (has_too_many_lines(text, size)) {
        error_set(error, ERROR_DATA, "the file has more than %d lines", LINES_MAX);
        error_where(error, "%s", name);
        return error_next(error, "send the lines around the error alone");
    }
    struct from_file *file = file_new(name, text, size);
    *vec_push(from->files, from->count, from->capacity) = file;
    struct from_part whole = {.from = from, .file = file, .end = file->count};
    bool report = is_report(&whole);
    if (report)
        read_report(from, file, used);
    else
        read_part(&whole, used);
    if (add_read(from, file, report, used))
        return true;
    AUTO_STRLIST struct strlist kinds = {0};
    from_kinds(&kinds);
    AUTO_FREE char *list = strlist_join(&kinds, "; ");
    error_set(error, ERROR_NO_INPUT, "not a file that gpuenv can judge a machine from");
    error_where(error, "%s", name);
    return error_next(error, "gpuenv reads: %s", list);
}

char *from_source(const struct from_part *part, size_t line)
{
    return mem_printf("%s:%zu", part->file->name, line + 1);
}

/* Whether the fact is free to be set: an earlier line that had a value counts. */
static bool is_free(const struct from_part *part, const char *group, const char *name)
{
    const struct fact *fact = facts_peek(part->from->facts, group, name);
    return fact == NULL || fact->state != FACT_VALUE;
}

void from_string(const struct from_part *part, size_t line, const char *group, const char *name,
                 const char *value)
{
    AUTO_FREE char *source = from_source(part, line);
    if (is_free(part, group, name))
        facts_set_string(part->from->facts, group, name, value, source);
}

void from_integer(const struct from_part *part, size_t line, const char *group, const char *name,
                  int64_t value)
{
    AUTO_FREE char *source = from_source(part, line);
    if (is_free(part, group, name))
        facts_set_integer(part->from->facts, group, name, value, source);
}

void from_boolean(const struct from_part *part, size_t line, const char *group, const char *name,
                  bool value)
{
    AUTO_FREE char *source = from_source(part, line);
    if (is_free(part, group, name))
        facts_set_boolean(part->from->facts, group, name, value, source);
}

void from_list(const struct from_part *part, size_t line, const char *group, const char *name,
               const struct strlist *value)
{
    AUTO_FREE char *source = from_source(part, line);
    if (is_free(part, group, name))
        facts_set_list(part->from->facts, group, name, value, source);
}

void from_absent(const struct from_part *part, size_t line, const char *group, const char *name)
{
    AUTO_FREE char *source = from_source(part, line);
    if (facts_peek(part->from->facts, group, name) == NULL)
        facts_set_absent(part->from->facts, group, name, source);
}

void from_unknown(const struct from_part *part, size_t line, const char *group, const char *name,
                  const char *reason)
{
    AUTO_FREE char *source = from_source(part, line);
    if (is_free(part, group, name))
        facts_set_unknown(part->from->facts, group, name, reason, source);
}

void from_nvml(const struct from_part *part, size_t line, const char *driver, const char *cuda,
               int64_t count)
{
    static const char group[] = "answer/libnvidia-ml.so.1";
    from_string(part, line, group, "library", "libnvidia-ml.so.1");
    from_integer(part, line, group, "init", 0);
    if (driver) { /* the module's, which answered */
        from_string(part, line, group, "driver_version", driver);
        from_string(part, line, "module", "version", driver);
    }
    if (cuda)
        from_string(part, line, group, "cuda_version", cuda);
    if (count < 0)
        return;
    from_integer(part, line, group, "device_count", count);
    from_integer(part, line, "nvml", "count", count);
}

/* Digits in groups: domain (which may lack), bus, slot, function. */
char *from_address(const char *text)
{
    unsigned long parts[4];
    size_t count = 0;
    const char *at = text;
    static const char after[] = ":::.";
    size_t colons = 0;
    for (const char *look = text; *look && !isspace((unsigned char)*look); look++)
        colons += *look == ':';
    for (count = colons == 1 ? 1 : 0, parts[0] = 0; count < 4; count++) {
        char *end;
        if (!isxdigit((unsigned char)*at))
            return NULL;
        parts[count] = strtoul(at, &end, 16);
        if (end - at > 8)
            return NULL;
        at = end;
        if (count < 3 && *at++ != (count == 2 ? '.' : after[count]))
            return NULL;
    }
    if ((*at && !isspace((unsigned char)*at) && *at != '/') || parts[0] > 0xffffffff ||
        parts[1] > 0xff || parts[2] > 0x1f || parts[3] > 7)
        return NULL;
    return mem_printf("%04lx:%02lx:%02lx.%lx", parts[0], parts[1], parts[2], parts[3]);
}

static void note_logs(struct from *from)
{
    if (from->logs.count == 0)
        return;
    AUTO_FREE char *source = strlist_join(&from->logs, ", ");
    kernel_tally_note(&from->tally, from->facts);
    kernel_lines_note(&from->said, from->facts);
    facts_set_integer(from->facts, "kernel_log", "count", (int64_t)from->tally.count, source);
    facts_set_integer(from->facts, "log_line", "count", (int64_t)from->said.count, source);
    facts_set_boolean(from->facts, "kernel_log", "complete", from->complete, source);
    facts_set_list(from->facts, "kernel_log", "read", &from->logs, source);
}

/* Everything else was not sent. */
static void fill(struct facts *facts, const char *group)
{
    for (const struct fact_entry *entry = fact_entries; entry->kind; entry++) {
        size_t size = strlen(entry->kind);
        if (strncmp(group, entry->kind, size) != 0 || (group[size] && group[size] != '/') ||
            entry->of_instance != (group[size] == '/') || string_equal(entry->name, "*") ||
            facts_peek(facts, group, entry->name))
            continue;
        facts_set_skipped(facts, group, entry->name, from_not_sent, SOURCE);
    }
}

/* A GPU that a log or NVML names is on the bus, whatever else is not known of it. */
static void add_gpus(struct from *from)
{
    static const char *const events[] = {
        "xid",           "fallen_off_bus",   "rm_init_failed",  "gsp_timeout",
        "open_required", "open_unsupported", "gpu_unsupported", "gsp_firmware_missing",
        "legacy_gpu",    "board_not_ready",  "power_cable",     "cannot_attach"};
    AUTO_STRLIST struct strlist addresses = {0};
    const char *group;
    for (size_t i = 0; i < from->tally.count; i++)
        for (size_t k = 0; k < sizeof(events) / sizeof(events[0]); k++)
            if (string_equal(from->tally.seen[i].event.name, events[k]) &&
                from->tally.seen[i].event.bus_id[0])
                strlist_add_new(&addresses, from->tally.seen[i].event.bus_id);
    for (size_t i = 0; (group = facts_next(from->facts, "nvml", &i)) != NULL;) {
        const char *address = facts_string(from->facts, group, "bus_id");
        if (address)
            strlist_add_new(&addresses, address);
    }
    for (size_t i = 0; i < addresses.count; i++) {
        AUTO_FREE char *pci = mem_printf("pci/%s", addresses.items[i]);
        fill(from->facts, pci);
    }
}

/* Groups that rules ask for by name. */
static void fill_named(struct facts *facts)
{
    static const char *const groups[] = {"loader/libcuda.so.1", "loader/libnvidia-ml.so.1",
                                         "answer/libcuda.so.1", "answer/libnvidia-ml.so.1"};
    for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++)
        fill(facts, groups[i]);
    for (size_t i = 0; environment_names[i]; i++)
        if (facts_peek(facts, "environment", environment_names[i]) == NULL)
            facts_set_skipped(facts, "environment", environment_names[i], from_not_sent, SOURCE);
}

struct facts *from_facts(struct from *from)
{
    note_logs(from);
    if (from->has_record)
        return mem_steal(&from->facts);
    add_gpus(from);
    size_t count = facts_group_count(from->facts);
    for (size_t i = 0; i < count; i++) {
        AUTO_FREE char *group = mem_string(facts_group_at(from->facts, i));
        fill(from->facts, group);
    }
    facts_set_absent(from->facts, "assumed", "driver_version", SOURCE);
    for (const struct fact_kind *kind = fact_kinds; kind->kind; kind++)
        fill(from->facts, kind->kind);
    fill_named(from->facts);
    return mem_steal(&from->facts);
}
