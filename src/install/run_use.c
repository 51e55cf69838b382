/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/shell.h"
#include "install/ledger/print_ledger.h"
#include "install/output/print.h"
#include "install/print/print_plan.h"
#include "install/print/print_prefix.h"
#include "install/run/run.h"
#include "install/run/run_archive.h"
#include "install/run/run_catalog.h"
#include "install/run/run_change.h"
#include "install/run_install.h"
#include "install/run_ours.h"
#include "install/run_use.h"

/* Going back: products become what they were before another version replaced them. What they
 * consisted of is in the ledger, so no list of archives is asked for, and the licence was accepted
 * then. */

/* For each product of the ledger what it goes back to; NULL: it stays. */
struct targets {
    const struct ledger_product **items;
    size_t count;
};

static const struct ledger_product *last_replaced(const struct ledger_product *product,
                                                  unsigned change)
{
    for (size_t i = 0; change > 0 && i < product->previous_count; i++)
        if (product->previous[i].change == change)
            return &product->previous[i];
    return NULL;
}

static bool find_last(const struct run *run, struct targets *targets, struct error *error)
{
    const struct ledger *ledger = &run->prefix.ledger;
    unsigned change = ledger_last_change(ledger);
    for (size_t i = 0; i < ledger->product_count; i++) {
        targets->items[i] = last_replaced(&ledger->products[i], change);
        targets->count += targets->items[i] ? 1 : 0;
    }
    if (targets->count > 0)
        return true;
    error_set(error, ERROR_UNSATISFIABLE, "there is no earlier version to go back to");
    error_where(error, "%s", run->prefix.path);
    return error_next(error, "gpuenv install can install any version: cudnn@9.8 --prefix DIR");
}

static bool is_within(const struct ledger_product *product, const struct version *wanted)
{
    struct version version;
    return version_parse(product->version, &version) && version_within(&version, wanted);
}

static bool refuse_unknown(const struct run *run, const struct ledger_product *product,
                           const struct request_product *wanted, struct error *error)
{
    AUTO_STRLIST struct strlist list = {0};
    char text[VERSION_TEXT_SIZE];
    for (size_t i = 0; i < product->previous_count; i++)
        strlist_take(&list, print_product(product->product, product->previous[i].version,
                                          product->previous[i].variant));
    AUTO_FREE char *earlier = strlist_join(&list, ", ");
    error_set(error, ERROR_UNSATISFIABLE, "%s was not installed in this prefix before",
              wanted->spec);
    error_where(error, "%s", run->prefix.path);
    error_why(error, "the prefix contains %s %s; earlier: %s", product->product, product->version,
              *earlier ? earlier : "none");
    AUTO_FREE char *quoted = shell_quote(run->prefix.path);
    error_next(error, "it is installed by:");
    return error_command(error, "gpuenv install %s@%s --prefix %s --accept-eula", wanted->product,
                         version_text(&wanted->version, 0, text), quoted);
}

static bool refuse_absent(const struct run *run, const struct request_product *wanted,
                          struct error *error)
{
    AUTO_FREE char *contents = print_contents(&run->prefix.ledger);
    error_set(error, ERROR_NO_INPUT, "%s is not installed there", wanted->product);
    error_where(error, "%s", run->prefix.path);
    error_why(error, "the prefix contains %s", contents);
    return error_next(error,
                      "gpuenv list shows the installations; --prefix DIR names another prefix");
}

static bool find_named(const struct run *run, struct targets *targets, struct error *error)
{
    const struct ledger *ledger = &run->prefix.ledger;
    for (size_t i = 0; i < run->request->product_count; i++) {
        const struct request_product *wanted = &run->request->products[i];
        const struct ledger_product *product = ledger_product_find(ledger, wanted->product);
        const struct ledger_product *target = NULL;
        if (product == NULL)
            return refuse_absent(run, wanted, error);
        if (is_within(product, &wanted->version))
            continue;
        for (size_t k = product->previous_count; k > 0; k--)
            if (is_within(&product->previous[k - 1], &wanted->version))
                target = &product->previous[k - 1];
        if (target == NULL)
            return refuse_unknown(run, product, wanted, error);
        targets->items[product - ledger->products] = target;
        targets->count++;
    }
    return true;
}

static void add_product(struct run *run, const struct ledger_product *target)
{
    struct request_product *product =
        vec_push(run->effective_request.products, run->effective_request.product_count,
                 run->effective_request.product_capacity);
    const char *variant = target->variant;
    product->spec = target->spec;
    product->product = target->product;
    version_parse(target->version, &product->version);
    if (variant && string_starts(variant, "cuda"))
        version_parse(variant + strlen("cuda"), &product->cuda);
}

