/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/wrap.h"
#include "cli/gpu/gpu_view.h"
#include "manifest/gpu/gpu.h"
#include "manifest/manifest.h"
#include "manifest/versions/capability.h"
#include "manifest/versions/driver.h"

#define LABEL_COLUMNS 24 /* where the values begin */
#define GAP           2
#define SIDE_BY_SIDE  3

/* The words of value on lines of width; one that is longer has a line of its own. */
static void wrap_cell(const char *value, unsigned width, struct strlist *lines)
{
    AUTO_STRLIST struct strlist words = {0};
    AUTO_TEXT struct text line = {0};
    AUTO_FREE char *safe = string_safe(value);
    strlist_split(&words, safe, ' ');
    for (size_t i = 0; i < words.count; i++) {
        const char *word = words.items[i];
        if (line.size &&
            wrap_width(text_string(&line), line.size) + 1 + wrap_width(word, strlen(word)) >
                width) {
            strlist_take(lines, text_steal(&line));
        }
        text_printf(&line, "%s%s", line.size ? " " : "", word);
    }
    strlist_take(lines, text_steal(&line));
}

/* The label in its column; one that is wider has a line of its own. */
static void append_label(struct text *output, const char *label)
{
    AUTO_FREE char *safe = string_safe(label);
    bool wide = wrap_width(safe, strlen(safe)) >= LABEL_COLUMNS;
    if (wide)
        text_printf(output, "%s\n", safe);
    unsigned used = wide ? 0 : wrap_width(safe, strlen(safe));
    text_printf(output, "%s%*s", wide ? "" : safe, (int)(LABEL_COLUMNS - used), "");
}

/* A row of the table: the label, and the cells side by side, each width wide. */
static void append_row(struct text *output, unsigned width, const char *label, char *const *values,
                       size_t count)
{
    struct strlist cells[SIDE_BY_SIDE] = {{0}};
    size_t height = 0;
    for (size_t i = 0; i < count; i++) {
        wrap_cell(values[i], width, &cells[i]);
        height = cells[i].count > height ? cells[i].count : height;
    }
    for (size_t line = 0; line < height; line++) {
        AUTO_TEXT struct text row = {0};
        append_label(&row, line == 0 ? label : "");
        for (size_t i = 0; i < count; i++) {
            const char *part = line < cells[i].count ? cells[i].items[line] : "";
            unsigned used = wrap_width(part, strlen(part));
            text_printf(&row, "%s%*s", part,
                        i + 1 < count && used < width ? (int)(width - used + GAP) : GAP, "");
        }
        while (row.size && row.data[row.size - 1] == ' ')
            row.data[--row.size] = '\0';
        text_printf(output, "%s\n", text_string(&row));
    }
    for (size_t i = 0; i < count; i++)
        strlist_free(&cells[i]);
}

static char *title_of(const struct gpu_view *view)
{
    return view->count ? mem_printf("%zu x %s", view->count, view->title) : mem_string(view->title);
}

static char *value_of(const struct gpu_view *view, const struct gpu_cell *cell)
{
    AUTO_TEXT struct text text = {0};
    cell->append(view, &text);
    if (text.size)
        return text_steal(&text);
    return mem_string(cell->of_model && gpu_view_is_capability(view) ? "-" : "not known");
}

/* "2.14.0 (cu126)" */
static char *framework_value(const struct gpu_view *view, size_t index)
{
    if (index >= view->frameworks.count)
        return mem_string("not known");
    const struct support_framework *support = &view->frameworks.items[index];
    AUTO_TEXT struct text text = {0};
    if (support->build == NULL)
        return mem_string(support->newer_unknown ? "not known" : "no release listed");
    text_append(&text, support->build->release);
    AUTO_STRLIST struct strlist parts = {0};
    if (support->build->variant)
        strlist_add(&parts, support->build->variant);
    if (support->ptx)
        strlist_add(&parts, "PTX");
    if (support->documented)
        strlist_add(&parts, "documented");
    if (string_equal(support->machine, "aarch64"))
        strlist_add(&parts, support->machine);
    AUTO_FREE char *joined = strlist_join(&parts, ", ");
    if (parts.count)
        text_printf(&text, " (%s)", joined);
    if (!string_equal(support->build->release, support->newest->release))
        text_append(&text,
                    support->newer_unknown ? "; not known for newer versions" : ", none newer");
    return text_steal(&text);
}

