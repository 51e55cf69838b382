/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/shell.h"
#include "base/text.h"
#include "manifest/package/package.h"
#include "rules/engine/finding.h"
#include "rules/query/judged.h"
#include "rules/remedy/repository.h"
#include "rules/repository/archive.h"
#include "rules/repository/judges.h"
#include "rules/repository/run.h"
#include "rules/repository/source.h"

/* A repository whose index is damaged, of another machine, or of another release. */
#define KIND "apt_source"
#define RPM  "rpm_repository"

/* The index was refused for its size or its contents, or names no packages. */
static bool is_inconsistent(const struct facts *facts, const char *group)
{
    int64_t expected = -1;
    if (facts_string(facts, group, "index") == NULL || facts_true(facts, group, "index_page"))
        return false;
    return facts_string(facts, group, "index_malformed") != NULL ||
           facts_integer(facts, group, "index_expected_bytes", &expected);
}

static void index_found(struct rule_context *context, const char *group)
{
    const struct facts *facts = context->facts;
    const char *uri = facts_string(facts, group, "uri");
    const char *malformed = facts_string(facts, group, "index_malformed");
    int64_t expected = 0, arrived = 0;
    struct finding *finding;
    AUTO_FREE char *quoted = shell_quote(facts_string(facts, group, "index"));
    facts_integer(facts, group, "index_expected_bytes", &expected);
    facts_integer(facts, group, "index_bytes", &arrived);
    if (malformed)
        finding = rule_found(context, source_severity(context),
                             "the index of the package repository %s has a section without a field "
                             "Package",
                             uri);
    else if (arrived > 0 && arrived != expected)
        finding =
            rule_found(context, source_severity(context),
                       "the index of the package repository %s has %lld bytes, its signed file "
                       "says %lld",
                       uri, (long long)arrived, (long long)expected);
    else
        finding = rule_found(context, source_severity(context),
                             "the index of the package repository %s is not the one of its signed "
                             "file (%lld bytes)",
                             uri, (long long)expected);
    finding_subject(finding, uri);
    if (malformed)
        finding_why(
            finding,
            "apt gives up with \"Encountered a section with no Package: header\", and reads "
            "no package list at all");
    else
        finding_why(finding, "the repository is being changed, or a cache on the way serves an "
                             "older file: apt refuses the index (\"Mirror sync in progress?\")");
    finding_evidence(finding, facts, group, "index");
    finding_evidence(finding, facts, group, malformed ? "index_malformed" : "index_bytes");
    if (malformed)
        finding_fix_command(finding, FIX_CHOICE | NEEDS_ROOT,
                            "until the repository is repaired, take its entry out and remove the "
                            "damaged list",
                            "sudo rm %s", quoted);
    else
        finding_fix_command(finding, FIX_STEP | NEEDS_ROOT,
                            "and try again in some hours; behind a caching proxy, empty its cache",
                            "sudo apt-get update");
}

/* The signature is right, and apt refuses the signed file for its time, or for a name in it that
 * has changed. */
static void stop_found(struct rule_context *context, const char *group, const char *stop)
{
    const struct facts *facts = context->facts;
    const char *uri = facts_string(facts, group, "uri");
    bool until = string_starts(stop, "Valid-Until: ");
    bool date = string_starts(stop, "Date: ");
    struct finding *finding = rule_found(
        context, source_severity(context),
        until  ? "the signed file of the package repository %s is too old: %s"
        : date ? "the signed file of the package repository %s is newer than this "
                 "machine's clock: %s"
               : "the package repository %s has another name than at the last update: %s",
        uri, stop);
    finding_subject(finding, uri);
    finding_why(finding, until  ? "a mirror or a cache on the way no longer gets the owner's files "
                                  "(or the clock of this machine is ahead); apt-get update fails "
                                  "(\"is expired\")"
                         : date ? "the clock of this machine is behind; apt-get update fails (\"is "
                                  "not valid yet\")"
                                : "apt takes such a change only when somebody has accepted it "
                                  "(\"changed its value\")");
    finding_evidence(finding, facts, group, "stop");
    if (until)
        finding_fix_note(finding, FIX_ADVICE | NEEDS_ROOT,
                         "use another mirror, or empty the cache on the way; see whether the clock "
                         "is right (timedatectl)");
    else if (date)
        finding_fix_command(finding, FIX_STEP | NEEDS_ROOT, "then read the lists again",
                            "sudo timedatectl set-ntp true");
    else
        finding_fix_command(finding, FIX_CHOICE | NEEDS_ROOT,
                            "if the repository is the one that you expect",
                            "sudo apt-get update --allow-releaseinfo-change");
}

