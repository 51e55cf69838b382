/* SPDX-License-Identifier: MIT */
#ifndef FROM_FROM_H
#define FROM_FROM_H

#include "base/strlist.h"
#include "facts/facts.h"

struct error;

/* A machine judged from what somebody sent: logs, listings, reports. Every value that such a file
 * has becomes a fact whose source is FILE:LINE; of everything else the record says that it was not
 * sent. from_table.c lists the kinds of files. */
struct from;

struct from *from_new(void);
void from_free(struct from *from);
#define AUTO_FROM AUTO(from_free_at)
static inline void from_free_at(struct from **from)
{
    from_free(*from);
}

/* Takes a file's text, of any bytes. A text may hold several kinds, as a pasted post does. All
 * files are of one machine: what an earlier one says counts. False and ERROR_NO_INPUT where no kind
 * is in it; the error names the kinds. ERROR_DATA: it has more lines than are kept in memory. */
bool from_add(struct from *from, const char *name, const char *text, size_t size,
              struct error *error);

/* What was read: a line for each file, "dmesg.txt: kernel log (812 lines)". */
const struct strlist *from_read(const struct from *from);

/* The record, once all files are taken; the caller owns it. A fact of the dictionary that no file
 * has is skipped. */
struct facts *from_facts(struct from *from);

/* What a command on that machine would tell. */
struct from_command {
    const char *command;
    const char *read;  /* how a line of from_read() has it, where it was sent already; NULL */
    const char *kinds; /* of facts, with blanks between; "": all */
};
extern const struct from_command from_commands[]; /* the first are the easiest; ends with NULL */

/* The reason of facts that were not sent: "not in what was sent". */
extern const char from_not_sent[];

#endif
