/* SPDX-License-Identifier: MIT */
#include "base/shell.h"
#include "rules/gpu_nvml.h"
#include "rules/resources.h"

/* tmp_too_small_for_installer, disk_full. */

#define INSTALLER_BYTES (4LL << 30) /* a toolkit's .run file, and pip's builds, unpack more */
#define FULL_BYTES      (16LL << 20)

void judge_tmp_too_small_for_installer(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    const char *path = facts_string(facts, "disk", "tmp_path");
    int64_t bytes = 0;
    if (facts_get(facts, "disk", "tmp_free_bytes") == NULL) {
        rule_skip(context, "this record does not tell how much is free");
        return;
    }
    if (rule_lacks(context, "disk", "tmp_free_bytes") ||
        !facts_integer(facts, "disk", "tmp_free_bytes", &bytes) || bytes >= INSTALLER_BYTES)
        return;
    enum severity severity = context->profile == PROFILE_BUILD ? SEVERITY_WARN : SEVERITY_INFO;
    AUTO_FREE char *size = nvml_bytes(bytes);
    bool given = path && string_equal(facts_string(facts, "environment", "TMPDIR"), path);
    struct finding *finding =
        rule_found(context, severity, "%s%s has %s free, which is little for an installer",
                   path ? path : "/tmp", given ? " (TMPDIR)" : "", size);
    finding_subject(finding, path ? path : "/tmp");
    finding_why(finding, "installers of the toolkit and builds of packages unpack several GiB "
                         "there (gpuenv reckons with 4), and end with \"No space left on device\"");
    finding_evidence(finding, facts, "disk", "tmp_free_bytes");
    finding_evidence(finding, facts, "disk", "tmp_path");
    finding_fix_command(finding, false, false,
                        "for a directory of yours with more room; a .run file takes --tmpdir=DIR",
                        "mkdir -p ~/tmp && export TMPDIR=~/tmp");
    finding_fix_note(finding, false, false, "or remove what is of no more use there");
}

void judge_disk_full(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    const char *path = facts_string(facts, "disk", "prefix_path");
    int64_t bytes = 0;
    if (facts_get(facts, "disk", "prefix_free_bytes") == NULL) {
        rule_skip(context, "this record does not tell how much is free");
        return;
    }
    if (rule_lacks(context, "disk", "prefix_free_bytes") ||
        !facts_integer(facts, "disk", "prefix_free_bytes", &bytes) || bytes >= FULL_BYTES)
        return;
    AUTO_FREE char *size = nvml_bytes(bytes);
    AUTO_FREE char *quoted = shell_quote(path ? path : "/usr/local");
    struct finding *finding =
        rule_found(context, severity_for_build(context->profile),
                   "the disk is full where toolkits are installed: %s free under %s", size,
                   path ? path : "the prefix");
    finding_subject(finding, path);
    finding_why(finding, "what is installed there now ends half way; a toolkit that was being "
                         "unpacked when it filled up lacks files");
    finding_evidence(finding, facts, "disk", "prefix_free_bytes");
    finding_evidence(finding, facts, "disk", "prefix_path");
    finding_fix_command(finding, false, false, "shows what takes the room below it",
                        "df -h %s; du -xh -d 2 %s | sort -h | tail", quoted, quoted);
    finding_fix_kind(finding, FIX_LOOK);
    finding_fix_note(finding, false, false,
                     "make room, or install elsewhere (gpuenv install --prefix DIR); then install "
                     "again what was left half done");
}
