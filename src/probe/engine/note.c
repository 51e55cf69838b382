/* SPDX-License-Identifier: MIT */
#include "probe/engine/note.h"

#include <string.h>

#include "base/json.h"

#define TEXT_SHOWN 40

void note_missing(struct facts *facts, const char *group, const char *name, enum host_status status,
                  const struct error *error, const char *source)
{
    if (status == HOST_ABSENT) {
        facts_set_absent(facts, group, name, source);
    } else if (status == HOST_FOREIGN) {
        facts_set_skipped(facts, group, name, "belongs to the machine gpuenv runs on, not the tree",
                          source);
    } else {
        AUTO_TEXT struct text reason = {0};
        text_append(&reason, error->what ? error->what : "cannot be read");
        if (error->why)
            text_printf(&reason, ": %s", error->why);
        facts_set_unknown(facts, group, name, text_string(&reason), source);
    }
}

void note_missing_below(const struct host *host, struct facts *facts, const char *group,
                        const char *name, enum host_status status, const struct error *error,
                        const char *path, const char *above)
{
    if (status != HOST_ABSENT || host_exists(host, above)) {
        note_missing(facts, group, name, status, error, path);
        return;
    }
    bool live = host_is_live(host);
    AUTO_FREE char *reason = mem_printf("%s %s", live ? "there is no" : "the tree holds no", above);
    if (live)
        facts_set_unknown(facts, group, name, reason, path);
    else
        facts_set_skipped(facts, group, name, reason, path);
}

bool note_sandboxed(struct facts *facts, const char *group, const char *name, const char *path)
{
    if (!facts_string(facts, "container", "sandbox"))
        return false;
    facts_set_skipped(facts, group, name, "gVisor does not show this: check on the host", path);
    return true;
}

void note_unexpected(struct facts *facts, const char *group, const char *name, const char *what,
                     const char *text, const char *source)
{
    size_t length = strnlen(text, TEXT_SHOWN + 1);
    AUTO_TEXT struct text reason = {0};
    text_printf(&reason, "%s: \"", what);
    text_append_safe_n(&reason, text, length > TEXT_SHOWN ? TEXT_SHOWN : length);
    text_append(&reason, length > TEXT_SHOWN ? "…\"" : "\"");
    facts_set_unknown(facts, group, name, text_string(&reason), source);
}

bool note_line(const struct host *host, struct facts *facts, const char *group, const char *name,
               const char *path)
{
    AUTO_ERROR struct error error = {0};
    AUTO_FREE char *line = NULL;
    enum host_status status = host_read_line(host, path, &line, &error);
    if (status != HOST_OK) {
        note_missing(facts, group, name, status, &error, path);
        return false;
    }
    if (line[0] == '\0') {
        facts_set_unknown(facts, group, name, "the file is empty", path);
        return false;
    }
    facts_set_string(facts, group, name, line, path);
    return true;
}

bool note_integer(const struct host *host, struct facts *facts, const char *group, const char *name,
                  const char *path)
{
    AUTO_ERROR struct error error = {0};
    AUTO_FREE char *line = NULL;
    enum host_status status = host_read_line(host, path, &line, &error);
    if (status != HOST_OK) {
        note_missing(facts, group, name, status, &error, path);
        return false;
    }
    unsigned long long value;
    if (!string_to_unsigned(line, &value) || value > INT64_MAX) {
        note_unexpected(facts, group, name, "not a number", line, path);
        return false;
    }
    facts_set_integer(facts, group, name, (int64_t)value, path);
    return true;
}

enum host_status note_read_text(const struct host *host, const char *path, size_t max,
                                struct text *ret_text, struct error *error)
{
    AUTO_TEXT struct text text = {0};
    enum host_status status = host_read(host, path, max, &text, error);
    if (status != HOST_OK)
        return status;
    if (text.size > 0 && memchr(text.data, '\0', text.size)) {
        error_set(error, ERROR_DATA, "not a text file");
        error_where(error, "%s", path);
        error_why(error, "it holds a NUL byte");
        return HOST_FAILED;
    }
    text_free(ret_text);
    *ret_text = text;
    text = (struct text){0};
    return HOST_OK;
}

enum host_status note_read_json(const struct host *host, const char *path, size_t max,
                                json_t **ret_document, struct error *error)
{
    AUTO_TEXT struct text text = {0};
    *ret_document = NULL;
    enum host_status status = note_read_text(host, path, max, &text, error);
    if (status == HOST_OK)
        *ret_document = json_parse(text_string(&text), text.size, max, path, error);
    return status == HOST_OK && *ret_document == NULL ? HOST_FAILED : status;
}
