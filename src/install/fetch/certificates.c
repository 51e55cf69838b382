/* SPDX-License-Identifier: MIT */
#include "install/fetch/certificates.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/strlist.h"
#include "base/text.h"
#include "host/root/input.h"

/* Distributions' own, the newest place of each first. Sources: the packages ca-certificates of
 * Debian, Fedora, SUSE and Alpine; Amazon Linux and RHEL have Fedora's. */
static const char *const files[] = {
    "/etc/ssl/certs/ca-certificates.crt",                /* Debian, Ubuntu, Arch, Gentoo */
    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem", /* Fedora, RHEL 7 and newer, Amazon */
    "/etc/pki/tls/certs/ca-bundle.crt",                  /* the same, older names */
    "/var/lib/ca-certificates/ca-bundle.pem",            /* SUSE */
    "/etc/ssl/ca-bundle.pem",                            /* SUSE, older name */
    "/etc/ssl/cert.pem",                                 /* Alpine */
};
static const char *const directories[] = {"/etc/ssl/certs", "/etc/pki/tls/certs"};

static const char *variable(const char *name)
{
    const char *value = getenv(name);
    return value && *value ? value : NULL;
}

static bool is_readable(const char *root, const char *path)
{
    AUTO_FREE char *whole = mem_printf("%s%s", root, path);
    return access(whole, R_OK) == 0;
}

static const char *first_of(const char *const *paths, size_t count, const char *root,
                            bool (*is_right)(const char *root, const char *path))
{
    for (size_t i = 0; i < count; i++)
        if (is_right(root, paths[i]))
            return paths[i];
    return NULL;
}

/* "5ed36f99.0", as c_rehash names them. */
static bool is_hashed(const char *name)
{
    return strspn(name, "0123456789abcdef") == 8 && name[8] == '.';
}

static bool has_certificates(const char *root, const char *path)
{
    AUTO_FREE char *whole = mem_printf("%s%s", root, path);
    DIR *directory = opendir(whole);
    bool found = false;
    if (directory == NULL)
        return false;
    for (struct dirent *entry; !found && (entry = readdir(directory)) != NULL;)
        found = is_hashed(entry->d_name);
    closedir(directory);
    return found;
}

static void look_for(struct certificates *certificates, const char *root)
{
    certificates->file = first_of(files, sizeof(files) / sizeof(*files), root, is_readable);
    if (certificates->file == NULL && certificates->directory == NULL)
        certificates->directory = first_of(directories, sizeof(directories) / sizeof(*directories),
                                           root, has_certificates);
}

struct certificates certificates_choose(const char *given, bool has_default, const char *root)
{
    if (given)
        return (struct certificates){.file = given, .origin = "--cacert"};
    if (variable("CURL_CA_BUNDLE"))
        return (struct certificates){.file = variable("CURL_CA_BUNDLE"),
                                     .origin = "CURL_CA_BUNDLE"};
    struct certificates chosen = {.file = variable("SSL_CERT_FILE"),
                                  .directory = variable("SSL_CERT_DIR")};
    if (chosen.file)
        chosen.origin = "SSL_CERT_FILE";
    else if (!has_default)
        look_for(&chosen, root);
    return chosen;
}

static bool refuse_none(struct error *error)
{
    AUTO_STRLIST struct strlist places = {0};
    for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
        strlist_add(&places, files[i]);
    for (size_t i = 0; i < sizeof(directories) / sizeof(*directories); i++)
        strlist_add(&places, directories[i]);
    AUTO_FREE char *list = strlist_join(&places, ", ");
    error_set(error, ERROR_UNAVAILABLE, "this system has no CA certificates to check servers with");
    error_why(error, "not found: %s", list);
    return error_next(error, "install the package ca-certificates, or name a certificate file with "
                             "--cacert FILE or SSL_CERT_FILE");
}

/* libcurl has OpenSSL open the file, which waits for a FIFO and reads a device for ever. */
bool certificates_usable(const struct certificates *certificates, bool has_default,
                         struct error *error)
{
    if (certificates->file == NULL && certificates->directory == NULL && !has_default)
        return refuse_none(error);
    if (certificates->origin == NULL || input_may_be_opened(certificates->file, error))
        return true;
    error_prefix(error, "%s", certificates->origin);
    return error_next(error, "name a certificate file (PEM)%s",
                      certificates->origin[0] == '-' ? "" : ", or unset the variable");
}
