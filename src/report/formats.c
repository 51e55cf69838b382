/* SPDX-License-Identifier: MIT */
#include "report/json.h"
#include "report/report.h"
#include "report/text.h"

const struct report_format report_formats[] = {
    {.name = "text", .help = "for people", .doctor = report_text},
    {.name = "json", .help = "for programs", .doctor = report_json},
    {.name = NULL},
};

const struct report_format *report_format_find(const char *name)
{
    for (const struct report_format *format = report_formats; format->name; format++)
        if (string_equal(format->name, name))
            return format;
    return NULL;
}
