/* SPDX-License-Identifier: MIT */
#include "probe/repository/apt_uri.h"

#include <string.h>

#include "base/text.h"

/* Behind "https://"; the whole of an address without it. */
static const char *behind_scheme(const char *uri)
{
    const char *at = strstr(uri, "://");
    return at ? at + 3 : uri;
}

/* Behind "user:password@". */
static const char *behind_user(const char *host)
{
    size_t length = strcspn(host, "/");
    const char *at = memchr(host, '@', length);
    return at ? at + 1 : host;
}

char *uri_without_user(const char *uri)
{
    const char *host = behind_scheme(uri);
    return mem_printf("%.*s%s", (int)(host - uri), uri, behind_user(host));
}

char *apt_uri_of_suite(const char *uri, const char *suite, const char *architecture)
{
    AUTO_FREE char *here = string_fill(uri, "$(ARCH)", architecture ? architecture : "");
    AUTO_FREE char *there = string_fill(suite, "$(ARCH)", architecture ? architecture : "");
    const char *slash = string_ends(here, "/") ? "" : "/";
    if (!string_ends(there, "/"))
        return mem_printf("%s%sdists/%s/", here, slash, there);
    const char *directory = there;
    if (strcmp(directory, "/") == 0)
        return mem_printf("%s%s", here, slash);
    return mem_printf("%s%s%s", here, slash, directory[0] == '/' ? directory + 1 : directory);
}

char *apt_list_name(const char *uri)
{
    static const char quoted[] = "\\|{}[]<>\"^~_=!@#$%&*";
    AUTO_TEXT struct text name = {0};
    const char *at = behind_user(behind_scheme(uri));
    for (; *at; at++) {
        unsigned char c = (unsigned char)*at;
        if (c == '/')
            text_append_char(&name, '_');
        else if (c <= ' ' || c >= 0x7f || strchr(quoted, c))
            text_printf(&name, "%%%02x", c);
        else
            text_append_char(&name, *at);
    }
    return text_steal(&name);
}
