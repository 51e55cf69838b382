/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "probe/engine/note.h"
#include "probe/engine/probes.h"
#include "probe/repository/apt_uri.h"

/* What else downloads are told: proxies of apt, indexes of pip. */
#define KIND      "download"
#define APT_CONF  "/etc/apt/apt.conf"
#define APT_PARTS "/etc/apt/apt.conf.d"
#define FILE_MAX  (1u << 20)

static const char *const pip_files[] = {"/etc/pip.conf", "/etc/xdg/pip/pip.conf",
                                        "/root/.pip/pip.conf", "/root/.config/pip/pip.conf"};

/* The addresses in a file's lines that are about one of these words. */
static void add_addresses(const struct host *host, const char *path, const char *const *words,
                          struct strlist *addresses)
{
    AUTO_TEXT struct text text = {0};
    if (note_read_text(host, path, FILE_MAX, &text, NULL) != HOST_OK || text.size == 0)
        return;
    char *cursor = text.data;
    for (char *line; (line = string_next_line(&cursor)) != NULL;) {
        bool about = false;
        for (size_t i = 0; words[i]; i++)
            about = about || string_contains_nocase(line, words[i]);
        const char *at = about && line[strspn(line, " \t")] != '#' ? strstr(line, "://") : NULL;
        while (at && at > line && at[-1] >= 'a' && at[-1] <= 'z')
            at--;
        if (at == NULL)
            continue;
        AUTO_FREE char *address = mem_string_n(at, strcspn(at, " \t\r\";"));
        strlist_take(addresses, uri_without_user(address));
    }
}

void probe_download(const struct probe_context *context, struct facts *facts)
{
    static const char *const proxy[] = {"proxy", NULL};
    static const char *const index[] = {"index-url", "find-links", NULL};
    const struct host *host = context->host;
    AUTO_STRLIST struct strlist proxies = {0}, indexes = {0}, names = {0};
    add_addresses(host, APT_CONF, proxy, &proxies);
    host_list(host, APT_PARTS, &names, NULL);
    for (size_t i = 0; i < names.count; i++) {
        AUTO_FREE char *path = mem_printf(APT_PARTS "/%s", names.items[i]);
        add_addresses(host, path, proxy, &proxies);
    }
    for (size_t i = 0; i < sizeof(pip_files) / sizeof(pip_files[0]); i++)
        add_addresses(host, pip_files[i], index, &indexes);
    facts_set_list(facts, KIND, "apt_proxies", &proxies, APT_PARTS);
    facts_set_list(facts, KIND, "pip_indexes", &indexes, pip_files[0]);
}