static void part_missing(struct finding *finding)
{
    finding_why(finding, "the repository has only some packages of that version: what the package "
                         "needs is of the same version, and no enabled repository has it");
    finding_fix_command(finding, FIX_STEP | NEEDS_ROOT,
                        "and try again in some hours: the owner may still be adding packages",
                        "sudo dnf clean metadata && sudo dnf makecache");
    finding_fix_note(finding, FIX_ADVICE | NEEDS_ROOT,
                     "or keep the installed version for now (dnf upgrade --exclude='*nvidia*'); if "
                     "only i686 packages are concerned and no 32-bit program needs them, remove "
                     "these");
}

void judge_cuda_repo_index_inconsistent(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    const char *group;
    if (!source_require(context, KIND))
        return;
    for (size_t i = 0; (group = source_next(context, &i)) != NULL;)
        if (is_inconsistent(facts, group)) {
            index_found(context, group);
            return;
        } else if (facts_string(facts, group, "stop")) {
            stop_found(context, group, facts_string(facts, group, "stop"));
            return;
        }
    if (archive_find_refused(context))
        return;
    const char *line = run_error(context, "cuda_repo_index_inconsistent", &group);
    if (line == NULL || (strstr(line, "nothing provides") && !run_lacks_own_part(line)))
        return;
    struct finding *finding = run_found(context, group, line);
    if (run_lacks_own_part(line)) {
        part_missing(finding);
        return;
    }
    finding_why(finding, "the repository is being changed, or a cache on the way serves an older "
                         "file than the one that repomd.xml names");
    finding_fix_command(finding, FIX_STEP | NEEDS_ROOT,
                        "and try again in some hours; behind a caching proxy, empty its cache",
                        string_equal(facts_string(facts, group, "name"), "zypper")
                            ? "sudo zypper refresh --force"
                            : "sudo dnf clean metadata && sudo dnf makecache");
}

/* What the directory for this machine is called: sbsa, arm64 on a Jetson. NULL: not known. */
static const char *right_directory(const struct facts *facts)
{
    const char *machine = judged_architecture(facts);
    if (string_equal(machine, "x86_64"))
        return "x86_64";
    if (!string_equal(machine, "aarch64"))
        return NULL;
    return judged_place(facts) == PLACE_JETSON ? "arm64" : "sbsa";
}

/* Packages of another machine are taken on purpose: [arch=arm64] for a cross compiler. */
static bool is_foreign_on_purpose(const struct facts *facts, const char *group)
{
    const struct strlist *named = facts_list(facts, group, "architectures");
    const char *machine = judged_architecture(facts);
    const char *own = string_equal(machine, "x86_64") ? "amd64" : "arm64";
    return named && named->count > 0 && !strlist_has(named, own);
}

static bool fits_machine(const struct facts *facts, const char *architecture)
{
    const char *right = right_directory(facts);
    if (right == NULL || architecture[0] == '\0' || string_equal(architecture, right) ||
        string_starts(architecture, "cross-"))
        return true;
    /* JetPack 7 takes the servers' packages. */
    return judged_place(facts) == PLACE_JETSON && string_equal(architecture, "sbsa");
}

