/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "manifest/toolkit/cudnn.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/framework/framework_load.h"
#include "rules/framework/framework_partial.h"
#include "rules/framework/judges.h"

/* cudnn_older_than_framework: the cuDNN that a framework gets is older than the one that it was
 * built with. */

/* The number of "9.1.0.70" and "9", the least of ">=9.8,<10.0" and "<10.0,>=9.8". */
static bool first_version(const char *text, struct version *ret_version)
{
    const char *least = text ? strstr(text, ">=") : NULL;
    const char *at = least ? least : text;
    return at && version_parse_prefix(at + strcspn(at, "0123456789"), ret_version);
}

/* What it wants: what the record says, or where that is a major alone the manifest's row of that
 * major. ret_row: that row's id, or NULL. */
static bool wanted_by(const struct facts *facts, const struct framework *framework,
                      struct version *ret_wanted, const char **ret_row)
{
    const struct manifest_build *build = framework->build;
    const struct version *listed = NULL;
    bool found = first_version(facts_string(facts, framework->group, "cudnn_wanted"), ret_wanted);
    *ret_row = NULL;
    if (build)
        listed = build->cudnn.count > 1 ? &build->cudnn : &build->cudnn_range.from;
    if ((found && ret_wanted->count > 1) || listed == NULL || listed->count < 2 ||
        (found && listed->part[0] != ret_wanted->part[0]))
        return found;
    *ret_wanted = *listed;
    *ret_row = build->id;
    return true;
}

/* By major and minor, as the frameworks themselves compare. */
static bool is_older(const struct version *got, const struct version *wanted)
{
    return got->count > 1 && wanted->count > 1 && got->part[0] == wanted->part[0] &&
           got->part[1] < wanted->part[1];
}

static void add_fixes(struct rule_context *context, struct finding *finding,
                      const struct framework_load *load, const struct version *wanted)
{
    const struct facts *facts = context->facts;
    const char *own = facts_string(facts, load->group, "own");
    const char *own_version = facts_string(facts, load->group, "own_version");
    struct version carried;
    const struct version *cuda = &load->framework->cuda;
    const struct manifest_cudnn_wheel *wheel =
        cuda->count ? manifest_cudnn_wheel_find(context->manifest, cuda->part[0]) : NULL;
    AUTO_FREE char *pip = framework_pip(load->framework);
    char text[VERSION_TEXT_SIZE];
    if (own && !string_equal(own, load->path) && first_version(own_version, &carried) &&
        !is_older(&carried, wanted))
        framework_fix_path(finding, own,
                           "puts the framework's own copy first; or remove the older copy");
    if (load->framework->conda)
        finding_fix_command(finding, FIX_SHELL, "in that environment", "conda install 'cudnn>=%s'",
                            version_text(wanted, 2, text));
    else if (wheel)
        finding_fix_command(finding, FIX_SHELL,
                            "in that environment, if the loaded copy is the wheel's",
                            "%s install '%s>=%s,<%u'", pip, wheel->package,
                            version_text(wanted, 2, text), wanted->part[0] + 1);
    finding_fix_note(
        finding, FIX_ADVICE | NEEDS_ROOT,
        "or upgrade the copy at %s to %s or a newer release with the same major version",
        load->path, version_text(wanted, 2, text));
}

static void older_found(struct rule_context *context, const struct framework_load *load,
                        const char *version, const struct version *wanted, const char *row)
{
    const struct facts *facts = context->facts;
    char text[VERSION_TEXT_SIZE];
    AUTO_FREE char *words = framework_words(load->framework);
    struct finding *finding = rule_found(context, framework_severity(context, load->framework),
                                         "%s is built with cuDNN %s but gets %s from %s", words,
                                         version_text(wanted, 0, text), version, load->path);
    finding_why(
        finding,
        "a framework works with the cuDNN that it was built with, or a newer cuDNN with the same "
        "major version; with an older cuDNN, the framework stops (\"Loaded runtime CuDNN library … "
        "but source was compiled with\"). This copy was found through %s",
        load->why ? load->why : "the loader's search");
    framework_finding(context, finding, load->framework);
    if (row)
        finding_manifest(finding, row);
    finding_evidence(finding, facts, load->group, "path");
    finding_evidence(finding, facts, load->group, "version");
    finding_evidence(finding, facts, load->framework->group, "cudnn_wanted");
    finding_evidence(finding, facts, "environment", "LD_LIBRARY_PATH");
    add_fixes(context, finding, load, wanted);
    if (framework_on_jetson(facts) && framework_is_wrong_on_jetson(facts, load->framework))
        finding_follows(context, finding, "jetson_wrong_wheel");
}

