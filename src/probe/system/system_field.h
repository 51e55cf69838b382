/* SPDX-License-Identifier: MIT */
#ifndef PROBE_SYSTEM_SYSTEM_FIELD_H
#define PROBE_SYSTEM_SYSTEM_FIELD_H

#include <stdbool.h>
#include <stdint.h>

/* What lines of /etc/os-release and /proc/meminfo say: a key there, a fact here. */
struct system_field {
    const char *key;
    const char *name; /* of the fact */
};

/* os-release(5), the facts of os: "ID" in "ID=ubuntu". */
#define RELEASE_FIELDS 4
extern const struct system_field release_fields[RELEASE_FIELDS];

/* A value of os-release as a shell would read it, in place. */
char *release_value(char *text);

/* proc_meminfo(5), the facts of memory: "MemTotal:". */
#define MEMINFO_FIELDS 3
extern const struct system_field meminfo_fields[MEMINFO_FIELDS];

/* "24684092 kB" as bytes; false: it is not a number of kB. */
bool meminfo_bytes(const char *value, int64_t *ret_bytes);

#endif
