/* SPDX-License-Identifier: MIT */
#include "install/output/print.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/shell.h"
#include "base/wrap.h"
#include "host/local/terminal.h"
#include "install/print/envelope.h"
#include "install/print/print_plan.h"
#include "install/print/print_settled.h"
#include "install/print/print_single.h"
#include "install/print/print_use.h"
#include "install/run/run.h"
#include "install/run/run_index.h"
#include "install/run/run_plan.h"

#define LABEL 11 /* the width of "download   " */

void print_line_begin(struct wrap *wrap, const char *label, struct text *output)
{
    text_printf(output, "%-*s", LABEL, label);
    wrap_begin(wrap, output, terminal_width(STDOUT_FILENO), LABEL, LABEL);
}

static char *product_text(const struct request_product *product)
{
    char version[VERSION_TEXT_SIZE], cuda[VERSION_TEXT_SIZE];
    return print_product(product->product, version_text(&product->version, 0, version),
                         product->cuda.count ? version_text(&product->cuda, 0, cuda) : NULL);
}

static char *products_text(const struct run *run)
{
    AUTO_STRLIST struct strlist list = {0};
    for (size_t i = 0; i < run->request->product_count; i++)
        strlist_take(&list, product_text(&run->request->products[i]));
    return strlist_join(&list, ", ");
}

void print_reason(unsigned indent, const char *label, const char *words, struct text *output)
{
    struct wrap wrap;
    unsigned column = indent + wrap_width(label, strlen(label)) + 2;
    if (words == NULL)
        return;
    text_printf(output, "%*s%s: ", (int)indent, "", label);
    wrap_begin(&wrap, output, terminal_width(STDOUT_FILENO), column, indent + 5);
    wrap_words(&wrap, words);
    wrap_end(&wrap);
}

/* ", was 9.8.0" */
static char *change_text(const struct run *run, size_t index)
{
    const struct change_product *change = &run->change.products[index];
    switch (index < run->change.count ? change->kind : CHANGE_ADD) {
    case CHANGE_REPLACE:
        return mem_printf(", was %s", change->was);
    case CHANGE_WIDEN:
        return mem_string(", with more components");
    case CHANGE_NONE:
        return mem_string(", unchanged");
    case CHANGE_ADD:
        break;
    }
    return mem_string("");
}

static const char *print_unpinned(const struct run *run, size_t product)
{
    if (!string_equal(run->pins[product], "none"))
        return "";
    return run->lock.product_count > 0
               ? ", not pinned: the lock file has the checksums of all files"
               : ", not pinned: no file has a known checksum";
}

static void print_lock(const struct run *run, const char *start, struct text *output)
{
    if (run->lock_state == NULL)
        return;
    text_append(output, start);
    text_append_safe(output, run->request->lock_path);
    text_printf(output, ", %s\n", run->lock_state);
}

/* What is left to be done, each with its command, which can be copied. */
static void print_then(const struct run *run, const char *label, struct text *output)
{
    const struct request *request = run->request;
    for (size_t i = 0; i < request->then.count; i++) {
        struct wrap wrap;
        const char *command =
            i < request->then_commands.count ? request->then_commands.items[i] : "";
        print_reason(2, label, request->then.items[i], output);
        if (*command == '\0')
            continue;
        text_append(output, "  ");
        wrap_begin(&wrap, output, terminal_width(STDOUT_FILENO), 2, 2);
        wrap_whole(&wrap, command);
        wrap_end(&wrap);
    }
}

static void print_products(const struct run *run, bool with_why, struct text *output)
{
    for (size_t i = 0; i < run->request->product_count; i++) {
        const struct request_product *product = &run->request->products[i];
        AUTO_FREE char *name = product_text(product);
        AUTO_FREE char *exact =
            product->exact
                ? mem_printf("%s is the newest version without these limits", product->exact)
                : NULL;
        AUTO_FREE char *was = change_text(run, i);
        text_printf(output, "  %s%s%s\n", name, was, print_unpinned(run, i));
        if (!with_why)
            continue;
        print_reason(7, "why", product->why, output);
        for (size_t k = 0; k < product->limits.count; k++)
            print_reason(7, "but", product->limits.items[k], output);
        print_reason(7, "exact", exact, output);
    }
    if (!with_why)
        return;
    for (size_t i = 0; i < run->request->notes.count; i++)
        print_reason(2, "note", run->request->notes.items[i], output);
    print_reason(2, "note", run->other_prefix_reason, output);
}

