/* SPDX-License-Identifier: MIT */
#include "base/shell.h"
#include "base/wrap.h"
#include "host/local/terminal.h"
#include "install/ledger/print_ledger.h"
#include "install/output/print.h"
#include "install/print/envelope.h"
#include "install/print/print_prefix.h"
#include "install/print/print_settled.h"
#include "install/run/run.h"
#include "install/run/run_change.h"

/* What verify and uninstall found in a prefix. */

static json_t *row_json(const struct verify_row *row)
{
    json_t *json = json_object();
    json_object_set_new(json, "path", json_from_string(row->path));
    if (row->why)
        json_object_set_new(json, "why", json_from_string(row->why));
    if (row->detail)
        json_object_set_new(json, "detail", json_from_string(row->detail));
    return json;
}

static json_t *rows_json(const struct verify_rows *rows)
{
    json_t *array = json_array();
    for (size_t i = 0; i < rows->count; i++)
        json_array_append_new(array, row_json(&rows->items[i]));
    return array;
}

static void append_rows(const struct verify_rows *rows, const char *word, bool verbose,
                        struct text *output)
{
    for (size_t i = 0; i < rows->count; i++) {
        const struct verify_row *row = &rows->items[i];
        text_printf(output, "%s ", word);
        text_append_safe(output, row->path);
        if (row->why) {
            text_append(output, ": ");
            text_append_safe_again(output, row->why);
        }
        if (verbose && row->detail)
            text_printf(output, ": %s", row->detail);
        text_append_char(output, '\n');
    }
}

/* "gpuenv install cuda@12.8.1 cudnn@9.8.0 --profile runtime --prefix DIR --accept-eula": products
 * of one extent. */
static void append_install(const struct ledger *ledger, const char *extent, const char *path,
                           struct text *output)
{
    AUTO_STRLIST struct strlist wishes = {0};
    bool pinned = true;
    text_append(output, "  gpuenv install");
    for (size_t i = 0; i < ledger->product_count; i++) {
        const struct ledger_product *product = &ledger->products[i];
        if (!string_equal(product->extent, extent))
            continue;
        text_printf(output, " %s@%s", product->product, product->version);
        for (size_t k = 0; k < product->wishes.count; k++)
            strlist_add_new(&wishes, product->wishes.items[k]);
        pinned = pinned && !string_equal(product->pin, "none");
    }
    text_printf(output, " --profile %s", extent);
    for (size_t i = 0; i < wishes.count; i++)
        text_printf(output, " --component=%s", wishes.items[i]);
    text_printf(output, "%s --prefix %s --accept-eula\n", pinned ? "" : " --allow-unpinned", path);
}

static void append_installs(const struct ledger *ledger, const char *path, struct text *output)
{
    AUTO_STRLIST struct strlist extents = {0};
    for (size_t i = 0; i < ledger->product_count; i++)
        if (strlist_add_new(&extents, ledger->products[i].extent))
            append_install(ledger, ledger->products[i].extent, path, output);
}

/* Commands stay on one line, however long: they can be copied. */
static void append_mending(const struct run *run, const struct verification *found,
                           struct text *output)
{
    AUTO_FREE char *path = shell_quote(run->prefix.path);
    text_append(output, found->added.count > 0
                            ? "to repair the installation, move the added files away, then:\n"
                            : "to repair the installation:\n");
    text_printf(output, "  gpuenv uninstall --force --prefix %s\n", path);
    append_installs(&run->prefix.ledger, path, output);
    text_append(output, "add --mirror if the installation used a mirror\n");
}

