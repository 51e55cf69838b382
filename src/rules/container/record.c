/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/version.h"
#include "rules/container/engine.h"
#include "rules/container/judges.h"
#include "rules/engine/finding.h"
#include "rules/query/judged.h"
#include "rules/remedy/remedy.h"

/* The errors that Docker keeps of the last start of a container, as far as they still hold. */
#define UNSATISFIED "unsatisfied condition: cuda>="
#define WORD_SIZE   64

/* False, and the check is ended, where Docker has no records, or they cannot be read. */
static bool require_records(struct rule_context *context)
{
    int64_t count = 0;
    if (!container_require_engine(context) ||
        !rule_require_fact(context, "docker_container", "count"))
        return false;
    if (facts_integer(context->facts, "docker_container", "count", &count) && count > 0)
        return true;
    rule_skip(context, "Docker has no containers here");
    return false;
}

/* The next container from *cursor whose last start ended with these words; NULL: none. */
static const char *next_failed(const struct facts *facts, const char *words, size_t *cursor)
{
    const char *group;
    while ((group = facts_next(facts, "docker_container", cursor)) != NULL) {
        const char *error = facts_string(facts, group, "error");
        if (error && strstr(error, words) && !facts_true(facts, group, "running"))
            return group;
    }
    return NULL;
}

static const char *name_of(const struct facts *facts, const char *group)
{
    const char *name = facts_string(facts, group, "name");
    return name ? name : group + sizeof("docker_container/") - 1;
}

static void show_record(struct rule_context *context, struct finding *finding, const char *group)
{
    finding_subject(finding, name_of(context->facts, group));
    finding_evidence(finding, context->facts, group, "error");
    finding_evidence(finding, context->facts, group, "image");
    if (facts_string(context->facts, group, "compose_file"))
        finding_evidence(finding, context->facts, group, "compose_file");
}

/* Where compose made the container, the change belongs into its file. False, and nothing is added:
 * it did not. what is a clause. */
static bool fix_in_compose(const struct facts *facts, struct finding *finding, const char *group,
                           const char *what)
{
    const char *file = facts_string(facts, group, "compose_file");
    const char *service = facts_string(facts, group, "compose_service");
    if (file == NULL || service == NULL)
        return false;
    finding_fix_note(
        finding, FIX_ADVICE,
        "in the service %s of the compose file %s: %s. Then run docker compose up -d in that "
        "directory",
        service, file, what);
    return true;
}

/* The version behind words in text. */
static bool version_behind(const char *text, const char *words, char word[static WORD_SIZE],
                           struct version *ret_version)
{
    const char *at = strstr(text, words);
    if (at == NULL)
        return false;
    at += strlen(words);
    size_t length = strspn(at, "0123456789.");
    if (length == 0 || length >= WORD_SIZE)
        return false;
    memcpy(word, at, length);
    word[length] = '\0';
    return version_parse(word, ret_version);
}

void judge_container_requires_newer_driver(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    struct version has = {.count = 0};
    const char *answer = NULL;
    const char *group;
    if (!require_records(context))
        return;
    bool known = judged_driver_api(facts, &has, &answer);
    for (size_t i = 0; (group = next_failed(facts, UNSATISFIED, &i)) != NULL;) {
        struct version wants;
        char word[WORD_SIZE];
        if (!version_behind(facts_string(facts, group, "error"), UNSATISFIED, word, &wants) ||
            (known && version_compare(&has, &wants) >= 0))
            continue;
        struct finding *finding =
            rule_found(context, SEVERITY_FAIL,
                       "the container %s did not start: its image requires a driver for CUDA %s",
                       name_of(facts, group), word);
        finding_why(finding, "NVIDIA_REQUIRE_CUDA of the image says so, and the toolkit starts no "
                             "container whose requirement the driver does not meet");
        show_record(context, finding, group);
        finding_evidence(finding, facts, group, "require_cuda");
        if (answer)
            finding_evidence(finding, facts, answer, "version");
        remedy_install_driver(context, finding, 0);
        if (!fix_in_compose(facts, finding, group,
                            "use an older tag of the image, for a CUDA that this driver supports"))
            finding_fix_note(
                finding, FIX_ADVICE,
                "or use an older tag of the image, for a CUDA that this driver supports");
        return;
    }
}

