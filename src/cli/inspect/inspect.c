/* SPDX-License-Identifier: MIT */
#include "cli/inspect/inspect.h"

#include "cli/engine/command.h"
#include "cli/engine/output.h"
#include "cli/machine/assume.h"
#include "cli/machine/gather.h"
#include "cli/machine/installed.h"
#include "cli/machine/machine_of.h"
#include "manifest/gpu/gpu.h"
#include "resolve/engine/resolution.h"

static const struct option option_whole = {
    .name = "whole",
    .help = "search all of a library's data for code that the library loads itself, not only the "
            "data near known code; slower"};

static const struct option *const options[] = {
    &option_assume_driver, &option_assume_gpu, &option_root,     &option_facts,  &option_manifest,
    &option_whole,         &option_format,     &option_json,     &option_output, &option_timeout,
    &option_quiet,         &option_verbose,    &option_no_color, &option_help,   NULL,
};

char *inspected_gpu_name(const struct inspected_gpu *gpu)
{
    const struct resolve_gpu *one = &gpu->gpu;
    char capability[VERSION_TEXT_SIZE];
    const char *name = one->model ? one->model->name : one->name;
    version_text(&one->capability, 0, capability);
    if (one->capability.count && (name == NULL || string_equal(name, capability)))
        return mem_printf("compute capability %s", capability);
    return mem_string(name ? name : "a GPU without a name");
}

static bool is_alike(const struct resolve_gpu *a, const struct resolve_gpu *b)
{
    return manifest_gpu_is(a->model, b->model) && string_equal(a->name, b->name) &&
           a->answers == b->answers && version_compare(&a->capability, &b->capability) == 0;
}

static void take_gpus(const struct machine_of *machine, struct inspection *inspection)
{
    for (size_t i = 0; i < machine->gpu_count; i++) {
        size_t k = 0;
        while (k < inspection->gpu_count && !is_alike(&inspection->gpus[k].gpu, &machine->gpus[i]))
            k++;
        if (k == inspection->gpu_count)
            vec_push(inspection->gpus, inspection->gpu_count, inspection->gpu_capacity)->gpu =
                machine->gpus[i];
        inspection->gpus[k].count++;
    }
}

static void judge_code(const struct session *session, const struct machine_of *machine,
                       const struct inspection *inspection, struct inspected_code *code)
{
    code->needs = binary_needs(session->manifest, &code->binary);
    code->cuda = binary_cuda(session->manifest, &code->binary, &code->cuda_least);
    if (code->binary.count == 0)
        return;
    code->verdict_count = inspection->gpu_count;
    code->verdicts = mem_resize(NULL, code->verdict_count + 1, sizeof(*code->verdicts));
    for (size_t i = 0; i < code->verdict_count; i++)
        code->verdicts[i] = binary_judge(session->manifest, &machine->machine,
                                         &inspection->gpus[i].gpu, &code->binary);
}

/* The members of an archive may be of several toolkits, of which a machine loads one: the oldest is
 * that of the whole. */
static void take_toolkits(struct manifest *manifest, struct inspected *item)
{
    struct version oldest = {.count = 0}, newest = {.count = 0};
    for (size_t i = 0; i < item->wheel.count; i++) {
        bool least;
        struct version cuda = binary_cuda(manifest, &item->members[i].binary, &least);
        if (cuda.count && !least && (!oldest.count || version_compare(&cuda, &oldest) < 0))
            oldest = cuda;
        if (cuda.count && (!newest.count || version_compare(&cuda, &newest) > 0))
            newest = cuda;
    }
    item->code.binary.cuda = oldest;
    if (oldest.count && version_compare(&oldest, &newest) != 0)
        item->cuda_newest = newest;
}

/* A part of an archive is judged by itself too: the sum has what another part lacks. */
static void judge_item(const struct session *session, const struct machine_of *machine,
                       const struct inspection *inspection, struct inspected *item)
{
    if (item->is_wheel)
        take_toolkits(session->manifest, item);
    judge_code(session, machine, inspection, &item->code);
    for (size_t i = 0; i < item->wheel.count; i++)
        judge_code(session, machine, inspection, &item->members[i]);
}

