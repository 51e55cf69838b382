/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/wrap.h"
#include "cli/engine/command.h"
#include "cli/gpu/gpu_view.h"
#include "cli/machine/gather.h"
#include "manifest/gpu/gpu.h"

static const struct option option_all = {.name = "all",
                                         .help = "every model in the manifest, by architecture"};

static const struct option *const options[] = {
    &option_all,    &option_root,    &option_facts, &option_manifest, &option_format, &option_json,
    &option_output, &option_timeout, &option_quiet, &option_verbose,  &option_help,   NULL,
};

static bool check_arguments(const struct session *session, const struct arguments *arguments,
                            struct error *error)
{
    if (!session_check_format(session, arguments, error))
        return false;
    if (arguments_have(arguments, "all") && arguments->words.count > 0)
        return usage_error(error, session->program, NULL, NULL,
                           "--all lists every model: do not give a NAME with it");
    return true;
}

static const char *trim_end(char *line)
{
    size_t size = strlen(line);
    while (size > 0 && line[size - 1] == ' ')
        line[--size] = '\0';
    return line;
}

static void append_list_row(const struct report_input *input, const struct manifest_gpu *gpu,
                            struct text *output)
{
    char capability[VERSION_TEXT_SIZE];
    AUTO_FREE char *name = string_safe(gpu->name);
    AUTO_FREE char *memory = gpu->memory_gb ? mem_printf("%u GB", gpu->memory_gb) : mem_string("");
    AUTO_FREE char *ids = strlist_join(&gpu->device_ids, " ");
    AUTO_FREE char *head =
        mem_printf("  %-30s %-5s %-12s %-7s", name, version_text(&gpu->capability, 0, capability),
                   gpu->gpu_class, memory);
    struct wrap wrap;
    text_append(output, gpu->device_ids.count ? head : trim_end(head));
    wrap_begin(&wrap, output, input->columns, (unsigned)strlen(head), 59);
    wrap_words(&wrap, ids);
    wrap_end(&wrap);
}

static void append_list(const struct report_input *input, const struct manifest_gpu *gpus,
                        size_t count, struct text *output)
{
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || !string_equal(gpus[i].architecture, gpus[i - 1].architecture)) {
            text_append(output, i ? "\n" : "");
            text_append_safe(output, gpus[i].architecture);
            text_append(output, "\n");
        }
        append_list_row(input, &gpus[i], output);
    }
}

/* Every model; those without figures apart. */
static void append_all(const struct session *session, const struct report_input *input, bool json,
                       struct text *output)
{
    size_t count;
    size_t others;
    const struct manifest_gpu *rows = manifest_gpu_all(session->manifest, &count);
    const struct manifest_gpu *more = manifest_gpu_others(session->manifest, &others);
    if (!json) {
        text_append(output,
                    "name, compute capability, class, memory per GPU, PCI ids (10de:…)\n\n");
        append_list(input, rows, count, output);
        text_append(output, "\nwithout figures\n");
        for (size_t i = 0; i < others; i++)
            append_list_row(input, &more[i], output);
        return;
    }
    AUTO_JSON json_t *envelope = report_envelope(input);
    AUTO_VIEWS struct gpu_views views = {0};
    AUTO_VIEWS struct gpu_views rest = {0};
    for (size_t i = 0; i < count; i++)
        gpu_view_model(session->manifest, &rows[i], &views);
    for (size_t i = 0; i < others; i++)
        gpu_view_model(session->manifest, &more[i], &rest);
    json_object_set_new(envelope, "gpus", gpu_views_json(&views));
    json_object_set_new(envelope, "others", gpu_views_json(&rest));
    json_append_text(envelope, output);
}

static bool take_words(const struct session *session, const struct arguments *arguments,
                       struct gpu_views *views, struct error *error)
{
    for (size_t i = 0; i < arguments->words.count; i++) {
        const char *text = arguments->words.items[i];
        AUTO_GPU_WORD struct gpu_word word = {0};
        if (!gpu_word_parse(session, "", text, &word, error))
            return false;
        gpu_view_word(session->manifest, text, &word, views);
    }
    return true;
}

/* ret_none says why there are none; free() it. */
static bool take_machine(const struct session *session, const struct arguments *arguments,
                         struct gpu_views *views, char **ret_none, struct error *error)
{
    AUTO_FACTS struct facts *facts = gather_facts(session, arguments, error);
    if (facts == NULL)
        return false;
    const struct fact *count = facts_get(facts, "pci", "count");
    if (count == NULL || count->reason == NULL)
        *ret_none = mem_string("No NVIDIA GPU is on the PCI bus.");
    else
        *ret_none = mem_printf("Cannot tell which GPUs this machine has: %s.", count->reason);
    gpu_view_machine(session->manifest, facts, views);
    return true;
}

static void append_views(const struct report_input *input, const struct gpu_views *views, bool json,
                         const char *none, struct text *output)
{
    if (json) {
        AUTO_JSON json_t *envelope = report_envelope(input);
        json_object_set_new(envelope, "gpus", gpu_views_json(views));
        json_append_text(envelope, output);
    } else if (views->count > 0) {
        gpu_views_append_text(input, views, output);
    } else {
        AUTO_FREE char *words = mem_printf("%s Give a model (gpuenv gpu H100), a PCI id "
                                           "(10de:2330) or a compute capability (9.0); "
                                           "gpuenv gpu --all lists every model.",
                                           none);
        wrap_paragraph(output, input->columns, 0, words);
    }
}

static bool run(struct session *session, const struct arguments *arguments, int *ret_exit_code,
                struct error *error)
{
    AUTO_TEXT struct text text = {0};
    AUTO_VIEWS struct gpu_views views = {0};
    struct report_input input;
    bool json = string_equal(session_format(arguments), "json");
    if (!check_arguments(session, arguments, error) ||
        !session_load_manifest(session, arguments, error))
        return false;
    session_input(session, arguments, &input);
    if (arguments_have(arguments, "all")) {
        append_all(session, &input, json, &text);
    } else {
        AUTO_FREE char *none = NULL;
        if (arguments->words.count > 0 ? !take_words(session, arguments, &views, error)
                                       : !take_machine(session, arguments, &views, &none, error))
            return false;
        append_views(&input, &views, json, none, &text);
    }
    *ret_exit_code = EXIT_DONE;
    return session_write(arguments, &text, error);
}

const struct command command_gpu = {
    .name = "gpu",
    .summary = "what is known about a GPU model, and what supports it",
    .usage = "gpuenv gpu [OPTION...] [NAME|PCI-ID|CC...]",
    .details =
        "Prints the specifications of GPU models, and what supports them: CUDA toolkits, driver "
        "branches, kernel modules, cuDNN, and the newest release of each framework that has code "
        "for them. Several models are shown side by side. A GPU is given as a model (H100), a PCI "
        "id (10de:2330), a compute capability (9.0, sm_90), a part of a GPU (H100-1g.10gb, GRID "
        "T4-8Q) or an instance type of a cloud provider (p3.2xlarge). Without a NAME, this "
        "machine's GPUs are shown. \"not known\" means that the manifest does not say, (PTX) means "
        "that the "
        "driver compiles the code, and (documented) means that the developers state support "
        "without listing the code. --verbose adds the sources.",
    .examples = "gpuenv gpu\n"
                "gpuenv gpu H100 RTX-4090",
    .options = options,
    .run = run,
};
