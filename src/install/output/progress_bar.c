/* SPDX-License-Identifier: MIT */
#include "install/output/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "install/output/print.h"

#define NAME_WIDTH 16 /* less of "  unpacking libcublas" says nothing */

#define WIDE 100

/* How much a bar shows: a narrow terminal leaves room for the name. */
struct layout {
    unsigned width; /* of the bar */
    bool has_rate;
};
static const struct layout wide = {20, true};
static const struct layout narrow = {10, false};

/* 100 only when there is nothing left: a file that has come must be unpacked. */
static unsigned percent_of(const struct progress_view *view)
{
    if (view->total == 0)
        return 0;
    if (view->done >= view->total)
        return view->files_done < view->files ? 99 : 100;
    return (unsigned)((double)view->done / (double)view->total * 100);
}

/* "0:13", "1:02:03"; nothing before a rate is known. */
static void append_time_left(const struct progress_view *view, struct text *line)
{
    if (view->rate == 0 || view->done >= view->total)
        return;
    uint64_t seconds = (view->total - view->done) / view->rate;
    if (seconds >= 100 * UINT64_C(3600))
        return;
    if (seconds >= 3600)
        text_printf(line, "  %" PRIu64 ":%02u:%02u left", seconds / 3600,
                    (unsigned)(seconds / 60 % 60), (unsigned)(seconds % 60));
    else
        text_printf(line, "  %u:%02u left", (unsigned)(seconds / 60), (unsigned)(seconds % 60));
}

static void append_figures(const struct progress_view *view, const struct layout *layout,
                           struct text *line)
{
    char done[PRINT_SIZE], total[PRINT_SIZE], rate[PRINT_SIZE];
    unsigned percent = percent_of(view);
    unsigned filled = percent * layout->width / 100;
    text_append_char(line, '[');
    for (unsigned i = 0; i < layout->width; i++)
        text_append_char(line, i < filled ? '#' : '.');
    text_printf(line, "] %3u %%  %s of %s", percent, print_size(view->done, done),
                print_size(view->total, total));
    if (layout->has_rate && view->rate > 0 && view->done < view->total)
        text_printf(line, "  %s/s", print_size(view->rate, rate));
    append_time_left(view, line);
}

/* Cut where a character of UTF-8 ends. A byte is counted as a column: never too long a line. */
static void cut(struct text *line, size_t start, unsigned columns)
{
    size_t size = start + columns;
    if (line->size <= size)
        return;
    while (size > start && ((unsigned char)line->data[size] & 0xc0) == 0x80)
        size--;
    line->size = size;
    line->data[size] = '\0';
}

/* Without the platform: "libcublas-linux-x86_64-12.8.4.1-archive.tar.xz" is libcublas. */
static void append_name(const char *file, struct text *line)
{
    const char *platform = strstr(file, "-linux-");
    AUTO_FREE char *name =
        platform ? mem_string_n(file, (size_t)(platform - file)) : mem_string(file);
    text_append_safe(line, name);
}

void progress_append_bar(const struct progress_view *view, unsigned columns, struct text *line)
{
    size_t start = line->size;
    columns = columns < 20 ? 20 : columns;
    if (view->total > 0)
        append_figures(view, columns < WIDE ? &narrow : &wide, line);
    if (view->files > 0)
        text_printf(line, "%s%u/%u", line->size > start ? "  " : "", view->files_done, view->files);
    bool is_first = line->size == start;
    if (view->step && view->file && (is_first || line->size - start + NAME_WIDTH <= columns)) {
        text_printf(line, "%s%s ", is_first ? "" : "  ", view->step);
        append_name(view->file, line);
    }
    cut(line, start, columns);
}
