/* SPDX-License-Identifier: MIT */
#include "base/text.h"
#include "rules/engine/finding.h"
#include "rules/engine/threshold.h"
#include "rules/repository/judges.h"
#include "rules/repository/source.h"

/* What rpm and dnf refuse. */
#define KIND "rpm_repository"
#define LOG  "package_log"

void judge_rpm_digest_refused_fips(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    if (!source_require(context, KIND) || !rule_require_fact(context, LOG, "refused"))
        return;
    const struct strlist *refused = facts_list(facts, LOG, "refused");
    if (refused == NULL || refused->count == 0 || !facts_true(facts, LOG, "fips"))
        return;
    const struct manifest_threshold *row = threshold_of(context, "container-toolkit-digests");
    if (row == NULL)
        return;
    char first[VERSION_TEXT_SIZE];
    version_text(&row->version, 0, first);
    struct finding *finding =
        rule_found(context, source_severity(context),
                   "rpm has refused %s in FIPS mode: the package has no digest that it accepts",
                   refused->items[0]);
    finding_subject(finding, refused->items[0]);
    finding_why(finding,
                "FIPS mode does not accept MD5 and SHA-1; packages of NVIDIA's container toolkit "
                "before %s have no other digests",
                first);
    finding_manifest(finding, row->id);
    finding_evidence(finding, facts, LOG, "refused");
    finding_evidence(finding, facts, LOG, "fips");
    finding_fix_command(finding, FIX_STEP | NEEDS_ROOT, "that release or a newer one",
                        "sudo dnf install 'nvidia-container-toolkit >= %s'", first);
}
