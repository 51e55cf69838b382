/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "probe/engine/note.h"
#include "probe/engine/probes.h"
#include "probe/system/dpkg.h"

/* Which certificates programs trust, and which lie beside them untrusted. */
#define KIND       "trust"
#define FILE_MAX   (8u << 20)
#define FILES_MAX  64
#define BEGIN_CERT "-----BEGIN CERTIFICATE-----"
#define END_CERT   "-----END CERTIFICATE-----"

/* Where distributions keep all trusted certificates in one file. */
static const char *const bundles[] = {
    "/etc/ssl/certs/ca-certificates.crt", /* Debian, Arch */
    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
    "/etc/ssl/ca-bundle.pem", /* SUSE */
    "/var/lib/ca-certificates/ca-bundle.pem",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/cert.pem", /* Alpine */
};

/* Where an administrator puts certificates that the next update of the bundle takes. */
static const char *const added[] = {
    "/usr/local/share/ca-certificates",
    "/etc/pki/ca-trust/source/anchors",
    "/etc/pki/trust/anchors",
    "/etc/ca-certificates/trust-source/anchors",
};

/* The base64 of the certificate at *cursor, without white space; NULL at the end. free() it. */
static char *next_certificate(const char **cursor)
{
    const char *begin = *cursor ? strstr(*cursor, BEGIN_CERT) : NULL;
    const char *end = begin ? strstr(begin, END_CERT) : NULL;
    if (end == NULL)
        return NULL;
    AUTO_TEXT struct text text = {0};
    for (const char *at = begin + strlen(BEGIN_CERT); at < end; at++)
        if (strchr(" \t\r\n", *at) == NULL)
            text_append_char(&text, *at);
    *cursor = end + strlen(END_CERT);
    return text_steal(&text);
}

static void add_certificates(const struct host *host, const char *path,
                             struct strlist *certificates)
{
    AUTO_TEXT struct text text = {0};
    if (note_read_text(host, path, FILE_MAX, &text, NULL) != HOST_OK)
        return;
    const char *cursor = text_string(&text);
    for (char *one; (one = next_certificate(&cursor)) != NULL;)
        strlist_take(certificates, one);
}

static bool has_all(const struct strlist *trusted, const struct strlist *some)
{
    for (size_t i = 0; i < some->count; i++)
        if (!strlist_has(trusted, some->items[i]))
            return false;
    return true;
}

/* Files of certificates in a directory, of which the bundle lacks one. Debian takes *.crt alone. */
static void add_untrusted(const struct host *host, const char *directory,
                          const struct strlist *trusted, struct strlist *untrusted)
{
    AUTO_STRLIST struct strlist names = {0};
    bool debian = string_starts(directory, "/usr/local/");
    if (host_list(host, directory, &names, NULL) != HOST_OK)
        return;
    for (size_t i = 0; i < names.count && i < FILES_MAX; i++) {
        AUTO_FREE char *path = mem_printf("%s/%s", directory, names.items[i]);
        AUTO_STRLIST struct strlist here = {0};
        if (debian && !string_ends(path, ".crt"))
            continue;
        add_certificates(host, path, &here);
        if (!has_all(trusted, &here))
            strlist_add(untrusted, path);
    }
}

static void take_package(const struct dpkg_package *package, void *data)
{
    bool *installed = data;
    if (strcmp(package->name, "ca-certificates") == 0)
        *installed = dpkg_is_present(package);
}

static void note_package(const struct host *host, struct facts *facts)
{
    bool installed = false;
    size_t count = 0;
    AUTO_ERROR struct error error = {0};
    enum host_status status = dpkg_each(host, take_package, &installed, &count, &error);
    if (status == HOST_OK)
        facts_set_boolean(facts, KIND, "package", installed, DPKG_STATUS);
    else
        note_missing(facts, KIND, "package", status, &error, DPKG_STATUS);
}

void probe_trust(const struct probe_context *context, struct facts *facts)
{
    const struct host *host = context->host;
    AUTO_STRLIST struct strlist trusted = {0}, untrusted = {0};
    const char *bundle = NULL;
    for (size_t i = 0; i < sizeof(bundles) / sizeof(bundles[0]) && bundle == NULL; i++)
        if (host_exists(host, bundles[i]))
            bundle = bundles[i];
    facts_set_string(facts, KIND, "bundle", bundle, bundle ? bundle : bundles[0]);
    if (bundle)
        add_certificates(host, bundle, &trusted);
    for (size_t i = 0; i < sizeof(added) / sizeof(added[0]); i++)
        add_untrusted(host, added[i], &trusted, &untrusted);
    facts_set_integer(facts, KIND, "certificates", (int64_t)trusted.count,
                      bundle ? bundle : bundles[0]);
    facts_set_list(facts, KIND, "untrusted", &untrusted, added[0]);
    note_package(host, facts);
}
