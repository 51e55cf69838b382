/* SPDX-License-Identifier: MIT */
#include "rules/framework/framework.h"

#include <string.h>

#include "base/shell.h"
#include "manifest/reader/range.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/query/framework_choice.h"

void frameworks_clear(struct frameworks *frameworks)
{
    free(frameworks->items);
}

/* The version without its local part: "2.5.1" of "2.5.1+cu124". "2.9.0a0+…nv25.10" is no release
 * that a table has. */
static bool public_version(const char *text, struct version *ret_version)
{
    size_t size = strcspn(text, "+");
    AUTO_FREE char *public = mem_string_n(text, size);
    return version_parse(public, ret_version);
}

/* "12.x" is of any CUDA 12. */
static bool is_among(const struct strlist *cudas, const struct version *cuda)
{
    struct version listed;
    for (size_t i = 0; i < cudas->count; i++)
        if (strchr(cudas->items[i], '+') == NULL &&
            version_parse_prefix(cudas->items[i], &listed) && version_within(cuda, &listed))
            return true;
    return false;
}

static bool cuda_agrees(const struct manifest_build *build, const struct version *cuda)
{
    if (cuda->count == 0)
        return false;
    if (build->cuda.count)
        return version_within(cuda, &build->cuda) || version_within(&build->cuda, cuda) ||
               is_among(&build->cudas, cuda);
    if (is_among(&build->cudas, cuda))
        return true;
    return build->cuda_range.from.count && manifest_range_has(&build->cuda_range, cuda);
}

/* A wheel's row is also that of the package of conda's channel pytorch: what it has of code is in
 * conda_sass. */
static bool origin_agrees(const struct manifest_build *build, const struct framework *framework,
                          const char *channel)
{
    bool conda_row = string_equal(build->kind, "conda");
    if (!framework->conda)
        return !conda_row;
    return string_equal(channel, "pytorch") ? !conda_row : conda_row;
}

/* What is made for a Jetson is no build of the package index, though it may have its version:
 * its wheels are for linux_aarch64, and not for a manylinux. */
static bool is_of_jetson(const struct facts *facts, const char *group)
{
    const struct strlist *tags = facts_list(facts, group, "tags");
    if (string_equal(facts_string(facts, group, "platform"), "jetson"))
        return true;
    for (size_t i = 0; framework_on_jetson(facts) && tags && i < tags->count; i++)
        if (string_ends(tags->items[i], "-linux_aarch64"))
            return true;
    return false;
}

/* A row of 2.5 is that of 2.5.1. TensorRT's packages leave the last number out: 10.0.1 is 10.0.1.6.
 */
static bool is_release(const struct framework *framework, const struct version *version,
                       const struct version *release)
{
    return version_within(version, release) ||
           (string_equal(framework->name, "tensorrt") && version->count == 3 &&
            version_within(release, version));
}

/* The one row of that release and CUDA. Rows of a release that has one build alone need no CUDA. */
static const struct manifest_build *build_of(const struct facts *facts, struct manifest *manifest,
                                             const struct framework *framework)
{
    struct version version, release;
    size_t count;
    const struct manifest_build *only = NULL, *match = NULL;
    const struct manifest_build *rows = manifest_builds_of(manifest, framework->name, &count);
    const char *channel = facts_string(facts, framework->group, "channel");
    size_t builds = 0;
    if (!public_version(framework->version, &version) || is_of_jetson(facts, framework->group))
        return NULL;
    for (size_t i = 0; i < count; i++) {
        const struct manifest_build *row = &rows[i];
        if ((row->os && !string_equal(row->os, "linux")) || row->stage || row->release == NULL ||
            !version_parse(row->release, &release) || !is_release(framework, &version, &release) ||
            !origin_agrees(row, framework, channel))
            continue;
        builds++;
        only = row;
        if (cuda_agrees(row, &framework->cuda))
            match = row;
    }
    return match ? match : builds == 1 && framework->cuda.count == 0 ? only : NULL;
}

static void add(struct frameworks *frameworks, const struct facts *facts, struct manifest *manifest,
                const char *group)
{
    const char *name = facts_string(facts, group, "name");
    const char *package = facts_string(facts, group, "package");
    const char *version = facts_string(facts, group, "version");
    const char *environment = facts_string(facts, group, "environment");
    const char *cuda = facts_string(facts, group, "cuda");
    const char *python = facts_string(facts, group, "python");
    const char *python_version = python ? facts_string(facts, python, "version") : NULL;
    if (name == NULL)
        return;
    const struct manifest_framework *row = manifest_framework_find(manifest, name);
    struct framework *framework =
        vec_push(frameworks->items, frameworks->count, frameworks->capacity);
    *framework = (struct framework){
        .group = group,
        .name = name,
        .title = row ? row->title : name,
        .package = package ? package : name,
        .version = version ? version : "",
        .environment = environment ? environment : "/",
        .python2 = python_version && string_starts(python_version, "2."),
        .active = facts_true(facts, group, "active"),
        .conda = string_equal(facts_string(facts, group, "origin"), "conda"),
        .for_cuda = string_equal(facts_string(facts, group, "accelerator"), "cuda") || cuda,
    };
    if (cuda)
        version_parse_prefix(cuda, &framework->cuda);
    framework->build = build_of(facts, manifest, framework);
}

