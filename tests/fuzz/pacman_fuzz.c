/* SPDX-License-Identifier: MIT */
/* The files desc and files of one package, as they are in pacman's database. */
#include "fuzz.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/packages/pacman.h"

#define PACKAGE "/var/lib/pacman/local/a-1-1"

static char root[] = "/dev/shm/gpuenv-fuzz-XXXXXX"; /* in memory: a file is written for each run */

static bool wants(const char *name)
{
    return strcmp(name, "a") == 0;
}

static void each_file(const char *path, void *data)
{
    (void)data;
    if (path[0] != '/')
        abort();
}

static void each(const struct pacman_package *package, void *data)
{
    if (package->name == NULL || package->version == NULL)
        abort();
    pacman_files(data, package, each_file, NULL, NULL);
}

static void remove_tree(void)
{
    static const char *const paths[] = {
        PACKAGE "/desc",   PACKAGE "/files", PACKAGE, "/var/lib/pacman/local",
        "/var/lib/pacman", "/var/lib",       "/var",  ""};
    for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
        AUTO_FREE char *path = mem_printf("%s%s", root, paths[i]);
        if (remove(path) != 0)
            return;
    }
}

static void make_tree(void)
{
    static const char *const directories[] = {"/var", "/var/lib", "/var/lib/pacman",
                                              "/var/lib/pacman/local", PACKAGE};
    if (mkdtemp(root) == NULL)
        abort();
    for (size_t i = 0; i < sizeof(directories) / sizeof(directories[0]); i++) {
        AUTO_FREE char *path = mem_printf("%s%s", root, directories[i]);
        if (mkdir(path, 0700) != 0)
            abort();
    }
    atexit(remove_tree);
}

static void put(const char *name, const uint8_t *data, size_t size)
{
    AUTO_FREE char *path = mem_printf("%s" PACKAGE "/%s", root, name);
    AUTO_CLOSE int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct host *host;
    AUTO_ERROR struct error error = {.kind = ERROR_NONE};
    size_t count = 0;
    if (host == NULL) {
        make_tree();
        host = host_new(root, NULL);
    }
    put("desc", data, size);
    put("files", data, size);
    enum host_status status = pacman_each(host, wants, each, host, &count, &error);
    if (count != 1 || (status == HOST_OK) == error_is_set(&error))
        abort();
    return 0;
}
