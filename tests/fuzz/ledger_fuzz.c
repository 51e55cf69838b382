/* SPDX-License-Identifier: MIT */
/* Any bytes as a ledger, or as one of a change that is under way: refused with words that can be
 * shown, or read; what was read leads nowhere but below the prefix, and gives bytes that read as
 * the same again. */
#include "fuzz.h"

#include "install/fetch/mirror.h"
#include "install/io/source_path.h"
#include "install/ledger/ledger.h"

static void check_refusal(const struct error *error)
{
    AUTO_TEXT struct text words = {0};
    error_format(error, &words);
    if (error->kind != ERROR_DATA || error->where == NULL || error->next == NULL || words.size == 0)
        abort();
}

static void check_files(const struct ledger *ledger)
{
    for (size_t i = 0; i < ledger->file_count; i++) {
        const struct ledger_file *file = &ledger->files[i];
        if (!source_path_is_inward(file->path, LEDGER_PATH_MAX) || (file->mode & ~0777u) != 0 ||
            file->owners.count == 0 || (file->type == LEDGER_LINK) != (file->target != NULL) ||
            ledger_find(ledger, file->path) != file)
            abort();
    }
    for (size_t i = 0; i < ledger->remove.count; i++)
        if (!source_path_is_inward(ledger->remove.items[i], LEDGER_PATH_MAX))
            abort();
}

/* What a change does with the products of a ledger. */
static void change_products(struct ledger *ledger)
{
    unsigned last = ledger_last_change(ledger);
    struct ledger to = {.gpuenv = NULL};
    for (size_t i = 0; i < ledger->product_count; i++) {
        const struct ledger_product *product = &ledger->products[i];
        if (product->previous_count > LEDGER_PREVIOUS_MAX ||
            !ledger_is_same_state(product, product) ||
            ledger_product_find(ledger, product->product) == NULL)
            abort();
        struct ledger_product *copy = ledger_product_add(&to, product);
        ledger_product_replace(copy, product, 7);
        if (copy->previous_count > product->previous_count)
            abort(); /* it is the same state: nothing to go back to */
    }
    if (ledger_last_change(&to) > last)
        abort();
    ledger_sort_products(&to);
    ledger_free(&to);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO_LEDGER struct ledger ledger = {.gpuenv = NULL};
    AUTO_LEDGER struct ledger again = {.gpuenv = NULL};
    AUTO_ERROR struct error error = {0};
    AUTO_TEXT struct text first = {0};
    AUTO_TEXT struct text second = {0};
    if (!ledger_parse((const char *)data, size, "fuzz", &ledger, &error)) {
        check_refusal(&error);
        return 0;
    }
    ledger_append(&ledger, &first);
    if (!ledger_parse(text_string(&first), first.size, "again", &again, NULL))
        abort();
    ledger_append(&again, &second);
    if (!string_equal(text_string(&first), text_string(&second)))
        abort();
    check_files(&ledger);
    change_products(&ledger);
    return 0;
}
