/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "host/root/file.h"
#include "probe/engine/note.h"
#include "probe/engine/probes.h"

/* Fabric Manager, which sets NVSwitches up. Whether it runs is service/fabricmanager. */
#define LOG        "/var/log/fabricmanager.log"
#define CONFIG     "/usr/share/nvidia/nvswitch/fabricmanager.cfg"
#define LOG_MAX    (256u << 10)
#define ERRORS_MAX 5
#define LINE_MAX   300

/* "nvidia-fabricmanager-570" 570.86.15-1, "nvidia-fabric-manager" 570.86.15-1 of rpm. */
static char *package_version(const struct facts *facts, const char **ret_source)
{
    const char *group;
    for (size_t i = 0; (group = facts_next(facts, "package", &i)) != NULL;) {
        const char *name = facts_string(facts, group, "name");
        const char *version = facts_string(facts, group, "version");
        if (name == NULL || version == NULL || strstr(name, "dev") ||
            (!string_starts(name, "nvidia-fabricmanager") &&
             !string_starts(name, "nvidia-fabric-manager")))
            continue;
        const char *colon = strchr(version, ':');
        version = colon ? colon + 1 : version;
        *ret_source = facts_get(facts, group, "version")->source;
        return mem_string_n(version, strspn(version, "0123456789."));
    }
    return NULL;
}

/* "Fabric Manager version is : 570.86.15", "Fabric Manager version 535.104.05 is running with …".
 */
static char *version_in_line(const char *line)
{
    static const char key[] = "abric Manager version";
    const char *at = strstr(line, key);
    if (at == NULL)
        return NULL;
    at += strlen(key);
    at += strcspn(at, "0123456789");
    size_t length = strspn(at, "0123456789.");
    return length > 3 && length < 32 ? mem_string_n(at, length) : NULL;
}

static void add_error(struct strlist *errors, const char *line)
{
    AUTO_FREE char *text = mem_string_n(line, strnlen(line, LINE_MAX));
    if (errors->count >= ERRORS_MAX) {
        free(errors->items[0]);
        errors->count--;
        memmove(errors->items, errors->items + 1, errors->count * sizeof(*errors->items));
    }
    strlist_add(errors, text);
}

/* What it said since it last began: a version, then perhaps errors. */
static void note_log(const struct host *host, struct facts *facts)
{
    AUTO_ERROR struct error error = {0};
    AUTO_TEXT struct text text = {0};
    AUTO_STRLIST struct strlist errors = {0};
    AUTO_FREE char *version = NULL;
    bool cut;
    enum host_status status = host_read_tail(host, LOG, LOG_MAX, &text, &cut, &error);
    if (status != HOST_OK) {
        note_missing(facts, "fabric_manager", "log_version", status, &error, LOG);
        note_missing(facts, "fabric_manager", "log_errors", status, &error, LOG);
        return;
    }
    for (size_t i = 0; i < text.size; i++)
        text.data[i] = text.data[i] ? text.data[i] : ' ';
    char *cursor = text.data;
    for (char *line; (line = string_next_line(&cursor));) {
        char *found = version_in_line(line);
        if (found) {
            free(version);
            version = found;
            strlist_free(&errors);
        } else if (strstr(line, "[ERROR]") || strstr(line, "don't match with driver version")) {
            add_error(&errors, line);
        }
    }
    facts_set_string(facts, "fabric_manager", "log_version", version, LOG);
    facts_set_list(facts, "fabric_manager", "log_errors", &errors, LOG);
}

/* FABRIC_MODE=0: bare metal and whole guests; 1: shared switches; 2: virtual GPUs. */
static void note_mode(const struct host *host, struct facts *facts)
{
    static const char key[] = "FABRIC_MODE=";
    AUTO_ERROR struct error error = {0};
    AUTO_TEXT struct text text = {0};
    enum host_status status = note_read_text(host, CONFIG, LOG_MAX, &text, &error);
    if (status != HOST_OK) {
        note_missing(facts, "fabric_manager", "mode", status, &error, CONFIG);
        return;
    }
    facts_set_absent(facts, "fabric_manager", "mode", CONFIG);
    char *cursor = text.data;
    for (char *line; (line = string_next_line(&cursor));) {
        unsigned long long mode;
        if (string_starts(line, key) &&
            string_to_unsigned(string_trim(line + strlen(key)), &mode) && mode <= INT32_MAX)
            facts_set_integer(facts, "fabric_manager", "mode", (int64_t)mode, CONFIG);
    }
}

void probe_fabric_manager(const struct probe_context *context, struct facts *facts)
{
    const char *source = LOG;
    note_log(context->host, facts);
    note_mode(context->host, facts);
    AUTO_FREE char *package = package_version(facts, &source);
    const char *version = package ? package : facts_string(facts, "fabric_manager", "log_version");
    bool there = facts_string(facts, "service/fabricmanager", "program") != NULL;
    if (version)
        facts_set_string(facts, "fabric_manager", "version", version, source);
    else if (there)
        facts_set_unknown(facts, "fabric_manager", "version",
                          "neither a package nor the log states the version", LOG);
    else
        facts_set_absent(facts, "fabric_manager", "version", "/usr/bin/nv-fabricmanager");
}
