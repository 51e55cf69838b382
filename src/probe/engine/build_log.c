/* SPDX-License-Identifier: MIT */
#include "probe/engine/build_log.h"

#include <string.h>

#include "base/text.h"

#define TAIL_MAX (256u << 10)
#define HEAD_MAX 4096
#define LINE_MAX 300

/* Parts of lines that say why a build failed: make's, the compiler's, the driver's conftest.sh and
 * DKMS's own. */
static const char *const signs[] = {
    ": error:",
    "fatal error:",
    ": Error ",
    "] Error ",
    "*** ",
    "ERROR:",
    "Bad return status",
    "CC version check failed",
    "compiler version check",
    "unable to find the development tool",
    "undefined!",
    "No such file or directory",
    "No space left on device",
    "cannot find -l",
    " is needed by ", /* rpm's: what a build requires */
    "Killed",
    "The kernel was built by",
};

/* Lines with such parts that are no errors. */
static const char *const harmless[] = {"-Werror", "conftest", "Error 2 (ignored)", "(ignored)"};

/* True for a line of a build's output that says what went wrong. */
static bool is_error(const char *line)
{
    for (size_t i = 0; i < sizeof(harmless) / sizeof(harmless[0]); i++)
        if (strstr(line, harmless[i]))
            return false;
    for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++)
        if (strstr(line, signs[i]))
            return true;
    return false;
}

/* The word behind part, up to a blank or a parenthesis. */
static char *word_after(const char *line, const char *part)
{
    const char *at = strstr(line, part);
    if (at == NULL)
        return NULL;
    at += strlen(part);
    size_t length = strcspn(at, " \t()\n");
    return length > 0 ? mem_string_n(at, length) : NULL;
}

/* "DKMS (dkms-3.0.10) make.log for nvidia/570.86.15 for kernel 6.8.0-45-generic (x86_64)", in older
 * releases "DKMS make.log for nvidia-570.86.15 for kernel …". */
static void take_head(const char *line, struct build_log *log)
{
    if (log->kernel == NULL && strstr(line, "make.log for "))
        log->kernel = word_after(line, " for kernel ");
}

static void set_outcome(struct build_log *log, const char *outcome)
{
    free(log->outcome);
    log->outcome = mem_string(outcome);
}

static void take_line(const char *line, struct build_log *log)
{
    static const char exit_code[] = "# exit code: "; /* DKMS 3.1 */
    take_head(line, log);
    if (string_starts(line, exit_code))
        set_outcome(log, string_equal(line + strlen(exit_code), "0") ? "ended" : "failed");
    if (!is_error(line))
        return;
    if (strstr(line, "Error ") || strstr(line, "ERROR") || strstr(line, "Bad return status"))
        set_outcome(log, "failed");
    AUTO_FREE char *short_line = mem_string_n(line, strnlen(line, LINE_MAX));
    if (strlist_has(&log->errors, short_line))
        return;
    if (log->errors.count >= BUILD_ERRORS_MAX) {
        free(log->errors.items[0]);
        log->errors.count--;
        memmove(log->errors.items, log->errors.items + 1,
                log->errors.count * sizeof(*log->errors.items));
    }
    strlist_add(&log->errors, short_line);
}

static void clean(struct text *text)
{
    for (size_t i = 0; i < text->size; i++)
        if (text->data[i] == '\0')
            text->data[i] = ' ';
}

enum host_status build_log_read(const struct host *host, const char *path,
                                struct build_log *ret_log, struct error *error)
{
    AUTO_TEXT struct text head = {0};
    AUTO_TEXT struct text tail = {0};
    struct host_stat stat;
    bool cut = false;
    *ret_log = (struct build_log){0};
    enum host_status status = host_read_tail(host, path, TAIL_MAX, &tail, &cut, error);
    if (status != HOST_OK)
        return status;
    ret_log->path = mem_string(path);
    if (host_stat(host, path, &stat, NULL) == HOST_OK)
        ret_log->modified = stat.modified;
    if (cut && host_read_head(host, path, HEAD_MAX, &head, NULL) == HOST_OK) {
        clean(&head);
        char *cursor = head.data;
        for (char *line; (line = string_next_line(&cursor));)
            take_head(line, ret_log);
    }
    clean(&tail);
    char *cursor = tail.data;
    for (char *line; (line = string_next_line(&cursor));)
        take_line(string_trim(line), ret_log);
    return HOST_OK;
}

void build_log_free(struct build_log *log)
{
    free(log->path);
    free(log->kernel);
    free(log->outcome);
    strlist_free(&log->errors);
    *log = (struct build_log){0};
}
