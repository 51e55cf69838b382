/* SPDX-License-Identifier: MIT */
/* Fetches what a list names into the cache of the environment, as gpuenv-install does, for the
 * tests of everything between a mirror and an open file: fetch-one [FLAG…] LIST A line of LIST is
 * "PATH SIZE SHA256"; SIZE 0: unknown; SHA256 "-": nothing is known. For each file that was proved
 * stdout gets "PATH SHA256 URL". Errors and exit codes are those of gpuenv. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/exit.h"
#include "base/strlist.h"
#include "install/fetch/fetch.h"

#define FILES_MAX   256
#define UNKNOWN_MAX (1u << 20)

struct driver {
    struct mirror mirrors[8];
    struct fetch_options options;
    struct fetch_item items[FILES_MAX];
    struct digest digests[FILES_MAX];
    size_t count;
    bool no_cache, quiet, unpinned, one;
    const char *progress;
    const char *list;
    struct cache *cache;
};

static bool usage(const char *word, struct error *error)
{
    error_set(error, ERROR_USAGE, "unknown word");
    return error_where(error, "%s", word);
}

static bool read_flag(struct driver *driver, const char *flag, struct error *error)
{
    struct fetch_options *options = &driver->options;
    if (string_equal(flag, "--offline"))
        options->offline = true;
    else if (string_equal(flag, "--no-cache"))
        driver->no_cache = true;
    else if (string_equal(flag, "--quiet"))
        driver->quiet = true;
    else if (string_equal(flag, "--unpinned"))
        driver->unpinned = true;
    else if (string_equal(flag, "--one"))
        driver->one = true;
    else
        return usage(flag, error);
    return true;
}

static bool read_value(struct driver *driver, const char *flag, const char *value,
                       struct error *error)
{
    struct fetch_options *options = &driver->options;
    if (string_equal(flag, "--mirror") && options->mirror_count < 8)
        return mirror_parse(value, &driver->mirrors[options->mirror_count++], error);
    if (string_equal(flag, "--timeout"))
        options->timeout_s = (unsigned)strtoul(value, NULL, 10);
    else if (string_equal(flag, "--wait"))
        options->wait_ms = (unsigned)strtoul(value, NULL, 10);
    else if (string_equal(flag, "--jobs"))
        options->jobs = (unsigned)strtoul(value, NULL, 10);
    else if (string_equal(flag, "--progress"))
        driver->progress = value;
    else
        return usage(flag, error);
    return true;
}

static bool read_arguments(struct driver *driver, int argc, char **argv, struct error *error)
{
    static const char *const plain[] = {"--offline", "--no-cache", "--quiet", "--unpinned",
                                        "--one"};
    for (int i = 1; i < argc; i++) {
        bool is_plain = false;
        for (size_t k = 0; k < sizeof(plain) / sizeof(*plain); k++)
            is_plain |= string_equal(argv[i], plain[k]);
        if (argv[i][0] != '-') {
            driver->list = argv[i];
        } else if (is_plain ? !read_flag(driver, argv[i], error)
                            : i + 1 >= argc || !read_value(driver, argv[i], argv[i + 1], error)) {
            return error_is_set(error) ? false : usage(argv[i], error);
        } else if (!is_plain) {
            i++;
        }
    }
    return driver->list || usage("no list", error);
}

static bool read_list(struct driver *driver, struct error *error)
{
    char path[2048], hex[128];
    uint64_t size;
    FILE *list = fopen(driver->list, "re");
    if (list == NULL)
        return error_set(error, ERROR_NO_INPUT, "cannot read the list");
    while (driver->count < FILES_MAX &&
           fscanf(list, "%2047s %" SCNu64 " %127s", path, &size, hex) == 3) {
        struct fetch_item *item = &driver->items[driver->count];
        struct digest *digest = &driver->digests[driver->count++];
        bool is_known = digest_parse(hex, digest);
        *item = (struct fetch_item){.path = mem_string(path),
                                    .size = size,
                                    .max = UNKNOWN_MAX,
                                    .sha256 = is_known ? digest : NULL,
                                    .pinned = !driver->unpinned,
                                    .fd = -1};
    }
    fclose(list);
    return true;
}

static void say(const struct fetch_item *item, const struct digest *digest)
{
    char hex[DIGEST_HEX_SIZE];
    printf("%s %s %s\n", item->path, digest_hex(digest, hex), item->url);
}

/* Proves what has come as unpack.h would: by the open file. */
static bool take(struct driver *driver, struct fetch *fetch, struct fetch_item *item, size_t *done,
                 struct error *error)
{
    struct digest found;
    uint64_t size;
    uint64_t limit = item->size ? item->size : item->max;
    if (!digest_of_file(item->fd, limit, item->url, &found, &size, error))
        return false;
    if (item->sha256 && !digest_equal(&found, item->sha256))
        return fetch_refuse(fetch, item, &found, error);
    if (item->sha256 && !cache_keep(driver->cache, item->sha256, item->fd, error))
        return false;
    say(item, &found);
    close(fd_steal(&item->fd));
    (*done)++;
    return true;
}

