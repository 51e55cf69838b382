/* SPDX-License-Identifier: MIT */
#include "cli/installer/list_available.h"

#include "resolve/engine/resolution.h"
#include "resolve/resolve.h"

enum availability availability_of(const struct manifest_pin *pin, const char *platform)
{
    if (pin->platforms.count > 0 && !strlist_has(&pin->platforms, platform))
        return AVAILABLE_ELSEWHERE;
    if (pin->superseded.count)
        return AVAILABLE_SUPERSEDED;
    if (!manifest_pin_is_pinned(pin))
        return AVAILABLE_UNPINNED;
    return pin->platforms.count > 0 ? AVAILABLE_YES : AVAILABLE_UNKNOWN;
}

static void available_product_clear(struct available_product *product)
{
    resolution_free(&product->resolution);
    free(product->singles);
}

void available_free(struct available *available)
{
    for (size_t i = 0; i < available->count; i++)
        available_product_clear(&available->products[i]);
    free(available->products);
    free(available->machine);
    *available = (struct available){.platform = NULL};
}

static void choose(struct manifest *manifest, const struct resolve_machine *machine,
                   struct available_product *product)
{
    AUTO_SPECS struct resolve_specs specs = {0};
    AUTO_ERROR struct error unsatisfied = {0};
    if (resolve_specs_add(&specs, product->product, &unsatisfied))
        resolve(manifest, machine, &specs, NULL, &product->resolution, &unsatisfied);
}

static void find_singles(struct manifest *manifest, const char *platform,
                         struct available_product *product)
{
    struct available_single found;
    size_t capacity = 0;
    for (size_t i = 0;
         manifest_single_at(manifest, product->product, platform, i, &found.version, &found.single);
         i++) {
        const struct manifest_pin *pin =
            manifest_pin_find(manifest, product->product, &found.version);
        if (pin == NULL || !manifest_pin_is_pinned(pin))
            *vec_push(product->singles, product->single_count, capacity) = found;
    }
}

void available_fill(struct manifest *manifest, const struct resolve_machine *machine,
                    const char *platform, const struct strlist *names,
                    struct available *ret_available)
{
    size_t count, capacity = 0;
    const struct manifest_pin *pins = manifest_pin_all(manifest, &count);
    *ret_available = (struct available){.platform = platform};
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i; end < count && string_equal(pins[end].product, pins[i].product);)
            end++;
        if (names->count > 0 && !strlist_has(names, pins[i].product))
            continue;
        struct available_product *product =
            vec_push(ret_available->products, ret_available->count, capacity);
        product->product = pins[i].product;
        product->pins = &pins[i];
        product->pin_count = end - i;
        choose(manifest, machine, product);
        find_singles(manifest, platform, product);
        if (ret_available->machine == NULL)
            ret_available->machine = mem_string(product->resolution.machine);
    }
    ret_available->capacity = capacity;
}

const struct resolve_choice *available_choice(const struct available_product *product)
{
    for (size_t i = 0; i < product->resolution.chosen_count; i++)
        if (string_equal(product->resolution.chosen[i].product, product->product))
            return &product->resolution.chosen[i];
    return NULL;
}
