/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "rules/container/engine.h"
#include "rules/container/judges.h"
#include "rules/engine/finding.h"
#include "rules/query/judged.h"

/* Specifications of the Container Device Interface: whether the engines that use them can. */
#define PODMAN "podman"

bool container_spec_is_nvidia(const struct facts *facts, const char *group)
{
    const char *kind = facts_string(facts, group, "kind");
    return kind && strstr(kind, "nvidia.com/");
}

bool container_uses_cdi(const struct facts *facts, const char *instance)
{
    const char *engine = container_engine(facts, instance);
    const char *group;
    if (engine == NULL || !string_equal(instance, "docker"))
        return engine != NULL;
    for (size_t i = 0; (group = facts_next(facts, "docker_container", &i)) != NULL;)
        if (container_first(facts, group, "cdi_devices"))
            return true;
    return facts_true(facts, engine, "running") && facts_true(facts, engine, "cdi");
}

/* Docker's record of a start that failed at a file which the specification names and which is gone:
 * --gpus and NVIDIA's runtime may use a specification without being told to. */
static bool record_names_missing(const struct facts *facts, const char *spec)
{
    const struct strlist *missing = facts_list(facts, spec, "missing_paths");
    const char *group;
    for (size_t i = 0; missing && (group = facts_next(facts, "docker_container", &i)) != NULL;) {
        const char *error = facts_string(facts, group, "error");
        for (size_t k = 0; error && k < missing->count; k++)
            if (!facts_true(facts, group, "running") && strstr(error, missing->items[k]))
                return true;
    }
    return false;
}

static bool docker_stumbled(const struct facts *facts)
{
    const char *group;
    for (size_t i = 0; (group = facts_next(facts, "cdi", &i)) != NULL;)
        if (record_names_missing(facts, group))
            return true;
    return false;
}

/* A word for who would read a specification here: "podman"; NULL: nobody does. */
static const char *user_of_cdi(const struct facts *facts)
{
    if (container_uses_cdi(facts, PODMAN))
        return "podman";
    if (container_uses_cdi(facts, "docker"))
        return "Docker";
    if (string_equal(facts_string(facts, "container_toolkit", "mode"), "cdi"))
        return "NVIDIA's runtime";
    return docker_stumbled(facts) ? "Docker" : NULL;
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

static void hook_found(struct rule_context *context, const char *group, const char *missing,
                       const char *flawed)
{
    const struct facts *facts = context->facts;
    const char *path = facts_string(facts, group, "path");
    struct finding *finding =
        missing ? rule_found(context, SEVERITY_FAIL, "%s names the hook %s, which does not exist",
                             path, missing)
                : rule_found(context, SEVERITY_FAIL, "the hook of %s cannot be started: %s", path,
                             flawed);
    finding_subject(finding, path);
    finding_why(finding,
                "the engine runs this hook for every container that uses a device of "
                "this specification; if the hook does not start, neither does the container");
    finding_evidence(finding, facts, group, missing ? "missing_hooks" : "flawed_hooks");
    finding_fix_note(finding, FIX_ADVICE,
                     "%s the package that contains nvidia-cdi-hook "
                     "(nvidia-container-toolkit-base, or nvidia-container-toolkit)",
                     missing ? "install" : "reinstall");
    if (missing)
        container_write_spec(finding, path);
}

void judge_cdi_hook_missing(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    const char *group;
    if (!require_user(context))
        return;
    for (size_t i = 0; (group = facts_next(facts, "cdi", &i)) != NULL;) {
        const char *missing = container_first(facts, group, "missing_hooks");
        const char *flawed = container_first(facts, group, "flawed_hooks");
        if (!container_spec_is_nvidia(facts, group) || (missing == NULL && flawed == NULL))
            continue;
        hook_found(context, group, missing, flawed);
        return;
    }
}

/* The first path that is gone. Programs make nodes of the driver, and later than the specification
 * was written; an engine makes none. */
static const char *gone(const struct facts *facts, const char *group, bool with_nodes)
{
    const struct strlist *paths = facts_list(facts, group, "missing_paths");
    for (size_t i = 0; paths && i < paths->count; i++)
        if (with_nodes || !string_starts(paths->items[i], "/dev/nvidia"))
            return paths->items[i];
    return NULL;
}

/* A node that an engine does not find: either nothing has made it yet, or the machine has none. */
static void node_found(struct rule_context *context, const char *group, const char *node)
{
    const struct facts *facts = context->facts;
    const char *file = facts_string(facts, group, "path");
    struct finding *finding =
        rule_found(context, SEVERITY_FAIL,
                   "the CDI specification %s names %s, which does not exist", file, node);
    finding_subject(finding, file);
    finding_why(
        finding,
        "%s starts no container with a device of this specification. It does not create the node "
        "itself; on the host, the node is created when a program first needs it",
        user_of_cdi(facts));
    finding_evidence(finding, facts, group, "missing_paths");
    finding_fix_command(finding, FIX_STEP | NEEDS_ROOT, "creates the nodes",
                        "sudo nvidia-modprobe -c 0 -u");
    finding_fix_note(finding, FIX_ADVICE,
                     "if the node is still missing, write the specification again: sudo "
                     "nvidia-ctk cdi generate --output=%s",
                     file);
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
                    "files or device nodes have changed since it was written. %s starts no "
                    "container with a device of this specification",
                    user_of_cdi(facts));
    finding_evidence(finding, facts, group, "missing_paths");
    finding_evidence(finding, facts, group, "driver_versions");
    if (driver.group)
        finding_evidence(finding, facts, driver.group, driver.name);
    container_write_spec(finding, file);
}

