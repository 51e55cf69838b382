/* SPDX-License-Identifier: MIT */
#include "install/outside/loader_conf.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/child/child.h"
#include "host/loader/ldcache.h"
#include "host/loader/trust.h"
#include "host/root/bytes.h"
#include "host/root/file.h"
#include "install/io/fd.h"

#define PLACE       "/etc/ld.so.conf.d"
#define CACHE_MAX   (64u << 20)
#define CONF_MAX    65536
#define TIMEOUT_MS  120000
#define NAME_LENGTH 255

static const char *const programs[] = {"/sbin/ldconfig", "/usr/sbin/ldconfig"};

void loader_conf_free(struct loader_conf *conf)
{
    free(conf->path);
    *conf = (struct loader_conf){.path = NULL};
}

/* "/etc/ld.so.conf.d/gpuenv-usr-local-cuda-12.8.conf" */
static char *path_of(const struct prefix *prefix)
{
    char *path = mem_printf(PLACE "/gpuenv%s.conf", prefix->path);
    for (char *c = path + strlen(PLACE) + 1; *c; c++)
        if (*c == '/')
            *c = '-';
    return path;
}

/* A toolkit of NVIDIA's runfiles has its libraries in lib64, and may have 32-bit ones in lib; else
 * lib64 is a link to lib. */
static const char *libraries_of(const struct prefix *prefix)
{
    const struct ledger_file *lib64 = ledger_find(&prefix->ledger, "lib64");
    bool is_lib = lib64 == NULL || string_equal(lib64->target, "lib");
    return is_lib ? "lib" : "lib64";
}

static void append_text(const struct prefix *prefix, struct text *text)
{
    text_printf(text, "# gpuenv: %s\n%s/%s\n", prefix->path, prefix->path, libraries_of(prefix));
}

static bool refuse(struct error *error, enum error_kind kind, const char *path, const char *what,
                   const char *next)
{
    error_set(error, kind, "%s", what);
    error_where(error, "%s", path);
    return error_next(error, "%s", next);
}

/* The characters that ldconfig takes for something else (glibc, elf/ldconfig.c, parse_conf()). */
static bool can_be_named(const struct prefix *prefix, const char *path, struct error *error)
{
    if (strpbrk(prefix->path, "#=") == NULL && strlen(path) - strlen(PLACE) - 1 <= NAME_LENGTH)
        return true;
    return refuse(error, ERROR_CANNOT_WRITE, prefix->path,
                  "the path of this prefix cannot be written to ld.so.conf",
                  "omit --ldconfig; gpuenv env shows what LD_LIBRARY_PATH needs");
}

static bool is_included(const struct prefix *prefix, struct error *error)
{
    AUTO_TEXT struct text text = {0};
    if (host_read(prefix->image->host, "/etc/ld.so.conf", CONF_MAX, &text, NULL) == HOST_OK &&
        strstr(text_string(&text), "ld.so.conf.d/*.conf"))
        return true;
    return refuse(error, ERROR_CANNOT_WRITE, "/etc/ld.so.conf",
                  "the loader does not read " PLACE " here",
                  "omit --ldconfig; gpuenv env shows what LD_LIBRARY_PATH needs");
}

/* Whether the loader's cache has libraries of the prefix. */
static bool is_cached(const struct prefix *prefix)
{
    AUTO_TEXT struct text text = {0};
    AUTO_FREE char *start = mem_printf("%s/%s/", prefix->path, libraries_of(prefix));
    struct ldcache cache;
    bool found = false;
    if (host_read(prefix->image->host, "/etc/ld.so.cache", CACHE_MAX, &text, NULL) != HOST_OK ||
        !ldcache_parse(text_string(&text), text.size, &cache, NULL))
        return false;
    for (size_t i = 0; !found && i < cache.count; i++)
        found = string_starts(cache.entries[i].path, start);
    ldcache_free(&cache);
    return found;
}

enum there { THERE_NOT, THERE_OURS, THERE_OTHER };

static enum there look(const struct prefix *prefix, const char *path)
{
    AUTO_TEXT struct text text = {0};
    AUTO_TEXT struct text ours = {0};
    struct host_stat status;
    enum host_status found = host_lstat(prefix->image->host, path, &status, NULL);
    if (found == HOST_ABSENT)
        return THERE_NOT;
    append_text(prefix, &ours);
    return found == HOST_OK && status.type == HOST_REGULAR &&
                   host_read(prefix->image->host, path, CONF_MAX, &text, NULL) == HOST_OK &&
                   string_equal(text_string(&text), text_string(&ours))
               ? THERE_OURS
               : THERE_OTHER;
}

static int open_place(const struct prefix *prefix, struct error *error)
{
    AUTO_CLOSE int fd = image_open_directory(prefix->image, PLACE, NULL);
    if (fd >= 0 && faccessat(fd, ".", W_OK, AT_EACCESS) == 0)
        return fd_steal(&fd);
    error_set_errno(error, fd_error_kind(errno), errno, PLACE,
                    "cannot make the loader find the libraries");
    error_next(error, "use sudo, or omit --ldconfig: gpuenv env shows what LD_LIBRARY_PATH needs");
    return -1;
}

