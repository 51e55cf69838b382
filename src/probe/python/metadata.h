/* SPDX-License-Identifier: MIT */
#ifndef PROBE_PYTHON_METADATA_H
#define PROBE_PYTHON_METADATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strlist.h"

/* The text files that a Python package leaves in NAME-VERSION.dist-info: METADATA, WHEEL and RECORD
 * (packaging.python.org: core metadata, binary distribution format, recorded projects). Pure: all
 * take bytes, whatever these are. A line longer than METADATA_LINE_MAX, or with a NUL in it, is as
 * if it were not there. */
#define METADATA_LINE_MAX 4096

/* Adds the values of "key: value" lines before the first empty line (METADATA, WHEEL), at most max;
 * key in any case. */
void metadata_values(const char *bytes, size_t size, const char *key, size_t max,
                     struct strlist *values);

/* The first of them; NULL: none. free() it. */
char *metadata_value(const char *bytes, size_t size, const char *key);

/* One line of RECORD, "path,sha256=…,size"; path points into the bytes. */
struct record_entry {
    const char *path;
    size_t length;
    bool sized; /* the size is there */
    uint64_t size;
};

/* The next line whose path stays below the directory of packages: no absolute one, none with "..",
 * none in quotes. *at starts at the first byte. False at the end. */
bool record_next(const char **at, const char *end, struct record_entry *ret_entry);

/* A name as the index compares names: small letters, runs of "-", "_" and "." one "-" (PEP 503).
 * free() it. */
char *package_name_normal(const char *name);

/* One Requires-Dist: "nvidia-cudnn-cu12 (==9.1.0.70) ; extra == 'and-cuda'". */
struct requirement_line {
    char *name;    /* normalized */
    char *extras;  /* of the package that is required: "cublas,cudart"; NULL: none */
    char *version; /* "==9.1.0.70", ">=12.1,<13", without white space; NULL: any */
    char *extra;   /* wanted only with this one: "and-cuda"; NULL: always */
    char *marker;  /* the rest behind ';'; NULL: none */
};

/* False, and nothing to free, when it has no name. */
bool requirement_line_parse(const char *line, struct requirement_line *ret_line);
void requirement_line_free(struct requirement_line *line);
#define AUTO_REQUIREMENT_LINE AUTO(requirement_line_free)

/* Whether a marker lets the package be wanted on Linux of this machine ("x86_64"): only the
 * comparisons with platform_machine, platform_system and sys_platform count, each by itself. */
bool marker_fits(const char *marker, const char *machine);

#endif
