/* SPDX-License-Identifier: MIT */
#ifndef FROM_FROM_PRIVATE_H
#define FROM_FROM_PRIVATE_H

/* Private to from/from*.c. */

#include <stdint.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "from/from.h"
#include "probe/kernel/kernel_stream.h"

/* A file, cut into lines. */
struct from_file {
    char *name;
    struct text text;
    char **lines; /* each without its end */
    size_t count, capacity;
};

/* Some lines of a file: all, or a section of nvidia-bug-report.log. */
struct from_part {
    struct from *from;
    const struct from_file *file;
    size_t first, end; /* the lines' indexes */
    const char *title; /* of a section: a path or a command; NULL: the file is one part */
};

/* One kind of file. */
struct from_kind {
    const char *name;  /* "kernel log": as a page says what was read */
    const char *words; /* "dmesg, journalctl -k": as help says what can be read */
    /* Reads what the part has of this kind. Yields how many of its lines were of use; 0: none. */
    size_t (*read)(struct from_part *part);
};
extern const struct from_kind from_table[]; /* ends with name NULL */

struct from {
    struct facts *facts;
    struct strlist read;
    struct from_file **files;
    size_t count, capacity;
    struct kernel_tally tally; /* of all kernel logs */
    struct kernel_lines said;
    struct strlist logs; /* that were read */
    bool complete;       /* one of them from the boot's first line */
    int64_t packages;
    bool has_record; /* of gpuenv: what it lacks is not known, as with --facts */
};

size_t from_record(struct from_part *part), from_smi_query(struct from_part *part),
    from_smi_xml(struct from_part *part), from_smi_table(struct from_part *part),
    from_smi_error(struct from_part *part), from_nvrm(struct from_part *part),
    from_lspci(struct from_part *part), from_modules(struct from_part *part),
    from_dpkg(struct from_part *part), from_rpm(struct from_part *part),
    from_torch(struct from_part *part), from_log(struct from_part *part),
    from_system(struct from_part *part);

/* Set a fact that no file before this one gave a value; its source is the line. */
void from_string(const struct from_part *part, size_t line, const char *group, const char *name,
                 const char *value);
void from_integer(const struct from_part *part, size_t line, const char *group, const char *name,
                  int64_t value);
void from_boolean(const struct from_part *part, size_t line, const char *group, const char *name,
                  bool value);
void from_list(const struct from_part *part, size_t line, const char *group, const char *name,
               const struct strlist *value);
void from_absent(const struct from_part *part, size_t line, const char *group, const char *name);
void from_unknown(const struct from_part *part, size_t line, const char *group, const char *name,
                  const char *reason);
char *from_source(const struct from_part *part, size_t line);

/* NVML answered: its library's facts, and how many GPUs it lists. NULL, and below 0: not said. */
void from_nvml(const struct from_part *part, size_t line, const char *driver, const char *cuda,
               int64_t count);

/* "00000000:07:00.0", "07:00.0" as the record has addresses: "0000:07:00.0"; NULL: it is none. */
char *from_address(const char *text);

/* The first line at or after first that has word; part->end: none. */
size_t from_find(const struct from_part *part, size_t first, const char *word);

#endif
