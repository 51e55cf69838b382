/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/path.h"
#include "rules/driver/judges.h"
#include "rules/engine/context.h"
#include "rules/engine/finding.h"
#include "rules/query/judged.h"
#include "rules/remedy/remedy.h"

static bool is_stub_path(const struct facts *facts, const char *path)
{
    const char *group = judged_library_at(facts, path);
    return path_has_component(path, "stubs") || (group && judged_library_is_stub(facts, group));
}

static void stub_fixes(const struct rule_context *context, struct finding *finding)
{
    AUTO_FREE char *command =
        remedy_library_path_without(context->facts, path_has_component, "stubs");
    if (command) {
        finding_fix_command(
            finding, FIX_SHELL,
            "stubs are only for linking: pass their directory to the linker with -L instead", "%s",
            command);
        return;
    }
    bool container = judged_place(context->facts) == PLACE_CONTAINER;
    finding_fix_command(
        finding, FIX_LOOK,
        container ? "in the image build: remove the line that this command shows, then run ldconfig"
                  : "remove the line that this command shows (as root), then run: sudo ldconfig",
        "grep -rn stubs /etc/ld.so.conf /etc/ld.so.conf.d");
}

/* The stub libcuda.so that an entry of LD_LIBRARY_PATH holds, as its path there. Programs that ask
 * for libcuda.so without a number get it, whatever libcuda.so.1 is. */
static const char *stub_in(const struct facts *facts, const char *directory)
{
    const char *group;
    for (size_t i = 0; (group = facts_next(facts, "library", &i)) != NULL;) {
        const struct strlist *found_as = facts_list(facts, group, "found_as");
        if (!string_equal(facts_string(facts, group, "name"), "libcuda") ||
            !judged_library_is_stub(facts, group))
            continue;
        for (size_t k = 0; found_as && k < found_as->count; k++)
            if (path_is_below(found_as->items[k], directory))
                return found_as->items[k];
        const char *path = facts_string(facts, group, "path");
        if (path && path_is_below(path, directory))
            return path;
    }
    return NULL;
}

static const char *stub_on_library_path(const struct facts *facts)
{
    const char *value = facts_string(facts, "environment", "LD_LIBRARY_PATH");
    const char *unversioned = judged_loaded_path(facts, "libcuda.so");
    if (unversioned)
        return is_stub_path(facts, unversioned) ? unversioned : NULL;
    if (value == NULL)
        return NULL;
    AUTO_STRLIST struct strlist directories = {0};
    strlist_split(&directories, value, ':');
    const char *found = NULL;
    for (size_t i = 0; found == NULL && i < directories.count; i++)
        if (path_has_component(directories.items[i], "stubs"))
            found = stub_in(facts, directories.items[i]);
    return found;
}

static void stub_found(struct rule_context *context, const char *loader, const char *path)
{
    struct finding *finding = rule_found(context, severity_for_use(context->purpose),
                                         "programs load the link-time stub %s as the driver", path);
    finding_subject(finding, "libcuda.so.1");
    finding_why(finding, "a toolkit's stub stands in for libcuda while linking; every call to it "
                         "fails with error 34");
    finding_evidence(finding, context->facts, loader, "path");
    finding_evidence(finding, context->facts, loader, "real_path");
    finding_evidence(finding, context->facts, loader, "why");
    stub_fixes(context, finding);
}

static void unversioned_found(struct rule_context *context, const char *path)
{
    struct finding *finding = rule_found(
        context, SEVERITY_WARN, "programs that ask for libcuda.so get the link-time stub %s", path);
    finding_subject(finding, "libcuda.so");
    const char *loader = judged_loader(context->facts, "libcuda.so");
    finding_why(finding,
                "the loader finds the stub in a stubs directory; a program that opens libcuda.so "
                "without a version number loads the stub and fails with error 34");
    finding_evidence(finding, context->facts, loader, "path");
    finding_evidence(finding, context->facts, "environment", "LD_LIBRARY_PATH");
    stub_fixes(context, finding);
}

void judge_stub_libcuda_loaded(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    const char *loader = judged_loader(facts, "libcuda.so.1");
    if (loader == NULL) {
        rule_unknown(context, "the record does not say which libcuda.so.1 the loader picks");
        return;
    }
    if (!rule_require_fact(context, loader, "path"))
        return;
    const char *path = judged_loaded_path(facts, "libcuda.so.1");
    if (path && is_stub_path(facts, path)) {
        stub_found(context, loader, path);
        return;
    }
    /* While building, stubs on the path are how one links without a driver. */
    const char *unversioned =
        context->purpose == PURPOSE_BUILD ? NULL : stub_on_library_path(facts);
    if (unversioned)
        unversioned_found(context, unversioned);
    else if (path == NULL)
        rule_skip(context, "the loader finds no libcuda.so.1");
}
