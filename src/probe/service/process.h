/* SPDX-License-Identifier: MIT */
#ifndef PROBE_SERVICE_PROCESS_H
#define PROBE_SERVICE_PROCESS_H

#include "base/strlist.h"
#include "base/text.h"
#include "host/root/file.h"

/* What /proc says of one process; pid is its number as text. */

/* Field 22 of proc_pid_stat(5): when it was started, in seconds since boot. *ret_path is the file,
 * for the fact's source; free() it. HOST_FAILED: it is not a line of 22 fields. */
enum host_status process_started(const struct host *host, const char *pid, int64_t *ret_seconds,
                                 char **ret_path, struct error *error);

/* When the machine was started, in seconds since 1970 (btime of /proc/stat); false: not known. */
bool boot_time(const struct host *host, int64_t *ret_seconds);

/* Adds its arguments, of which the first is the program's name; none when they cannot be read. */
void process_arguments(const struct host *host, const char *pid, struct strlist *arguments);

/* Its program's file; where that cannot be read, its first argument. NULL: neither. free() it. */
char *process_program(const struct host *host, const char *pid, const struct strlist *arguments);

/* Its real user id; false: not known. */
bool process_user(const struct host *host, const char *pid, unsigned long long *ret_user);

#endif
