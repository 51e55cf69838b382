/* SPDX-License-Identifier: MIT */
#include "install/update/source.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "host/local/local.h"
#include "install/fetch/fetch.h"
#include "install/io/digest.h"

void update_source_close(struct update_source *source)
{
    free(source->name);
    text_free(&source->text);
    mirror_free(&source->mirror);
    cache_free(source->cache);
}

static bool is_file(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && !S_ISDIR(status.st_mode);
}

static bool advise(struct error *error)
{
    return error_next(error, "give the publisher's URL, a directory that has its files, or a "
                             "file made for machines without a network");
}

/* In words of its own: it is not a mirror of NVIDIA's files. */
static bool refuse(const struct error *wrong, struct error *error)
{
    error_set(error, wrong->kind, "this cannot be the source of an update");
    if (wrong->where)
        error_where(error, "%s", wrong->where);
    if (wrong->why)
        error_why(error, "%s", wrong->why);
    return advise(error);
}

static bool open_bundle(const char *path, struct update_source *source, struct error *error)
{
    source->is_bundle = true;
    return local_read(path, UPDATE_BUNDLE_MAX, &source->text, error) &&
           update_bundle_parse(text_string(&source->text), source->text.size, source->name,
                               &source->bundle, error);
}

bool update_source_open(const char *from, unsigned timeout_s, const char *cacert,
                        struct update_source *ret_source, struct error *error)
{
    AUTO_ERROR struct error wrong = {0};
    AUTO_SOURCE struct update_source source = {
        .name = mem_string(from), .timeout_s = timeout_s, .cacert = cacert};
    if (!mirror_parse(from, &source.mirror, &wrong))
        return refuse(&wrong, error);
    if (source.mirror.is_directory && local_is_missing(source.mirror.base)) {
        error_set_errno(error, ERROR_NO_INPUT, ENOENT, from, "cannot open the source");
        return advise(error);
    }
    bool is_bundle = source.mirror.is_directory && is_file(source.mirror.base);
    bool opened = is_bundle ? open_bundle(source.mirror.base, &source, error)
                            : (source.cache = cache_open(true, -1, error)) != NULL;
    if (!opened)
        return false;
    *ret_source = source;
    source = (struct update_source){.name = NULL};
    return true;
}

static const struct update_part *part_of(const struct update_source *source,
                                         const struct update_wanted *wanted)
{
    return wanted->part == UPDATE_ROOTS       ? &source->bundle.roots
           : wanted->part == UPDATE_STATEMENT ? &source->bundle.statement
                                              : &source->bundle.manifest;
}

static bool take_part(const struct update_source *source, const struct update_wanted *wanted,
                      struct text *ret_text, const char *where, struct error *error)
{
    const struct update_part *part = part_of(source, wanted);
    if (part->text == NULL) {
        error_set(error, ERROR_DATA, "the file holds keys, and no manifest");
        error_where(error, "%s", where);
        return advise(error);
    }
    text_clear(ret_text);
    text_append_n(ret_text, part->text, part->size);
    return true;
}

/* Another server may send it, and without TLS: what it must be is signed. */
static bool fetch(const struct update_source *source, const struct update_wanted *wanted,
                  struct text *ret_text, struct error *error)
{
    struct fetch_item item = {.path = wanted->file,
                              .size = wanted->size,
                              .max = wanted->max,
                              .sha256 = wanted->sha256,
                              .pinned = true,
                              .fd = -1};
    const struct fetch_options options = {.mirrors = &source->mirror,
                                          .mirror_count = 1,
                                          .cache = source->cache,
                                          .timeout_s = source->timeout_s,
                                          .cacert = source->cacert};
    bool ok = fetch_one(&options, &item, ret_text, error);
    free(item.url);
    if (!ok && error && error->next && strstr(error->next, "mirror"))
        error_next(error, "check the address and the network; if this network needs a proxy, name "
                          "it with https_proxy or http_proxy");
    return ok;
}

/* Whatever the way: the size and the digest are looked at here. */
static bool is_wanted(const struct update_wanted *wanted, const struct text *text,
                      const char *where, struct error *error)
{
    char expected[DIGEST_HEX_SIZE], hex[DIGEST_HEX_SIZE];
    struct digest found;
    if (text->size > wanted->max || (wanted->size && text->size != wanted->size)) {
        error_set(error, ERROR_DATA, "the file does not have the size that was signed");
        error_where(error, "%s", where);
        return error_why(error, "it has %zu bytes", text->size);
    }
    if (wanted->sha256 == NULL)
        return true;
    if (!digest_of_bytes(text_string(text), text->size, &found, error))
        return false;
    if (digest_equal(&found, wanted->sha256))
        return true;
    error_set(error, ERROR_DATA, "the file is not the one that was signed");
    error_where(error, "%s", where);
    return error_why(error, "sha256 expected %s, found %s", digest_hex(wanted->sha256, expected),
                     digest_hex(&found, hex));
}

bool update_source_get(const struct update_source *source, const struct update_wanted *wanted,
                       struct text *ret_text, char **ret_where, struct error *error)
{
    *ret_where = source->is_bundle ? mem_printf("%s: %s", source->name, wanted->file)
                                   : mirror_url(&source->mirror, wanted->file);
    return (source->is_bundle ? take_part(source, wanted, ret_text, *ret_where, error)
                              : fetch(source, wanted, ret_text, error)) &&
           is_wanted(wanted, ret_text, *ret_where, error);
}
