/* SPDX-License-Identifier: MIT */
#include "install/output/print.h"

#include <string.h>
#include <unistd.h>

#include "base/shell.h"
#include "base/wrap.h"
#include "host/local/terminal.h"
#include "install/print/envelope.h"
#include "install/print/print_mirror.h"
#include "install/print/print_plan.h"
#include "install/run/run.h"

/* What mirror says. */

static char *products_of(const struct run *run)
{
    AUTO_STRLIST struct strlist list = {0};
    for (size_t i = 0; i < run->request->product_count; i++) {
        const struct request_product *product = &run->request->products[i];
        char version[VERSION_TEXT_SIZE], cuda[VERSION_TEXT_SIZE];
        strlist_take(
            &list,
            print_product(product->product, version_text(&product->version, 0, version),
                          product->cuda.count ? version_text(&product->cuda, 0, cuda) : NULL));
    }
    return strlist_join(&list, ", ");
}

static uint64_t size_of(const struct plan *plan)
{
    uint64_t size = 0;
    for (size_t i = 0; i < plan->item_count; i++)
        if (__builtin_add_overflow(size, plan->items[i].size, &size))
            return UINT64_MAX;
    return size;
}

static void print_contents_of(const struct run *run, struct text *output)
{
    struct wrap wrap;
    char size[PRINT_SIZE];
    AUTO_FREE char *platforms = strlist_join(&run->request->asked_platforms, ", ");
    AUTO_FREE char *products = products_of(run);
    AUTO_FREE char *archives = print_count(run->plan.item_count, "archive", NULL);
    text_append(output, "  ");
    wrap_begin(&wrap, output, terminal_width(STDOUT_FILENO), 2, 2);
    wrap_printf(&wrap, "%s, profile %s, for %s: %s, %s", products,
                extent_word(run->request->extent), platforms, archives,
                print_size(size_of(&run->plan), size));
    wrap_end(&wrap);
}

static void print_items(const struct run *run, struct text *output)
{
    char size[PRINT_SIZE];
    for (size_t i = 0; run->request->verbose && i < run->plan.item_count; i++) {
        const struct plan_item *item = &run->plan.items[i];
        text_append(output, "  ");
        text_append_safe(output, item->path);
        text_printf(output, " %s%s\n", print_size(item->size, size),
                    item->cached ? ", already there" : "");
    }
}

static void print_lock(const struct run *run, struct text *output)
{
    if (run->lock_state == NULL)
        return;
    text_append(output, "  lock file ");
    text_append_safe(output, run->request->lock_path);
    text_printf(output, ", %s\n", run->lock_state);
}

static void print_use(const struct run *run, struct text *output)
{
    AUTO_FREE char *directory = shell_quote(run->request->prefix);
    text_append(
        output,
        "to install from the mirror (in place, from a copy, or from a server):\n  gpuenv install");
    for (size_t i = 0; i < run->request->product_count; i++) {
        char version[VERSION_TEXT_SIZE];
        const struct request_product *product = &run->request->products[i];
        text_printf(output, " %s@%s", product->product,
                    version_text(&product->version, 0, version));
    }
    text_printf(output, " --mirror %s\n", directory);
}

void print_mirror(const struct run *run, uint64_t came, size_t files, struct text *output)
{
    char size[PRINT_SIZE];
    AUTO_FREE char *count = print_count(files, "file", NULL);
    bool dry = run->request->dry_run;
    if (print_is_json(run)) {
        bool changed = dry ? run->plan.download > 0 : files > 0;
        print_plan_json(run, changed ? PRINT_INSTALLED : PRINT_NOTHING_TO_DO, output);
        return;
    }
    text_append(output, dry          ? "would mirror to "
                        : files == 0 ? "nothing to do: everything is in "
                                     : "mirrored to ");
    text_append_safe(output, run->request->prefix);
    text_append(output, ":\n");
    print_contents_of(run, output);
    print_items(run, output);
    if (dry)
        text_printf(output, "  %s would be downloaded\n", print_size(run->plan.download, size));
    else if (files > 0)
        text_printf(output, "  %s downloaded in %s\n", print_size(came, size), count);
    print_lock(run, output);
    if (files > 0 && !run->request->quiet)
        print_use(run, output);
}