static bool item_fails(const struct inspected *item)
{
    for (size_t i = 0; i < item->code.verdict_count; i++) {
        if (binary_cannot_run(item->code.verdicts[i].outcome))
            return true;
        for (size_t k = 0; k < item->wheel.count; k++)
            if (inspected_member_fails(item, k, i))
                return true;
    }
    return inspected_is_broken(item);
}

/* Missing input goes before what was found: the answer is not whole. */
static int exit_code(const struct inspection *inspection)
{
    int code = EXIT_DONE;
    for (size_t i = 0; i < inspection->count; i++) {
        if (inspection->items[i].error.kind == ERROR_NO_INPUT)
            return EXIT_NO_INPUT;
        if (item_fails(&inspection->items[i]))
            code = EXIT_FOUND;
    }
    return code;
}

static void tell_unreadable(const struct session *session, const struct inspection *inspection)
{
    for (size_t i = 0; i < inspection->count; i++)
        if (inspection->items[i].error.kind == ERROR_NO_INPUT)
            output_error(session->program, &inspection->items[i].error);
}

static bool answer(const struct session *session, const struct arguments *arguments,
                   const struct facts *facts, struct inspection *inspection, struct error *error)
{
    AUTO_MACHINE struct machine_of machine = machine_of(facts, session->manifest);
    AUTO_TEXT struct text text = {0};
    struct report_input input;
    session_input(session, arguments, &input);
    take_gpus(&machine, inspection);
    for (size_t i = 0; i < inspection->count; i++)
        judge_item(session, &machine, inspection, &inspection->items[i]);
    if (!session_manifest_sound(session, error))
        return false;
    if (string_equal(session_format(arguments), "json"))
        inspection_append_json(&input, inspection, &text);
    else
        inspection_append_text(&input, inspection, &text);
    tell_unreadable(session, inspection);
    return session_write(arguments, &text, error);
}

/* Without code there is nothing to judge, and no machine is looked at. */
static struct facts *gather(const struct session *session, const struct arguments *arguments,
                            const struct inspection *inspection, struct error *error)
{
    bool record = arguments_have(arguments, "facts");
    if (inspection->with_code > 0 || record)
        return gather_code_machine(session, arguments, error);
    return assume_facts(session, arguments, error);
}

static bool run(struct session *session, const struct arguments *arguments, int *ret_exit_code,
                struct error *error)
{
    AUTO_INSPECTION struct inspection inspection = {.whole = arguments_have(arguments, "whole")};
    AUTO_HOST struct host *tree = NULL;
    const struct host *host;
    if (!session_check_format(session, arguments, error) ||
        !session_load_manifest(session, arguments, error))
        return false;
    inspection.manifest = session->manifest;
    if (arguments->words.count == 0)
        return usage_error(error, session->program, NULL, NULL,
                           "give a FILE (a library, an executable, a wheel) or a directory");
    if (!installed_host(session, arguments, &tree, &host, error))
        return false;
    AUTO_FACTS struct facts *assumed = assume_facts(session, arguments, error);
    for (size_t i = 0; assumed && i < arguments->words.count; i++)
        inspect_path(host, arguments->words.items[i], &inspection);
    AUTO_FACTS struct facts *facts =
        assumed ? gather(session, arguments, &inspection, error) : NULL;
    bool answered = facts && answer(session, arguments, facts, &inspection, error);
    *ret_exit_code = exit_code(&inspection);
    return answered;
}

const struct command command_inspect = {
    .name = "inspect",
    .summary = "GPU code in a binary, and whether a GPU runs it",
    .usage = "gpuenv inspect [OPTION...] FILE|DIR...",
    .details = "Lists the GPU code in libraries, executables, objects, static archives, fat "
               "binaries, cubins, PTX files and Python wheels, or in every file below a directory: "
               "machine code by architecture (sm_90), PTX by target (compute_90) and version, what "
               "built it and what it needs. Says for each GPU (of this machine, or assumed) "
               "whether the code runs directly, through the driver's compiler (PTX JIT), or not at "
               "all. Only headers are read, and nothing is run. Exits with 1 when a GPU cannot run "
               "a file or a file is not valid, with 66 when a file cannot be read.",
    .examples = "gpuenv inspect ./a.out\n"
                "gpuenv inspect --assume-gpu H100 torch/lib/libtorch_cuda.so",
    .options = options,
    .run = run,
};
