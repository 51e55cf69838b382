/* SPDX-License-Identifier: MIT */
#include "report/engine/grid.h"

#include <string.h>

#include "base/wrap.h"

#define GAP       2
#define CELL_MAX  26
#define FIRST_MAX 36

void grid_free(struct grid *grid)
{
    strlist_free(&grid->titles);
    strlist_free(&grid->cells);
}

/* The cell as it is shown: a new string. */
static char *cell_shown(const char *cell, unsigned width)
{
    AUTO_FREE char *safe = string_safe(cell);
    if (wrap_width(safe, strlen(safe)) <= width)
        return mem_steal(&safe);
    size_t size = 0;
    for (unsigned used = 0; used < width - strlen("..."); used++)
        size += utf8_sequence(safe + size, strlen(safe + size));
    return mem_printf("%.*s...", (int)size, safe);
}

static unsigned cell_width(const char *cell, unsigned most)
{
    AUTO_FREE char *shown = cell_shown(cell, most);
    return wrap_width(shown, strlen(shown));
}

/* How wide the column has to be, most at most; 0 when all of it is empty. */
static unsigned column_width(const struct grid *grid, size_t column, unsigned most)
{
    unsigned width = 0;
    for (size_t i = column; i < grid->cells.count; i += grid->titles.count) {
        unsigned needed = cell_width(grid->cells.items[i], most);
        if (needed > width)
            width = needed;
    }
    unsigned title = cell_width(grid->titles.items[column], most);
    return width > 0 && width < title ? title : width;
}

/* Whether a fourth of the rows, or more, have something in the column. */
static bool is_well_filled(const struct grid *grid, size_t column)
{
    size_t filled = 0;
    for (size_t i = column; i < grid->cells.count; i += grid->titles.count)
        filled += *grid->cells.items[i] != '\0';
    return filled * 4 * grid->titles.count >= grid->cells.count;
}

/* Gives the column a width where there is room for it, else 0. */
static void place_column(const struct grid *grid, size_t column, unsigned *widths, unsigned *room)
{
    unsigned gap = column > 0 ? GAP : 0;
    unsigned most = column == 0 ? FIRST_MAX : CELL_MAX;
    if (column + 1 == grid->titles.count && *room > gap + most) /* nothing else wants it */
        most = *room - gap;
    unsigned width = column_width(grid, column, most);
    if (width == 0 || gap + width > *room)
        return;
    widths[column] = width;
    *room -= gap + width;
}

/* The width of each column that is shown, 0 for the others. */
static unsigned *choose_columns(const struct grid *grid, unsigned columns,
                                struct strlist *ret_left_out)
{
    size_t count = grid->titles.count;
    unsigned *widths = mem_alloc(count * sizeof(*widths));
    unsigned room = columns;
    for (size_t i = 0; i < count; i++)
        if (i == 0 || is_well_filled(grid, i))
            place_column(grid, i, widths, &room);
    for (size_t i = 1; i < count; i++)
        if (!is_well_filled(grid, i))
            place_column(grid, i, widths, &room);
    for (size_t i = 0; i < count && ret_left_out != NULL; i++)
        if (widths[i] == 0 && column_width(grid, i, CELL_MAX) > 0)
            strlist_add(ret_left_out, grid->titles.items[i]);
    return widths;
}

static void append_line(char *const *cells, const unsigned *widths, size_t count,
                        struct text *output)
{
    AUTO_TEXT struct text line = {0};
    unsigned due = 0; /* spaces before the next cell */
    for (size_t i = 0; i < count; i++) {
        if (widths[i] == 0)
            continue;
        AUTO_FREE char *shown = cell_shown(cells[i], widths[i]);
        if (*shown != '\0') {
            text_printf(&line, "%*s%s", (int)due, "", shown);
            due = 0;
        }
        due += widths[i] - wrap_width(shown, strlen(shown)) + GAP;
    }
    text_append(output, text_string(&line));
    text_append_char(output, '\n');
}

void grid_append(const struct grid *grid, unsigned columns, struct text *output,
                 struct strlist *ret_left_out)
{
    size_t count = grid->titles.count;
    AUTO_FREE unsigned *widths = choose_columns(grid, columns, ret_left_out);
    append_line(grid->titles.items, widths, count, output);
    for (size_t i = 0; i + count <= grid->cells.count; i += count)
        append_line(grid->cells.items + i, widths, count, output);
}
