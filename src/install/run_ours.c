/* SPDX-License-Identifier: MIT */
#include "install/run_ours.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/version.h"
#include "install/ledger/print_ledger.h"
#include "install/run/run.h"

static bool has_product(const struct ledger *ledger, const struct request_product *wanted)
{
    struct version version;
    const struct ledger_product *there = ledger_product_find(ledger, wanted->product);
    return there && version_parse(there->version, &version) &&
           version_within(&version, &wanted->version);
}

/* The SPEC that named the prefix may say more than its name does. */
static bool has_wanted(const struct run *run, struct error *error)
{
    for (size_t i = 0; i < run->request->product_count; i++) {
        const struct request_product *wanted = &run->request->products[i];
        if (has_product(&run->prefix.ledger, wanted))
            continue;
        AUTO_FREE char *contents = print_contents(&run->prefix.ledger);
        error_set(error, ERROR_NO_INPUT, "%s is not installed there", wanted->spec);
        error_where(error, "%s", run->prefix.path);
        error_why(error, "the prefix contains %s", contents);
        return error_next(
            error, "gpuenv list shows the installations; --prefix DIR names a directory instead");
    }
    return true;
}

bool run_needs_ours(const struct run *run, struct error *error)
{
    const struct request *request = run->request;
    bool ends_it =
        request->action == ACTION_VERIFY || (request->action == ACTION_UNINSTALL && !request->only);
    if (run->prefix.is_leaving && !ends_it)
        return prefix_refuse_unfinished(&run->prefix, error);
    if (run->prefix.state == PREFIX_OURS)
        return request->action == ACTION_USE || has_wanted(run, error);
    error_set(error, ERROR_NO_INPUT, "%s",
              run->prefix.state == PREFIX_ABSENT ? "nothing is installed there"
                                                 : "gpuenv did not create this installation");
    error_where(error, "%s", run->prefix.path);
    return error_next(error, "gpuenv list shows the installations in the usual places; --prefix "
                             "DIR names another directory");
}
