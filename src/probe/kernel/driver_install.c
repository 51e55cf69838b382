/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "host/root/file.h"
#include "probe/engine/build_log.h"
#include "probe/engine/note.h"
#include "probe/engine/probes.h"
#include "probe/places/path_match.h"

/* How drivers come onto a machine beside packages: NVIDIA's .run file, and akmods, which builds
 * Fedora's packages at boot. */
#define UNINSTALL     "/usr/bin/nvidia-uninstall"
#define LOG           "/var/log/nvidia-installer.log"
#define AKMODS        "/var/cache/akmods"
#define AKMODS_SOURCE "/usr/src/akmods"
#define HEAD_MAX      65536

/* "nvidia-installer log file '/var/log/nvidia-installer.log'", some lines later "installing driver
 * version: 570.86.15", or "  nvidia-installer … driver version 570.86.15". */
static void note_version(const struct host *host, struct facts *facts)
{
    static const char key[] = "driver version";
    AUTO_ERROR struct error error = {0};
    AUTO_TEXT struct text text = {0};
    enum host_status status = host_read_head(host, LOG, HEAD_MAX, &text, &error);
    if (status != HOST_OK) {
        note_missing(facts, "driver_install", "runfile_version", status, &error, LOG);
        return;
    }
    const char *at = text.data ? strstr(text.data, key) : NULL;
    at = at ? at + strlen(key) + strspn(at + strlen(key), ": ") : "";
    size_t length = strspn(at, "0123456789.");
    while (length > 0 && at[length - 1] == '.') /* the end of a sentence */
        length--;
    AUTO_FREE char *version = length > 2 && length < 32 ? mem_string_n(at, length) : NULL;
    facts_set_string(facts, "driver_install", "runfile_version", version, LOG);
}

static void note_log(const struct host *host, struct facts *facts)
{
    AUTO_ERROR struct error error = {0};
    AUTO(build_log_free) struct build_log log = {0};
    enum host_status status = build_log_read(host, LOG, &log, &error);
    bool there =
        host_exists(host, UNINSTALL) || host_exists(host, "/usr/local/bin/nvidia-uninstall");
    facts_set_boolean(facts, "driver_install", "runfile", there, UNINSTALL);
    note_version(host, facts);
    if (status != HOST_OK) {
        note_missing(facts, "driver_install", "runfile_outcome", status, &error, LOG);
        note_missing(facts, "driver_install", "runfile_errors", status, &error, LOG);
        return;
    }
    facts_set_string(facts, "driver_install", "runfile_outcome", log.outcome, LOG);
    facts_set_list(facts, "driver_install", "runfile_errors", &log.errors, LOG);
}

static void note_akmods(const struct host *host, struct facts *facts)
{
    AUTO_STRLIST struct strlist paths = {0};
    AUTO(build_log_free) struct build_log newest = {0};
    path_match(host, AKMODS, "nvidia*/*.failed.log", &paths);
    for (size_t i = 0; i < paths.count; i++) {
        struct build_log log;
        if (build_log_read(host, paths.items[i], &log, NULL) == HOST_OK &&
            log.modified >= newest.modified) {
            build_log_free(&newest);
            newest = log;
        } else {
            build_log_free(&log);
        }
    }
    facts_set_boolean(facts, "driver_install", "akmods",
                      path_matches(host, AKMODS_SOURCE, "*nvidia*.src.rpm"), AKMODS_SOURCE);
    facts_set_list(facts, "driver_install", "akmods_failed", &paths, AKMODS);
    facts_set_list(facts, "driver_install", "akmods_errors", &newest.errors, AKMODS);
}

void probe_driver_install(const struct probe_context *context, struct facts *facts)
{
    static const char reboot[] = "/run/reboot-required";
    note_log(context->host, facts);
    note_akmods(context->host, facts);
    facts_set_boolean(facts, "driver_install", "reboot_required",
                      host_exists(context->host, reboot) ||
                          host_exists(context->host, "/var/run/reboot-required"),
                      reboot);
}
