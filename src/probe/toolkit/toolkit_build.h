/* SPDX-License-Identifier: MIT */
#ifndef PROBE_TOOLKIT_TOOLKIT_BUILD_H
#define PROBE_TOOLKIT_TOOLKIT_BUILD_H

#include "facts/facts.h"
#include "probe/places/toolkit_root.h"

/* What decides whether a toolkit compiles here. Private to this room. */

/* Sets the instance's facts gcc_max, clang_below, math_without_noexcept and library_headers from
 * the toolkit's headers (toolkit_headers.c). */
void toolkit_note_headers(const struct host *host, const struct toolkit_root *root,
                          struct facts *facts, const char *group);

/* The path of a header of that toolkit, where it would be if it is not there. free() it
 * (toolkit_headers.c). */
char *toolkit_header(const struct host *host, const char *root, const char *name);

/* Adds the directories in which a compiler that uses this toolkit finds headers
 * (toolkit_headers.c). */
void toolkit_include_directories(const struct host *host, const char *root,
                                 struct strlist *directories);

/* Whether one of the directories has that file (toolkit_headers.c). */
bool toolkit_is_in(const struct host *host, const struct strlist *directories, const char *name);

/* Sets the fact half_libraries (toolkit_libraries.c). */
void toolkit_note_libraries(const struct host *host, const struct toolkit_root *root,
                            struct facts *facts, const char *group);

/* Sets the fact unmet_includes (toolkit_includes.c). */
void toolkit_note_includes(const struct host *host, const struct toolkit_root *root,
                           struct facts *facts, const char *group);

/* Sets the facts programs and runtime_headers (toolkit_programs.c). */
void toolkit_note_programs(const struct host *host, const struct toolkit_root *root,
                           struct facts *facts, const char *group);

/* Sets those of the compiler that its nvcc starts, and of that compiler's C library
 * (toolkit_compiler.c). */
void toolkit_note_compiler(const struct host *host, const struct toolkit_root *root,
                           struct facts *facts, const char *group);

/* Sets the fact wheels (toolkit_wheels.c). */
void toolkit_note_wheels(const struct host *host, const struct toolkit_root *root,
                         struct facts *facts, const char *group);

/* Sets toolkit.unsupported_compiler, and the kinds host_compiler, include_path and ptxas
 * (toolkit_variables.c). */
void toolkit_note_variables(const struct host *host, struct facts *facts);

/* The directories of variables in which a compiler looks for headers: "VARIABLE=DIRECTORY" each
 * (toolkit_variables.c). */
void toolkit_include_variables(const struct host *host, struct strlist *entries);

/* The functions that declared() finds among those that a C library and CUDA both declare
 * (toolkit_headers.c). */
void toolkit_functions(const char *text, bool (*declared)(const char *text, const char *name),
                       struct strlist *functions);

#endif
