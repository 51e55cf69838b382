/* SPDX-License-Identifier: MIT */
#include "install/fetch/http.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"
#include "install/io/url.h"

static const char *set_variable(const char *name)
{
    const char *value = getenv(name);
    return value && *value ? value : NULL;
}

/* As libcurl does: http_proxy in lower case alone, because CGI programs get HTTP_PROXY from their
 * client. */
static const char *proxy_variable(const char *scheme)
{
    static const char *const for_http[] = {"http_proxy", "all_proxy", "ALL_PROXY", NULL};
    static const char *const for_https[] = {"https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY",
                                            NULL};
    const char *const *names = string_equal(scheme, "https") ? for_https : for_http;
    while (*names && set_variable(*names) == NULL)
        names++;
    return *names;
}

/* "10.0.0.0/8" against a host that is an address (libcurl 7.86 and newer). */
static bool excludes_network(const char *word, size_t size, const char *host)
{
    unsigned char network[16], address[16];
    const char *slash = memchr(word, '/', size);
    size_t bits = slash ? strtoul(slash + 1, NULL, 10) : 0;
    AUTO_FREE char *base = mem_string_n(word, slash ? (size_t)(slash - word) : 0);
    int family = strchr(base, ':') ? AF_INET6 : AF_INET;
    if (bits == 0 || bits > (family == AF_INET ? 32 : 128) ||
        inet_pton(family, base, network) != 1 || inet_pton(family, host, address) != 1)
        return false;
    unsigned mask = 0xff00u >> bits % 8 & 0xff;
    return memcmp(network, address, bits / 8) == 0 &&
           (mask == 0 || ((network[bits / 8] ^ address[bits / 8]) & mask) == 0);
}

/* One word of no_proxy against a host: the same, or the end of it from a point on. */
static bool excludes(const char *word, size_t size, const char *host)
{
    size_t length = strlen(host);
    if (size > 0 && *word == '.') {
        word++;
        size--;
    }
    if (size == 0 || size > length || strncasecmp(host + length - size, word, size) != 0)
        return false;
    return size == length || host[length - size - 1] == '.';
}

static bool is_excluded(const char *host)
{
    const char *list = set_variable("no_proxy");
    list = list ? list : set_variable("NO_PROXY");
    if (list == NULL)
        return false;
    if (string_equal(list, "*"))
        return true;
    while (*list) {
        size_t size = strcspn(list, ", ");
        if (excludes(list, size, host) || excludes_network(list, size, host))
            return true;
        list += size;
        list += strspn(list, ", ");
    }
    return false;
}

char *http_proxy_shown(const char *url)
{
    AUTO_URL struct url parts = {.scheme = NULL};
    if (!url_parse(url, &parts) || is_excluded(parts.host))
        return NULL;
    const char *name = proxy_variable(parts.scheme);
    if (name == NULL)
        return NULL;
    AUTO_FREE char *shown = url_shown(getenv(name));
    return mem_printf("%s=%s", name, shown);
}
