/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/strlist.h"
#include "base/text.h"
#include "cli/resolve/resolve_print.h"
#include "manifest/framework/framework.h"
#include "manifest/manifest.h"
#include "manifest/versions/capability.h"
#include "resolve/engine/context.h"
#include "resolve/engine/resolution.h"
#include "resolve/engine/words.h"
#include "resolve/framework/framework.h"
#include "resolve/resolve.h"

/* What resolve() says of every build of every framework, for tests/program/resolve-cells.
 *
 * resolve-cells lines: every command that can be printed of every build: row, the Pythons, those on
 * aarch64 if they are fewer, the machines that it says ("-": none), the command, that for uv ("-":
 * none), between tabs.
 * resolve-cells: lines of standard input are DRIVER CAPABILITY PYTHON, "-" for none. Of each, "@"
 * and the line, then for every candidate: row, fit, reason, and why it was not chosen, between
 * tabs, and behind "| " the lines that `gpuenv resolve -q` prints of the choice.
 *
 * resolve-cells boards: lines are DRIVER PCI-ID CAPABILITY WHAT. Of each, "@" and the line, then
 * the limit that the driver's list sets; where WHAT is "all", also for each product that is chosen
 * its name and how often that limit stands in its answer. */

/* As `gpuenv resolve -q` prints it. */
static void print_text(const struct resolution *resolution)
{
    const struct report_input input = {.tool_version = "0", .quiet = true, .columns = UINT32_MAX};
    AUTO_TEXT struct text text = {0};
    AUTO_STRLIST struct strlist lines = {0};
    resolve_append_text(&input, resolution, &text);
    strlist_split(&lines, text_string(&text), '\n');
    for (size_t i = 0; i < lines.count; i++)
        printf("| %s\n", lines.items[i]);
}

static void ask(struct manifest *manifest, const struct resolve_machine *machine, const char *name)
{
    AUTO_SPECS struct resolve_specs specs = {0};
    AUTO_RESOLUTION struct resolution resolution = {.chosen = NULL};
    AUTO_ERROR struct error error = {0};
    if (!resolve_specs_add(&specs, name, &error))
        return;
    resolve(manifest, machine, &specs, NULL, &resolution, &error);
    for (size_t i = 0; i < resolution.candidate_count; i++) {
        const struct resolve_candidate *one = &resolution.candidates[i];
        printf("%s\t%s\t%s\t%s\n", one->row ? one->row : "-", fit_name(one->fit), one->reason,
               one->turned_down ? one->turned_down : "-");
    }
    print_text(&resolution);
}

static void answer(struct manifest *manifest, const char *driver, const char *capability,
                   const char *python)
{
    struct resolve_gpu gpu = {.name = "the GPU"};
    struct resolve_machine machine = {.gpus = &gpu};
    size_t count;
    version_parse(driver, &machine.driver);
    version_parse(python, &machine.python);
    machine.gpu_count = version_parse(capability, &gpu.capability) ? 1 : 0;
    const struct manifest_framework *rows = manifest_frameworks(manifest, &count);
    printf("@ %s %s %s\n", driver, capability, python);
    ask(manifest, &machine, "cuda");
    ask(manifest, &machine, "cudnn");
    ask(manifest, &machine, "driver");
    for (size_t i = 0; i < count; i++)
        if (string_equal(rows[i].native, "yes"))
            ask(manifest, &machine, rows[i].framework);
}

static size_t times(const struct strlist *limits, const char *limit)
{
    size_t count = 0;
    for (size_t i = 0; i < limits->count; i++)
        count += string_equal(limits->items[i], limit);
    return count;
}