void print_verification(const struct run *run, const struct verification *found,
                        struct text *output)
{
    bool unfinished = prefix_is_unfinished(&run->prefix);
    bool sound = found->changed.count == 0 && found->missing.count == 0 && !unfinished;
    if (print_is_json(run)) {
        AUTO_JSON json_t *json = print_envelope(run);
        json_object_set_new(json, "products", print_products_json(&run->prefix.ledger));
        json_object_set_new(json, "pending", json_boolean(run->prefix.is_pending));
        json_object_set_new(json, "uninstalling", json_boolean(run->prefix.is_leaving));
        json_object_set_new(json, "files", json_integer((json_int_t)found->files));
        json_object_set_new(json, "changed", rows_json(&found->changed));
        json_object_set_new(json, "missing", rows_json(&found->missing));
        json_object_set_new(json, "added", rows_json(&found->added));
        json_append_text(json, output);
        return;
    }
    append_rows(&found->changed, "changed", run->request->verbose, output);
    append_rows(&found->missing, "missing", false, output);
    append_rows(&found->added, "added", false, output);
    AUTO_FREE char *files = print_count(found->files, "entry", "entries");
    text_append_safe(output, run->prefix.path);
    text_printf(output, ": %s\n", sound ? "as installed" : "not as installed");
    text_printf(output, "  %s compared: %zu changed, %zu missing, %zu added by others\n", files,
                found->changed.count, found->missing.count, found->added.count);
    if (unfinished)
        print_unfinished(&run->prefix, output);
    else if (!sound)
        append_mending(run, found, output);
}

/* A command stays on one line, however long. */
void print_unfinished(const struct prefix *prefix, struct text *output)
{
    unsigned columns = terminal_width(STDOUT_FILENO);
    AUTO_FREE char *quoted = shell_quote(prefix->path);
    if (prefix->is_leaving) {
        wrap_paragraph(output, columns, 2,
                       "an uninstall of this prefix was interrupted; finish the uninstall:");
        text_printf(output, "    gpuenv uninstall --prefix %s\n", quoted);
    } else if (prefix->is_pending) {
        wrap_paragraph(output, columns, 2,
                       "a change was interrupted; the next gpuenv install, use or uninstall for "
                       "this prefix finishes that change first");
    }
}

void print_changed_files(const struct run *run, const struct changed_files *files)
{
    for (size_t i = 0; i < files->replaced.count; i++)
        progress_note(run->progress, "%s was changed by hand; it is replaced",
                      files->replaced.items[i]);
    for (size_t i = 0; i < files->stays.count; i++)
        progress_note(run->progress,
                      "%s was changed by hand; the file is kept, and gpuenv no longer manages it",
                      files->stays.items[i]);
}

void print_uninstalled(const struct run *run, const struct ledger *gone, const struct strlist *kept,
                       struct text *output)
{
    bool whole = gone == &run->prefix.ledger;
    if (print_is_json(run)) {
        AUTO_JSON json_t *json = print_envelope(run);
        json_t *array = json_array();
        for (size_t i = 0; i < kept->count; i++)
            json_array_append_new(array, json_from_string(kept->items[i]));
        json_object_set_new(json, "products", print_products_json(gone));
        json_object_set_new(json, "changed", json_true());
        json_object_set_new(json, "kept", array);
        if (!whole)
            json_object_set_new(json, "way", json_string(way_word(run->way)));
        print_settled_json(run, json);
        json_append_text(json, output);
        return;
    }
    text_append(output, whole ? "uninstalled " : "uninstalled from ");
    text_append_safe(output, run->prefix.path);
    text_append(output, ":\n");
    for (size_t i = 0; i < gone->product_count; i++) {
        const struct ledger_product *product = &gone->products[i];
        AUTO_FREE char *name = print_product(product->product, product->version, product->variant);
        text_printf(output, "  %s\n", name);
    }
    print_settled(run, false, output);
    if (kept->count == 0)
        return;
    text_append(output, "kept, because they were changed or not installed by gpuenv:\n");
    for (size_t i = 0; i < kept->count; i++) {
        text_append(output, "  ");
        text_append_safe(output, kept->items[i]);
        text_append_char(output, '\n');
    }
}
