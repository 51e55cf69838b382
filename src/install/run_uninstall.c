/* SPDX-License-Identifier: MIT */
#include "install/prefix/uninstall.h"
#include "install/print/print_prefix.h"
#include "install/run/run.h"
#include "install/run/run_change.h"
#include "install/run_ours.h"
#include "install/run_uninstall.h"
#include "install/settle.h"

/* All that a prefix holds, or some products of it. */

static bool uninstall_all(struct run *run, struct text *output, struct error *error)
{
    AUTO_STRLIST struct strlist kept = {0};
    if (!uninstall_look(&run->prefix, run->request->force, &kept, error) ||
        !interrupt_hold(&run->interrupt, error) || /* what is begun is ended */
        !settle_undo(run, error))
        return false;
    if (!uninstall_remove(&run->prefix, &kept, error))
        return settle_was_undone(run, error);
    print_uninstalled(run, &run->prefix.ledger, &kept, output);
    return true;
}

static bool is_named(const struct request *request, const char *product)
{
    for (size_t i = 0; i < request->product_count; i++)
        if (string_equal(request->products[i].product, product))
            return true;
    return false;
}

static void split(const struct run *run, struct ledger *gone, struct ledger *next)
{
    const struct ledger *ledger = &run->prefix.ledger;
    next->gpuenv = mem_string(GPUENV_VERSION);
    for (size_t i = 0; i < ledger->product_count; i++) {
        const struct ledger_product *product = &ledger->products[i];
        bool goes = is_named(run->request, product->product);
        ledger_product_remember(ledger_product_add(goes ? gone : next, product), product);
    }
    ledger_sort_products(next);
}

static bool uninstall_products(struct run *run, const struct ledger *gone, struct ledger *next,
                               struct text *output, struct error *error)
{
    struct changed_files files = {.stays = {0}};
    run->progress = progress_new("none", true, error);
    bool ok = run->progress && run_find_way(run, error) && interrupt_hold(&run->interrupt, error) &&
              run_change(run, next, &files, error);
    if (ok)
        print_uninstalled(run, gone, &files.stays, output);
    else if (error && error->next == NULL)
        error_next(error, "the installation is unchanged; to free space, remove the whole "
                          "installation with gpuenv uninstall --prefix");
    changed_files_free(&files);
    return ok;
}

bool run_uninstall(struct run *run, struct text *output, struct error *error)
{
    AUTO_LEDGER struct ledger gone = {.gpuenv = NULL};
    AUTO_LEDGER struct ledger next = {.gpuenv = NULL};
    if (!run_needs_ours(run, error))
        return false;
    if (run->request->only)
        split(run, &gone, &next);
    return next.product_count == 0 ? uninstall_all(run, output, error)
                                   : uninstall_products(run, &gone, &next, output, error);
}
