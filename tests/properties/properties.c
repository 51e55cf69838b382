/* SPDX-License-Identifier: MIT */
/* properties yardstick [--seed N] [--share N] [--take WHAT] DIRECTORY NAME...
 * properties noise [--take KIND] DIRECTORY NAME...
 * tests/properties/run calls it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "properties/noise.h"
#include "properties/yardstick.h"

struct properties {
    bool noise;
    struct yardstick yardstick;
    struct noise_run noise_run;
};

static bool check_machine(struct properties *properties, struct manifest *manifest,
                          const char *directory, const char *name)
{
    AUTO_ERROR struct error error = {0};
    AUTO_BENCH_MACHINE struct machine machine = {.name = NULL};
    if (!machine_load(directory, name, manifest, &machine, &error)) {
        fprintf(stderr, "properties: %s: %s\n", name, error.what);
        return false;
    }
    if (properties->noise)
        noise_check(&properties->noise_run, &machine);
    else
        yardstick_check(&properties->yardstick, &machine);
    return true;
}

/* The place of the first argument that is not a flag; 0: one is unknown. */
static int read_flags(struct properties *properties, int argc, char **argv)
{
    int at = 2;
    for (; at + 1 < argc && string_starts(argv[at], "--"); at += 2) {
        if (strcmp(argv[at], "--seed") == 0)
            properties->yardstick.random = strtoull(argv[at + 1], NULL, 10);
        else if (strcmp(argv[at], "--share") == 0)
            properties->yardstick.share = strtoull(argv[at + 1], NULL, 10);
        else if (strcmp(argv[at], "--take") == 0)
            properties->yardstick.take = properties->noise_run.kind = argv[at + 1];
        else
            return 0;
    }
    return at;
}

int main(int argc, char **argv)
{
    struct properties properties = {.yardstick = {.share = 1000000}};
    int at = read_flags(&properties, argc, argv);
    if (at == 0 || at + 1 >= argc)
        return 64;
    properties.noise = strcmp(argv[1], "noise") == 0;
    struct manifest *manifest = manifest_new();
    bool sound = true;
    for (int i = at + 1; i < argc; i++)
        sound = check_machine(&properties, manifest, argv[at], argv[i]) && sound;
    manifest_free(manifest);
    const struct yardstick *yardstick = &properties.yardstick;
    const struct noise_run *noise = &properties.noise_run;
    fprintf(stderr, "%s: %zu machines, %zu variations, %zu violations\n", argv[1],
            yardstick->machines + noise->machines, yardstick->variations + noise->variations,
            yardstick->violations + noise->violations);
    if (!sound)
        return 70;
    return yardstick->violations + noise->violations ? 1 : 0;
}