/* The title of the framework, where one of the views has a release of it; else NULL. */
static const char *framework_title(const struct gpu_view *views, size_t count, size_t index)
{
    for (size_t i = 0; i < count; i++)
        if (index < views[i].frameworks.count && views[i].frameworks.items[index].build)
            return views[i].frameworks.items[index].framework->title;
    return NULL;
}

static size_t framework_count(const struct gpu_view *views, size_t count)
{
    size_t most = 0;
    for (size_t i = 0; i < count; i++)
        most = views[i].frameworks.count > most ? views[i].frameworks.count : most;
    return most;
}

static void append_frameworks(const struct gpu_view *views, size_t count, unsigned width,
                              struct text *output)
{
    char *values[SIDE_BY_SIDE];
    for (size_t k = 0; k < framework_count(views, count); k++) {
        const char *title = framework_title(views, count, k);
        if (title == NULL)
            continue;
        AUTO_FREE char *label = mem_printf("  %s", title);
        for (size_t i = 0; i < count; i++)
            values[i] = framework_value(&views[i], k);
        append_row(output, width, label, values, count);
        for (size_t i = 0; i < count; i++)
            free(values[i]);
    }
}

/* Up to SIDE_BY_SIDE of the views; all tables of one output are laid out alike. */
static void append_table(const struct gpu_view *views, size_t count, unsigned width,
                         struct text *output)
{
    char *values[SIDE_BY_SIDE];
    for (const struct gpu_cell *cell = gpu_cells; cell->label != NULL; cell++) {
        AUTO_FREE char *label = mem_printf("  %s", cell->label);
        for (size_t i = 0; i < count; i++)
            values[i] = value_of(&views[i], cell);
        append_row(output, width, label, values, count);
        for (size_t i = 0; i < count; i++)
            free(values[i]);
    }
}

static void append_titles(const struct gpu_view *views, size_t count, unsigned width,
                          struct text *output)
{
    char *values[SIDE_BY_SIDE];
    for (size_t i = 0; i < count; i++)
        values[i] = title_of(&views[i]);
    append_row(output, width, "", values, count);
    for (size_t i = 0; i < count; i++)
        free(values[i]);
}

struct source_row {
    const char *id, *confidence, *source, *notes;
};
#define ROW_OF(row)                                                                                \
    {                                                                                              \
        (row)->id, (row)->confidence, (row)->source, (row)->notes                                  \
    }

/* What the view rests on, at most four rows. */
static size_t rows_of(const struct gpu_view *view, struct source_row rows[static 4])
{
    size_t count = 0;
    if (view->model)
        rows[count++] = (struct source_row)ROW_OF(view->model);
    if (view->capability)
        rows[count++] = (struct source_row)ROW_OF(view->capability);
    if (view->architecture)
        rows[count++] = (struct source_row)ROW_OF(view->architecture);
    if (view->cudnn.row)
        rows[count++] = (struct source_row)ROW_OF(view->cudnn.row);
    return count;
}

static void append_words(const struct report_input *input, const char *label, const char *words,
                         struct text *output)
{
    struct wrap wrap;
    append_label(output, label);
    wrap_begin(&wrap, output, input->columns, LABEL_COLUMNS, LABEL_COLUMNS);
    wrap_words(&wrap, words);
    wrap_end(&wrap);
}