/* From 9 on libcudnn.so.9 hands the calls on, cudnnGetVersion() too: the release that the framework
 * sees is that of libcudnn_graph.so.9 (tried with 9.10 and 9.1). */
static const struct framework_load *answering(const struct framework_loads *loads,
                                              const struct framework_load *cudnn)
{
    AUTO_FREE char *part = mem_printf("libcudnn_graph%s", cudnn->soname + strlen("libcudnn"));
    const struct framework_load *graph = framework_loads_got(loads, cudnn->framework, part);
    return graph ? graph : cudnn;
}

/* Nothing to compare with: that is no pass. */
static void without_yardstick(struct rule_context *context, const struct framework_load *load,
                              const char *version)
{
    AUTO_FREE char *words = framework_words(load->framework);
    if (version == NULL)
        rule_skip(context, "the release of %s, which %s loads, is not known", load->path, words);
    else
        rule_skip(context, "the cuDNN that %s was built with is not known: the framework loads %s",
                  words, version);
}

static bool loads_cudnn(const struct framework_loads *loads, const struct framework *framework)
{
    for (size_t i = 0; i < loads->count; i++)
        if (loads->items[i].framework == framework &&
            string_starts(loads->items[i].soname, "libcudnn.so."))
            return true;
    return false;
}

/* A wheel that does not say which cuDNN it opens, and whose row does: it gets the loader's. */
static void judge_unfollowed(struct rule_context *context, const struct framework_loads *loads,
                             const struct framework *framework)
{
    struct version got, wanted;
    const char *row = NULL;
    if (!framework_takes_system(framework) || loads_cudnn(loads, framework) ||
        !wanted_by(context->facts, framework, &wanted, &row) || wanted.count < 2)
        return;
    AUTO_FREE char *soname = mem_printf("libcudnn.so.%u", wanted.part[0]);
    const char *path = judged_loaded_path(context->facts, soname);
    const char *group = path ? judged_library_at(context->facts, path) : NULL;
    const char *loader = judged_loader(context->facts, soname);
    const char *version = group ? judged_library_version(context->facts, group) : NULL;
    const struct framework_load load = {
        .group = group,
        .framework = framework,
        .soname = soname,
        .path = path,
        .why = loader ? facts_string(context->facts, loader, "why") : NULL,
    };
    if (group == NULL)
        return;
    if (!first_version(version, &got) || got.count < 2)
        without_yardstick(context, &load, version);
    else if (is_older(&got, &wanted))
        older_found(context, &load, version, &wanted, row);
}

void judge_cudnn_older_than_framework(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    AUTO_FRAMEWORKS struct frameworks frameworks = frameworks_of(facts, context->manifest);
    AUTO_LOADS struct framework_loads loads = framework_loads_of(facts, &frameworks);
    if (!rule_require_frameworks(context, &frameworks))
        return;
    for (size_t i = 0; i < loads.count; i++) {
        const struct framework_load *load = &loads.items[i];
        if (!string_starts(load->soname, "libcudnn.so.") || load->path == NULL)
            continue;
        load = answering(&loads, load);
        const char *version = facts_string(facts, load->group, "version");
        const char *row = NULL;
        struct version got, wanted;
        if (!first_version(version, &got) || !wanted_by(facts, load->framework, &wanted, &row) ||
            wanted.count < 2)
            without_yardstick(context, load, version);
        else if (is_older(&got, &wanted))
            older_found(context, load, version, &wanted, row);
    }
    for (size_t i = 0; i < frameworks.count; i++)
        judge_unfollowed(context, &loads, &frameworks.items[i]);
}
