/* SPDX-License-Identifier: MIT */
#include "install/print.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/json.h"

const char *print_size(uint64_t bytes, char buffer[static PRINT_SIZE])
{
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB"};
    double value = (double)bytes;
    size_t unit = 0;
    while (value >= 999.5 && unit + 1 < sizeof(units) / sizeof(*units)) {
        value /= 1000;
        unit++;
    }
    snprintf(buffer, PRINT_SIZE, unit == 0 || value >= 99.5 ? "%.0f %s" : "%.1f %s", value,
             units[unit]);
    return buffer;
}

bool print_is_json(const struct run *run)
{
    return string_equal(run->request->format, "json");
}

json_t *print_envelope(const struct run *run)
{
    json_t *json = json_object();
    json_object_set_new(json, "schema_version", json_integer(1));
    json_object_set_new(json, "tool",
                        json_pack("{s:s, s:s}", "name", "gpuenv", "version", GPUENV_VERSION));
    json_object_set_new(json, "manifest",
                        json_pack("{s:s?, s:s?}", "version", manifest_version(run->manifest),
                                  "date", manifest_date(run->manifest)));
    if (run->request->prefix)
        json_object_set_new(json, "prefix", json_from_string(run->request->prefix));
    return json;
}

static json_t *row_json(const struct verify_row *row)
{
    json_t *json = json_object();
    json_object_set_new(json, "path", json_from_string(row->path));
    if (row->why)
        json_object_set_new(json, "why", json_from_string(row->why));
    return json;
}

static json_t *rows_json(const struct verify_rows *rows)
{
    json_t *array = json_array();
    for (size_t i = 0; i < rows->count; i++)
        json_array_append_new(array, row_json(&rows->items[i]));
    return array;
}

static void append_rows(const struct verify_rows *rows, const char *word, struct text *output)
{
    for (size_t i = 0; i < rows->count; i++) {
        text_printf(output, "%s ", word);
        text_append_safe(output, rows->items[i].path);
        if (rows->items[i].why) {
            text_append(output, ": ");
            text_append_safe_again(output, rows->items[i].why);
        }
        text_append_char(output, '\n');
    }
}

void print_verification(const struct run *run, const struct verification *found,
                        struct text *output)
{
    bool sound = found->changed.count == 0 && found->missing.count == 0;
    if (print_is_json(run)) {
        AUTO_JSON json_t *json = print_envelope(run);
        json_object_set_new(json, "files", json_integer((json_int_t)found->files));
        json_object_set_new(json, "changed", rows_json(&found->changed));
        json_object_set_new(json, "missing", rows_json(&found->missing));
        json_object_set_new(json, "added", rows_json(&found->added));
        json_append_text(json, output);
        return;
    }
    append_rows(&found->changed, "changed", output);
    append_rows(&found->missing, "missing", output);
    append_rows(&found->added, "added", output);
    text_append_safe(output, run->prefix.path);
    text_printf(output, ": %zu files, %zu changed, %zu missing, %zu added by others%s\n",
                found->files, found->changed.count, found->missing.count, found->added.count,
                sound ? "; as installed" : "");
    if (!sound) {
        text_append(output, "to mend it: gpuenv uninstall --prefix ");
        text_append_safe(output, run->prefix.path);
        text_append(output, ", then install it again\n");
    }
}

void print_uninstalled(const struct run *run, const struct strlist *kept, struct text *output)
{
    if (print_is_json(run)) {
        AUTO_JSON json_t *json = print_envelope(run);
        json_t *array = json_array();
        for (size_t i = 0; i < kept->count; i++)
            json_array_append_new(array, json_from_string(kept->items[i]));
        json_object_set_new(json, "changed", json_true());
        json_object_set_new(json, "kept", array);
        json_append_text(json, output);
        return;
    }
    text_append(output, "uninstalled ");
    text_append_safe(output, run->prefix.path);
    text_append_char(output, '\n');
    for (size_t i = 0; i < kept->count; i++) {
        text_append(output, "kept, since gpuenv did not put it there so: ");
        text_append_safe(output, kept->items[i]);
        text_append_char(output, '\n');
    }
}
