/* SPDX-License-Identifier: MIT */
#include "report/share/html_private.h"

#include <inttypes.h>
#include <string.h>

#include "report/machine/gpu_list.h"

static void append_cell(const char *string, struct text *output)
{
    text_append(output, "<td>");
    html_append(string ? string : "", output);
    text_append(output, "</td>");
}

static void begin_table(const char *title, const char *const heads[], struct text *output)
{
    text_printf(output, "<h2>%s</h2>\n<div class=\"wide\"><table><tr>", title);
    for (size_t i = 0; heads[i]; i++)
        text_printf(output, "<th>%s</th>", heads[i]);
    text_append(output, "</tr>\n");
}

static void end_table(struct text *output)
{
    text_append(output, "</table></div>\n");
}

static const char *string_of(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

static double gib(const json_t *object, const char *key)
{
    return (double)json_integer_value(json_object_get(object, key)) / (1 << 30);
}

/* "12.0 of 80.0 GiB", and a bar. */
static void append_memory(const json_t *gpu, struct text *output)
{
    double total = gib(gpu, "memory_total_bytes"), used = gib(gpu, "memory_used_bytes");
    bool known = json_is_integer(json_object_get(gpu, "memory_used_bytes"));
    text_append(output, "<td>");
    if (total > 0 && known && used <= total)
        text_printf(output,
                    "<span class=\"bar\"><i style=\"width:%.0f%%\"></i></span> %.1f of %.1f GiB",
                    100 * used / total, used, total);
    else if (total > 0)
        text_printf(output, "%.1f GiB", total);
    text_append(output, "</td>");
}

static void append_gpu(const json_t *gpu, struct text *output)
{
    const json_t *processes = json_object_get(gpu, "processes");
    const json_t *index = json_object_get(gpu, "index");
    text_append(output, "<tr><td>");
    if (json_is_integer(index))
        text_printf(output, "%" JSON_INTEGER_FORMAT, json_integer_value(index));
    text_append(output, "</td>");
    append_cell(string_of(gpu, "name"), output);
    append_cell(string_of(gpu, "capability"), output);
    append_memory(gpu, output);
    text_append(output, "<td>");
    if (json_is_integer(processes))
        text_printf(output, "%" JSON_INTEGER_FORMAT, json_integer_value(processes));
    text_append(output, "</td></tr>\n");
}

static void append_gpus(const struct facts *facts, struct text *output)
{
    static const char *const heads[] = {"GPU",    "name",      "compute capability",
                                        "memory", "processes", NULL};
    AUTO_JSON json_t *gpus = gpu_list_json(facts);
    if (json_array_size(gpus) == 0)
        return;
    begin_table("Memory", heads, output);
    for (size_t i = 0; i < json_array_size(gpus); i++)
        append_gpu(json_array_get(gpus, i), output);
    end_table(output);
}

static void append_toolkits(const struct facts *facts, struct text *output)
{
    static const char *const heads[] = {"CUDA toolkit", "path", NULL};
    const char *group;
    bool any = false;
    for (size_t i = 0; (group = facts_next(facts, "toolkit", &i)) != NULL; any = true) {
        if (!any)
            begin_table("Toolkits", heads, output);
        text_append(output, "<tr>");
        append_cell(facts_string(facts, group, "version"), output);
        append_cell(facts_string(facts, group, "path"), output);
        text_append(output, "</tr>\n");
    }
    if (any)
        end_table(output);
}

#define LIBRARIES_MOST 60

static void append_libraries(const struct facts *facts, struct text *output)
{
    static const char *const heads[] = {"library", "version", "from", "path", NULL};
    const char *group;
    size_t count = 0;
    for (size_t i = 0; (group = facts_next(facts, "library", &i)) != NULL; count++) {
        if (count == 0)
            begin_table("Libraries", heads, output);
        if (count >= LIBRARIES_MOST)
            continue;
        text_append(output, "<tr>");
        append_cell(facts_string(facts, group, "name"), output);
        append_cell(facts_string(facts, group, "version"), output);
        append_cell(facts_string(facts, group, "origin"), output);
        append_cell(facts_string(facts, group, "path"), output);
        text_append(output, "</tr>\n");
    }
    if (count > 0)
        end_table(output);
    if (count > LIBRARIES_MOST)
        text_printf(output, "<p class=\"soft\">%zu more are among the facts below</p>\n",
                    count - LIBRARIES_MOST);
}

void html_tables(const struct report_input *input, struct text *output)
{
    append_gpus(input->facts, output);
    append_toolkits(input->facts, output);
    append_libraries(input->facts, output);
}
