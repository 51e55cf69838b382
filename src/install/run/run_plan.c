/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "install/run/run.h"
#include "install/run/run_lock.h"
#include "install/run/run_lock_plan.h"
#include "install/run/run_plan.h"

/* What the request comes to, by what the prefix has. */

enum extent run_extent(const struct run *run)
{
    for (size_t i = 0; i < run->change.count; i++)
        if (run->change.products[i].kind != CHANGE_NONE)
            return run->change.products[i].extent;
    return run->request->extent;
}

/* The request with the versions that there will be. */
static void take_outcome(struct run *run)
{
    size_t count = run->request->product_count;
    struct request_product *products = mem_alloc((count + 1) * sizeof(*products));
    struct request_product *before =
        run->effective_request.products; /* run->request may be run->effective_request */
    for (size_t i = 0; i < count; i++) {
        products[i] = run->request->products[i];
        products[i].version = run->change.products[i].version;
    }
    run->effective_request = *run->request;
    run->effective_request.products = products;
    run->request = &run->effective_request;
    free(before);
}

static bool has_exactly(const struct ledger_product *there, const struct request *request)
{
    AUTO_FREE char *wished = strlist_join(&there->wishes, " ");
    AUTO_FREE char *wishes = strlist_join(&request->components, " ");
    return string_equal(there->extent, extent_word(request->extent)) &&
           string_equal(wished, wishes);
}

/* A lock file is for the request, and says what it says on every machine: where the ledger alone
 * does not tell that, lists of archives are asked for. */
static void look_closer(struct run *run)
{
    bool locked = run_is_locked(run);
    bool differs = locked && !run_lock_is_installed(run);
    for (size_t i = 0; run->request->lock_path && i < run->change.count; i++) {
        struct change_product *product = &run->change.products[i];
        if (product->kind == CHANGE_NONE &&
            (locked ? differs : !has_exactly(product->there, run->request)))
            product->kind = CHANGE_WIDEN;
        if (locked && (product->kind == CHANGE_ADD || product->kind == CHANGE_REPLACE))
            product->extent = run->request->extent;
    }
}

bool run_find_change(struct run *run, struct error *error)
{
    struct request request = *run->request;
    change_free(&run->change);
    request.extent_given = request.extent_given || request.lock_path;
    if (!change_of(&run->prefix.ledger, &request, run->prefix.path, &run->change, error))
        return false;
    look_closer(run);
    take_outcome(run);
    return true;
}

static void mark_there(struct run *run, size_t first, const struct change_product *product)
{
    const struct ledger_product wanted = {.product = (char *)(uintptr_t)product->there->product,
                                          .extent =
                                              (char *)(uintptr_t)extent_word(product->extent)};
    for (size_t i = first; i < run->plan.item_count; i++) {
        const struct ledger_component component = {.name = run->plan.items[i].component,
                                                   .sha256 = run->plan.items[i].sha256};
        run->plan.items[i].there = change_has(&run->prefix.ledger, &wanted, &component);
    }
}

/* What an older manifest took for this extent is not taken away. */
static void keep_components(struct run *run, const struct ledger_product *there)
{
    for (size_t i = 0; i < there->component_count; i++)
        if (!plan_has(&run->plan, there->product, there->components[i].name))
            plan_add_component(&run->plan, there, &there->components[i]);
}

static bool is_complete(const struct run *run, size_t first)
{
    for (size_t i = first; i < run->plan.item_count; i++)
        if (!run->plan.items[i].there)
            return false;
    return true;
}

/* Only words that mean something in this release are its own. */
static void leave_own_words(struct run *run, size_t index)
{
    struct change_product *product = &run->change.products[index];
    struct strlist words = {0};
    for (size_t i = 0; i < product->wishes.count; i++)
        if (plan_knows(&run->catalogs[index], &run->request->products[index], run->manifest,
                       product->wishes.items[i]))
            strlist_add(&words, product->wishes.items[i]);
    strlist_free(&product->wishes);
    product->wishes = words;
}

/* What a lock file that is written says does not hang on what was there before. */
static bool plan_lock(struct run *run, size_t index, struct error *error)
{
    if (run->request->lock_path == NULL || run_is_locked(run))
        return true;
    return plan_add(&run->lock_plan, &run->catalogs[index], run->request,
                    &run->request->products[index], run->manifest, error);
}

static bool add_archives(struct run *run, size_t index, struct error *error)
{
    const struct change_product *product = &run->change.products[index];
    struct request asked = *run->request;
    asked.extent = product->extent;
    asked.components = product->wishes;
    if (run_is_locked(run))
        return run_plan_locked(run, index, asked.platform, error);
    return plan_add(&run->plan, &run->catalogs[index], &asked, &asked.products[index],
                    run->manifest, error);
}

bool run_plan_product(struct run *run, size_t index, struct error *error)
{
    struct change_product *product = &run->change.products[index];
    size_t first = run->plan.item_count;
    if (!add_archives(run, index, error) || !plan_lock(run, index, error))
        return false;
    leave_own_words(run, index);
    if (product->kind == CHANGE_WIDEN && product->there)
        keep_components(run, product->there);
    for (size_t i = first; i < run->plan.item_count; i++)
        run->plan.items[i].extent = product->extent;
    if (product->there == NULL)
        return true;
    mark_there(run, first, product);
    if (product->kind == CHANGE_WIDEN && is_complete(run, first) &&
        string_equal(product->there->extent, extent_word(product->extent)))
        product->kind = CHANGE_NONE;
    return true;
}

bool run_plan_products(struct run *run, struct error *error)
{
    const struct strlist *words = &run->request->components;
    for (size_t i = 0; i < run->request->product_count; i++)
        if (run->change.products[i].kind != CHANGE_NONE && !run_plan_product(run, i, error))
            return false;
    for (size_t i = 0; i < words->count; i++)
        if (change_component_is_installed(&run->change, words->items[i]))
            strlist_add_new(&run->plan.named, words->items[i]);
    return run_is_locked(run) || plan_components_known(&run->plan, run->request, error);
}
