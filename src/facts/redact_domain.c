/* SPDX-License-Identifier: MIT */
#include "facts/redact_private.h"

/* What a host's full name ends with. Short ones that are endings of files, too, are not here. */
static const char *const tops[] = {
    "com",  "org", "net",   "edu",   "gov",  "mil", "int",  "corp",  "internal", "lan",
    "home", "loc", "local", "intra", "arpa", "io",  "ai",   "cloud", "uk",       "de",
    "fr",   "jp",  "cn",    "ch",    "nl",   "eu",  "kr",   "ru",    "at",       "be",
    "ca",   "au",  "br",    "es",    "it",   "pl",  "se",   "no",    "fi",       "dk",
    "cz",   "tw",  "hk",    "sg",    "in",   "us",  "info", "site",  "tech"};

/* Names that everybody knows: of who makes drivers, distributions and images. */
static const char *const public_names[] = {"nvidia.com",
                                           "nvcr.io",
                                           "docker.io",
                                           "docker.com",
                                           "ghcr.io",
                                           "quay.io",
                                           "gcr.io",
                                           "k8s.io",
                                           "github.com",
                                           "gitlab.com",
                                           "debian.org",
                                           "ubuntu.com",
                                           "redhat.com",
                                           "canonical.com",
                                           "fedoraproject.org",
                                           "centos.org",
                                           "suse.com",
                                           "opensuse.org",
                                           "kernel.org",
                                           "pytorch.org",
                                           "freedesktop.org",
                                           "gnu.org",
                                           "example.com",
                                           "example.org",
                                           "archlinux.org",
                                           "rpmfusion.org",
                                           "anaconda.org",
                                           "huggingface.co",
                                           "kubernetes.io",
                                           "kubevirt.io",
                                           "rancher.io",
                                           "gke.io",
                                           "amazon.com",
                                           "google.com",
                                           "python.org",
                                           "github.io",
                                           "githubusercontent.com",
                                           "googleapis.com",
                                           "elrepo.org",
                                           "paddlepaddle.org.cn",
                                           "pkgbuild.com",
                                           "asus-linux.org",
                                           "microsoft.com",
                                           "rockylinux.org",
                                           "almalinux.org",
                                           "oracle.com",
                                           "negativo17.org",
                                           "launchpad.net",
                                           "launchpadcontent.net",
                                           "flatcar.org",
                                           "nixos.org"};

static bool ends_with(const char *name, size_t size, const char *end)
{
    size_t length = strlen(end);
    return size >= length && strncasecmp(name + size - length, end, length) == 0 &&
           (size == length || name[size - length - 1] == '.');
}

/* At least two labels, the last one of the list; of a short last one three, since "config.in" and
 * "vb.net" are files. */
static bool is_domain(const char *name, size_t size)
{
    size_t dots = 0;
    for (size_t i = 0; i < size; i++)
        dots += name[i] == '.';
    if (dots == 0 || memmem(name, size, "..", 2))
        return false;
    for (size_t i = 0; i < sizeof(tops) / sizeof(tops[0]); i++)
        if (ends_with(name, size, tops[i]))
            return dots > 1 || strlen(tops[i]) == 3 || strlen(tops[i]) > 4;
    return false;
}

bool redact_is_public(const char *name, size_t size)
{
    for (size_t i = 0; i < sizeof(public_names) / sizeof(public_names[0]); i++)
        if (ends_with(name, size, public_names[i]))
            return true;
    return false;
}

size_t redact_domain(struct scan *scan)
{
    const char *text = scan->text + scan->at;
    char before = redact_before(scan);
    size_t size = 0;
    if (!redact_is_alnum(*text) || redact_is_word(before) || before == '.' || before == '-')
        return 0;
    while (redact_is_alnum(text[size]) || text[size] == '.' || text[size] == '-')
        size++;
    if (redact_is_word(text[size]))
        return 0;
    while (size > 0 && !redact_is_alnum(text[size - 1]))
        size--;
    if (size == 0 || !is_domain(text, size) || redact_is_public(text, size))
        return 0;
    size_t label = (size_t)((const char *)memchr(text, '.', size) - text);
    bool known = redact_is_known(&scan->redaction->hosts, text, label);
    text_printf(scan->output, "%s.example",
                redact_stand_in(scan->redaction, REDACTED_HOST, text, known ? label : size));
    return size;
}
