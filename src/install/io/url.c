/* SPDX-License-Identifier: MIT */
#include "install/io/url.h"

#include <arpa/inet.h>
#include <string.h>
#include <strings.h>

#include <curl/curl.h>

#include "base/text.h"

static void handle_free_at(CURLU **handle)
{
    curl_url_cleanup(*handle);
}

static char *part_of(CURLU *handle, CURLUPart part)
{
    char *value = NULL;
    if (curl_url_get(handle, part, &value, 0) != CURLUE_OK)
        return NULL;
    char *copy = mem_string(value);
    curl_free(value);
    return copy;
}

static bool part_is_there(CURLU *handle, CURLUPart part)
{
    AUTO_FREE char *value = part_of(handle, part);
    return value != NULL;
}

static char *without_brackets(char *host)
{
    size_t size = host ? strlen(host) : 0;
    if (size < 2 || host[0] != '[' || host[size - 1] != ']')
        return host;
    char *inner = mem_string_n(host + 1, size - 2);
    free(host);
    return inner;
}

bool url_parse(const char *text, struct url *ret_url)
{
    AUTO(handle_free_at) CURLU *handle = curl_url();
    if (handle == NULL || curl_url_set(handle, CURLUPART_URL, text, 0) != CURLUE_OK)
        return false;
    struct url url = {
        .scheme = part_of(handle, CURLUPART_SCHEME),
        .host = without_brackets(part_of(handle, CURLUPART_HOST)),
        .has_user =
            part_is_there(handle, CURLUPART_USER) || part_is_there(handle, CURLUPART_PASSWORD),
        .has_query =
            part_is_there(handle, CURLUPART_QUERY) || part_is_there(handle, CURLUPART_FRAGMENT),
    };
    if ((!string_equal(url.scheme, "http") && !string_equal(url.scheme, "https")) ||
        url.host == NULL || *url.host == '\0') {
        url_free(&url);
        return false;
    }
    *ret_url = url;
    return true;
}

void url_free(struct url *url)
{
    free(url->scheme);
    free(url->host);
    *url = (struct url){.scheme = NULL};
}

char *url_resolve(const char *page, const char *link)
{
    AUTO_URL struct url url = {.scheme = NULL};
    AUTO(handle_free_at) CURLU *handle = curl_url();
    if (handle == NULL || curl_url_set(handle, CURLUPART_URL, page, 0) != CURLUE_OK ||
        curl_url_set(handle, CURLUPART_URL, link, 0) != CURLUE_OK ||
        curl_url_set(handle, CURLUPART_FRAGMENT, NULL, 0) != CURLUE_OK)
        return NULL;
    AUTO_FREE char *absolute = part_of(handle, CURLUPART_URL);
    return absolute && url_parse(absolute, &url) && !url.has_user ? mem_steal(&absolute) : NULL;
}

bool url_is_loopback(const struct url *url)
{
    struct in_addr ipv4;
    struct in6_addr ipv6;
    if (strcasecmp(url->host, "localhost") == 0)
        return true;
    if (inet_pton(AF_INET, url->host, &ipv4) == 1)
        return (ntohl(ipv4.s_addr) >> 24) == 127;
    return inet_pton(AF_INET6, url->host, &ipv6) == 1 && IN6_IS_ADDR_LOOPBACK(&ipv6);
}

char *url_shown(const char *text)
{
    const char *start = strstr(text, "://");
    start = start ? start + 3 : text;
    size_t authority = strcspn(start, "/?#");
    const char *at = memrchr(start, '@', authority);
    if (at == NULL)
        return mem_string(text);
    return mem_printf("%.*s%s", (int)(start - text), text, at + 1);
}

static const char *reason_against(const struct url *from, const struct url *to, bool pinned)
{
    if (string_equal(from->scheme, "https") && !string_equal(to->scheme, "https"))
        return "it leads away from https";
    if (to->has_user)
        return "it has credentials in it";
    if (!pinned && strcasecmp(from->host, to->host) != 0)
        return "the target is on another host, and the file is not pinned";
    return NULL;
}

bool url_may_follow(const char *from, const char *to, bool pinned, const char **ret_reason)
{
    AUTO_URL struct url here = {.scheme = NULL};
    AUTO_URL struct url there = {.scheme = NULL};
    if (!url_parse(from, &here) || !url_parse(to, &there))
        *ret_reason = "the target is not a valid http or https URL";
    else
        *ret_reason = reason_against(&here, &there, pinned);
    return *ret_reason == NULL;
}
