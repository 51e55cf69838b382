/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/path.h"
#include "rules/container/engine.h"
#include "rules/container/judges.h"
#include "rules/container/quadlet.h"
#include "rules/engine/finding.h"

/* Engines that give GPUs by CDI alone, and find no specification that describes one. */
#define PODMAN  "podman"
#define REFRESH "nvidia-cdi-refresh"
#define DEFAULT "/etc/cdi/nvidia.yaml"

/* /var/run is a link to /run everywhere. */
static const char *without_var(const char *path)
{
    return string_starts(path, "/var/run/") ? path + sizeof("/var") - 1 : path;
}

/* True when the engine looks into the directory of the specification. dirs: those that it is
 * configured to read; NULL: the usual ones. */
static bool engine_reads(const struct strlist *dirs, const char *path)
{
    static const char *const usual[] = {"/etc/cdi", "/run/cdi"};
    AUTO_FREE char *directory = path_parent(without_var(path));
    for (size_t i = 0; dirs && i < dirs->count; i++)
        if (string_equal(without_var(dirs->items[i]), directory))
            return true;
    return dirs == NULL && (string_equal(directory, usual[0]) || string_equal(directory, usual[1]));
}

static bool spec_is_whole(const struct facts *facts, const char *group)
{
    return facts_string(facts, group, "version") && container_first(facts, group, "devices") &&
           facts_string(facts, group, "problem") == NULL;
}

/* Another specification of this directory that has a device of the same name: an engine then knows
 * none of that name. Between directories the later one counts. NULL: there is none. */
static const char *rival_of(const struct facts *facts, const char *group)
{
    const struct strlist *devices = facts_list(facts, group, "devices");
    const char *kind = facts_string(facts, group, "kind");
    const char *path = facts_string(facts, group, "path");
    const char *other;
    AUTO_FREE char *directory = path_parent(without_var(path));
    for (size_t i = 0; (other = facts_next(facts, "cdi", &i)) != NULL;) {
        const char *place = facts_string(facts, other, "path");
        const struct strlist *names = facts_list(facts, other, "devices");
        AUTO_FREE char *above = place ? path_parent(without_var(place)) : NULL;
        if (string_equal(other, group) || !string_equal(above, directory) ||
            !string_equal(facts_string(facts, other, "kind"), kind) || !spec_is_whole(facts, other))
            continue;
        for (size_t k = 0; devices && names && k < devices->count; k++)
            if (strlist_has(names, devices->items[k]))
                return other;
    }
    return NULL;
}

/* What an engine that needs a specification has. */
struct specs {
    const char *engine;    /* its group */
    bool readable;         /* one that it reads and that is whole */
    const char *elsewhere; /* a file in a directory that it does not read */
    const char *broken;    /* one without its parts; its group */
    const char *rival;     /* one with a device that another has too; its group */
};

static struct specs specs_of(struct rule_context *context, const char *engine)
{
    const struct facts *facts = context->facts;
    struct specs specs = {.engine = engine};
    const struct strlist *dirs = facts_list(facts, engine, "cdi_dirs");
    const char *group;
    if (string_equal(facts_string(facts, engine, "name"), PODMAN) &&
        container_engine_is_before(context, PODMAN, "podman-cdi-spec-dirs"))
        dirs = NULL;
    for (size_t i = 0; (group = facts_next(facts, "cdi", &i)) != NULL;) {
        const char *path = facts_string(facts, group, "path");
        if (path == NULL)
            continue;
        if (!engine_reads(dirs, path))
            specs.elsewhere = container_spec_is_nvidia(facts, group) ? path : specs.elsewhere;
        else if (container_spec_is_nvidia(facts, group) && spec_is_whole(facts, group)) {
            specs.readable = true;
            specs.rival = rival_of(facts, group) ? group : specs.rival;
        } else if (container_spec_is_nvidia(facts, group) || !facts_string(facts, group, "kind")) {
            specs.broken = group;
        }
    }
    return specs;
}

/* Engines that give GPUs by CDI alone: podman without NVIDIA's hook, Docker with CDI and without
 * NVIDIA's runtime; the system's and those that users have set up for themselves. */
static bool is_of_cdi_alone(const struct facts *facts, const char *group)
{
    const char *name = facts_string(facts, group, "name");
    if (container_first(facts, group, "nvidia_runtimes"))
        return false;
    if (string_equal(name, PODMAN))
        return !container_first(facts, "container_toolkit", "oci_hooks");
    return string_equal(name, "docker") && facts_true(facts, group, "running") &&
           facts_true(facts, group, "cdi");
}

static bool finds_all(const struct specs *specs)
{
    return specs->readable && !specs->rival;
}

/* The first of them that finds no specification, or else that does; engine NULL: there is none. A
 * Quadlet is podman's. */
