/* SPDX-License-Identifier: MIT */
#include "install/io/libraries.h"

#include <string.h>

#include <archive.h>
#include <curl/curl.h>
#include <openssl/crypto.h>

#include "base/version.h"

static const char *curl_loaded(void)
{
    return curl_version_info(CURLVERSION_NOW)->version;
}

/* "libarchive 3.6.2" */
static const char *archive_loaded(void)
{
    const char *text = archive_version_string();
    const char *prefix = "libarchive ";
    return string_starts(text, prefix) ? text + strlen(prefix) : text;
}

static const char *openssl_loaded(void)
{
    return OpenSSL_version(OPENSSL_VERSION_STRING);
}

static const char *zlib_loaded(void)
{
    return archive_zlib_version();
}

static const char *lzma_loaded(void)
{
    return archive_liblzma_version();
}

/* The same floors as in cmake/dependencies.cmake. zlib and liblzma are libarchive's. */
const struct install_library install_libraries[] = {
    {.name = "libcurl", .oldest = "7.81", .version = curl_loaded},
    {.name = "libarchive", .oldest = "3.6.0", .version = archive_loaded},
    {.name = "OpenSSL", .oldest = "3.0.2", .version = openssl_loaded},
    {.name = "zlib", .version = zlib_loaded},
    {.name = "liblzma", .version = lzma_loaded},
    {.name = NULL},
};

void libraries_append_versions(const struct install_library *libraries, struct text *output)
{
    for (const struct install_library *library = libraries; library->name; library++) {
        if (library->version() == NULL)
            continue;
        text_printf(output, "%s ", library->name);
        text_append_safe(output, library->version());
        text_append_char(output, '\n');
    }
}

static bool library_check(const struct install_library *library, struct error *error)
{
    struct version oldest, loaded;
    const char *text = library->version();
    if (library->oldest == NULL)
        return true;
    if (!version_parse(library->oldest, &oldest) || !version_parse_prefix(text, &loaded)) {
        error_set(error, ERROR_INTERNAL, "cannot tell how old %s is", library->name);
        return error_why(error, "the library reports version \"%s\"", text);
    }
    if (version_compare(&loaded, &oldest) >= 0)
        return true;
    error_set(error, ERROR_INTERNAL, "%s %s is too old", library->name, text);
    error_why(error, "gpuenv-install needs %s or newer", library->oldest);
    return error_next(error, "update the library with the system's package manager, and check "
                             "whether LD_LIBRARY_PATH contains an old copy");
}

bool libraries_check(const struct install_library *libraries, struct error *error)
{
    for (const struct install_library *library = libraries; library->name; library++)
        if (!library_check(library, error))
            return false;
    return true;
}