bool loader_conf_look(const struct prefix *prefix, struct loader_conf *ret_conf,
                      struct error *error)
{
    AUTO_FREE char *path = path_of(prefix);
    enum there there = look(prefix, path);
    if (!can_be_named(prefix, path, error) || !is_included(prefix, error))
        return false;
    if (there == THERE_OTHER)
        return refuse(error, ERROR_CANNOT_WRITE, path,
                      "this file exists, but does not belong to this prefix",
                      "move the file away, or omit --ldconfig");
    bool has_changed = there == THERE_NOT || !is_cached(prefix);
    AUTO_CLOSE int fd = has_changed ? open_place(prefix, error) : -1;
    if (has_changed && fd < 0)
        return false;
    *ret_conf = (struct loader_conf){.path = mem_steal(&path), .has_changed = has_changed};
    return true;
}

static bool write_conf(const struct prefix *prefix, int fd, const char *path, struct error *error)
{
    AUTO_TEXT struct text text = {0};
    const char *name = path + strlen(PLACE) + 1;
    AUTO_FREE char *new = mem_printf(".%.200s.new", name);
    append_text(prefix, &text);
    unlinkat(fd, new, 0); /* of a run that was killed: the prefix's lock is ours */
    AUTO_CLOSE int file =
        openat(fd, new, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
    if (file >= 0 && fchmod(file, 0644) == 0 && bytes_write(file, text_string(&text), text.size) &&
        bytes_sync(file) && renameat(fd, new, fd, name) == 0)
        return fd_sync_directory(fd) || fd_not_confirmed("the file is written", path, error);
    error_set_errno(error, fd_error_kind(errno), errno, path, "cannot write the file");
    unlinkat(fd, new, 0);
    return false;
}

static bool run_program(const struct host *live, const struct image *image, struct error *error)
{
    AUTO_CHILD_RESULT struct child_result result = {0};
    const char *program = NULL;
    for (size_t i = 0; program == NULL && i < sizeof(programs) / sizeof(*programs); i++) {
        AUTO_FREE char *reason = NULL;
        if (host_can_execute(live, programs[i]) && trust_file(live, programs[i], &reason))
            program = programs[i];
    }
    if (program == NULL)
        return refuse(error, ERROR_CANNOT_WRITE, programs[0],
                      "ldconfig is not installed here, or not safe to run",
                      "run ldconfig yourself, or omit --ldconfig");
    const char *const argv[] = {program, image->root ? "-r" : NULL, image->root, NULL};
    if (!child_run(live, argv, TIMEOUT_MS, &result, error))
        return false;
    AUTO_FREE char *problem = child_result_problem(&result);
    if (problem == NULL)
        return true;
    AUTO_FREE char *said = text_steal(&result.errors);
    const char *words = string_trim(said);
    error_set(error, ERROR_CANNOT_WRITE, "ldconfig failed");
    error_why(error, "%s%s%s", problem, *words ? ": " : "", words);
    return error_next(error, "run ldconfig%s%s yourself", image->root ? " -r " : "",
                      image->root ? image->root : "");
}

/* The machine's own, which changes its root first: nothing of an image is run. */
static bool run_ldconfig(const struct image *image, struct error *error)
{
    AUTO_HOST struct host *live = host_new(NULL, error);
    return live && run_program(live, image, error);
}

bool loader_conf_add(const struct prefix *prefix, struct loader_conf *ret_conf, struct error *error)
{
    AUTO(loader_conf_free) struct loader_conf conf = {.path = NULL};
    if (!loader_conf_look(prefix, &conf, error))
        return false;
    if (conf.has_changed) {
        AUTO_CLOSE int fd = open_place(prefix, error);
        if (fd < 0 || !write_conf(prefix, fd, conf.path, error) ||
            !run_ldconfig(prefix->image, error))
            return false;
    }
    *ret_conf = conf;
    conf = (struct loader_conf){.path = NULL};
    return true;
}

bool loader_conf_remove(const struct prefix *prefix, struct loader_conf *ret_conf,
                        struct error *error)
{
    AUTO_FREE char *path = path_of(prefix);
    if (look(prefix, path) != THERE_OURS)
        return true;
    AUTO_CLOSE int fd = image_open_directory(prefix->image, PLACE, NULL);
    if (fd < 0 || unlinkat(fd, path + strlen(PLACE) + 1, 0) != 0)
        return error_set_errno(error, fd_error_kind(errno), errno, path,
                               "cannot remove the loader's configuration of this prefix");
    *ret_conf = (struct loader_conf){.path = mem_steal(&path), .has_changed = true};
    if (!fd_sync_directory(fd))
        return fd_not_confirmed("the file is removed", ret_conf->path, error);
    return run_ldconfig(prefix->image, error);
}
