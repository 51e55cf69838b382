/* SPDX-License-Identifier: MIT */
#ifndef TESTS_UNIT_RULES_REPOSITORY_SOURCES_H
#define TESTS_UNIT_RULES_REPOSITORY_SOURCES_H

#include "rules/world.h"

#define CUDA_2204 "https://developer.download.nvidia.com/compute/cuda/repos/ubuntu2204/x86_64"
#define KEYRING   "/usr/share/keyrings/cuda-archive-keyring.gpg"
#define KEY       "A4B469963BF863CC"

/* An entry of apt's sources: its keyring and the keys in it as in world_list(). Returns its group.
 */
UNUSED static char *world_source(struct facts *facts, const char *file, const char *uri,
                                 const char *signed_by, const char *keys)
{
    AUTO_FREE char *instance = mem_printf("%s:1:%s", file, uri);
    char *group = facts_group_name("apt_source", instance);
    facts_set_string(facts, group, "file", file, file);
    facts_set_integer(facts, group, "line", 1, file);
    facts_set_string(facts, group, "uri", uri, file);
    facts_set_boolean(facts, group, "trusted", false, file);
    world_list(facts, group, "suites", "/");
    world_list(facts, group, "architectures", "");
    world_list(facts, group, "signed_by", signed_by);
    world_list(facts, group, "keyrings", signed_by);
    world_list(facts, group, "missing_keyrings", "");
    world_list(facts, group, "unread_keyrings", "");
    world_list(facts, group, "keys", keys);
    world_list(facts, group, "sha1_keys", "");
    world_list(facts, group, "expired_keys", "");
    facts_set_absent(facts, group, "update", "lists");
    facts_set_absent(facts, group, "stop", "lists");
    facts_set_absent(facts, group, "signers", "lists");
    facts_set_absent(facts, group, "sha1_signers", "lists");
    facts_set_absent(facts, group, "index", "lists");
    facts_set_absent(facts, group, "index_page", "lists");
    facts_set_absent(facts, group, "index_malformed", "lists");
    facts_set_absent(facts, group, "index_bytes", "lists");
    facts_set_absent(facts, group, "index_expected_bytes", "lists");
    return group;
}

/* A machine on which all is well, whose sources have no entry yet. */
UNUSED static struct facts *world_with_sources(void)
{
    struct facts *facts = world_with_driver("570.86.15");
    facts_set_string(facts, "os", "version_id", "22.04", "/etc/os-release");
    facts_set_integer(facts, "apt_source", "count", 1, "/etc/apt");
    facts_set_integer(facts, "source_file", "count", 0, "/etc/apt");
    facts_set_integer(facts, "apt_offer", "count", 0, "/var/lib/apt/lists");
    facts_set_string(facts, "apt_verifier", "program", "gpgv", "/usr/bin/gpgv");
    facts_set_absent(facts, "apt_verifier", "sha1_until", "/usr/bin/gpgv");
    facts_set_boolean(facts, "apt_verifier", "joins_signed_by", false, "/usr/bin/gpgv");
    facts_set_boolean(facts, "apt_verifier", "sha1_rejected", false, "/usr/bin/gpgv");
    facts_set_integer(facts, "package_state", "count", 0, "/var/lib/dpkg/status");
    world_list(facts, "package_state", "held", "");
    facts_set_boolean(facts, "package_state", "interrupted", false, "/var/lib/dpkg/updates");
    facts_set_integer(facts, "rpm_repository", "count", 0, "/etc/yum.repos.d");
    facts_set_integer(facts, "package_origin", "count", 0, "/var/lib/yum");
    world_list(facts, "package_log", "refused", "");
    facts_set_boolean(facts, "package_log", "fips", false, "/proc");
    facts_set_integer(facts, "package_run", "count", 0, "/var/log");
    facts_set_absent(facts, "pacman", "keyring", "/etc/pacman.d");
    facts_set_absent(facts, "pacman", "refused", "/etc/pacman.conf");
    world_list(facts, "pacman", "pages", "");
    facts_set_string(facts, "trust", "bundle", "/etc/ssl/certs/ca-certificates.crt", "/etc/ssl");
    facts_set_boolean(facts, "trust", "package", true, "/var/lib/dpkg/status");
    world_list(facts, "trust", "untrusted", "");
    world_list(facts, "download", "apt_proxies", "");
    world_list(facts, "download", "pip_indexes", "");
    return facts;
}

/* A last run of dnf that failed with that line. */
UNUSED static void world_run(struct facts *facts, const char *line)
{
    AUTO_STRLIST struct strlist errors = {0};
    strlist_add(&errors, line);
    facts_set_integer(facts, "rpm_repository", "count", 1, "/etc/yum.repos.d");
    facts_set_integer(facts, "package_run", "count", 1, "/var/log/dnf.log");
    facts_set_string(facts, "package_run/dnf", "name", "dnf", "/var/log/dnf.log");
    facts_set_list(facts, "package_run/dnf", "errors", &errors, "/var/log/dnf.log");
}

/* A repository of dnf; its excludes as in world_list(). */
UNUSED static char *world_rpm(struct facts *facts, const char *id, const char *uri,
                              const char *excludes)
{
    char *group = facts_group_name("rpm_repository", id);
    facts_set_string(facts, group, "file", "/etc/yum.repos.d/x.repo", "/etc/yum.repos.d");
    facts_set_string(facts, group, "id", id, "/etc/yum.repos.d");
    facts_set_string(facts, group, "uri", uri, "/etc/yum.repos.d");
    facts_set_boolean(facts, group, "enabled", true, "/etc/yum.repos.d");
    world_list(facts, group, "excludes", excludes);
    facts_set_integer(facts, "rpm_repository", "count", 1, "/etc/yum.repos.d");
    return group;
}

/* A package that dpkg has not finished; unmet and missing as in world_list(). */
UNUSED static char *world_unfinished(struct facts *facts, const char *name, const char *unmet,
                                     const char *missing)
{
    char *group = facts_group_name("package_state", name);
    facts_set_string(facts, group, "name", name, "/var/lib/dpkg/status");
    facts_set_string(facts, group, "version", "1", "/var/lib/dpkg/status");
    facts_set_string(facts, group, "status", "install ok unpacked", "/var/lib/dpkg/status");
    world_list(facts, group, "unmet", unmet);
    world_list(facts, group, "missing", missing);
    facts_set_absent(facts, group, "overwrites", "/var/log/apt/term.log");
    facts_set_integer(facts, "package_state", "count", 1, "/var/lib/dpkg/status");
    return group;
}

/* The check ends as skipped where the record has no such facts, and undecided where they could not
 * be read. */
UNUSED static void assert_needs(const char *cause, const char *kind, const char *name)
{
    struct facts *facts = world_with_driver("570.86.15");
    assert_check(facts, PURPOSE_BUILD, cause, CHECK_SKIP, NULL);
    facts_free(facts);
    facts = world_with_sources();
    facts_set_unknown(facts, kind, name, "I/O error", "/etc/apt");
    assert_check(facts, PURPOSE_BUILD, cause, CHECK_UNKNOWN, "I/O error");
    facts_free(facts);
}

#endif
