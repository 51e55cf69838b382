/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/version.h"
#include "rules/container/engine.h"
#include "rules/container/judges.h"
#include "rules/engine/finding.h"
#include "rules/engine/threshold.h"
#include "rules/query/packages.h"

/* Engines that refuse their own configuration. */
#define CONTAINERD "containerd"

/* What happens where an engine refuses its configuration. */
static const char *consequence_of(const char *name)
{
    return string_equal(name, "podman")
               ? "podman refuses every command until the file is corrected"
               : "the daemon does not start with this configuration; a daemon that is already "
                 "running keeps its old configuration until it is restarted";
}

/* The engine's own check of its configuration, for the end of a fix. */
static const char *check_of(const char *name)
{
    return string_equal(name, "docker")     ? "; dockerd --validate checks the file"
           : string_equal(name, CONTAINERD) ? "; containerd config dump checks the file"
                                            : "";
}

static void problem_found(struct rule_context *context, const char *group, const char *problem)
{
    const struct facts *facts = context->facts;
    const char *name = facts_string(facts, group, "name");
    struct finding *finding =
        rule_found(context, SEVERITY_FAIL, "%s refuses its configuration: %s", name, problem);
    finding_subject(finding, facts_string(facts, group, "config"));
    finding_why(finding, "%s", consequence_of(name));
    finding_evidence(finding, facts, group, "problem");
    if (string_equal(name, "podman"))
        finding_fix_note(finding, FIX_ADVICE, "correct the file at that place");
    else
        finding_fix_note(finding, FIX_ADVICE, "correct the file at that place, then restart %s%s",
                         name, check_of(name));
}

/* A configuration in a format that this release of containerd does not know. */
static bool format_found(struct rule_context *context, const char *group)
{
    const struct facts *facts = context->facts;
    static const char *const packages[] = {"containerd.io", CONTAINERD};
    int64_t format = 0;
    if (!string_equal(group, container_engine(facts, CONTAINERD)) ||
        !facts_integer(facts, group, "config_version", &format) || format < 3)
        return false;
    const struct manifest_threshold *row = threshold_of(context, "containerd-config-3");
    for (size_t i = 0; row && i < sizeof(packages) / sizeof(packages[0]); i++) {
        struct version release;
        const char *package = facts_find(facts, "package", "name", packages[i]);
        const char *text = packages_release(facts, package, &release);
        if (text == NULL || version_compare(&release, &row->version) >= 0)
            continue;
        const char *config = facts_string(facts, group, "config");
        struct finding *finding = rule_found(
            context, SEVERITY_FAIL, "%s has version %lld, which containerd %s does not support",
            config, (long long)format, text);
        finding_subject(finding, config);
        finding_why(finding, "%s", consequence_of(CONTAINERD));
        finding_manifest(finding, row->id);
        finding_evidence(finding, facts, group, "config_version");
        finding_evidence(finding, facts, package, "version");
        finding_fix_note(finding, FIX_ADVICE,
                         "write the file again for this release (containerd config default, then "
                         "nvidia-ctk runtime configure --runtime=containerd), or install "
                         "containerd 2");
        return true;
    }
    return false;
}

/* Some releases of containerd 2 refuse an imported file of a higher version than the main file's;
 * others read it. One that does not run, where a kubelet needs it, has refused it. */