/* The request, the change and the plan, as install has them from catalogs. */
static void make_plan(struct run *run, const struct targets *targets, struct ledger *next)
{
    const struct ledger *ledger = &run->prefix.ledger;
    run->effective_request = *run->request;
    run->effective_request.products = NULL;
    run->effective_request.product_count = run->effective_request.product_capacity = 0;
    run->change.products = mem_alloc((ledger->product_count + 1) * sizeof(*run->change.products));
    run->pins = mem_alloc((ledger->product_count + 1) * sizeof(*run->pins));
    for (size_t i = 0; i < ledger->product_count; i++) {
        const struct ledger_product *target = targets->items[i];
        if (target == NULL)
            continue;
        struct change_product *change = &run->change.products[run->change.count];
        run->pins[run->change.count++] = pin_word(target->pin);
        change->kind = CHANGE_REPLACE;
        change->was = mem_string(ledger->products[i].version);
        change_extent_of(target->extent, &change->extent);
        const struct ledger_product *then = ledger_product_find(next, target->product);
        for (size_t k = 0; k < then->component_count; k++) {
            struct plan_item *item = plan_add_component(&run->plan, then, &then->components[k]);
            item->extent = change->extent;
            item->there = change_has(ledger, then, &then->components[k]);
        }
        add_product(run, then);
    }
    strlist_sort(&run->plan.licences);
    run->request = &run->effective_request;
}

static void make_ledger(const struct run *run, const struct targets *targets, struct ledger *next)
{
    const struct ledger *ledger = &run->prefix.ledger;
    next->gpuenv = mem_string(GPUENV_VERSION);
    for (size_t i = 0; i < ledger->product_count; i++) {
        const struct ledger_product *there = &ledger->products[i];
        if (targets->items[i])
            ledger_product_replace(ledger_product_add(next, targets->items[i]), there,
                                   ledger_last_change(ledger) + 1);
        else
            ledger_product_remember(ledger_product_add(next, there), there);
    }
    ledger_sort_products(next);
}

static bool go_back(struct run *run, struct ledger *next, struct text *output, struct error *error)
{
    struct changed_files files = {.stays = {0}};
    run->undoes = run->request->previous ? ledger_last_change(&run->prefix.ledger) : 0;
    bool ok = run_find_way(run, error) && run_open_sources(run, error) &&
              run_open_cache(run, error) && run_take_archives(run, error) &&
              run_sum_plan(run, error) && interrupt_hold(&run->interrupt, error) &&
              run_change(run, next, &files, error);
    if (ok) {
        plan_measure(&run->plan, &run->prefix.ledger);
        print_changed_files(run, &files);
        print_plan(run, PRINT_INSTALLED, output);
    }
    changed_files_free(&files);
    return ok;
}

/* What is in use already. */
static bool do_nothing(struct run *run, struct text *output)
{
    const struct ledger *ledger = &run->prefix.ledger;
    const struct request *asked = run->request;
    run->effective_request = *asked;
    run->effective_request.products = NULL;
    run->effective_request.product_count = run->effective_request.product_capacity = 0;
    run->pins = mem_alloc((ledger->product_count + 1) * sizeof(*run->pins));
    for (size_t i = 0; i < ledger->product_count; i++) {
        const struct ledger_product *there = &ledger->products[i];
        bool named = asked->previous;
        for (size_t k = 0; k < asked->product_count; k++)
            named = named || string_equal(asked->products[k].product, there->product);
        if (!named)
            continue;
        run->pins[run->effective_request.product_count] = pin_word(there->pin);
        add_product(run, there);
    }
    run->request = &run->effective_request;
    plan_of_ledger(&run->plan, ledger, run->request);
    print_plan(run, PRINT_NOTHING_TO_DO, output);
    return true;
}

bool run_use(struct run *run, struct text *output, struct error *error)
{
    AUTO_LEDGER struct ledger next = {.gpuenv = NULL};
    if (!run_needs_ours(run, error))
        return false;
    if (run->request->previous && run->has_ended && run->prefix.ledger.undoes > 0)
        return do_nothing(run, output); /* it is this one that was begun */
    AUTO_FREE const struct ledger_product **items =
        mem_alloc((run->prefix.ledger.product_count + 1) * sizeof(void *));
    struct targets targets = {.items = items};
    if (!(run->request->previous ? find_last(run, &targets, error)
                                 : find_named(run, &targets, error)))
        return false;
    if (targets.count == 0)
        return do_nothing(run, output);
    make_ledger(run, &targets, &next);
    if (!change_is_sound(&next, run->prefix.path, error))
        return false;
    make_plan(run, &targets, &next);
    return go_back(run, &next, output, error);
}
