/* SPDX-License-Identifier: MIT */
/* properties yardstick [--seed N] [--share N] [--take WHAT] DIRECTORY NAME...: see run. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "properties/yardstick.h"

static bool check_machine(struct yardstick *yardstick, struct manifest *manifest,
                          const char *directory, const char *name)
{
    AUTO_ERROR struct error error = {0};
    AUTO_BENCH_MACHINE struct machine machine = {.name = NULL};
    if (!machine_load(directory, name, manifest, &machine, &error)) {
        fprintf(stderr, "properties: %s: %s\n", name, error.what);
        return false;
    }
    yardstick_check(yardstick, &machine);
    return true;
}

int main(int argc, char **argv)
{
    struct yardstick yardstick = {.share = 1000000};
    int at = 2;
    for (; at + 1 < argc && string_starts(argv[at], "--"); at += 2) {
        if (strcmp(argv[at], "--seed") == 0)
            yardstick.random = strtoull(argv[at + 1], NULL, 10);
        else if (strcmp(argv[at], "--share") == 0)
            yardstick.share = strtoull(argv[at + 1], NULL, 10);
        else if (strcmp(argv[at], "--take") == 0)
            yardstick.take = argv[at + 1];
        else
            return 64;
    }
    if (at + 1 >= argc || strcmp(argv[1], "yardstick") != 0)
        return 64;
    struct manifest *manifest = manifest_new();
    bool sound = true;
    for (int i = at + 1; i < argc; i++)
        sound = check_machine(&yardstick, manifest, argv[at], argv[i]) && sound;
    manifest_free(manifest);
    fprintf(stderr, "%zu machines, %zu variations, %zu violations\n", yardstick.machines,
            yardstick.variations, yardstick.violations);
    if (!sound)
        return 70;
    return yardstick.violations ? 1 : 0;
}