static bool judge_architecture(struct rule_context *context, const char *group)
{
    const struct facts *facts = context->facts;
    AUTO_FREE char *directory = NULL;
    AUTO_FREE char *architecture = NULL;
    const char *uri = facts_string(facts, group, "uri");
    if (!source_is_cuda(uri, &directory, &architecture) || fits_machine(facts, architecture) ||
        is_foreign_on_purpose(facts, group))
        return false;
    const char *right = right_directory(facts);
    AUTO_FREE char *place = source_place(facts, group);
    struct finding *finding =
        rule_found(context, source_severity(context),
                   "the CUDA repository in %s is for %s; the one for this machine is called %s",
                   place, architecture, right);
    finding_subject(finding, uri);
    finding_why(finding, "NVIDIA's directories are x86_64, sbsa (ARM servers) and arm64 (Jetson); "
                         "another one does not exist, or lacks the packages for this machine");
    finding_evidence(finding, facts, group, "uri");
    finding_evidence(finding, facts, "os", "architecture");
    finding_fix_note(finding, FIX_ADVICE | NEEDS_ROOT,
                     "in %s, change /%s/%s to /%s/%s, then read the lists again",
                     facts_string(facts, group, "file"), directory, architecture, directory, right);
    return true;
}

/* A framework of the same machine in that environment has a cause of its own. */
static bool has_framework_for(const struct facts *facts, const char *environment,
                              const char *platform)
{
    const char *group;
    for (size_t i = 0; (group = facts_next(facts, "framework", &i)) != NULL;)
        if (string_equal(facts_string(facts, group, "environment"), environment) &&
            string_equal(facts_string(facts, group, "platform"), platform))
            return true;
    return false;
}

/* A wheel with libraries of NVIDIA's for another machine, in an environment that is in use. */
static bool is_foreign_wheel(const struct facts *facts, const char *group)
{
    const char *platform = facts_string(facts, group, "platform");
    const char *machine = judged_architecture(facts);
    const char *python = facts_string(facts, group, "python");
    return platform && machine && !string_equal(platform, machine) && python &&
           facts_true(facts, python, "active") &&
           !has_framework_for(facts, facts_string(facts, group, "environment"), platform);
}

static bool judge_wheels(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    const char *group;
    for (size_t i = 0; (group = facts_next(facts, "wheel", &i)) != NULL;) {
        const char *name = facts_string(facts, group, "name");
        const char *environment = facts_string(facts, group, "environment");
        if (!is_foreign_wheel(facts, group) || name == NULL || environment == NULL)
            continue;
        AUTO_FREE char *quoted = shell_quote(name);
        struct finding *finding = rule_found(
            context, severity_for_use(context->purpose),
            "the wheel of %s in %s is for %s; this machine's programs are for %s", name,
            environment, facts_string(facts, group, "platform"), judged_architecture(facts));
        finding_subject(finding, environment);
        finding_why(finding, "the loader passes over libraries for another machine: \"cannot open "
                             "shared object file\", although the file is there");
        finding_evidence(finding, facts, group, "platform");
        finding_evidence(finding, facts, "os", "architecture");
        finding_fix_command(finding, FIX_SHELL, "in that Python environment",
                            "python3 -m pip install --force-reinstall --no-deps %s", quoted);
        return true;
    }
    return false;
}

void judge_wrong_arch_repo_or_wheel(struct rule_context *context)
{
    static const char *const kinds[] = {KIND, RPM};
    const struct facts *facts = context->facts;
    const char *group;
    bool enabled = true;
    if (judge_wheels(context) || !source_require(context, KIND))
        return;
    for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++)
        for (size_t i = 0; (group = facts_next(facts, kinds[k], &i)) != NULL;) {
            if (facts_boolean(facts, group, "enabled", &enabled) && !enabled)
                continue;
            if (judge_architecture(context, group))
                return;
        }
}

/* A package that waits for one that is not there; NULL: none. */
static const char *package_without(const struct facts *facts)
{
    const char *group;
    for (size_t i = 0; (group = facts_next(facts, "package_state", &i)) != NULL;) {
        const struct strlist *missing = facts_list(facts, group, "missing");
        if (missing && missing->count > 0)
            return group;
    }
    return NULL;
}

