/* SPDX-License-Identifier: MIT */
#include "probe/places/home.h"

#include <string.h>

#include "base/text.h"
#include "host/root/file.h"
#include "probe/places/path_match.h"

#define PASSWD     "/etc/passwd"
#define PASSWD_MAX (1u << 20)
#define HOMES_MAX  64

/* Field number of a line of passwd(5), which is cut; NULL: it has not so many. */
static char *field_of(char *line, unsigned number)
{
    char *field = line;
    for (; number > 0 && field; number--) {
        field = strchr(field, ':');
        field = field ? field + 1 : NULL;
    }
    return field;
}

char *home_of_user(const struct host *host, unsigned long long user)
{
    AUTO_TEXT struct text text = {0};
    if (host_read(host, PASSWD, PASSWD_MAX, &text, NULL) != HOST_OK)
        return NULL;
    char *cursor = text.data;
    for (char *line; (line = string_next_line(&cursor));) {
        char *id = field_of(line, 2);
        char *home = field_of(line, 5);
        unsigned long long number;
        if (home == NULL)
            continue;
        id[strcspn(id, ":")] = '\0';
        home[strcspn(home, ":")] = '\0';
        if (string_to_decimal(id, UINT32_MAX, &number) && number == user && home[0] == '/')
            return mem_string(home);
    }
    return NULL;
}

void home_directories(const struct host *host, struct strlist *homes)
{
    AUTO_STRLIST struct strlist others = {0};
    const char *own = host_environment(host, "HOME");
    if (own && own[0] == '/')
        strlist_add_new(homes, own);
    if (host_is_live(host))
        return;
    strlist_add_new(homes, "/root");
    path_match(host, "/home", "*", &others);
    for (size_t i = 0; i < others.count && i < HOMES_MAX; i++)
        strlist_add_new(homes, others.items[i]);
}

void home_directories_with_sudo(const struct host *host, struct strlist *homes)
{
    const char *caller = host_environment(host, "SUDO_UID");
    unsigned long long user;
    home_directories(host, homes);
    if (caller == NULL || !string_to_decimal(caller, UINT32_MAX, &user))
        return;
    AUTO_FREE char *home = home_of_user(host, user);
    if (home)
        strlist_add_new(homes, home);
}
