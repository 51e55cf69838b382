/* SPDX-License-Identifier: MIT */
/* package-list ROOT [--files]: what host/packages/ reads in the databases of rpm and pacman below
 * ROOT, a line for each package ("NAME|VERSION|EPOCH|ARCHITECTURE|VENDOR|MODULE"), or with --files
 * one for each of its files ("NAME-VERSION|PATH"). For tests/program/package-databases, which holds
 * them against rpm and pacman. */
#include <stdio.h>
#include <string.h>

#include "host/packages/pacman.h"
#include "host/packages/rpm.h"
#include "host/root/host.h"

struct printing {
    const struct host *host;
    bool files, failed;
    char *name;
};

static bool wants_all(const char *name)
{
    (void)name;
    return true;
}

static const char *or_none(const char *text)
{
    return text ? text : "(none)";
}

static void print_file(const char *path, void *data)
{
    const struct printing *printing = data;
    printf("%s|%s\n", printing->name, path);
}

static void fail(struct printing *printing, const struct error *error)
{
    AUTO_TEXT struct text text = {0};
    error_print(error, "package-list", 0, &text);
    fputs(text_string(&text), stderr);
    printing->failed = true;
}

static void print_rpm(const struct rpm_package *package, void *data)
{
    struct printing *printing = data;
    AUTO_ERROR struct error error = {0};
    AUTO_FREE char *name = mem_printf("%s-%s", package->name, package->version);
    printing->name = name;
    if (!printing->files)
        printf("%s|%s|%u|%s|%s|%s\n", package->name, package->version, package->epoch,
               or_none(package->architecture), or_none(package->vendor), or_none(package->module));
    else if (!rpm_header_files(package->header, print_file, printing, &error))
        fail(printing, &error);
}

static void print_pacman(const struct pacman_package *package, void *data)
{
    struct printing *printing = data;
    AUTO_ERROR struct error error = {0};
    AUTO_FREE char *name = mem_printf("%s-%s", package->name, package->version);
    printing->name = name;
    if (!printing->files)
        printf("%s|%s|0|%s|(none)|(none)\n", package->name, package->version,
               or_none(package->architecture));
    else if (pacman_files(printing->host, package, print_file, printing, &error) != HOST_OK)
        fail(printing, &error);
}

int main(int argc, char **argv)
{
    AUTO_ERROR struct error error = {0};
    struct host *host = argc > 1 ? host_new(argv[1], &error) : NULL;
    if (host == NULL) {
        fputs("usage: package-list ROOT [--files]\n", stderr);
        return 64;
    }
    struct printing printing = {.host = host, .files = argc > 2 && strcmp(argv[2], "--files") == 0};
    struct rpm_search search = {.wants = wants_all, .each = print_rpm, .data = &printing};
    const char *path;
    size_t count = 0;
    enum host_status status = rpm_each(host, &search, &count, &path, &error);
    if (status == HOST_ABSENT)
        status = pacman_each(host, wants_all, print_pacman, &printing, &count, &error);
    host_free(host);
    if (status != HOST_OK)
        fail(&printing, &error);
    return printing.failed;
}