/* The node whose number is another than the specification's ("/dev/nvidia-uvm 510:0"); NULL: there
 * is none. *ret_has: its number. */
static const char *renumbered(const struct facts *facts, const char *group, const char **ret_has)
{
    const struct strlist *numbers = facts_list(facts, group, "numbers");
    for (size_t i = 0; numbers && i < numbers->count; i++) {
        const char *path = numbers->items[i];
        const char *space = strchr(path, ' ');
        if (space == NULL || !string_starts(path, "/dev/"))
            continue;
        AUTO_FREE char *name = mem_string_n(path + 5, (size_t)(space - path - 5));
        const char *node = judged_node(facts, name);
        const char *number = node ? facts_string(facts, node, "number") : NULL;
        if (number && strcmp(number, space + 1) != 0) {
            *ret_has = number;
            return path;
        }
    }
    return NULL;
}

static void renumbered_found(struct rule_context *context, const char *group, const char *node,
                             const char *number)
{
    const struct facts *facts = context->facts;
    const char *file = facts_string(facts, group, "path");
    struct finding *finding = rule_found(
        context, SEVERITY_FAIL,
        "the CDI specification %s is stale: it gives containers %s, but the host's node is %s",
        file, node, number);
    finding_subject(finding, file);
    finding_why(finding,
                "the number of nvidia-uvm can change at each boot; a node with the wrong "
                "number does not reach the driver, and cuInit in the container returns error 999");
    finding_evidence(finding, facts, group, "numbers");
    container_write_spec(finding, file);
}

void judge_cdi_spec_stale_after_driver_upgrade(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    const char *group;
    if (!require_user(context))
        return;
    for (size_t i = 0; (group = facts_next(facts, "cdi", &i)) != NULL;) {
        const char *path = gone(facts, group, false);
        const char *number = NULL;
        const char *node = renumbered(facts, group, &number);
        if (!container_spec_is_nvidia(facts, group) || (path == NULL && node == NULL))
            continue;
        if (path)
            stale_found(context, group, path);
        else
            renumbered_found(context, group, node, number);
        return;
    }
    if (context->purpose != PURPOSE_CONTAINER)
        return;
    for (size_t i = 0; (group = facts_next(facts, "cdi", &i)) != NULL;) {
        const char *node = gone(facts, group, true);
        if (container_spec_is_nvidia(facts, group) && node) {
            node_found(context, group, node);
            return;
        }
    }
}
