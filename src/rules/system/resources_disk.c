/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/shell.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/engine/threshold.h"
#include "rules/query/gpu_nvml.h"
#include "rules/query/package_run.h"
#include "rules/remedy/remedy.h"
#include "rules/system/judges.h"
#include "rules/system/resources.h"

/* tmp_too_small_for_installer, disk_full. */

static void tmp_fixes(struct finding *finding)
{
    finding_fix_command(
        finding, FIX_SHELL,
        "or use another directory with more space; a .run file accepts --tmpdir=DIR",
        "mkdir -p ~/tmp && export TMPDIR=~/tmp");
    finding_fix_note(finding, FIX_ADVICE, "or remove files from that directory that nobody needs");
}

static bool is_whole_toolkit(const struct facts *facts)
{
    const char *group;
    for (size_t i = 0; (group = facts_next(facts, "toolkit", &i)) != NULL;) {
        const struct strlist *missing = facts_list(facts, group, "missing");
        if (missing && missing->count == 0)
            return true;
    }
    return false;
}

/* The error of the toolkit's .run file that speaks of the directory for temporary files. */
static const char *installer_error(const struct facts *facts, const char *tmp)
{
    const struct strlist *errors = facts_list(facts, "toolkit", "installer_errors");
    AUTO_FREE char *below = mem_printf("%s/", tmp);
    for (size_t i = errors ? errors->count : 0; i > 0; i--)
        if (strstr(errors->items[i - 1], "No space left on device") &&
            (strstr(errors->items[i - 1], below) || strstr(errors->items[i - 1], "\"/tmp/")))
            return errors->items[i - 1];
    return NULL;
}

/* True when the installer has failed for that, and no toolkit has been installed since. */
static bool find_failed_installer(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    const char *path = facts_string(facts, "disk", "tmp_path");
    const char *error = installer_error(facts, path ? path : "/tmp");
    if (error == NULL || is_whole_toolkit(facts))
        return false;
    const char *log = facts_get(facts, "toolkit", "installer_errors")->source;
    struct finding *finding = rule_found(
        context, severity_for_build(context->purpose),
        "the toolkit's installer ran out of space for temporary files: %s, according to %s", error,
        log);
    finding_subject(finding, path ? path : "/tmp");
    finding_why(finding, "a .run file unpacks itself before installing, and needs about twice its "
                         "own size to do so; no complete toolkit has been installed here since");
    finding_evidence(finding, facts, "toolkit", "installer_errors");
    finding_evidence(finding, facts, "disk", "tmp_free_bytes");
    finding_evidence(finding, facts, "toolkit", "count");
    tmp_fixes(finding);
    return true;
}

void judge_tmp_too_small_for_installer(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    const char *path = facts_string(facts, "disk", "tmp_path");
    int64_t bytes = 0, wanted = threshold_bytes(context, "installer-tmp");
    if (find_failed_installer(context))
        return;
    if (facts_get(facts, "disk", "tmp_free_bytes") == NULL) {
        rule_skip(context, "this record does not say how much disk space is free");
        return;
    }
    if (!rule_require_fact(context, "disk", "tmp_free_bytes") ||
        !facts_integer(facts, "disk", "tmp_free_bytes", &bytes) || bytes >= wanted)
        return;
    enum severity severity = context->purpose == PURPOSE_BUILD ? SEVERITY_WARN : SEVERITY_INFO;
    AUTO_FREE char *size = nvml_bytes(bytes);
    AUTO_FREE char *reckoned = nvml_bytes(wanted);
    bool given = path && string_equal(facts_string(facts, "environment", "TMPDIR"), path);
    struct finding *finding =
        rule_found(context, severity, "%s%s has %s free, which may be too little for an installer",
                   path ? path : "/tmp", given ? " (TMPDIR)" : "", size);
    finding_subject(finding, path ? path : "/tmp");
    finding_why(
        finding,
        "toolkit installers and package builds unpack several GiB into this directory (gpuenv "
        "assumes %s); without that space, they fail with \"No space left on device\"",
        reckoned);
    finding_evidence(finding, facts, "disk", "tmp_free_bytes");
    finding_evidence(finding, facts, "disk", "tmp_path");
    finding_manifest(finding, "threshold/installer-tmp");
    tmp_fixes(finding);
}