static struct specs worst_specs(struct rule_context *context, bool only_podman)
{
    const struct facts *facts = context->facts;
    struct specs worst = {.engine = NULL};
    const char *group;
    for (size_t i = 0; (group = facts_next(facts, "container_engine", &i)) != NULL;) {
        if (!is_of_cdi_alone(facts, group) ||
            (only_podman && !string_equal(facts_string(facts, group, "name"), PODMAN)))
            continue;
        struct specs specs = specs_of(context, group);
        if (worst.engine == NULL || (finds_all(&worst) && !finds_all(&specs)))
            worst = specs;
    }
    return worst;
}

/* False, and the check is ended, where nothing is wrong. Without the toolkit another rule names
 * that. */
static bool require_lack(struct rule_context *context, struct specs *ret_specs)
{
    const struct facts *facts = context->facts;
    bool asked = context->purpose == PURPOSE_CONTAINER;
    if (!asked && (context->purpose == PURPOSE_BUILD || !quadlet_of_cdi(facts))) {
        rule_skip(context, "no container with a GPU is to be run (--for container)");
        return false;
    }
    if (!container_require_engine(context) || !rule_require_fact(context, "cdi", "count"))
        return false;
    *ret_specs = worst_specs(context, !asked);
    if (ret_specs->engine == NULL) {
        rule_skip(context, "no engine here uses only CDI for GPUs");
        return false;
    }
    if (ret_specs->rival)
        return true;
    return !ret_specs->readable &&
           (container_has_toolkit(facts) || ret_specs->elsewhere || ret_specs->broken);
}

void judge_cdi_refresh_before_driver(struct rule_context *context)
{
    struct specs specs;
    const struct facts *facts = context->facts;
    if (!require_lack(context, &specs) || specs.elsewhere || specs.broken || specs.rival ||
        !facts_true(facts, "service/cdi_refresh", "enabled"))
        return;
    struct finding *finding = rule_found(
        context, SEVERITY_FAIL, REFRESH " has written no CDI specification since this boot");
    finding_why(finding, "the service runs once at boot, and fails if the driver is not loaded "
                         "yet; the driver is loaded now");
    finding_evidence(finding, facts, "cdi", "count");
    finding_evidence(finding, facts, "service/cdi_refresh", "unit");
    finding_evidence(finding, facts, "module", "nvidia");
    finding_fix_command(finding, FIX_STEP | NEEDS_ROOT, NULL, "sudo systemctl restart " REFRESH);
    finding_fix_note(finding, FIX_ADVICE,
                     "so that the next boot works, load the driver's module before the service: "
                     "put the word nvidia "
                     "into a file in /etc/modules-load.d");
}

/* A runtime of NVIDIA's that asks for devices of the toolkit's default kind, which have other names
 * than those that the device plugin gives out. NULL: there is none. */
static const char *misnamed_spec(const struct facts *facts)
{
    const char *kind = facts_string(facts, "container_toolkit", "default_kind");
    const char *id = container_first(facts, "kubernetes", "registered");
    const char *spec = facts_find(facts, "cdi", "kind", kind);
    const char *group;
    bool by_cdi = string_equal(facts_string(facts, "container_toolkit", "mode"), "cdi");
    for (size_t i = 0; (group = facts_next(facts, "container_engine", &i)) != NULL;) {
        const struct strlist *runtimes = facts_list(facts, group, "nvidia_runtimes");
        by_cdi = by_cdi || (runtimes && strlist_has(runtimes, "nvidia-cdi"));
    }
    const struct strlist *devices = spec ? facts_list(facts, spec, "devices") : NULL;
    return by_cdi && id && devices && !strlist_has(devices, id) ? spec : NULL;
}

static void misnamed_found(struct rule_context *context, const char *spec)
{
    const struct facts *facts = context->facts;
    const char *kind = facts_string(facts, spec, "kind");
    const char *id = container_first(facts, "kubernetes", "registered");
    struct finding *finding =
        rule_found(context, SEVERITY_FAIL, "no CDI specification has the device %s=%s", kind, id);
    finding_subject(finding, facts_string(facts, spec, "path"));
    finding_why(finding,
                "the device plugin names GPUs by their UUID, and the specification of the "
                "toolkit's default "
                "kind, %s, has no such name",
                kind);
    finding_evidence(finding, facts, "container_toolkit", "default_kind");
    finding_evidence(finding, facts, "kubernetes", "registered");
    finding_evidence(finding, facts, spec, "devices");
    finding_fix_note(finding, FIX_ADVICE,
                     "set default-kind = \"nvidia.com/gpu\" under "
                     "[nvidia-container-runtime.modes.cdi] in %s, and write its specification: "
                     "nvidia-ctk cdi generate --output=/var/run/cdi/nvidia.yaml",
                     facts_string(facts, "container_toolkit", "config"));
}