static void append_rows(const struct report_input *input, const struct gpu_view *view,
                        struct text *output)
{
    struct source_row rows[4];
    size_t count = rows_of(view, rows);
    AUTO_TEXT struct text ids = {0};
    for (size_t i = 0; i < count; i++)
        text_printf(&ids, "%s%s (%s)", i ? ", " : "", rows[i].id, rows[i].confidence);
    if (count)
        append_words(input, "  rows", text_string(&ids), output);
    for (size_t i = 0; i < count; i++) {
        AUTO_FREE char *note = mem_printf("%s: %s", rows[i].id, rows[i].notes ? rows[i].notes : "");
        AUTO_FREE char *source = mem_printf("%s: %s", rows[i].id, rows[i].source);
        if (rows[i].notes)
            append_words(input, "  note", note, output);
        if (input->verbose)
            append_words(input, "  source", source, output);
    }
}

/* What does not fit into a cell. */
static void append_remarks(const struct report_input *input, const struct gpu_view *view,
                           struct text *output)
{
    if (view->others.count) {
        AUTO_FREE char *names = strlist_join(&view->others, ", ");
        AUTO_FREE char *label = mem_printf("  %s", view->others_why);
        append_words(input, label, names, output);
    }
    if (view->model && string_equal(view->model->link_basis, "editor"))
        append_words(input, "  note", "the manifest has no source for PCIe and NVLink", output);
    if (view->capability && view->capability->renamed_to.count) {
        char version[VERSION_TEXT_SIZE];
        AUTO_FREE char *words = mem_printf("newer toolkits call it %s",
                                           version_text(&view->capability->renamed_to, 0, version));
        append_words(input, "  note", words, output);
    }
    if (view->model == NULL && view->device_id) {
        AUTO_FREE char *words = mem_printf("10de:%s is not in this manifest (%s)", view->device_id,
                                           input->manifest_date);
        append_words(input, "  note", words, output);
    }
    if (!input->quiet)
        append_rows(input, view, output);
}

static void append_title(const struct gpu_view *view, struct text *output)
{
    AUTO_FREE char *title = title_of(view);
    text_append_safe(output, title);
    text_append(output, "\n");
}

static void append_side_by_side(const struct report_input *input, const struct gpu_views *views,
                                struct text *output)
{
    size_t wide = views->count < SIDE_BY_SIDE ? views->count : SIDE_BY_SIDE;
    unsigned width = (input->columns - LABEL_COLUMNS) / (unsigned)wide - GAP;
    for (size_t i = 0; i < views->count; i += wide) {
        size_t count = views->count - i < wide ? views->count - i : wide;
        append_titles(&views->items[i], count, width, output);
        append_table(&views->items[i], count, width, output);
        append_frameworks(&views->items[i], count, width, output);
        text_append(output, "\n");
    }
    for (size_t i = 0; i < views->count; i++) {
        append_title(&views->items[i], output);
        append_remarks(input, &views->items[i], output);
    }
}

/* What is not known is one row. */
static void append_cells(const struct report_input *input, const struct gpu_view *view,
                         struct text *output)
{
    AUTO_STRLIST struct strlist unknown = {0};
    for (const struct gpu_cell *cell = gpu_cells; cell->label != NULL; cell++) {
        AUTO_TEXT struct text value = {0};
        AUTO_FREE char *label = mem_printf("  %s", cell->label);
        cell->append(view, &value);
        if (value.size)
            append_words(input, label, text_string(&value), output);
        else if (!cell->of_model || !gpu_view_is_capability(view))
            strlist_add(&unknown, cell->label);
    }
    AUTO_FREE char *labels = strlist_join(&unknown, "; ");
    if (unknown.count)
        append_words(input, "  not known", labels, output);
}

void gpu_views_append_text(const struct report_input *input, const struct gpu_views *views,
                           struct text *output)
{
    if (views->count > 1) {
        append_side_by_side(input, views, output);
        return;
    }
    const struct gpu_view *view = &views->items[0];
    append_title(view, output);
    append_cells(input, view, output);
    append_frameworks(view, 1, input->columns - LABEL_COLUMNS, output);
    append_remarks(input, view, output);
}