static void space_fixes(struct finding *finding, const char *path)
{
    AUTO_FREE char *quoted = shell_quote(path);
    finding_fix_command(finding, FIX_LOOK, "shows which directories use the space",
                        "df -h %s; du -xh -d 2 %s | sort -h | tail", quoted, quoted);
}

/* The package manager's own cache is what nobody misses. */
static void cache_fixes(struct finding *finding, const struct facts *facts)
{
    const char *line = NULL;
    switch (remedy_distribution(facts)) {
    case DISTRIBUTION_UBUNTU:
    case DISTRIBUTION_DEBIAN:
        line = "sudo apt-get clean";
        break;
    case DISTRIBUTION_RHEL:
        line = string_equal(remedy_rpm_tool(facts), "yum") ? "sudo yum clean all"
                                                           : "sudo dnf clean all";
        break;
    case DISTRIBUTION_SUSE:
        line = "sudo zypper clean --all";
        break;
    case DISTRIBUTION_ARCH:
        line = "sudo pacman -Sc";
        break;
    case DISTRIBUTION_OTHER:
        break;
    }
    if (line)
        finding_fix_command(finding, FIX_CHOICE | NEEDS_ROOT,
                            "removes the package manager's own cache; free more space if that is "
                            "not enough, and run the installation again",
                            "%s", line);
    else
        finding_fix_note(finding, FIX_ADVICE | NEEDS_ROOT,
                         "free some space, and run the installation again");
}

/* A package manager's last run says so itself, or one of its directories is full. */
static bool find_packages_without_space(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    const char *run = NULL;
    const char *path = facts_string(facts, "disk", "packages_path");
    const char *line = run_without_space(context, &run);
    int64_t bytes = 0;
    if (!run_disk_full(context, &bytes) && line == NULL)
        return false;
    AUTO_FREE char *size = nvml_bytes(bytes);
    enum severity severity = severity_for_build(context->purpose);
    struct finding *finding =
        line ? rule_found(context, severity, "the last run of %s had no space: %s",
                          facts_string(facts, run, "name"), line)
             : rule_found(context, severity,
                          "the disk of the package manager is full: %s free under %s", size, path);
    finding_subject(finding, line ? facts_string(facts, run, "name") : path);
    finding_why(finding, "lists, packages or their files do not fit on the disk, and what the "
                         "package manager says otherwise may be a consequence: lists that end too "
                         "early, keys without contents, packages that are half installed");
    finding_evidence(finding, facts, run, "errors");
    finding_evidence(finding, facts, "disk", "packages_path");
    finding_evidence(finding, facts, "disk", "packages_free_bytes");
    if (line == NULL)
        finding_manifest(finding, "threshold/prefix-room");
    space_fixes(finding, line || path == NULL ? "/" : path);
    cache_fixes(finding, facts);
    return true;
}

void judge_disk_full(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    const char *path = facts_string(facts, "disk", "prefix_path");
    int64_t bytes = 0, full = threshold_bytes(context, "prefix-room");
    if (find_packages_without_space(context))
        return;
    if (facts_get(facts, "disk", "prefix_free_bytes") == NULL) {
        rule_skip(context, "this record does not say how much disk space is free");
        return;
    }
    if (!rule_require_fact(context, "disk", "prefix_free_bytes") ||
        !facts_integer(facts, "disk", "prefix_free_bytes", &bytes) || bytes >= full)
        return;
    AUTO_FREE char *size = nvml_bytes(bytes);
    struct finding *finding =
        rule_found(context, severity_for_build(context->purpose),
                   "the disk where toolkits are installed is full: %s free under %s", size,
                   path ? path : "the prefix");
    finding_subject(finding, path);
    finding_why(finding, "an installation on this disk now stops halfway; a toolkit that was being "
                         "unpacked when the disk filled up lacks files");
    finding_evidence(finding, facts, "disk", "prefix_free_bytes");
    finding_evidence(finding, facts, "disk", "prefix_path");
    finding_manifest(finding, "threshold/prefix-room");
    space_fixes(finding, path ? path : "/usr/local");
    finding_fix_note(finding, FIX_ADVICE,
                     "free some space, or install elsewhere (gpuenv install --prefix DIR); then "
                     "run the unfinished installation again");
}

bool resources_installer_failed(const struct rule_context *context, struct finding *finding)
{
    const char *path = facts_string(context->facts, "disk", "tmp_path");
    return installer_error(context->facts, path ? path : "/tmp") &&
           finding_follows(context, finding, "tmp_too_small_for_installer");
}
