/* SPDX-License-Identifier: MIT */
#ifndef PROBE_ENGINE_NOTE_H
#define PROBE_ENGINE_NOTE_H

#include "facts/facts.h"
#include "host/root/file.h"

struct error;
struct json_t;
struct text;

/* Turns a failed look-up of a path into a fact, in the same way in every probe. */

/* Sets the fact for a look that gave no value: HOST_ABSENT absent, HOST_FOREIGN skipped ("belongs
 * to the machine gpuenv runs on"), HOST_DENIED and HOST_FAILED unknown with error's words. */
void note_missing(struct facts *facts, const char *group, const char *name, enum host_status status,
                  const struct error *error, const char *source);

/* The same, but HOST_ABSENT means "not there" only while the directory or file `above` is there (a
 * file of sysfs says nothing where /sys is hidden). Without it the fact is skipped on a tree ("the
 * tree holds no ABOVE") and unknown on the live machine. above may be path itself. */
void note_missing_below(const struct host *host, struct facts *facts, const char *group,
                        const char *name, enum host_status status, const struct error *error,
                        const char *path, const char *above);

/* True where programs run in gVisor, whose kernel has no such file: then the fact is skipped. To be
 * asked before a file that is not there is taken for a sign. Needs the container's facts. */
bool note_sandboxed(struct facts *facts, const char *group, const char *name, const char *path);

/* Sets the fact unknown because of what was read: WHAT: "TEXT", the text made safe and cut. */
void note_unexpected(struct facts *facts, const char *group, const char *name, const char *what,
                     const char *text, const char *source);

/* Reads a one-line file into a string fact, or notes why not (an empty file is unknown). Returns
 * true when it has a value. */
bool note_line(const struct host *host, struct facts *facts, const char *group, const char *name,
               const char *path);

/* The same for a file that holds one whole number (decimal or 0x…). */
bool note_integer(const struct host *host, struct facts *facts, const char *group, const char *name,
                  const char *path);

/* host_read() of a text file: one with a NUL byte in it is HOST_FAILED, so that the functions of
 * base/text.h see all of it. */
enum host_status note_read_text(const struct host *host, const char *path, size_t max,
                                struct text *ret_text, struct error *error);

/* The same of a file that is one JSON document: what is not is HOST_FAILED. *ret_document is NULL
 * unless it is HOST_OK, and the caller's. */
enum host_status note_read_json(const struct host *host, const char *path, size_t max,
                                struct json_t **ret_document, struct error *error);

#endif
