/* SPDX-License-Identifier: MIT */
#ifndef FACTS_RECORD_LINES_H
#define FACTS_RECORD_LINES_H

#include "facts/facts.h"

/* A record as lines that a person can read and paste into a forum, without sources:
 *
 *     # gpuenv record 1: GPUs
 *     [pci/0000:17:00.0]
 *     driver = "nvidia"
 *     link_width = 16
 *     - absent: iommu_group numa_node
 *     - skipped "only root can read it": acs_redirects
 *     [pci/0000:3d:00.0] as [pci/0000:17:00.0]
 *     link_width = 8
 *
 * A group "as" another one of its kind has the other's facts, but for those below it. */

/* Appends the groups that wanted() accepts (NULL: all), and before them the first line, with that
 * title. Nothing where there is no such group. */
void record_lines_append(const struct facts *facts, const char *title,
                         bool (*wanted)(const char *group, const void *data), const void *data,
                         struct text *output);

/* The other way, line by line of any text: what stands outside such parts is passed over. */
struct record_lines {
    struct facts *facts; /* where they go */
    const char *name;    /* of the text: a fact's source is NAME:LINE */
    size_t line;         /* of the line that was taken last */
    char *group;         /* NULL: outside */
    size_t parts;        /* first lines that were seen */
};
/* Takes a line without its end. True: it belongs to a record. */
bool record_lines_take(struct record_lines *reader, const char *line);
void record_lines_end(struct record_lines *reader);

#endif
