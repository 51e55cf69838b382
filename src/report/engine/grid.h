/* SPDX-License-Identifier: MIT */
#ifndef REPORT_ENGINE_GRID_H
#define REPORT_ENGINE_GRID_H

#include "base/strlist.h"
#include "base/text.h"

/* A table of text. Start with {0}. */
struct grid {
    struct strlist titles; /* one for each column */
    struct strlist cells;  /* row by row, as many as there are titles; "" for an empty one */
};
#define AUTO_GRID AUTO(grid_free)
void grid_free(struct grid *grid);

/* Appends a line of titles and one for each row, none longer than columns. Long cells are cut and
 * end in "...". The first column stands always; of the others each that there is room for beside
 * those before it, and has anything in it. ret_left_out gets the titles of those that have
 * something and no room; NULL when nobody wants to know. */
void grid_append(const struct grid *grid, unsigned columns, struct text *output,
                 struct strlist *ret_left_out);

#endif
