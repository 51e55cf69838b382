/* SPDX-License-Identifier: MIT */
#include "report/formats.h"

#include "report/format/format.h"
#include "report/format/json.h"
#include "report/share/markdown.h"
#include "report/text/text.h"

const struct report_format report_formats[] = {
    {.name = "text", .help = "for people", .doctor = report_text},
    {.name = "json", .help = "for programs", .doctor = report_json},
    {.name = "markdown",
     .help = "a page for a pull request or a job summary",
     .doctor = report_markdown_page},
    {.name = "nagios",
     .help = "a plugin of Nagios, Icinga and the like",
     .doctor = report_nagios,
     .exit_code = nagios_exit_code,
     .failed = nagios_failed},
    {.name = "prometheus",
     .help = "metrics for node_exporter's textfile collector",
     .doctor = report_prometheus},
    {.name = "nfd", .help = "labels for Node Feature Discovery", .doctor = report_nfd},
    {.name = "npd",
     .help = "a custom plugin of node-problem-detector",
     .doctor = report_npd,
     .exit_code = npd_exit_code,
     .failed = npd_failed},
    {.name = "junit", .help = "a test report", .doctor = report_junit},
    {.name = "github", .help = "annotations of GitHub Actions", .doctor = report_github},
    {.name = NULL},
};

const struct report_format *report_format_find(const char *name)
{
    for (const struct report_format *format = report_formats; format->name; format++)
        if (string_equal(format->name, name))
            return format;
    return NULL;
}