static bool fetch_all(struct driver *driver, struct error *error)
{
    size_t done = 0;
    bool ok = true;
    struct fetch *fetch = fetch_new(&driver->options, driver->items, driver->count, error);
    while (ok && fetch && done < driver->count) {
        struct fetch_item *item = fetch_next(fetch);
        ok = item ? take(driver, fetch, item, &done, error)
                  : fetch_step(fetch, NULL, 0, 1000, error);
    }
    fetch_free(fetch);
    return fetch && ok;
}

static bool fetch_each(struct driver *driver, struct error *error)
{
    for (size_t i = 0; i < driver->count; i++) {
        AUTO_TEXT struct text text = {0};
        struct digest found;
        struct fetch_item *item = &driver->items[i];
        if (!fetch_one(&driver->options, item, &text, error) ||
            !digest_of_bytes(text_string(&text), text.size, &found, error))
            return false;
        say(item, &found);
    }
    return true;
}

static bool run(struct driver *driver, int argc, char **argv, struct error *error)
{
    if (!read_arguments(driver, argc, argv, error) || !read_list(driver, error))
        return false;
    driver->options.progress = progress_new(driver->progress, driver->quiet, error);
    driver->cache = cache_open(driver->no_cache, -1, error);
    if (driver->options.progress == NULL || driver->cache == NULL)
        return false;
    if (cache_note(driver->cache))
        progress_note(driver->options.progress, "%s", cache_note(driver->cache));
    driver->options.cache = driver->cache;
    uint64_t total = 0;
    for (size_t i = 0; i < driver->count; i++)
        total += driver->items[i].size;
    progress_total(driver->options.progress, total, (unsigned)driver->count);
    return driver->one ? fetch_each(driver, error) : fetch_all(driver, error);
}

static void driver_clear(struct driver *driver)
{
    progress_free(driver->options.progress);
    cache_free(driver->cache);
    for (size_t i = 0; i < driver->options.mirror_count; i++)
        mirror_free(&driver->mirrors[i]);
    for (size_t i = 0; i < driver->count; i++) {
        if (driver->items[i].fd >= 0)
            close(driver->items[i].fd);
        free(driver->items[i].url);
        free((void *)(uintptr_t)driver->items[i].path);
    }
}

int main(int argc, char **argv)
{
    AUTO_ERROR struct error error = {0};
    AUTO_TEXT struct text text = {0};
    struct driver *driver = mem_alloc(sizeof(*driver));
    driver->progress = "none";
    driver->options.mirrors = driver->mirrors;
    bool ok = run(driver, argc, argv, &error);
    driver_clear(driver);
    free(driver);
    if (ok)
        return EXIT_DONE;
    error_format(&error, &text);
    fprintf(stderr, "gpuenv: %s\n", text_string(&text));
    return (int)exit_code_of(error.kind);
}