void judge_toolkit_mode_refuses_gpus_flag(struct rule_context *context)
{
    static const char words[] = "invoking the NVIDIA Container Runtime Hook directly";
    const struct facts *facts = context->facts;
    size_t cursor = 0;
    if (!require_records(context))
        return;
    const char *group = next_failed(facts, words, &cursor);
    const char *mode = facts_string(facts, "container_toolkit", "mode");
    bool jetson = judged_place(facts) == PLACE_JETSON;
    if (group == NULL)
        return;
    if (!string_equal(mode, "cdi") && !string_equal(mode, "csv") && !jetson) {
        rule_skip(context, "the toolkit's mode was changed after that container failed");
        return;
    }
    const char *used = jetson && !string_equal(mode, "cdi") ? "csv" : mode;
    struct finding *finding =
        rule_found(context, SEVERITY_FAIL,
                   "the container %s was started with --gpus, which the toolkit refuses in mode %s",
                   name_of(facts, group), used);
    finding_why(finding, "--gpus calls NVIDIA's hook, which works only in mode legacy%s",
                jetson ? "; on a Jetson, mode auto becomes csv" : "");
    show_record(context, finding, group);
    finding_evidence(finding, facts, "container_toolkit", "mode");
    if (!fix_in_compose(facts, finding, group,
                        "write runtime: nvidia, and remove gpus: or the reservation of devices "
                        "(deploy: resources: reservations: devices:)"))
        finding_fix_note(finding, FIX_ADVICE,
                         "start the container with --runtime=nvidia instead of --gpus%s",
                         jetson ? "" : ", or with --device nvidia.com/gpu=all");
    if (!jetson)
        finding_fix_command(finding, FIX_CHOICE | NEEDS_ROOT,
                            "or let the toolkit choose, if nobody needs this mode",
                            "sudo nvidia-ctk config --set nvidia-container-runtime.mode=auto "
                            "--in-place");
}

void judge_toolkit_imex_of_legacy_image(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    size_t cursor = 0;
    if (!require_records(context))
        return;
    const char *group = next_failed(facts, "error parsing IMEX info", &cursor);
    if (group == NULL)
        return;
    struct finding *finding = rule_found(
        context, SEVERITY_FAIL,
        "the container %s did not start: the toolkit reads its list of GPUs as IMEX channels",
        name_of(facts, group));
    finding_why(finding, "some releases of the toolkit do this for images without "
                         "NVIDIA_REQUIRE_CUDA");
    show_record(context, finding, group);
    finding_evidence(finding, facts, group, "visible_devices");
    container_install_toolkit(context, finding);
    if (!fix_in_compose(facts, finding, group,
                        "set NVIDIA_REQUIRE_CUDA: cuda>=8.0 under environment:"))
        finding_fix_note(
            finding, FIX_ADVICE,
            "or set the variable when you start the container: -e NVIDIA_REQUIRE_CUDA=cuda>=8.0");
}

void judge_docker_cdi_disabled(struct rule_context *context)
{
    static const char words[] = "could not select device driver \"cdi\"";
    const struct facts *facts = context->facts;
    size_t cursor = 0;
    if (!require_records(context))
        return;
    const char *group = next_failed(facts, words, &cursor);
    const char *docker = container_engine(facts, "docker");
    if (group == NULL)
        return;
    if (docker && facts_true(facts, docker, "cdi")) {
        rule_skip(context, "CDI was enabled after that container failed");
        return;
    }
    struct finding *finding =
        rule_found(context, SEVERITY_FAIL,
                   "the container %s asks for a CDI device, but CDI is not enabled in Docker",
                   name_of(facts, group));
    finding_why(finding, "features.cdi is not true in %s",
                docker ? facts_string(facts, docker, "config") : "/etc/docker/daemon.json");
    show_record(context, finding, group);
    if (docker)
        finding_evidence(finding, facts, docker, "cdi");
    container_configure_docker(finding, NULL, " --cdi.enabled");
}

void judge_docker_runtime_not_registered(struct rule_context *context)
{
    const struct facts *facts = context->facts;
    const char *group;
    if (!require_records(context))
        return;
    const char *docker = container_engine(facts, "docker");
    const struct strlist *runtimes = docker ? facts_list(facts, docker, "runtimes") : NULL;
    for (size_t i = 0; (group = next_failed(facts, "invalid runtime name", &i)) != NULL;) {
        const char *runtime = facts_string(facts, group, "runtime");
        if (!string_equal(runtime, "nvidia") || (runtimes && strlist_has(runtimes, runtime)))
            continue;
        struct finding *finding = rule_found(
            context, SEVERITY_FAIL,
            "the container %s asks for the runtime nvidia, which is not registered with Docker",
            name_of(facts, group));
        finding_why(finding, "%s defines no runtime nvidia",
                    docker ? facts_string(facts, docker, "config") : "/etc/docker/daemon.json");
        show_record(context, finding, group);
        if (docker)
            finding_evidence(finding, facts, docker, "runtimes");
        if (!container_has_toolkit(facts))
            container_install_toolkit(context, finding);
        container_configure_docker(finding, NULL, "");
        return;
    }
}
