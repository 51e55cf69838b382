/* SPDX-License-Identifier: MIT */
#ifndef RULES_EVIDENCE_LOG_LINE_H
#define RULES_EVIDENCE_LOG_LINE_H

#include "rules/engine/context.h"
#include "rules/engine/finding.h"

/* One line of this boot's log, with what the manifest says about it. Strings belong to the record
 * and to the manifest. */
struct log_line {
    const char *group; /* log_line/7 */
    const char *message;
    const char *bus_id;              /* NULL: it names none */
    const char *row;                 /* id of the manifest's row */
    const char *meaning;             /* a clause, or NULL */
    const char *remaining, *command; /* NULL: not known */
    bool root;                       /* the command needs root */
    bool told;                       /* a row for this very line, with findings that decide */
    const struct strlist *causes;    /* of those findings; NULL: no row */
    enum severity severity;
};

/* Whether the line is evidence that nothing explains: no finding rests on it, and it is neither
 * harmless nor a further line of another message. */
bool log_line_unexplained(struct rule_context *context, const char *group,
                          struct log_line *ret_line);

/* How many of the causes that the line's row names could not be checked, since a fact is lacking.
 */
size_t log_line_open_causes(const struct rule_context *context, const struct log_line *line);

/* A finding with this severity that may be the reason for the line, although no row says so: about
 * the driver, a GPU or the machine, not about another GPU. NULL: there is none. */
const struct finding *log_line_suspect(const struct rule_context *context,
                                       const struct log_line *line, enum severity severity);

#endif
