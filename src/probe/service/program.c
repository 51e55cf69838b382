/* SPDX-License-Identifier: MIT */
#include "probe/service/program.h"

#include <string.h>

#include "base/path.h"
#include "host/root/file.h"

#define LINE_MAX_SIZE 256 /* BINPRM_BUF_SIZE of the kernel: a longer first line does not count */
#define EXECUTABLE    0111u

/* The program that a script names in its first line ("#!/bin/sh -e"); NULL: it is no script. */
static char *interpreter_of(const struct host *host, const char *path)
{
    AUTO_TEXT struct text text = {0};
    if (host_read_head(host, path, LINE_MAX_SIZE, &text, NULL) != HOST_OK || text.size < 3 ||
        memcmp(text.data, "#!", 2) != 0)
        return NULL;
    const char *at = text_string(&text) + 2;
    at += strspn(at, " \t");
    size_t length = strcspn(at, " \t\r\n");
    return length > 0 && at[length] != '\0' ? mem_string_n(at, length) : NULL;
}

char *program_flaw(const struct host *host, const char *path)
{
    struct host_stat stat;
    if (host_stat(host, path, &stat, NULL) != HOST_OK)
        return NULL;
    if (stat.type == HOST_DIRECTORY)
        return mem_string("is a directory");
    if (stat.type != HOST_REGULAR)
        return NULL;
    if ((stat.mode & EXECUTABLE) == 0)
        return mem_string("is not executable");
    AUTO_FREE char *interpreter = interpreter_of(host, path);
    if (interpreter && interpreter[0] == '/' &&
        host_stat(host, interpreter, &stat, NULL) == HOST_ABSENT)
        return mem_printf("needs %s, which does not exist", interpreter);
    return NULL;
}

/* Where a program lies: engines look a bare name up in PATH. NULL: nowhere. free() it. */
static char *path_of_program(const struct host *host, const char *name)
{
    static const char *const places[] = {"/usr/bin", "/usr/sbin", "/usr/local/bin",
                                         "/run/current-system/sw/bin"};
    if (name && name[0] == '/')
        return mem_string(name);
    for (size_t i = 0; name && i < sizeof(places) / sizeof(places[0]); i++) {
        AUTO_FREE char *path = path_join(places[i], name);
        struct host_stat stat;
        if (host_lstat(host, path, &stat, NULL) == HOST_OK)
            return mem_steal(&path);
    }
    return NULL;
}

bool program_exists(const struct host *host, const char *name)
{
    AUTO_FREE char *path = path_of_program(host, name);
    return path != NULL;
}

void programs_missing(const struct host *host, const struct strlist *programs,
                      struct strlist *missing)
{
    for (size_t i = 0; i < programs->count; i++) {
        const char *program = programs->items[i];
        struct host_stat stat;
        bool found = program[0] == '/' ? host_lstat(host, program, &stat, NULL) != HOST_ABSENT
                                       : program_exists(host, program);
        if (!found)
            strlist_add(missing, program);
    }
}

void programs_flawed(const struct host *host, const struct strlist *programs,
                     struct strlist *flawed)
{
    for (size_t i = 0; i < programs->count; i++) {
        AUTO_FREE char *path = path_of_program(host, programs->items[i]);
        AUTO_FREE char *flaw = path ? program_flaw(host, path) : NULL;
        if (flaw)
            strlist_take(flawed, mem_printf("%s %s", path, flaw));
    }
}