static void answer_board(struct manifest *manifest, const char *driver, const char *device_id,
                         const char *capability, bool all)
{
    const char *const names[] = {"cuda", "pytorch", NULL};
    struct resolve_gpu gpu = {.name = "the GPU", .device_id = device_id};
    struct resolve_machine machine = {.gpus = &gpu, .gpu_count = 1};
    AUTO_STRLIST struct strlist limits = {0};
    AUTO_FREE char *this_driver = mem_printf("driver@%s", driver);
    version_parse(driver, &machine.driver);
    version_parse(capability, &gpu.capability);
    const struct resolve_context context = {.manifest = manifest, .machine = machine};
    words_unlisted(&context, &machine.driver, &limits);
    printf("@ %s %s %s\n%s\n", driver, device_id, capability, limits.count ? limits.items[0] : "-");
    for (size_t i = 0; all && i < sizeof(names) / sizeof(*names); i++) {
        AUTO_SPECS struct resolve_specs specs = {0};
        AUTO_RESOLUTION struct resolution resolution = {.chosen = NULL};
        resolve_specs_add(&specs, names[i] ? names[i] : this_driver, NULL);
        resolve(manifest, &machine, &specs, NULL, &resolution, NULL);
        for (size_t k = 0; k < resolution.chosen_count; k++)
            printf("%s\t%zu\t%zu\n", resolution.chosen[k].product, limits.count,
                   times(&resolution.chosen[k].limits, limits.count ? limits.items[0] : ""));
    }
}

static void print_line(struct resolve_context *context, const struct manifest_build *build,
                       const struct version *cuda, struct strlist *seen)
{
    char *bound = NULL;
    AUTO_FREE char *command = framework_command(context, build, cuda, &bound);
    free(bound);
    if (command == NULL || strlist_has(seen, command))
        return;
    strlist_add(seen, command);
    AUTO_FREE char *uv = framework_uv(context, build, command);
    AUTO_FREE char *arch = strlist_join(&build->arch, ",");
    printf("%s\t%s\t%s\t%s\t%s\t%s\n", build->id, build->python ? build->python : "-",
           build->python_aarch64 ? build->python_aarch64 : "-", build->arch.count ? arch : "-",
           command, uv ? uv : "-");
}

/* For each CUDA that it comes for, and each GPU that may run it and ask for an older cuDNN. */
static void print_build(struct manifest *manifest, const struct manifest_build *build)
{
    AUTO_RESOLUTION struct resolution resolution = {.chosen = NULL};
    AUTO_STRLIST struct strlist seen = {0};
    size_t count;
    const struct manifest_capability *rows = manifest_capability_all(manifest, &count);
    for (size_t i = 0; i <= count; i++) {
        struct resolve_gpu gpu = {.name = "the GPU"};
        if (i < count)
            gpu.capability = rows[i].capability;
        struct resolve_context context = {.manifest = manifest, .resolution = &resolution};
        context.machine.gpus = &gpu;
        context.machine.gpu_count = i < count ? 1 : 0;
        struct build_fit fit = framework_fit(&context, build);
        free(fit.verdict.why);
        if (fit.verdict.fit == FIT_NO)
            continue;
        print_line(&context, build, &build->cuda, &seen);
        print_line(&context, build, &build->cuda_range.from, &seen);
        struct version cuda;
        for (size_t k = 0; k < build->cudas.count; k++)
            if (version_parse_prefix(build->cudas.items[k], &cuda))
                print_line(&context, build, &cuda, &seen);
    }
}

static void print_lines(struct manifest *manifest)
{
    size_t count;
    const struct manifest_build *builds = manifest_builds(manifest, &count);
    for (size_t i = 0; i < count; i++)
        print_build(manifest, &builds[i]);
}

int main(int argc, char **argv)
{
    struct manifest *manifest = manifest_new();
    if (argc == 2 && string_equal(argv[1], "lines")) {
        print_lines(manifest);
        manifest_free(manifest);
        return ferror(stdout) ? 1 : 0;
    }
    char driver[64], second[64], third[64], what[64];
    if (argc == 2 && string_equal(argv[1], "boards"))
        while (scanf("%63s %63s %63s %63s", driver, second, third, what) == 4)
            answer_board(manifest, driver, second, third, string_equal(what, "all"));
    else
        while (scanf("%63s %63s %63s", driver, second, third) == 3)
            answer(manifest, driver, second, third);
    manifest_free(manifest);
    return ferror(stdout) ? 1 : 0;
}
