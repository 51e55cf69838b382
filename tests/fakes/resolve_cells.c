/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/text.h"
#include "manifest/framework/framework.h"
#include "manifest/manifest.h"
#include "resolve/engine/resolution.h"
#include "resolve/resolve.h"

/* What resolve() says of every build of every framework, for tests/program/resolve-cells.
 *
 * resolve-cells lines: of every build that has an install command: row, the Pythons that it says
 * ("-": none), the command, between tabs.
 * resolve-cells: lines of standard input are DRIVER CAPABILITY PYTHON, "-" for none. Of each, "@"
 * and the line, then for every candidate: row, fit, reason, and why it was not chosen, between
 * tabs. */

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
    for (size_t i = 0; i < count; i++)
        if (string_equal(rows[i].native, "yes"))
            ask(manifest, &machine, rows[i].framework);
}

static void print_lines(struct manifest *manifest)
{
    size_t count;
    const struct manifest_build *builds = manifest_builds(manifest, &count);
    for (size_t i = 0; i < count; i++) {
        AUTO_FREE char *command = manifest_build_command(manifest, &builds[i], NULL);
        if (command)
            printf("%s\t%s\t%s\n", builds[i].id, builds[i].python ? builds[i].python : "-",
                   command);
    }
}

int main(int argc, char **argv)
{
    struct manifest *manifest = manifest_new();
    if (argc == 2 && string_equal(argv[1], "lines")) {
        print_lines(manifest);
        manifest_free(manifest);
        return ferror(stdout) ? 1 : 0;
    }
    char driver[64], capability[64], python[64];
    while (scanf("%63s %63s %63s", driver, capability, python) == 3)
        answer(manifest, driver, capability, python);
    manifest_free(manifest);
    return ferror(stdout) ? 1 : 0;
}
