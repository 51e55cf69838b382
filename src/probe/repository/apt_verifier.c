/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "host/root/clock.h"
#include "probe/engine/note.h"
#include "probe/engine/probes.h"
#include "probe/repository/deb_relation.h"
#include "probe/system/dpkg.h"

/* What apt checks signatures with, and until when that takes SHA-1. */
#define KIND       "apt_verifier"
#define SQV        "/usr/bin/sqv"
#define METHOD     "/usr/lib/apt/methods/sqv"
#define APT_OF_SQV "2.9.19" /* the first that has this method */
/* The first that takes an entry without Signed-By for one with the other's (its changelog). */
#define APT_OF_JOINING "2.9.8"
#define RULE           "sha1.second_preimage_resistance"
#define POLICY_MAX     (1u << 16)

/* Where apt looks for a policy, the first that is there (apt's methods/sqv.cc). */
static const char *const policies[] = {
    "/etc/crypto-policies/back-ends/apt-sequoia.config",
    "/var/lib/crypto-config/profiles/current/apt-sequoia.config",
    "/usr/share/apt/default-sequoia.config",
};

/* sqv without a policy of its own: Sequoia's standard one. */
#define STANDARD_UNTIL "2023-02-01"

static void take_package(const struct dpkg_package *package, void *data)
{
    char **version = data;
    if (strcmp(package->name, "apt") != 0 || package->version == NULL || !dpkg_is_present(package))
        return;
    free(*version);
    *version = mem_string(package->version);
}

/* Whether apt is of that release or newer; without its package, by its method. */
static bool is_at_least(const struct host *host, const char *version, const char *release)
{
    return version ? deb_version_compare(version, release) >= 0 : host_exists(host, METHOD);
}

/* "sha1.second_preimage_resistance = 2027-02-01", "always" or "never". free() it. */
static char *until_of(const struct host *host, const char *path)
{
    AUTO_TEXT struct text text = {0};
    if (note_read_text(host, path, POLICY_MAX, &text, NULL) != HOST_OK || text.size == 0)
        return NULL;
    char *cursor = text.data;
    for (char *line; (line = string_next_line(&cursor)) != NULL;) {
        line = string_trim(line);
        char *value = strchr(line, '=');
        if (value == NULL || (!string_starts(line, RULE) && !string_starts(line, "sha1 ")))
            continue;
        value = string_trim(value + 1);
        value += *value == '"';
        return mem_string_n(value, strcspn(value, " \t#\""));
    }
    return NULL;
}

/* Days since 1970 of "2026-02-01" (the proleptic Gregorian calendar). */
static int64_t seconds_of(const char *date)
{
    char *end = NULL;
    long year = strtol(date, &end, 10);
    if (*end != '-' || year < 1970 || year > 9999)
        return 0;
    long month = strtol(end + 1, &end, 10);
    if (*end != '-' || month < 1 || month > 12)
        return 0;
    long day = strtol(end + 1, &end, 10);
    if (day < 1 || day > 31)
        return 0;
    int64_t y = month > 2 ? year : year - 1;
    int64_t m = month > 2 ? month - 3 : month + 9;
    int64_t days = 365 * y + y / 4 - y / 100 + y / 400 + (153 * m + 2) / 5 + day - 1 - 719468;
    return days * 86400;
}

void probe_apt_verifier(const struct probe_context *context, struct facts *facts)
{
    const struct host *host = context->host;
    const char *policy = NULL;
    AUTO_FREE char *until = NULL;
    AUTO_FREE char *version = NULL;
    size_t count = 0;
    dpkg_each(host, take_package, &version, &count, NULL);
    facts_set_boolean(facts, KIND, "joins_signed_by", is_at_least(host, version, APT_OF_JOINING),
                      DPKG_STATUS);
    if (!host_exists(host, SQV) || !is_at_least(host, version, APT_OF_SQV)) {
        facts_set_string(facts, KIND, "program", "gpgv", METHOD);
        facts_set_absent(facts, KIND, "sha1_until", METHOD);
        facts_set_boolean(facts, KIND, "sha1_rejected", false, METHOD);
        return;
    }
    for (size_t i = 0; i < sizeof(policies) / sizeof(policies[0]) && policy == NULL; i++)
        if (host_exists(host, policies[i]))
            policy = policies[i];
    if (policy)
        until = until_of(host, policy);
    if (until == NULL)
        until = mem_string(STANDARD_UNTIL);
    const char *source = policy ? policy : SQV;
    bool rejected = strcmp(until, "always") != 0 && seconds_of(until) <= clock_seconds();
    facts_set_string(facts, KIND, "program", "sqv", SQV);
    facts_set_string(facts, KIND, "sha1_until", until, source);
    facts_set_boolean(facts, KIND, "sha1_rejected", rejected, source);
}
