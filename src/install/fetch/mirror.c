/* SPDX-License-Identifier: MIT */
#include "install/fetch/mirror.h"

#include <errno.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/hex.h"
#include "host/root/input.h"
#include "install/io/source_path.h"
#include "install/io/url.h"

#define FILE_SCHEME "file://"

static bool refuse(struct error *error, const char *text, const char *why)
{
    AUTO_FREE char *shown = url_shown(text);
    error_set(error, ERROR_USAGE, "this cannot be used as a mirror");
    error_where(error, "%s", shown);
    error_why(error, "%s", why);
    return error_next(error,
                      "give https://HOST/PATH, http://HOST/PATH, file:///DIR or a directory; "
                      "files are looked for at MIRROR/compute/PRODUCT/redist/…");
}

static char *without_slashes(const char *text)
{
    size_t size = strlen(text);
    while (size > 0 && text[size - 1] == '/')
        size--;
    return mem_string_n(text, size);
}

/* RFC 3986: "scheme:" before any slash. */
static bool has_scheme(const char *text)
{
    size_t size = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-.");
    return size > 0 && text[size] == ':';
}

/* %XX in a file URL; NULL for what is none. A NUL would hide what follows it. */
static char *unescape(const char *text)
{
    AUTO_TEXT struct text plain = {0};
    for (; *text; text++) {
        if (*text != '%') {
            text_append_char(&plain, *text);
            continue;
        }
        int byte = hex_byte(text + 1);
        if (byte <= 0)
            return NULL;
        text_append_char(&plain, (char)byte);
        text += 2;
    }
    return text_steal(&plain);
}

static bool parse_file_url(const char *text, struct mirror *ret_mirror, struct error *error)
{
    const char *path = text + strlen(FILE_SCHEME);
    if (strncasecmp(path, "localhost/", strlen("localhost/")) == 0)
        path += strlen("localhost");
    if (*path != '/')
        return refuse(error, text, "a file URL needs an absolute path: file:///DIR");
    if (strpbrk(path, "?#"))
        return refuse(error, text, "the URL has a query or a fragment");
    AUTO_FREE char *plain = unescape(path);
    if (plain == NULL)
        return refuse(error, text, "a % is not followed by two hexadecimal digits");
    *ret_mirror =
        (struct mirror){.base = without_slashes(plain), .is_directory = true, .is_secure = true};
    return true;
}

static bool is_plain_ascii(const char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text <= 0x20 || (unsigned char)*text >= 0x7f)
            return false;
    return true;
}

static bool parse_url(const char *text, struct mirror *ret_mirror, struct error *error)
{
    AUTO_URL struct url url = {.scheme = NULL};
    if (!is_plain_ascii(text))
        return refuse(error, text,
                      "a URL must have only ASCII characters and no spaces: write %XX");
    if (!url_parse(text, &url))
        return refuse(error, text, "this is not an http, https or file URL");
    if (url.has_user)
        return refuse(error, text, "credentials in a URL would be shown in messages and logs");
    if (url.has_query)
        return refuse(error, text, "the URL has a query or a fragment");
    *ret_mirror =
        (struct mirror){.base = without_slashes(text),
                        .is_secure = string_equal(url.scheme, "https") || url_is_loopback(&url)};
    return true;
}

bool mirror_parse(const char *text, struct mirror *ret_mirror, struct error *error)
{
    if (*text == '\0')
        return refuse(error, text, "it is empty");
    if (strncasecmp(text, FILE_SCHEME, strlen(FILE_SCHEME)) == 0)
        return parse_file_url(text, ret_mirror, error);
    if (has_scheme(text))
        return parse_url(text, ret_mirror, error);
    *ret_mirror =
        (struct mirror){.base = without_slashes(text), .is_directory = true, .is_secure = true};
    return true;
}

void mirror_free(struct mirror *mirror)
{
    free(mirror->base);
    *mirror = (struct mirror){.base = NULL};
}

/* All but the unreserved characters of RFC 3986: some servers read a '+' as a space. */
static void append_escaped(struct text *url, const char *path)
{
    for (; *path; path++) {
        unsigned char c = (unsigned char)*path;
        bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                     strchr("-._~/", c) != NULL;
        if (plain)
            text_append_char(url, (char)c);
        else
            text_printf(url, "%%%02X", c);
    }
}

char *mirror_url(const struct mirror *mirror, const char *path)
{
    AUTO_TEXT struct text url = {0};
    if (!source_path_is_safe(path))
        return NULL;
    if (mirror->is_file)
        return mem_string(mirror->base);
    text_printf(&url, "%s/", mirror->base);
    if (mirror->is_directory)
        text_append(&url, path);
    else
        append_escaped(&url, path);
    return text_steal(&url);
}

static bool is_private(const struct stat *status)
{
    return (status->st_uid == geteuid() || status->st_uid == 0) && (status->st_mode & 022) == 0;
}

int mirror_open(const struct mirror *mirror, const char *path, bool *ret_in_place,
                struct error *error)
{
    struct stat status;
    AUTO_FREE char *where = mirror_url(mirror, path);
    if (where == NULL) {
        error_set(error, ERROR_NO_INPUT, "this is not the path of a file below a mirror");
        error_where(error, "%s", path);
        return -1;
    }
    AUTO_CLOSE int fd = -1;
    if (!input_open(where, &fd, error))
        return -1;
    if (fstat(fd, &status) != 0) {
        error_set_errno(error, ERROR_NO_INPUT, errno, where, "cannot open");
        return -1;
    }
    *ret_in_place = is_private(&status);
    return fd_steal(&fd);
}

int mirrors_open(const struct mirror *mirrors, size_t count, const char *path)
{
    bool in_place;
    int fd = -1;
    for (size_t i = 0; i < count && fd < 0; i++)
        if (mirrors[i].is_directory)
            fd = mirror_open(&mirrors[i], path, &in_place, NULL);
    return fd;
}