static void unknown_device_found(struct rule_context *context, const char *quadlet,
                                 const char *device)
{
    const struct facts *facts = context->facts;
    const char *path = facts_string(facts, quadlet, "path");
    AUTO_FREE char *kind = mem_string_n(device, strcspn(device, "="));
    const char *spec = facts_find(facts, "cdi", "kind", kind);
    struct finding *finding = rule_found(
        context, SEVERITY_FAIL,
        "the Quadlet %s asks for %s, but no CDI specification has this device", path, device);
    finding_subject(finding, path);
    finding_why(finding,
                "podman says \"unresolvable CDI devices %s\"; the specification has the numbers "
                "and UUIDs that the "
                "GPUs had when it was written",
                device);
    finding_evidence(finding, facts, quadlet, "devices");
    finding_evidence(finding, facts, spec, "devices");
    finding_fix_command(finding, FIX_LOOK, "lists the names that exist", "nvidia-ctk cdi list");
    finding_fix_note(
        finding, FIX_ADVICE,
        "write one of these names into %s, then run systemctl daemon-reload and restart the unit",
        path);
    container_write_spec(finding, facts_string(facts, spec, "path"));
}

/* Two specifications with a device of the same name. */
static void rival_found(struct rule_context *context, const struct specs *specs, const char *name)
{
    const struct facts *facts = context->facts;
    const char *other = rival_of(facts, specs->rival);
    const char *path = facts_string(facts, specs->rival, "path");
    struct finding *finding = rule_found(
        context, SEVERITY_FAIL, "%s and %s define devices with the same names, and %s uses neither",
        facts_string(facts, other, "path"), path, name);
    finding_subject(finding, path);
    finding_why(finding,
                "specifications in one directory have equal priority, so %s says "
                "\"unresolvable CDI devices\"",
                name);
    finding_evidence(finding, facts, other, "devices");
    finding_evidence(finding, facts, specs->rival, "devices");
    finding_fix_note(finding, FIX_ADVICE,
                     "move the older of the two files out of the directory; keep the one that "
                     "nvidia-ctk or nvidia-cdi-refresh writes");
}

/* One that has no parts of a specification, or that is no document. */
static struct finding *broken_found(struct rule_context *context, const char *broken)
{
    const struct facts *facts = context->facts;
    const char *path = facts_string(facts, broken, "path");
    const char *problem = facts_string(facts, broken, "problem");
    struct finding *finding =
        problem
            ? rule_found(context, SEVERITY_FAIL, "%s is not a CDI specification: %s", path, problem)
            : rule_found(context, SEVERITY_FAIL,
                         "%s is not a complete CDI specification: it lacks a version, a kind or "
                         "devices",
                         path);
    finding_evidence(finding, facts, broken, "problem");
    return finding;
}

/* What lets the engine read a specification that is elsewhere. */
static void reading_fix(struct rule_context *context, struct finding *finding,
                        const struct specs *specs)
{
    AUTO_FREE char *directory = path_parent(without_var(specs->elsewhere));
    if (container_engine_is_before(context, PODMAN, "podman-cdi-spec-dirs"))
        finding_fix_note(finding, FIX_ADVICE,
                         "move the file to /etc/cdi: this podman looks only there and in "
                         "/var/run/cdi");
    else
        finding_fix_note(finding, FIX_ADVICE,
                         "add its directory to cdi_spec_dirs in %s, or start the container with "
                         "podman --cdi-spec-dir=%s",
                         facts_string(context->facts, specs->engine, "config"), directory);
}

void judge_cdi_spec_missing_or_invalid(struct rule_context *context)
{
    struct specs specs;
    const struct facts *facts = context->facts;
    const char *device = NULL;
    const char *misnamed = context->purpose == PURPOSE_BUILD ? NULL : misnamed_spec(facts);
    if (misnamed) {
        misnamed_found(context, misnamed);
        return;
    }
    const char *quadlet = quadlet_of_unknown_device(facts, &device);
    if (quadlet && context->purpose != PURPOSE_BUILD && container_engine(facts, PODMAN)) {
        if (container_require_engine(context))
            unknown_device_found(context, quadlet, device);
        return;
    }
    if (!require_lack(context, &specs))
        return;
    const char *name = facts_string(facts, specs.engine, "name");
    struct finding *finding;
    if (specs.rival) {
        rival_found(context, &specs, name);
        return;
    }
    if (specs.broken)
        finding = broken_found(context, specs.broken);
    else if (specs.elsewhere)
        finding = rule_found(context, SEVERITY_FAIL,
                             "%s does not read %s, the only CDI specification of a GPU", name,
                             without_var(specs.elsewhere));
    else
        finding = rule_found(context, SEVERITY_FAIL,
                             "no CDI specification describes a GPU, and %s needs one", name);
    finding_follows(context, finding, "cdi_refresh_before_driver");
    finding_why(finding, "%s says \"unresolvable CDI devices nvidia.com/gpu=all\"", name);
    finding_evidence(finding, facts, "cdi", "count");
    finding_evidence(finding, facts, specs.engine, "cdi_dirs");
    quadlet = quadlet_of_cdi(facts);
    if (quadlet)
        finding_evidence(finding, facts, quadlet, "devices");
    if (specs.elsewhere && !specs.broken)
        reading_fix(context, finding, &specs);
    else
        container_write_spec(finding,
                             specs.broken ? facts_string(facts, specs.broken, "path") : DEFAULT);
}
