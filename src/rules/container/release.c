/* SPDX-License-Identifier: MIT */
#include "base/version.h"
#include "rules/container/engine.h"
#include "rules/container/judges.h"
#include "rules/engine/finding.h"
#include "rules/engine/threshold.h"
#include "rules/query/judged.h"
#include "rules/query/packages.h"

/* Releases of NVIDIA's toolkit with a defect; where it looks for the driver's libraries. */
#define LIBRARY "libnvidia-container1"

void judge_toolkit_release_defect(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    struct version version;
    if (!container_require_engine(context) || !rule_require_fact(context, "package", "count"))
        return;
    if (container_engine(facts, "enroot") == NULL) {
        rule_skip(context, "enroot is not installed");
        return;
    }
    const char *group = facts_find(facts, "package", "name", LIBRARY);
    const char *text = packages_release(facts, group, &version);
    if (text == NULL)
        return;
    const struct manifest_threshold *row =
        threshold_of(context, "libnvidia-container-device-rules");
    if (row == NULL || !version_within(&version, &row->version))
        return;
    struct finding *finding =
        rule_found(context, SEVERITY_FAIL,
                   "%s %s writes device rules that enroot told it not to write", LIBRARY, text);
    finding_why(finding,
                "only root may write device rules, so no container with a GPU starts: \"failed "
                "to add device rules\"");
    finding_manifest(finding, row->id);
    finding_evidence(finding, facts, group, "version");
    finding_fix_note(finding, FIX_ADVICE,
                     "install a later or an earlier release of nvidia-container-toolkit and "
                     "libnvidia-container1");
}

void judge_driver_libs_not_in_ldcache(struct rule_context *context)
{
    static const char loader[] = "loader/libnvidia-ml.so.1";
    const struct facts *facts = context->facts;
    if (context->purpose != PURPOSE_CONTAINER) {
        rule_skip(context, "no container with a GPU is to be run (--for container)");
        return;
    }
    if (!container_require_engine(context) ||
        !rule_require_fact(context, "container_toolkit", "mode") ||
        !rule_require_fact(context, loader, "path"))
        return;
    const char *mode = facts_string(facts, "container_toolkit", "mode");
    const char *root = facts_string(facts, "container_toolkit", "root");
    const char *why = facts_string(facts, loader, "why");
    bool by_cache = string_equal(mode, "auto") || string_equal(mode, "legacy");
    if (judged_place(facts) != PLACE_MACHINE || !container_has_toolkit(facts) || !by_cache ||
        (root && !string_equal(root, "/")) || why == NULL ||
        !string_starts(why, "default directory"))
        return;
    struct finding *finding =
        rule_found(context, SEVERITY_FAIL,
                   "the loader's cache does not name the driver's libraries, and "
                   "NVIDIA's toolkit looks for them only there");
    finding_why(finding,
                "programs find %s in a default directory; containers with a GPU do not "
                "start: \"load library failed: libnvidia-ml.so.1\"",
                facts_string(facts, loader, "path"));
    finding_evidence(finding, facts, loader, "path");
    finding_evidence(finding, facts, loader, "why");
    static const char *const ldconfig[] = {"ldconfig", NULL};
    finding_fix_run(finding, NULL, ldconfig);
}
