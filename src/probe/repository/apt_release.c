/* SPDX-License-Identifier: MIT */
#include "probe/repository/apt_release.h"

#include <string.h>
#include <time.h>

#include "base/text.h"
#include "probe/engine/note.h"
#include "probe/repository/apt_lists.h"

#define RELEASE_MAX (4u << 20)

/* The value of a field of the head; NULL: it has none. free() it. */
static char *field(const char *text, const char *name)
{
    AUTO_FREE char *copy = mem_string(text);
    char *cursor = copy;
    size_t length = strlen(name);
    for (char *line; (line = string_next_line(&cursor)) != NULL;)
        if (string_starts(line, name) && line[length] == ':')
            return mem_string(string_trim(line + length + 1));
    return NULL;
}

/* "Thu, 01 Jan 2026 00:00:00 UTC": seconds since 1970; -1: it is not such a time. */
static int64_t moment_of(const char *text)
{
    struct tm parts = {.tm_sec = 0};
    const char *end = text ? strptime(text, "%a, %d %b %Y %H:%M:%S", &parts) : NULL;
    if (end == NULL)
        return -1;
    end += strspn(end, " ");
    bool is_utc = strcmp(end, "UTC") == 0 || strcmp(end, "GMT") == 0 || strcmp(end, "+0000") == 0;
    return is_utc ? (int64_t)timegm(&parts) : -1;
}

/* What apt lets change only when it is asked to (apt-secure(8)). */
static char *changed(const char *text, const char *older)
{
    static const char *const names[] = {"Origin", "Label", "Codename"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        AUTO_FREE char *new = field(text, names[i]);
        AUTO_FREE char *old = field(older, names[i]);
        if (!string_equal(new, old) && old)
            return mem_printf("%s: %s (%s)", names[i], new ? new : "", old);
    }
    return NULL;
}

char *apt_release_stop(const struct host *host, const char *text, const char *name, int64_t now)
{
    AUTO_TEXT struct text older = {0};
    AUTO_FREE char *path = mem_printf(APT_LISTS "/%sInRelease", name);
    AUTO_FREE char *until = field(text, "Valid-Until");
    AUTO_FREE char *date = field(text, "Date");
    int64_t end = moment_of(until);
    struct host_stat partial;
    /* The file may have become old since the update that stopped at something else. */
    int64_t tried =
        host_stat(host, APT_PARTIAL, &partial, NULL) == HOST_OK ? partial.modified : now;
    if (end >= 0 && end < (tried < now ? tried : now))
        return mem_printf("Valid-Until: %s", until);
    if (moment_of(date) > now)
        return mem_printf("Date: %s", date);
    if (host_read(host, path, RELEASE_MAX, &older, NULL) != HOST_OK || older.size == 0)
        return NULL;
    return changed(text, text_string(&older));
}
