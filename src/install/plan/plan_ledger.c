/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "install/plan/plan.h"

/* A plan that was carried out, and what it came to. */

static bool owns(const struct ledger_file *file, const struct plan_item *item)
{
    size_t length = strlen(item->product);
    for (size_t i = 0; i < file->owners.count; i++) {
        const char *owner = file->owners.items[i];
        if (strncmp(owner, item->product, length) == 0 && owner[length] == '/' &&
            string_equal(owner + length + 1, item->component))
            return true;
    }
    return false;
}

void plan_measure(struct plan *plan, const struct ledger *ledger)
{
    plan->unpacked = plan->files = 0;
    for (size_t i = 0; i < plan->item_count; i++) {
        plan->items[i].installed_size = 0;
        plan->items[i].estimated = false;
    }
    for (size_t i = 0; i < ledger->file_count; i++) {
        const struct ledger_file *file = &ledger->files[i];
        plan->unpacked += file->size;
        plan->files += file->type == LEDGER_DIRECTORY_ENTRY ? 0 : 1;
        for (size_t k = 0; k < plan->item_count; k++)
            if (owns(file, &plan->items[k]))
                plan->items[k].installed_size += file->size;
    }
}

struct plan_item *plan_add_component(struct plan *plan, const struct ledger_product *product,
                                     const struct ledger_component *component)
{
    struct plan_item *item = vec_push(plan->items, plan->item_count, plan->item_capacity);
    item->product = mem_string(product->product);
    item->release = mem_string(product->version);
    item->component = mem_string(component->name);
    item->version = mem_string(component->version);
    item->platform = mem_string(component->platform);
    item->variant = mem_string(component->variant);
    item->path = mem_string(component->archive);
    item->size = component->size;
    item->sha256 = component->sha256;
    item->licence = mem_string(component->licence);
    if (component->licence)
        strlist_add_new(&plan->licences, component->licence);
    return item;
}

bool plan_has(const struct plan *plan, const char *product, const char *component)
{
    for (size_t i = 0; i < plan->item_count; i++)
        if (string_equal(plan->items[i].product, product) &&
            string_equal(plan->items[i].component, component))
            return true;
    return false;
}

size_t plan_missing(const struct plan *plan)
{
    size_t count = 0;
    for (size_t i = 0; i < plan->item_count; i++)
        count += plan->items[i].there ? 0 : 1;
    return count;
}

void plan_of_ledger(struct plan *plan, const struct ledger *ledger, const struct request *request)
{
    for (size_t i = 0; i < request->product_count; i++) {
        const struct ledger_product *product =
            ledger_product_find(ledger, request->products[i].product);
        for (size_t k = 0; product && k < product->component_count; k++)
            plan_add_component(plan, product, &product->components[k])->there = true;
    }
    strlist_sort(&plan->licences);
    plan_measure(plan, ledger);
}
