/* SPDX-License-Identifier: MIT */
#include "probe/service/process.h"

#include <string.h>

#include "probe/engine/note.h"

#define TICKS         100 /* USER_HZ: what /proc counts in, on every architecture that has GPUs */
#define STAT_MAX      (1u << 20)
#define ARGUMENTS_MAX (128u << 10)

enum host_status process_started(const struct host *host, const char *pid, int64_t *ret_seconds,
                                 char **ret_path, struct error *error)
{
    AUTO_TEXT struct text text = {0};
    AUTO_STRLIST struct strlist fields = {0};
    unsigned long long ticks;
    *ret_path = mem_printf("/proc/%s/stat", pid);
    enum host_status status = note_read_text(host, *ret_path, STAT_MAX, &text, error);
    if (status != HOST_OK)
        return status;
    const char *end = strrchr(text_string(&text), ')'); /* its name may hold anything */
    strlist_split(&fields, end ? end + 1 : "", ' ');    /* an empty one, then the third field */
    if (fields.count > 20 && string_to_unsigned(fields.items[20], &ticks) && ticks <= INT64_MAX) {
        *ret_seconds = (int64_t)(ticks / TICKS);
        return HOST_OK;
    }
    error_set(error, ERROR_DATA, "not a line of 22 fields");
    error_why(error, "not a line of 22 fields");
    return HOST_FAILED;
}

bool boot_time(const struct host *host, int64_t *ret_seconds)
{
    AUTO_TEXT struct text text = {0};
    unsigned long long seconds;
    if (note_read_text(host, "/proc/stat", STAT_MAX, &text, NULL) != HOST_OK)
        return false;
    char *cursor = text.data;
    for (char *line; (line = string_next_line(&cursor));)
        if (string_starts(line, "btime ") && string_to_unsigned(line + 6, &seconds) &&
            seconds <= INT64_MAX) {
            *ret_seconds = (int64_t)seconds;
            return true;
        }
    return false;
}

void process_arguments(const struct host *host, const char *pid, struct strlist *arguments)
{
    AUTO_FREE char *path = mem_printf("/proc/%s/cmdline", pid);
    AUTO_TEXT struct text text = {0};
    if (host_read(host, path, ARGUMENTS_MAX, &text, NULL) != HOST_OK)
        return;
    for (size_t i = 0; i < text.size; i += strlen(text.data + i) + 1)
        strlist_add(arguments, text.data + i);
}

char *process_program(const struct host *host, const char *pid, const struct strlist *arguments)
{
    AUTO_FREE char *path = mem_printf("/proc/%s/exe", pid);
    char *program = NULL;
    if (host_read_link(host, path, &program, NULL) == HOST_OK)
        return program;
    return arguments->count > 0 ? mem_string(arguments->items[0]) : NULL;
}

bool process_user(const struct host *host, const char *pid, unsigned long long *ret_user)
{
    AUTO_FREE char *path = mem_printf("/proc/%s/status", pid);
    AUTO_TEXT struct text text = {0};
    if (note_read_text(host, path, STAT_MAX, &text, NULL) != HOST_OK)
        return false;
    char *cursor = text.data;
    for (char *line; (line = string_next_line(&cursor));) {
        if (!string_starts(line, "Uid:"))
            continue;
        char *value = string_trim(line + 4);
        value[strcspn(value, " \t")] = '\0';
        return string_to_unsigned(value, ret_user);
    }
    return false;
}
