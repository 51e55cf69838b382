/* SPDX-License-Identifier: MIT */
#include "probe/repository/apt_lists.h"

#include <string.h>

#include "base/text.h"
#include "probe/engine/note.h"
#include "probe/repository/apt_release.h"
#include "probe/repository/apt_uri.h"
#include "probe/repository/openpgp.h"

#define RELEASE_MAX (4u << 20)
#define INDEX_MAX   (32u << 20)
#define HEAD        512
#define FAILED      ".FAILED"
#define SIGNED      "InRelease"
#define UNSIGNED    "Release"

void apt_lists_free(struct apt_lists *lists)
{
    strlist_free(&lists->whole);
    strlist_free(&lists->partial);
}

enum host_status apt_lists_read(const struct host *host, struct apt_lists *ret_lists,
                                struct error *error)
{
    enum host_status status = host_list(host, APT_LISTS, &ret_lists->whole, error);
    if (status == HOST_OK)
        ret_lists->partial_status = host_list(host, APT_PARTIAL, &ret_lists->partial, error);
    return status;
}

void apt_suite_free(struct apt_suite *suite)
{
    free(suite->path);
    free(suite->begins);
    free(suite->stop);
    strlist_free(&suite->signers);
    strlist_free(&suite->weak);
}

void apt_index_free(struct apt_index *index)
{
    free(index->path);
    free(index->malformed);
}

static bool has_name(const struct strlist *names, const char *name, const char *end)
{
    AUTO_FREE char *whole = mem_printf("%s%s", name, end);
    return strlist_has(names, whole);
}

/* The first line that is not blank. free() it. */
static char *first_line(const struct host *host, const char *path)
{
    AUTO_TEXT struct text text = {0};
    if (host_read_head(host, path, HEAD, &text, NULL) != HOST_OK || text.size == 0)
        return mem_string("");
    char *cursor = text.data;
    for (char *line; (line = string_next_line(&cursor)) != NULL;) {
        line = string_trim(line);
        if (line[0])
            return mem_string(line);
    }
    return mem_string("");
}

/* apt fetches Release and Release.gpg where there is no InRelease. */
static void note_unsigned(const struct apt_lists *lists, const char *name, struct apt_suite *suite)
{
    if (!has_name(&lists->partial, name, UNSIGNED FAILED))
        return;
    suite->update = UPDATE_UNSIGNED;
    suite->path = mem_printf(APT_PARTIAL "/%s" UNSIGNED FAILED, name);
}

struct apt_suite apt_suite_read(const struct host *host, const struct apt_lists *lists,
                                const char *name, int64_t now)
{
    struct apt_suite suite = {.update = UPDATE_NONE};
    AUTO_TEXT struct text text = {0};
    if (has_name(&lists->partial, name, SIGNED FAILED)) {
        suite.update = UPDATE_REFUSED;
        suite.path = mem_printf(APT_PARTIAL "/%s" SIGNED FAILED, name);
        suite.begins = first_line(host, suite.path);
        return suite;
    }
    if (has_name(&lists->partial, name, SIGNED)) {
        suite.update = UPDATE_STOPPED;
        suite.path = mem_printf(APT_PARTIAL "/%s" SIGNED, name);
    } else if (has_name(&lists->whole, name, SIGNED)) {
        suite.update = UPDATE_WHOLE;
        suite.path = mem_printf(APT_LISTS "/%s" SIGNED, name);
    } else {
        note_unsigned(lists, name, &suite);
        return suite;
    }
    if (host_read(host, suite.path, RELEASE_MAX, &text, NULL) == HOST_OK)
        suite.has_signature =
            openpgp_read_signers(text_string(&text), text.size, &suite.signers, &suite.weak);
    if (suite.update == UPDATE_STOPPED)
        suite.stop = apt_release_stop(host, text_string(&text), name, now);
    return suite;
}

/* What the signed file says of a file: the size in " DIGEST SIZE NAME". -1: nothing. */
static int64_t expected_size(const struct host *host, const char *release, const char *list)
{
    AUTO_TEXT struct text text = {0};
    if (release == NULL || note_read_text(host, release, RELEASE_MAX, &text, NULL) != HOST_OK ||
        text.size == 0)
        return -1;
    char *cursor = text.data;
    for (char *line; (line = string_next_line(&cursor)) != NULL;) {
        AUTO_STRLIST struct strlist words = {0};
        unsigned long long size = 0;
        if (line[0] != ' ')
            continue;
        strlist_split_words(&words, line);
        if (words.count != 3 || !string_to_decimal(words.items[1], INT64_MAX, &size))
            continue;
        const char *file = words.items[2];
        AUTO_FREE char *name = apt_list_name(string_starts(file, "./") ? file + 2 : file);
        if (strcmp(name, list) == 0)
            return (int64_t)size;
    }
    return -1;
}

static bool is_page(const char *line)
{
    return string_starts(line, "<") &&
           (string_contains_nocase(line, "html") || string_contains_nocase(line, "<?xml"));
}

/* partial/NAME…Packages.gz.FAILED */
static void read_refused(const struct host *host, const char *file, const char *name,
                         const struct apt_suite *suite, struct apt_index *ret_index)
{
    struct host_stat stat;
    AUTO_FREE char *list =
        mem_string_n(file + strlen(name), strlen(file) - strlen(name) - strlen(FAILED));
    ret_index->refused = true;
    ret_index->path = mem_printf(APT_PARTIAL "/%s", file);
    AUTO_FREE char *line = first_line(host, ret_index->path);
    ret_index->page = is_page(line);
    if (host_stat(host, ret_index->path, &stat, NULL) == HOST_OK)
        ret_index->arrived = stat.size;
    ret_index->expected = expected_size(host, suite->path, list);
}

/* The first line of the first section that has no field Package; NULL: all have one. */
static char *malformed_section(char *text)
{
    const char *first = NULL;
    bool named = false;
    for (char *line; (line = string_next_line(&text)) != NULL;) {
        if (string_is_blank(line)) {
            if (first && !named)
                return mem_string(first);
            first = NULL;
            named = false;
            continue;
        }
        first = first ? first : line;
        named = named || string_starts(line, "Package:");
    }
    return first && !named ? mem_string(first) : NULL;
}

static bool read_whole(const struct host *host, const char *file, struct apt_index *ret_index)
{
    AUTO_TEXT struct text text = {0};
    AUTO_FREE char *path = mem_printf(APT_LISTS "/%s", file);
    if (note_read_text(host, path, INDEX_MAX, &text, NULL) != HOST_OK || text.size == 0)
        return false;
    ret_index->malformed = malformed_section(text.data);
    if (ret_index->malformed == NULL)
        return false;
    ret_index->path = mem_steal(&path);
    return true;
}

bool apt_index_find(const struct host *host, const struct apt_lists *lists, const char *name,
                    const struct apt_suite *suite, bool flat, struct apt_index *ret_index)
{
    *ret_index = (struct apt_index){.expected = -1};
    for (size_t i = 0; i < lists->partial.count; i++) {
        const char *file = lists->partial.items[i];
        if (!string_starts(file, name) || !string_ends(file, FAILED) ||
            string_ends(file, UNSIGNED FAILED))
            continue;
        read_refused(host, file, name, suite, ret_index);
        return true;
    }
    for (size_t i = 0; flat && i < lists->whole.count; i++)
        if (string_starts(lists->whole.items[i], name) &&
            string_ends(lists->whole.items[i], "_Packages") &&
            read_whole(host, lists->whole.items[i], ret_index))
            return true;
    return false;
}