/* Whoever fetches or checks an archive by hand copies these. */
static void print_proof(const struct run *run, const struct plan_item *item, struct text *output)
{
    char hex[DIGEST_HEX_SIZE];
    AUTO_FREE char *url = run_item_url(run, item);
    digest_hex(&item->sha256, hex);
    text_append(output, "    ");
    text_append_safe(output, url ? url : item->path);
    text_printf(output, "\n    sha256 %s\n", hex);
}

static void print_items(const struct run *run, struct text *output)
{
    const struct plan *plan = &run->plan;
    char size[PRINT_SIZE];
    text_printf(output, "\n  %-26s %-16s %12s\n", "component", "version", "archive");
    for (size_t i = 0; i < plan->item_count; i++) {
        const struct plan_item *item = &plan->items[i];
        if (item->there)
            continue;
        AUTO_FREE char *name = string_safe(item->component);
        AUTO_FREE char *version = string_safe(item->version ? item->version : "");
        text_printf(output, "  %-26s %-16s %12s%s\n", name, version,
                    item->size ? print_size(item->size, size) : "not known",
                    item->cached ? "  in the cache" : "");
        if (run->request->verbose)
            print_proof(run, item, output);
    }
    text_append_char(output, '\n');
}

static const char *reason_words(const char *reason)
{
    static const struct {
        const char *reason, *words;
    } rows[] = {
        {"driver", "belongs to the driver"},
        {"fabric", "for NVSwitch and InfiniBand"},
        {"nsight", "Nsight and visual tools"},
        {"sample", "samples"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (string_equal(rows[i].reason, reason))
            return rows[i].words;
    return reason;
}

static void print_excluded(const struct plan *plan, struct text *output)
{
    char size[PRINT_SIZE];
    if (plan->excluded_count == 0)
        return;
    text_append(output, "  left out\n");
    for (size_t i = 0; i < plan->excluded_count; i++) {
        AUTO_FREE char *name = string_safe(plan->excluded[i].component);
        text_printf(output, "  %-26s %12s  %s\n", name,
                    plan->excluded[i].size ? print_size(plan->excluded[i].size, size) : "",
                    reason_words(plan->excluded[i].reason));
    }
    text_append_char(output, '\n');
}

static void print_extent(const struct run *run, struct text *output)
{
    struct wrap wrap;
    const struct plan *plan = &run->plan;
    char size[PRINT_SIZE];
    AUTO_FREE char *count = print_count(plan->excluded_count, "component", NULL);
    print_line_begin(&wrap, "profile", output);
    wrap_printf(&wrap, "%s, for %s", extent_word(run_extent(run)), run->request->platform);
    wrap_end(&wrap);
    if (plan->excluded_count == 0)
        return;
    print_line_begin(&wrap, "left out", output);
    wrap_words(&wrap, count);
    if (plan->saved > 0)
        wrap_printf(&wrap, "of %s", print_size(plan->saved, size));
    if (!run->request->verbose)
        wrap_words(&wrap, "(-v lists the components, --component NAME adds one)");
    wrap_end(&wrap);
}

static void print_download(const struct plan *plan, struct text *output)
{
    struct wrap wrap;
    size_t count = 0;
    char size[PRINT_SIZE];
    for (size_t i = 0; i < plan->item_count; i++)
        count += plan->items[i].cached || plan->items[i].there ? 0 : 1;
    AUTO_FREE char *archives = print_count(count, "archive", NULL);
    print_line_begin(&wrap, "download", output);
    if (plan_lacks_size(plan)) {
        wrap_words(&wrap, "an archive whose size is not known before it is fetched");
        wrap_end(&wrap);
        return;
    }
    if (plan_missing(plan) == 0)
        wrap_words(&wrap, "nothing");
    else if (count == 0)
        wrap_words(&wrap, "nothing: every archive is in the cache");
    else
        wrap_printf(&wrap, "%s in %s", print_size(plan->download, size), archives);
    wrap_end(&wrap);
}

static void print_room(const struct plan *plan, struct text *output)
{
    struct wrap wrap;
    char size[PRINT_SIZE];
    print_line_begin(&wrap, "disk", output);
    if (plan_lacks_size(plan))
        wrap_words(&wrap, "not known");
    else
        wrap_printf(&wrap, "up to %s unpacked", print_size(plan->unpacked, size));
    if (plan->knows_free_prefix)
        wrap_printf(&wrap, "(%s free)", print_size(plan->free_prefix, size));
    wrap_end(&wrap);
}

/* One text for each licence: that of the first component that names it. */
static void print_licence_urls(const struct run *run, struct text *output)
{
    const struct plan *plan = &run->plan;
    for (size_t i = 0; i < plan->licences.count; i++)
        for (size_t k = 0; k < plan->item_count; k++) {
            const struct plan_item *item = &plan->items[k];
            if (!string_equal(item->licence, plan->licences.items[i]) || !item->licence_path)
                continue;
            AUTO_FREE char *url = mirror_url(&run->mirrors[0], item->licence_path);
            text_append(output, "  ");
            text_append_safe(output, url ? url : item->licence_path);
            text_append_char(output, '\n');
            break;
        }
}

static void print_licences(const struct run *run, struct text *output)
{
    struct wrap wrap;
    AUTO_FREE char *names = strlist_join(&run->plan.licences, "; ");
    print_line_begin(&wrap, "licences", output);
    wrap_words(&wrap, *names ? names : "not named");
    if (!run->request->verbose && *names)
        wrap_words(&wrap, "(-v shows where to read the licences)");
    wrap_end(&wrap);
    if (run->request->verbose)
        print_licence_urls(run, output);
}

static void print_way(const struct run *run, struct text *output)
{
    static const char *const words[] = {
        [WAY_RENAME] = "a new tree is renamed into place",
        [WAY_EXCHANGE] = "the new tree replaces the old tree in one step",
        [WAY_FILES] = "file by file",
    };
    struct wrap wrap;
    size_t there = run->plan.item_count - plan_missing(&run->plan);
    if (there > 0) {
        AUTO_FREE char *count = print_count(there, "component is", "components are");
        print_line_begin(&wrap, "unchanged", output);
        wrap_printf(&wrap, "%s already there", count);
        wrap_end(&wrap);
    }
    print_line_begin(&wrap, "way", output);
    wrap_words(&wrap, words[run->way]);
    if (run->way_why)
        wrap_printf(&wrap, "(%s)", run->way_why);
    wrap_end(&wrap);
}

static void print_planned(const struct run *run, struct text *output)
{
    struct wrap wrap;
    text_append(output, run->other_prefix_reason ? "would install"
                        : run->way == WAY_RENAME ? "would install in "
                                                 : "would change ");
    text_append_safe(output, run->other_prefix_reason ? "" : run->prefix.path);
    text_append(output, ":\n");
    print_products(run, true, output);
    print_single_notes(run, output);
    print_then(run, "note", output);
    print_items(run, output);
    if (run->request->verbose)
        print_excluded(&run->plan, output);
    print_extent(run, output);
    print_download(&run->plan, output);
    print_room(&run->plan, output);
    print_way(run, output);
    print_sources(run, output);
    print_licences(run, output);
    print_lock(run, "lock file  ", output);
    if (print_singles_to_get(run, output))
        return;
    print_line_begin(&wrap, "next", output);
    wrap_printf(&wrap, "gpuenv install with the same options%s",
                run->other_prefix_reason ? ", --prefix DIR" : "");
    if (!run->request->accept_eula)
        wrap_words(&wrap, "and --accept-eula, once you have read the licences");
    wrap_end(&wrap);
}

static void print_installed(const struct run *run, struct text *output)
{
    struct wrap wrap;
    char size[PRINT_SIZE];
    AUTO_FREE char *files = print_count(run->plan.files, "file", NULL);
    AUTO_FREE char *licences = strlist_join(&run->plan.licences, "; ");
    text_append(output, run->way == WAY_RENAME ? "installed in " : "changed ");
    text_append_safe(output, run->prefix.path);
    text_append(output, ":\n");
    print_products(run, run->request->verbose, output);
    if (run->request->verbose) {
        print_items(run, output);
        print_excluded(&run->plan, output);
    }
    text_printf(output, "  %s in %s\n", print_size(run->plan.unpacked, size), files);
    wrap_begin(&wrap, output, terminal_width(STDOUT_FILENO), 0, 2);
    wrap_printf(&wrap, "licences accepted: %s", *licences ? licences : "none named");
    wrap_end(&wrap);
    print_lock(run, "lock file ", output);
    print_single_untried(run, output);
    print_then(run, "next", output);
    if (!run->request->quiet)
        print_use(run, output);
}

static void print_nothing_to_do(const struct run *run, struct text *output)
{
    AUTO_FREE char *products = products_text(run);
    text_append(output, "nothing to do: ");
    text_append_safe(output, run->prefix.path);
    text_printf(output, " has %s\n", products);
    print_lock(run, "lock file ", output);
}

void print_plan(const struct run *run, enum print_outcome outcome, struct text *output)
{
    if (print_is_json(run))
        print_plan_json(run, outcome, output);
    else if (outcome == PRINT_NOTHING_TO_DO)
        print_nothing_to_do(run, output);
    else if (outcome == PRINT_INSTALLED)
        print_installed(run, output);
    else
        print_planned(run, output);
    if (!print_is_json(run))
        print_settled(run, run->request->action == ACTION_PLAN, output);
}
