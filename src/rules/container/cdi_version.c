/* SPDX-License-Identifier: MIT */
#include "base/version.h"
#include "rules/container/engine.h"
#include "rules/container/judges.h"
#include "rules/engine/finding.h"
#include "rules/engine/threshold.h"
#include "rules/query/packages.h"

/* Which specifications a release of an engine reads. */
#define PACKAGES      4
#define DOCKER_BRANCH 25 /* is kept up: later releases of it read newer specifications */

/* In the order of their age. A version between two counts as the later one, and one behind the last
 * as the last: what does not read that does not read newer ones. */
static const char *const versions[] = {"0.6.0", "0.7.0", "0.8.0", "1.0.0", "1.1.0"};
#define VERSIONS (sizeof(versions) / sizeof(versions[0]))

/* Engines that read specifications, and the packages that say their release. */
static const struct reader {
    const char *engine; /* instance */
    const char *name;   /* for people */
    const char *packages[PACKAGES];
    const char *thresholds[VERSIONS]; /* of each version; NULL: every release reads it */
} readers[] = {
    {"podman",
     "podman",
     {"podman"},
     {"podman-cdi-0-6-0", "podman-cdi-0-7-0", "podman-cdi-0-8-0", "podman-cdi-1-0-0",
      "podman-cdi-1-1-0"}},
    {"docker",
     "docker",
     {"docker-ce", "docker.io", "moby-engine", "docker"},
     {NULL, "docker-cdi-0-7-0", "docker-cdi-0-8-0", "docker-cdi-1-0-0", "docker-cdi-1-1-0"}},
};

static const char *release_of(const struct facts *facts, const struct reader *reader,
                              struct version *ret_version, const char **ret_group)
{
    for (size_t i = 0; i < PACKAGES && reader->packages[i]; i++) {
        *ret_group = facts_find(facts, "package", "name", reader->packages[i]);
        const char *text = packages_release(facts, *ret_group, ret_version);
        if (text)
            return text;
    }
    return NULL;
}

bool container_engine_is_before(struct rule_context *context, const char *instance,
                                const char *threshold)
{
    struct version release;
    const char *group;
    const struct manifest_threshold *row = manifest_threshold_find(context->manifest, threshold);
    for (size_t i = 0; row && i < sizeof(readers) / sizeof(readers[0]); i++)
        if (string_equal(readers[i].engine, instance))
            return release_of(context->facts, &readers[i], &release, &group) &&
                   version_compare(&release, &row->version) < 0;
    return false;
}

/* The first release of the engine that is known to read this cdiVersion, or the newest of which it
 * is known; NULL: every release does. */
static const struct manifest_threshold *first_reader(struct rule_context *context,
                                                     const struct reader *reader,
                                                     const struct version *version)
{
    const struct manifest_threshold *row = NULL;
    for (size_t i = 0; i < VERSIONS; i++) {
        struct version known;
        const char *name = reader->thresholds[i];
        const struct manifest_threshold *found =
            name ? manifest_threshold_find(context->manifest, name) : NULL;
        row = found ? found : row;
        if (version_parse(versions[i], &known) && version_compare(version, &known) <= 0)
            return found;
    }
    return row;
}

static struct finding *too_new_found(struct rule_context *context, const char *group,
                                     const char *package, const struct reader *reader,
                                     const char *release)
{
    const struct facts *facts = context->facts;
    const char *path = facts_string(facts, group, "path");
    struct finding *finding =
        rule_found(context, SEVERITY_FAIL, "%s has cdiVersion %s, which %s %s does not support",
                   path, facts_string(facts, group, "version"), reader->name, release);
    finding_subject(finding, path);
    finding_why(finding,
                "%s ignores a specification that is too new, and says "
                "\"unresolvable CDI devices\"",
                reader->name);
    finding_evidence(finding, facts, group, "version");
    finding_evidence(finding, facts, package, "version");
    finding_fix_note(finding, FIX_ADVICE, "install a newer %s", reader->name);
    finding_fix_note(finding, FIX_ADVICE,
                     "or install an older nvidia-container-toolkit, which writes an older "
                     "cdiVersion, and write the "
                     "specification again with it");
    return finding;
}

/* True when this engine's release was judged, and reads no specification of the group. */
static bool is_too_new(struct rule_context *context, const struct reader *reader,
                       const char *release, const struct version *number, const char *package)
{
    const struct facts *facts = context->facts;
    const char *group;
    for (size_t i = 0; (group = facts_next(facts, "cdi", &i)) != NULL;) {
        struct version version;
        const char *text = facts_string(facts, group, "version");
        if (!container_spec_is_nvidia(facts, group) || text == NULL ||
            !version_parse(text, &version))
            continue;
        const struct manifest_threshold *row = first_reader(context, reader, &version);
        if (row == NULL || version_compare(number, &row->version) >= 0)
            continue;
        finding_manifest(too_new_found(context, group, package, reader, release), row->id);
        return true;
    }
    return false;
}

void judge_cdi_spec_version_too_new(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    bool known = false;
    if (!container_require_engine(context) || !rule_require_fact(context, "cdi", "count"))
        return;
    for (size_t i = 0; i < sizeof(readers) / sizeof(readers[0]); i++) {
        struct version number;
        const char *package = NULL;
        if (!container_uses_cdi(facts, readers[i].engine))
            continue;
        const char *release = release_of(facts, &readers[i], &number, &package);
        if (release == NULL ||
            (string_equal(readers[i].engine, "docker") && number.part[0] == DOCKER_BRANCH))
            continue;
        known = true;
        if (is_too_new(context, &readers[i], release, &number, package))
            return;
    }
    if (!known)
        rule_skip(context, "gpuenv does not know the release of any engine here that uses CDI");
}
