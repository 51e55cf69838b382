/* SPDX-License-Identifier: MIT */
#include "manifest/error/log.h"

#include <string.h>

#include "manifest/reader/slug.h"
#include "manifest/reader/subject.h"
#include "manifest/store/store.h"

#define PARTS_MIN 8 /* letters: a row for less would swallow lines that it knows nothing about */

static const char *const kinds[] = {"harmless", "detail", "fault", "other", NULL};
static const char *const writers[] = {"driver", "kernel", "service", NULL};
static const char *const severities[] = {"warn", "info", NULL};

static const struct manifest_key keys[] = {
    KEY(manifest_log, name, KEY_STRING, .required = true),
    KEY(manifest_log, kind, KEY_CHOICE, .required = true, .choices = kinds),
    KEY(manifest_log, by, KEY_CHOICE, .choices = writers),
    KEY(manifest_log, parts, KEY_STRINGS),
    KEY(manifest_log, of, KEY_STRINGS),
    KEY(manifest_log, findings, KEY_STRINGS),
    KEY(manifest_log, severity, KEY_CHOICE, .choices = severities),
    KEY(manifest_log, meaning, KEY_STRING, .required = true),
    KEY(manifest_log, remaining, KEY_STRING),
    KEY(manifest_log, command, KEY_STRING),
    KEY(manifest_log, root, KEY_CHOICE, .choices = manifest_yes),
    KEYS_OF_EVERY_ROW(manifest_log),
    {.name = NULL},
};

bool manifest_log_is(const struct manifest_log *row, const char *kind)
{
    return string_equal(row->kind, kind);
}

static char *log_id(const void *row)
{
    const struct manifest_log *log = row;
    return mem_printf("log/%s", log->name);
}

static size_t parts_size(const struct manifest_log *row)
{
    size_t size = 0;
    for (size_t i = 0; i < row->parts.count; i++)
        size += strlen(row->parts.items[i]);
    return size;
}

static bool check_other(const struct manifest_place *place, const struct manifest_log *row)
{
    if (row->parts.count > 0)
        return place_problem(place, "parts", row->name,
                             "no parts, since this row is for all other lines");
    return row->by || place_problem(place, "by", NULL, "who writes these lines");
}

static bool log_check(const struct manifest_place *place, const void *item, const void *previous)
{
    const struct manifest_log *row = item;
    const struct manifest_log *before = previous;
    bool told = manifest_log_is(row, "fault") || manifest_log_is(row, "other");
    if (!name_check(place, row->name, before ? before->name : NULL))
        return false;
    if (manifest_log_is(row, "other") ? !check_other(place, row) : false)
        return false;
    if (!manifest_log_is(row, "other") && parts_size(row) < PARTS_MIN)
        return place_problem(place, "parts", row->name, "at least %d characters", PARTS_MIN);
    if (manifest_log_is(row, "detail") != (row->of.count > 0))
        return place_problem(place, "of", row->name,
                             "events if kind is \"detail\", otherwise none");
    if (told != (row->severity != NULL))
        return place_problem(place, "severity", row->severity,
                             "a severity if kind is \"fault\" or \"other\", otherwise none");
    if (told != (row->remaining != NULL) || told != (row->command != NULL))
        return place_problem(
            place, row->remaining ? "command" : "remaining", row->name,
            "remaining and command if kind is \"fault\" or \"other\", otherwise neither");
    if (!manifest_log_is(row, "fault") && row->findings.count > 0)
        return place_problem(place, "findings", row->name, "findings only if kind is \"fault\"");
    return true;
}

const struct manifest_subject manifest_log_subject = {
    .name = "log",
    .later = true,
    .tables = {{.name = "rows",
                .about = "lines of the log",
                .keys = keys,
                .row_size = sizeof(struct manifest_log),
                .id_offset = offsetof(struct manifest_log, id),
                .id = log_id,
                .check = log_check}},
};

const struct manifest_log *manifest_logs(struct manifest *manifest, size_t *ret_count)
{
    return manifest_rows(manifest, &manifest_log_subject, 0, ret_count);
}

bool manifest_log_is_known(struct manifest *manifest)
{
    size_t count;
    return manifest_logs(manifest, &count) && count > 0;
}

static bool row_fits(const struct manifest_log *row, const char *by, const char *line)
{
    if (row->parts.count == 0 || (row->by && !string_equal(row->by, by)))
        return false;
    for (size_t i = 0; i < row->parts.count; i++)
        if (strstr(line, row->parts.items[i]) == NULL)
            return false;
    return true;
}

/* Of any line: what is worse where it tells of a failure. */
static bool is_other(const struct manifest_log *row, const char *by, bool trouble)
{
    return manifest_log_is(row, "other") && string_equal(row->by, by) &&
           string_equal(row->severity, "info") == !trouble;
}

const struct manifest_log *manifest_log_of(struct manifest *manifest, const char *by, bool trouble,
                                           const char *line)
{
    size_t count, longest = 0;
    const struct manifest_log *rows = manifest_logs(manifest, &count);
    const struct manifest_log *found = NULL;
    const struct manifest_log *other = NULL;
    for (size_t i = 0; i < count; i++) {
        size_t size = parts_size(&rows[i]);
        if (size > longest && row_fits(&rows[i], by, line)) {
            longest = size;
            found = &rows[i];
        }
        if (is_other(&rows[i], by, trouble) || (other == NULL && is_other(&rows[i], by, !trouble)))
            other = &rows[i];
    }
    return found ? found : other;
}