static bool is_listed(struct manifest *manifest, const char *directory)
{
    size_t count;
    const struct manifest_repository *rows = manifest_repositories(manifest, &count);
    for (size_t i = 0; i < count; i++)
        if (string_equal(rows[i].directory, directory))
            return true;
    return false;
}

static void release_found(struct rule_context *context, const char *group, const char *directory,
                          const struct manifest_repository *own, const char *waiting)
{
    const struct facts *facts = context->facts;
    AUTO_FREE char *place = source_place(facts, group);
    const struct strlist *missing = facts_list(facts, waiting, "missing");
    struct finding *finding =
        rule_found(context, source_severity(context),
                   "the CUDA repository in %s is for another release (%s); this system's is %s",
                   place, directory, own->directory);
    finding_subject(finding, place);
    finding_why(
        finding,
        "its packages need libraries of that release: %s waits for %s, which is not installed, "
        "and what depends on it is not configured either",
        facts_string(facts, waiting, "name"), missing->items[0]);
    finding_manifest(finding, own->id);
    finding_evidence(finding, facts, group, "uri");
    finding_evidence(finding, facts, "os", "pretty_name");
    finding_evidence(finding, facts, waiting, "status");
    finding_evidence(finding, facts, waiting, "missing");
    source_fix_cuda(context, finding, "and remove the entry of the other release");
    finding_fix_command(finding, FIX_ALSO | NEEDS_ROOT, "then",
                        "sudo apt-get install --fix-broken");
}

/* Whether an address is of NVIDIA's directory for another release of the system. free() *ret_other.
 */
static bool is_of_other_release(const struct rule_context *context, const char *uri,
                                const struct manifest_repository *own, char **ret_other)
{
    AUTO_FREE char *directory = NULL;
    AUTO_FREE char *architecture = NULL;
    if (!source_is_cuda(uri, &directory, &architecture) ||
        string_equal(directory, own->directory) || !is_listed(context->manifest, directory))
        return false;
    *ret_other = mem_steal(&directory);
    return true;
}

/* By dnf's or zypper's log: a package whose dependency no repository has. */
static void judge_release_of_rpm(struct rule_context *context,
                                 const struct manifest_repository *own, const char *line,
                                 const char *run)
{
    const struct facts *facts = context->facts;
    const char *group;
    for (size_t i = 0; (group = facts_next(facts, RPM, &i)) != NULL;) {
        AUTO_FREE char *other = NULL;
        if (!facts_true(facts, group, "enabled") ||
            !is_of_other_release(context, facts_string(facts, group, "uri"), own, &other))
            continue;
        struct finding *finding =
            rule_found(context, source_severity(context),
                       "the CUDA repository %s is for another release (%s); this system's is %s: "
                       "%s",
                       facts_string(facts, group, "id"), other, own->directory, line);
        finding_subject(finding, facts_string(facts, group, "file"));
        finding_why(finding, "its packages need libraries of that release");
        finding_manifest(finding, own->id);
        finding_evidence(finding, facts, group, "uri");
        finding_evidence(finding, facts, "os", "pretty_name");
        finding_evidence(finding, facts, run, "errors");
        source_fix_cuda(context, finding, "and remove the .repo file of the other release");
        return;
    }
}

void judge_apt_repo_of_other_release(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    const char *group;
    const char *run = NULL;
    if (!source_require(context, KIND) || !rule_require_fact(context, "package_state", "count"))
        return;
    const char *waiting = package_without(facts);
    const char *line = waiting ? NULL : run_error(context, "apt_repo_of_other_release", &run);
    if (waiting == NULL && line == NULL)
        return; /* whatever system this is */
    struct manifest_system system = repository_system(facts);
    const struct manifest_repository *own = manifest_repository_find(context->manifest, &system);
    if (own == NULL)
        return;
    if (line) {
        judge_release_of_rpm(context, own, line, run);
        return;
    }
    for (size_t i = 0; (group = facts_next(facts, KIND, &i)) != NULL;) {
        AUTO_FREE char *other = NULL;
        if (!is_of_other_release(context, facts_string(facts, group, "uri"), own, &other))
            continue;
        release_found(context, group, other, own, waiting);
        return;
    }
}
