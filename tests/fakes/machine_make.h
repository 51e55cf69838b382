/* SPDX-License-Identifier: MIT */
#ifndef MACHINE_MAKE_H
#define MACHINE_MAKE_H

#include "base/json.h"
#include "base/memory.h"
#include "base/strlist.h"
#include "base/text.h"

/* What stands for %{name} while one description is read. */
struct word {
    char *name;
    char *value;
};

struct words {
    struct word *items;
    size_t count, capacity;
};

struct maker {
    const char *tree; /* the description that is being read */
    unsigned line;
    char *root;
    json_t *facts;
    const struct strlist *places; /* where an include without a slash is looked for */
    struct words words;
    struct maker *includer; /* NULL: none */
    struct strlist *cache;  /* "SONAME PATH" of /etc/ld.so.cache */
};

_Noreturn void fail(const struct maker *maker, const char *what, const char *which);

/* The next word of *cursor, cut off in place; NULL at the end. */
char *next_word(char **cursor);

/* The path below the root, its parent directories made. free() it. */
char *place(const struct maker *maker, const char *path);
void write_file(const struct maker *maker, const char *path, const void *bytes, size_t size);

/* The files that are more than text. */
void make_elf(const struct maker *maker, const char *path, char *rest);
void make_ldcache(const struct maker *maker, const char *machine);
void make_module(const struct maker *maker, const char *path, char *fields);
void make_certificates(const struct maker *maker, const char *path, const char *form, char *names);
/* A package in rpm's database. */
void make_rpm(const struct maker *maker, char *rest, char *files);
void make_binary(const struct maker *maker, const char *path, char *rest);

#endif