struct frameworks frameworks_of(const struct facts *facts, struct manifest *manifest)
{
    struct frameworks frameworks = {.count = 0};
    const char *group;
    for (size_t i = 0; (group = facts_next(facts, "framework", &i)) != NULL;)
        add(&frameworks, facts, manifest, group);
    return frameworks;
}

bool rule_require_frameworks(struct rule_context *context, const struct frameworks *frameworks)
{
    const struct fact *count = facts_get(context->facts, "framework", "count");
    if (frameworks->count > 0)
        return true;
    if (count && count->state == FACT_UNKNOWN)
        rule_require_fact(context, "framework", "count");
    else
        rule_skip(context, "no framework that gpuenv knows is installed");
    return false;
}

const struct framework *frameworks_at(const struct frameworks *frameworks, const char *group)
{
    for (size_t i = 0; i < frameworks->count; i++)
        if (string_equal(frameworks->items[i].group, group))
            return &frameworks->items[i];
    return NULL;
}

const struct framework *frameworks_twin(const struct frameworks *frameworks,
                                        const struct framework *framework)
{
    for (size_t i = 0; i < frameworks->count; i++) {
        const struct framework *other = &frameworks->items[i];
        if (other != framework && string_equal(other->name, framework->name) &&
            string_equal(other->environment, framework->environment))
            return other;
    }
    return NULL;
}

char *framework_words(const struct framework *framework)
{
    const char *blank = *framework->version ? " " : "";
    return mem_printf("%s%s%s in %s", framework->title, blank, framework->version,
                      framework->environment);
}

enum severity framework_severity(const struct rule_context *context,
                                 const struct framework *framework)
{
    return framework->active ? severity_for_use(context->purpose) : SEVERITY_INFO;
}

enum severity framework_severity_of_warning(const struct rule_context *context,
                                            const struct framework *framework)
{
    enum severity severity = framework_severity(context, framework);
    return severity == SEVERITY_FAIL ? SEVERITY_WARN : severity;
}

void framework_finding(const struct rule_context *context, struct finding *finding,
                       const struct framework *framework)
{
    const struct facts *facts = context->facts;
    finding_subject(finding, framework->environment);
    finding_evidence(finding, facts, framework->group, "version");
    finding_evidence(finding, facts, framework->group, "cuda");
    if (facts_string(facts, framework->group, "build"))
        finding_evidence(finding, facts, framework->group, "build");
    if (framework->build)
        finding_manifest(finding, framework->build->id);
}

char *framework_pip(const struct framework *framework)
{
    AUTO_FREE char *python = string_equal(framework->environment, "/usr") ||
                                     string_equal(framework->environment, "/usr/local") ||
                                     string_equal(framework->environment, "/") ||
                                     string_ends(framework->environment, "/.local")
                                 ? mem_string(framework->python2 ? "python2" : "python3")
                                 : mem_printf("%s/bin/python", framework->environment);
    AUTO_FREE char *quoted = shell_quote(python);
    return mem_printf("%s -m pip", quoted);
}

/* A wheel is for one Python: pip finds none for that of an old environment. */
static void add_python(const struct facts *facts, struct finding *finding,
                       const struct framework *framework, const struct framework_choice *choice)
{
    char text[VERSION_TEXT_SIZE];
    struct version have, newest;
    const char *python = facts_string(facts, framework->group, "python");
    const char *version = python ? facts_string(facts, python, "version") : NULL;
    if (version && version_parse_prefix(version, &have) &&
        !framework_choice_takes_python(choice, &have, &newest))
        finding_fix_note(finding, FIX_ADVICE,
                         "that build is for Python %s, but this environment has %s: first create a "
                         "new environment with Python %s",
                         choice->python, version, version_text(&newest, 2, text));
}

/* "PIP uninstall -y cupy-cuda12x && " where the command installs a package of another name into the
 * same folder (cupy-cuda13x, onnxruntime-gpu): else both are there. JAX's share none. */
