/* SPDX-License-Identifier: MIT */
/* properties yardstick [--plant] [--seed N] [--share N] [--take WHAT] DIRECTORY NAME...
 * properties rows [--plant] [--seed N] [--share N] [--take ROW] DIRECTORY NAME...
 * properties noise [--plant] [--take KIND] DIRECTORY NAME...
 * properties pairs [--plant] [--seed N] [--most N] [--take PAIR] DIRECTORY NAME...
 * properties place [--plant] [--seed N] [--share N] DIRECTORY NAME...
 * properties used [--plant] DIRECTORY NAME...
 * tests/properties/run and tests/properties/used call it. With --plant the judge has a fault, which
 * is to be found. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "properties/noise.h"
#include "properties/pairs.h"
#include "properties/place.h"
#include "properties/used.h"
#include "properties/yardstick.h"

struct properties {
    struct yardstick yardstick;
    struct noise_run noise;
    struct pairs pairs;
    struct place_run place;
    struct used used;
};

static bool load(struct manifest *manifest, const char *directory, const char *name,
                 struct machine *ret_machine)
{
    AUTO_ERROR struct error error = {0};
    if (machine_load(directory, name, manifest, ret_machine, &error))
        return true;
    fprintf(stderr, "properties: %s: %s\n", name, error.what);
    return false;
}

static void check(struct properties *properties, const char *property, const char *directory,
                  const struct machine *machine)
{
    AUTO_FREE char *record = mem_printf("%s/%s.facts.json", directory, machine->name);
    if (string_equal(property, "noise"))
        noise_check(&properties->noise, machine);
    else if (string_equal(property, "used"))
        used_check(&properties->used, machine, record);
    else if (string_equal(property, "rows"))
        yardstick_check_rows(&properties->yardstick, machine);
    else
        yardstick_check(&properties->yardstick, machine);
}

/* One machine after the other. */
static bool check_each(struct properties *properties, const char *property,
                       struct manifest *manifest, char **arguments)
{
    bool sound = true;
    for (char **name = arguments + 1; *name; name++) {
        AUTO_BENCH_MACHINE struct machine machine = {.name = NULL};
        if (load(manifest, arguments[0], *name, &machine))
            check(properties, property, arguments[0], &machine);
        else
            sound = false;
    }
    return sound;
}

static bool check_together(struct properties *properties, const char *property,
                           struct manifest *manifest, char **arguments)
{
    struct machine *machines = NULL;
    size_t count = 0, capacity = 0;
    bool sound = true;
    for (char **name = arguments + 1; *name; name++) {
        struct machine machine = {.name = NULL};
        if (load(manifest, arguments[0], *name, &machine))
            *(struct machine *)vec_push(machines, count, capacity) = machine;
        else
            sound = false;
    }
    if (string_equal(property, "place"))
        place_check(&properties->place, machines, count);
    else
        pairs_check(&properties->pairs, machines, count);
    for (size_t i = 0; i < count; i++)
        machine_free(&machines[i]);
    free(machines);
    return sound;
}

static bool read_flag(struct properties *properties, const char *flag, const char *value)
{
    if (strcmp(flag, "--seed") == 0)
        properties->yardstick.random = properties->pairs.random = properties->place.random =
            strtoull(value, NULL, 10);
    else if (strcmp(flag, "--share") == 0)
        properties->yardstick.share = properties->place.share = strtoull(value, NULL, 10);
    else if (strcmp(flag, "--most") == 0)
        properties->pairs.most = strtoull(value, NULL, 10);
    else if (strcmp(flag, "--take") == 0)
        properties->yardstick.take = properties->noise.kind = properties->pairs.take = value;
    else
        return false;
    return true;
}

/* The place of the first argument that is not a flag; 0: one is unknown. */
static int read_flags(struct properties *properties, int argc, char **argv)
{
    int at = 2;
    while (at + 1 < argc && string_starts(argv[at], "--")) {
        if (strcmp(argv[at], "--plant") == 0) {
            properties->yardstick.plant = properties->noise.plant = properties->pairs.plant =
                properties->place.plant = properties->used.plant = true;
            at++;
            continue;
        }
        if (!read_flag(properties, argv[at], argv[at + 1]))
            return 0;
        at += 2;
    }
    return at;
}

int main(int argc, char **argv)
{
    struct properties properties = {
        .yardstick = {.share = 1000000}, .pairs = {.most = 1000000}, .place = {.share = 1000000}};
    int at = read_flags(&properties, argc, argv);
    if (at == 0 || at + 1 >= argc)
        return 64;
    struct manifest *manifest = manifest_new();
    bool together = strcmp(argv[1], "pairs") == 0 || strcmp(argv[1], "place") == 0;
    bool sound = together ? check_together(&properties, argv[1], manifest, argv + at)
                          : check_each(&properties, argv[1], manifest, argv + at);
    manifest_free(manifest);
    const struct yardstick *yardstick = &properties.yardstick;
    const struct noise_run *noise = &properties.noise;
    const struct pairs *pairs = &properties.pairs;
    const struct place_run *place = &properties.place;
    size_t violations = yardstick->violations + noise->violations + pairs->violations +
                        place->violations + used_unread(&properties.used);
    fprintf(stderr, "%s: %zu machines, %zu variations, %zu violations\n", argv[1],
            yardstick->machines + noise->machines + pairs->machines + place->machines +
                properties.used.machines,
            yardstick->variations + noise->variations + pairs->variations + place->variations,
            violations);
    used_free(&properties.used);
    if (pairs->excluded)
        fprintf(stderr, "pairs: %zu findings do not apply beside the other fault\n",
                pairs->excluded);
    if (!sound)
        return 70;
    return violations ? 1 : 0;
}