static bool newer_part_found(struct rule_context *context, const char *group)
{
    const struct facts *facts = context->facts;
    const char *part = facts_string(facts, group, "newer_part");
    bool running = true;
    if (part == NULL || !facts_true(facts, "kubernetes", "node") ||
        !facts_boolean(facts, group, "running", &running) || running)
        return false;
    const char *config = facts_string(facts, group, "config");
    struct finding *finding = rule_found(
        context, SEVERITY_FAIL,
        "containerd does not run: %s has a higher configuration version than %s", part, config);
    finding_subject(finding, part);
    finding_why(finding, "containerd exits with \"drop-in config version … higher than root config "
                         "version …\", so no pod starts on this node");
    finding_evidence(finding, facts, group, "newer_part");
    finding_evidence(finding, facts, group, "config_version");
    finding_evidence(finding, facts, group, "running");
    finding_fix_note(finding, FIX_ADVICE,
                     "with the GPU operator: set RUNTIME_CONFIG_SOURCE=file in toolkit.env; the "
                     "operator then writes "
                     "its file in the version of %s",
                     config);
    finding_fix_note(finding, FIX_ADVICE | NEEDS_ROOT,
                     "or migrate the main file: write what containerd config migrate prints to "
                     "%s, then restart containerd",
                     config);
    return true;
}

void judge_engine_config_refused(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    const char *group;
    if (!container_require_engine(context))
        return;
    for (size_t i = 0; (group = facts_next(facts, "container_engine", &i)) != NULL;) {
        const char *problem = facts_string(facts, group, "problem");
        if (problem)
            problem_found(context, group, problem);
        if (problem || format_found(context, group) || newer_part_found(context, group))
            return;
    }
}

/* Runtimes that an engine knows without being told: docker run --help, containerd config default,
 * containers.conf(5), crio.conf(5). */
static bool is_built_in(const char *name, const char *runtime)
{
    static const struct {
        const char *engine, *runtimes;
    } rows[] = {
        {"docker", " runc "},
        {"containerd", " runc "},
        {"crio", " runc crun "},
        {"podman", " crun crun-vm crun-wasm kata krun ocijail runc runj runsc youki "},
    };
    AUTO_FREE char *word = mem_printf(" %s ", runtime);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (string_equal(rows[i].engine, name))
            return strstr(rows[i].runtimes, word) != NULL;
    return true;
}

/* A path, and a shim of containerd's ("io.containerd.kata.v2"), need no entry. */
static bool needs_entry(const char *runtime)
{
    return strpbrk(runtime, "/.") == NULL;
}

static void unknown_found(struct rule_context *context, const char *group, const char *runtime)
{
    const struct facts *facts = context->facts;
    const char *name = facts_string(facts, group, "name");
    struct finding *finding = rule_found(
        context, SEVERITY_FAIL,
        "the default runtime of %s is %s, but its configuration defines no runtime of that name",
        name, runtime);
    finding_subject(finding, facts_string(facts, group, "config"));
    if (string_equal(name, CONTAINERD))
        finding_why(finding,
                    "containerd starts without its CRI plugin, so the kubelet cannot use it");
    else
        finding_why(finding, "%s", consequence_of(name));
    finding_evidence(finding, facts, group, "default_runtime");
    finding_evidence(finding, facts, group, "runtimes");
    if (string_equal(runtime, "nvidia") && string_equal(name, "docker"))
        container_configure_docker(finding, NULL, "");
    else if (string_equal(runtime, "nvidia") && !string_equal(name, "podman"))
        finding_fix_command(finding, FIX_STEP | NEEDS_ROOT, "then restart the engine",
                            "sudo nvidia-ctk runtime configure --runtime=%s", name);
    finding_fix_note(finding, FIX_ADVICE, "or remove the default runtime from %s",
                     facts_string(facts, group, "config"));
}

void judge_engine_default_runtime_unknown(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    const char *group;
    if (!container_require_engine(context))
        return;
    for (size_t i = 0; (group = facts_next(facts, "container_engine", &i)) != NULL;) {
        const char *runtime = facts_string(facts, group, "default_runtime");
        const struct strlist *runtimes = facts_list(facts, group, "runtimes");
        if (runtime == NULL || runtimes == NULL || strlist_has(runtimes, runtime) ||
            !needs_entry(runtime) || is_built_in(facts_string(facts, group, "name"), runtime))
            continue;
        unknown_found(context, group, runtime);
        return;
    }
}
