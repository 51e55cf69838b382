/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "install/run.h"

/* What the request comes to, by what the prefix has. */

/* The request with the versions that there will be, and the profile of what changes. */
static void take_outcome(struct run *run)
{
    size_t count = run->request->product_count;
    struct request_product *products = mem_alloc((count + 1) * sizeof(*products));
    bool found = false;
    for (size_t i = 0; i < count; i++) {
        products[i] = run->request->products[i];
        products[i].version = run->change.products[i].version;
    }
    free(run->own.products);
    run->own = *run->request;
    run->own.products = products;
    for (size_t i = 0; i < count; i++) {
        if (found || run->change.products[i].kind == CHANGE_NONE)
            continue;
        run->own.profile = run->change.products[i].profile;
        found = true;
    }
    run->request = &run->own;
}

bool run_find_change(struct run *run, struct error *error)
{
    change_free(&run->change);
    if (!change_of(&run->prefix.ledger, run->request, run->prefix.path, &run->change, error))
        return false;
    struct request_product *before = run->own.products;
    run->own.products = NULL; /* run->request may be it */
    take_outcome(run);
    free(before);
    return true;
}

static void mark_there(struct run *run, size_t first, const struct change_product *product)
{
    const struct ledger_product wanted = {.product = (char *)(uintptr_t)product->there->product,
                                          .profile =
                                              (char *)(uintptr_t)profile_word(product->profile)};
    for (size_t i = first; i < run->plan.item_count; i++) {
        const struct ledger_component component = {.name = run->plan.items[i].component,
                                                   .sha256 = run->plan.items[i].sha256};
        run->plan.items[i].there = change_has(&run->prefix.ledger, &wanted, &component);
    }
}

/* What an older manifest took for this profile is not taken away. */
static void keep_components(struct run *run, const struct change_product *product)
{
    const struct ledger_product *there = product->there;
    for (size_t i = 0; i < there->component_count; i++) {
        if (plan_has(&run->plan, there->product, there->components[i].name))
            continue;
        struct plan_item *item = plan_add_component(&run->plan, there, &there->components[i]);
        item->profile = product->profile;
    }
}

static bool is_complete(const struct run *run, size_t first)
{
    for (size_t i = first; i < run->plan.item_count; i++)
        if (!run->plan.items[i].there)
            return false;
    return true;
}

/* Only words that mean something in this product are its own. */
static void leave_own_words(struct change_product *product, const struct strlist *named)
{
    struct strlist words = {0};
    for (size_t i = 0; i < product->wishes.count; i++)
        if (strlist_has(named, product->wishes.items[i]))
            strlist_add(&words, product->wishes.items[i]);
    strlist_free(&product->wishes);
    product->wishes = words;
}

static bool plan_product(struct run *run, size_t index, struct error *error)
{
    struct change_product *product = &run->change.products[index];
    struct request own = *run->request;
    struct strlist named = run->plan.named;
    size_t first = run->plan.item_count;
    own.profile = product->profile;
    own.components = product->wishes;
    run->plan.named = (struct strlist){.count = 0};
    bool ok = plan_add(&run->plan, &run->catalogs[index], &own, &own.products[index], run->manifest,
                       error);
    leave_own_words(product, &run->plan.named);
    strlist_copy(&run->plan.named, &named);
    strlist_free(&named);
    if (!ok || product->there == NULL)
        return ok;
    if (product->kind == CHANGE_WIDEN)
        keep_components(run, product);
    mark_there(run, first, product);
    if (product->kind == CHANGE_WIDEN && is_complete(run, first) &&
        string_equal(product->there->profile, profile_word(product->profile)))
        product->kind = CHANGE_NONE;
    return true;
}

bool run_plan_products(struct run *run, struct error *error)
{
    for (size_t i = 0; i < run->request->product_count; i++)
        if (run->change.products[i].kind != CHANGE_NONE && !plan_product(run, i, error))
            return false;
    for (size_t i = 0; i < run->request->components.count; i++)
        if (change_settles(&run->change, run->request->components.items[i]))
            strlist_add_new(&run->plan.named, run->request->components.items[i]);
    return plan_components_known(&run->plan, run->request, error);
}