static char *removal(const struct framework *framework, const char *pip, const char *command)
{
    static const char install[] = "pip install ";
    if (framework->conda || !string_starts(command, install) ||
        string_equal(framework->name, "jax"))
        return mem_string("");
    const char *name = command + strlen(install);
    name += *name == '"';
    AUTO_FREE char *wanted = mem_string_n(name, strcspn(name, "=<>[ \""));
    if (string_equal(wanted, framework->package) || !string_starts(wanted, framework->name) ||
        !string_starts(framework->package, framework->name))
        return mem_string("");
    AUTO_FREE char *package = shell_quote(framework->package);
    return mem_printf("%s uninstall -y %s && ", pip, package);
}

/* What installs it is known of frameworks in the manifest alone. */
static void advise_build(const struct rule_context *context, struct finding *finding,
                         const struct framework *framework)
{
    size_t count;
    manifest_builds_of(context->manifest, framework->name, &count);
    if (count > 0)
        finding_fix_note(finding, FIX_ADVICE,
                         "gpuenv resolve %s shows which build runs on this driver and GPU",
                         framework->name);
    else
        finding_fix_note(finding, FIX_ADVICE,
                         "install the build for this GPU and its driver's CUDA version (see %s's "
                         "own pages): the manifest lists no such build",
                         framework->title);
}

static void add_command(struct finding *finding, const char *pip, const char *before,
                        const char *command, const char *note)
{
    bool is_pip = string_starts(command, "pip ");
    finding_fix_command(finding, FIX_SHELL, note, "%s%s%s", before, is_pip ? pip : command,
                        is_pip ? command + strlen("pip") : "");
}

/* "2.5.1+cpu" is release 2.5.1. */
static bool has_release(const struct framework *framework, const char *release)
{
    return framework->version && string_starts(framework->version, release) &&
           strchr("+", framework->version[strlen(release)]);
}

void framework_fix_build(const struct rule_context *context, struct finding *finding,
                         const struct framework *framework)
{
    const struct framework_choice *choice =
        framework_choice_find(context->choices, framework->name);
    if (framework_on_jetson(context->facts)) /* what is listed is for servers */
        return;
    if (framework_has_choice(context, framework)) {
        add_python(context->facts, finding, framework, choice);
        AUTO_FREE char *pip = framework_pip(framework);
        AUTO_FREE char *before = removal(framework, pip, choice->command);
        if (choice->same_command && !framework->conda &&
            facts_true(context->facts, framework->group, "cpu_only") &&
            has_release(framework, choice->same_release)) {
            /* to pip, the release that is there is the one that is asked for */
            AUTO_FREE char *package = shell_quote(framework->package);
            AUTO_FREE char *out = mem_printf("%s uninstall -y %s && ", pip, package);
            add_command(finding, pip, out, choice->same_command,
                        "the same release with CUDA, in that environment");
        }
        add_command(finding, pip, before, choice->command,
                    "the newest build that runs on this driver and GPU, in that environment");
        return;
    }
    if (choice && choice->version == NULL && choice->unknown)
        finding_fix_note(finding, FIX_ADVICE,
                         "no build of %s is known to run here: gpuenv resolve -v %s shows what is "
                         "not known about each build",
                         framework->title, framework->name);
    else if (choice && choice->version == NULL && choice->why)
        finding_fix_note(finding, FIX_ADVICE, "no listed build of %s fits here: %s",
                         framework->title, choice->why);
    else
        advise_build(context, finding, framework);
}

bool framework_has_choice(const struct rule_context *context, const struct framework *framework)
{
    const struct framework_choice *choice =
        framework_choice_find(context->choices, framework->name);
    return choice && choice->command && !choice->unknown;
}

void framework_fix_extras(const struct rule_context *context, struct finding *finding,
                          const struct framework *framework)
{
    const struct strlist *optional = facts_list(context->facts, framework->group, "optional");
    AUTO_STRLIST struct strlist extras = {0};
    for (size_t i = 0; optional && i < optional->count; i++) {
        const char *colon = strchr(optional->items[i], ':');
        AUTO_FREE char *extra =
            colon ? mem_string_n(optional->items[i], (size_t)(colon - optional->items[i])) : NULL;
        if (extra && *extra)
            strlist_add_new(&extras, extra);
    }
    if (extras.count == 0)
        return;
    AUTO_FREE char *names = strlist_join(&extras, ",");
    AUTO_FREE char *pip = framework_pip(framework);
    AUTO_FREE char *spec = mem_printf("%s[%s]==%.*s", framework->package, names,
                                      (int)strcspn(framework->version, "+"), framework->version);
    AUTO_FREE char *quoted = shell_quote(spec);
    finding_fix_command(finding, FIX_SHELL,
                        "the same release, with the libraries for which it was built",
                        "%s install %s", pip, quoted);
}
