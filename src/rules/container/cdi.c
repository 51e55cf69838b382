/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/version.h"
#include "rules/container/engine.h"
#include "rules/container/judges.h"
#include "rules/engine/finding.h"
#include "rules/engine/threshold.h"
#include "rules/query/judged.h"

/* Specifications of the Container Device Interface: whether the engines that use them can. */
#define PODMAN "podman"

bool container_spec_is_nvidia(const struct facts *facts, const char *group)
{
    const char *kind = facts_string(facts, group, "kind");
    return kind && strstr(kind, "nvidia.com/");
}

/* A word for who would read a specification here: "podman"; NULL: nobody does. */
static const char *user_of_cdi(const struct facts *facts)
{
    const char *group;
    const char *docker = container_engine(facts, "docker");
    if (container_engine(facts, PODMAN))
        return "podman";
    if (docker && facts_true(facts, docker, "running") && facts_true(facts, docker, "cdi"))
        return "Docker";
    for (size_t i = 0; (group = facts_next(facts, "docker_container", &i)) != NULL;)
        if (container_first(facts, group, "cdi_devices"))
            return "Docker";
    if (string_equal(facts_string(facts, "container_toolkit", "mode"), "cdi"))
        return "NVIDIA's runtime";
    return NULL;
}

/* False, and the check is ended, where nobody would read a specification. */
static bool require_user(struct rule_context *context)
{
    if (!container_require_engine(context) || !rule_require_fact(context, "cdi", "count"))
        return false;
    if (user_of_cdi(context->facts))
        return true;
    rule_skip(context, "no engine here uses CDI");
    return false;
}

void container_write_spec(struct finding *finding, const char *path)
{
    finding_fix_command(finding, FIX_STEP | NEEDS_ROOT, NULL,
                        "sudo nvidia-ctk cdi generate --output=%s", path);
}

void judge_cdi_hook_missing(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    const char *group;
    if (!require_user(context))
        return;
    for (size_t i = 0; (group = facts_next(facts, "cdi", &i)) != NULL;) {
        const char *hook = container_first(facts, group, "missing_hooks");
        if (!container_spec_is_nvidia(facts, group) || hook == NULL)
            continue;
        const char *path = facts_string(facts, group, "path");
        struct finding *finding = rule_found(
            context, SEVERITY_FAIL, "%s names the hook %s, which does not exist", path, hook);
        finding_subject(finding, path);
        finding_why(finding,
                    "an engine runs the hook in every container that asks for a device of "
                    "this specification; without the program the container does not start");
        finding_evidence(finding, facts, group, "missing_hooks");
        finding_fix_note(finding, FIX_ADVICE,
                         "install the package with nvidia-cdi-hook "
                         "(nvidia-container-toolkit-base, or nvidia-container-toolkit)");
        container_write_spec(finding, path);
        return;
    }
}

/* The first path that an upgrade takes away. A node of the driver is left out: it is made later
 * than the specification, and other rules name it. */
static const char *gone(const struct facts *facts, const char *group)
{
    const struct strlist *paths = facts_list(facts, group, "missing_paths");
    for (size_t i = 0; paths && i < paths->count; i++)
        if (!string_starts(paths->items[i], "/dev/nvidia"))
            return paths->items[i];
    return NULL;
}

static void stale_found(struct rule_context *context, const char *group, const char *path)
{
    const struct facts *facts = context->facts;
    const char *file = facts_string(facts, group, "path");
    const char *release = container_first(facts, group, "driver_versions");
    struct judged_driver driver = judged_driver(facts);
    struct finding *finding = rule_found(
        context, SEVERITY_FAIL,
        "the CDI specification %s is stale: it names %s, which does not exist", file, path);
    finding_subject(finding, file);
    if (release && driver.text && !string_equal(release, driver.text))
        finding_why(finding,
                    "it was written for driver %s; the driver is now %s. %s starts no container "
                    "with a device of this specification",
                    release, driver.text, user_of_cdi(facts));
    else
        finding_why(finding,
                    "it was written before files or device nodes changed. %s starts no "
                    "container with a device of this specification",
                    user_of_cdi(facts));
    finding_evidence(finding, facts, group, "missing_paths");
    finding_evidence(finding, facts, group, "driver_versions");
    if (driver.group)
        finding_evidence(finding, facts, driver.group, driver.name);
    container_write_spec(finding, file);
}

void judge_cdi_spec_stale_after_driver_upgrade(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    const char *group;
    if (!require_user(context))
        return;
    for (size_t i = 0; (group = facts_next(facts, "cdi", &i)) != NULL;) {
        const char *path = gone(facts, group);
        if (container_spec_is_nvidia(facts, group) && path) {
            stale_found(context, group, path);
            return;
        }
    }
}

/* Podman's release without what its distribution adds, "5:4.9.3+ds1-1ubuntu0.2". */
static const char *podman_release(const struct facts *facts, struct version *ret_version)
{
    const char *group = facts_find(facts, "package", "name", PODMAN);
    const char *text = group ? facts_string(facts, group, "version") : NULL;
    const char *colon = text ? strchr(text, ':') : NULL;
    text = colon ? colon + 1 : text;
    return text && version_parse_prefix(text, ret_version) ? text : NULL;
}

/* The first release of podman that is known to read this cdiVersion; NULL: not listed. */
static const struct manifest_threshold *first_reader(struct rule_context *context,
                                                     const char *version)
{
    static const struct {
        const char *version, *name;
    } rows[] = {{"0.7.0", "podman-cdi-0-7-0"}, {"0.8.0", "podman-cdi-0-8-0"}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (strcmp(rows[i].version, version) == 0)
            return manifest_threshold_find(context->manifest, rows[i].name);
    return NULL;
}

void judge_cdi_spec_version_too_new(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    const char *group;
    struct version podman;
    if (!container_require_engine(context) || !rule_require_fact(context, "cdi", "count"))
        return;
    const char *release = container_engine(facts, PODMAN) ? podman_release(facts, &podman) : NULL;
    if (release == NULL) {
        rule_skip(context, "there is no podman whose release is known");
        return;
    }
    for (size_t i = 0; (group = facts_next(facts, "cdi", &i)) != NULL;) {
        const char *version = facts_string(facts, group, "version");
        if (!container_spec_is_nvidia(facts, group) || version == NULL)
            continue;
        const struct manifest_threshold *row = first_reader(context, version);
        if (row == NULL || version_compare(&podman, &row->version) >= 0)
            continue;
        const char *path = facts_string(facts, group, "path");
        struct finding *finding = rule_found(context, SEVERITY_FAIL,
                                             "%s has cdiVersion %s, which podman %s does not read",
                                             path, version, release);
        finding_subject(finding, path);
        finding_why(finding, "podman passes over a specification that is too new, and says "
                             "\"unresolvable CDI devices\"");
        finding_manifest(finding, row->id);
        finding_evidence(finding, facts, group, "version");
        finding_evidence(finding, facts, facts_find(facts, "package", "name", PODMAN), "version");
        finding_fix_note(finding, FIX_ADVICE, "install a newer podman");
        finding_fix_note(
            finding, FIX_ADVICE,
            "or an older nvidia-container-toolkit that writes an older cdiVersion, and "
            "write the specification again with it");
        return;
    }
}
