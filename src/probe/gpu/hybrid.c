/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/path.h"
#include "host/root/file.h"
#include "probe/engine/note.h"
#include "probe/engine/probes.h"
#include "probe/places/path_match.h"

/* What switches a laptop's second GPU off, or takes it off the bus. */
#define BBSWITCH  "/proc/acpi/bbswitch"
#define PRIME     "/etc/prime-discrete"
#define SUPERGFX  "/etc/supergfxd.conf"
#define RULE_MAX  65536
#define RULES_MAX 512

/* "0000:01:00.0 OFF" */
static void note_bbswitch(const struct host *host, struct facts *facts)
{
    AUTO_ERROR struct error error = {0};
    AUTO_FREE char *line = NULL;
    enum host_status status = host_read_line(host, BBSWITCH, &line, &error);
    if (status != HOST_OK)
        note_missing(facts, "hybrid", "bbswitch", status, &error, BBSWITCH);
    else if (string_ends(line, " ON") || string_ends(line, " OFF"))
        facts_set_string(facts, "hybrid", "bbswitch", strrchr(line, ' ') + 1, BBSWITCH);
    else
        note_unexpected(facts, "hybrid", "bbswitch", "neither ON nor OFF", line, BBSWITCH);
}

/* "mode": "Integrated" of asusctl's supergfxd. */
static void note_supergfx(const struct host *host, struct facts *facts)
{
    static const char key[] = "\"mode\"";
    AUTO_ERROR struct error error = {0};
    AUTO_TEXT struct text text = {0};
    enum host_status status = note_read_text(host, SUPERGFX, RULE_MAX, &text, &error);
    if (status != HOST_OK) {
        note_missing(facts, "hybrid", "supergfx", status, &error, SUPERGFX);
        return;
    }
    const char *at = strstr(text_string(&text), key);
    at = at ? at + strlen(key) : "";
    at += strspn(at, " \t:\"");
    AUTO_FREE char *mode = mem_string_n(at, strcspn(at, "\","));
    facts_set_string(facts, "hybrid", "supergfx", mode[0] ? mode : NULL, SUPERGFX);
}

/* A rule such as ACTION=="add", ATTR{vendor}=="0x10de", …, ATTR{remove}="1". */
static bool removes_gpu(const struct host *host, const char *path)
{
    AUTO_TEXT struct text text = {0};
    if (note_read_text(host, path, RULE_MAX, &text, NULL) != HOST_OK)
        return false;
    char *cursor = text.data;
    for (char *line; (line = string_next_line(&cursor));) {
        line = string_trim(line);
        if (line[0] != '#' && strstr(line, "0x10de") && strstr(line, "ATTR{remove}=\"1\"") &&
            (strstr(line, "0x03") || strstr(line, "{class}") == NULL))
            return true;
    }
    return false;
}

static void note_rules(const struct host *host, struct facts *facts)
{
    static const char *const places[] = {"/etc/udev/rules.d", "/run/udev/rules.d",
                                         "/usr/lib/udev/rules.d", "/lib/udev/rules.d"};
    AUTO_STRLIST struct strlist found = {0};
    AUTO_STRLIST struct strlist names = {0};
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        AUTO_STRLIST struct strlist paths = {0};
        path_match(host, places[i], "*.rules", &paths);
        for (size_t k = 0; k < paths.count && names.count < RULES_MAX; k++)
            if (strlist_add_new(&names, path_base(paths.items[k])) &&
                removes_gpu(host, paths.items[k]))
                strlist_add(&found, paths.items[k]);
    }
    facts_set_list(facts, "hybrid", "remove_rules", &found, "/etc/udev/rules.d");
}

void probe_hybrid(const struct probe_context *context, struct facts *facts)
{
    static const char manager[] = "/usr/bin/optimus-manager";
    note_bbswitch(context->host, facts);
    note_line(context->host, facts, "hybrid", "prime", PRIME);
    note_supergfx(context->host, facts);
    note_rules(context->host, facts);
    facts_set_boolean(facts, "hybrid", "optimus_manager", host_exists(context->host, manager),
                      manager);
}
